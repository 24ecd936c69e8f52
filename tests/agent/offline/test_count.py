"""The server's counts are its own, the same every time, and never fall when something is appended."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.offline.catalog import MODELS
from agent.offline.count import block_tokens, text_tokens, total_tokens
from agent.offline.prefix import units
from tests.agent.offline.asking import Json, assistant, body, call, image, result, text, tool, user
from tests.agent.offline.pictures_of import picture

FACTS = {model.id: model for model in MODELS}
NEW, OLD = FACTS["claude-opus-5"], FACTS["claude-opus-4-6"]
TEXTS = st.text(st.characters(categories=["L", "N", "P", "Z", "So", "Cs"]), max_size=200) | st.text(
    "ab0+/=", max_size=200
)


def total(**fields: Any) -> int:
    return total_tokens(units({**body(), **fields}), NEW)


@given(TEXTS, TEXTS)
def test_more_text_never_counts_less(start: str, more: str) -> None:
    """Monotone for any text, also one whose class changes with what is appended."""
    for family in ("4", "5"):
        assert (
            text_tokens(start, family)
            <= text_tokens(start + more, family)
            <= len((start + more).encode("utf-8", "surrogatepass"))
        )


@given(st.lists(TEXTS.filter(str.strip), min_size=1, max_size=4))
def test_more_blocks_count_more(texts: list[str]) -> None:
    """Every block costs something of its own."""
    counts = [total(messages=[user(*texts[:end])]) for end in range(1, len(texts) + 1)]
    assert counts == sorted(set(counts))


@pytest.mark.parametrize(
    ("content", "bytes_per_token"),
    [
        ("def read(path: str) -> str:\n    return open(path).read()\n" * 50, 2.64),
        ("-rw-r--r-- 1 root 4096 Nov 29 22:15 cli.py\n" * 50, 2.2),
        ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ" * 50, 1.06),
        ("漢字" * 200, 2.2),
        ("😀" * 200, 2.2),
    ],
)
def test_the_rates_are_those_of_the_newer_tokenizer(content: str, bytes_per_token: float) -> None:
    """Bytes per token by what the text looks like; the older tokenizer counts less."""
    count = text_tokens(content, "5")
    assert len(content.encode()) / count == pytest.approx(bytes_per_token, rel=0.12)
    assert text_tokens(content, "4") < count


def test_images_cost_by_their_patches_up_to_a_cap() -> None:
    """One token per square of 28 pixels; what cannot be read costs a flat sum."""
    assert block_tokens(image(picture(280, 57)), NEW) == 4 + 10 * 3
    assert block_tokens(image(picture(4000, 4000)), NEW) == 4 + 4784
    assert block_tokens(image(picture(4000, 4000)), OLD) == 4 + 1568
    url: Json = {"type": "image", "source": {"type": "url", "url": "x"}}
    assert block_tokens(url, NEW) == block_tokens(image("AAAA"), NEW) == 1004


def test_a_call_and_its_result_cost_about_45_more() -> None:
    """Beside their texts."""
    plain = text_tokens("read", "5") + text_tokens(json.dumps({}), "5") + text_tokens("ok", "5")
    overhead = block_tokens(call("a"), NEW) + block_tokens(result("a"), NEW) - plain
    assert math.isclose(overhead, 45, abs_tol=5)


def test_everything_sent_is_counted() -> None:
    """Tools, system, thinking, documents, server tools; cache marks are not."""
    bare = total()
    for fields in (
        {"tools": [tool()]},
        {"system": "be kind"},
        {"messages": [user("hi"), assistant("ok"), user("?")]},
    ):
        assert total(**fields) > bare
    marked = {"messages": [user(text("hi", cache_control={"type": "ephemeral"}))]}
    assert total(**marked) == bare
    blocks: list[Json] = [
        {"type": "thinking", "thinking": "word " * 9, "signature": "x"},
        {"type": "redacted_thinking", "data": "x" * 40},
        {"type": "document", "source": {"data": "x" * 4000}},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"q": "x"}},
        {"type": "tool_use", "id": "a", "name": "x", "input": ["no", "object"]},
    ]
    assert all(block_tokens(block, NEW) > 8 for block in blocks)
