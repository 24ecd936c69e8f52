"""Estimates of content blocks against counts of Claude's own tokenizers."""

import base64
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from agent.models import Family
from agent.token_counter import CALL_TOKENS, RESULT_TOKENS, Counter
from tests.support.samples import samples

# Tokens up to 4.6 and from 4.7 on, counted with `ctok` 1.3.0, an offline reconstruction of the vendor's tokenizers.
REAL = {
    "python": (354, 473),
    "markdown": (261, 326),
    "listing": (446, 485),
    "diff": (421, 465),
    "german": (248, 327),
    "base64": (6948, 7603),
    "hex": (3495, 3883),
    "letters": (1272, 1561),
    "numbers": (2007, 2005),
    "chinese": (320, 318),
    "chinese random": (1663, 1661),
    "japanese": (231, 230),
    "korean": (368, 366),
    "russian": (184, 183),
    "emoji": (1303, 1301),
    "emoji joined": (1928, 1926),
    "boxes": (816, 815),
    "rules": (71, 256),
    "blanks": (257, 256),
}
OLD, NEW = Counter("4.6"), Counter("4.7")


def test_every_sample_has_its_count() -> None:
    """The table and the samples belong together."""
    assert samples().keys() == REAL.keys()


@pytest.mark.parametrize("name", REAL)
def test_never_below_90_percent(name: str) -> None:
    """CJK, emoji, base64, code, prose: an estimate too low would overrun the window."""
    text = samples()[name]
    for counter, real in zip((OLD, NEW), REAL[name], strict=True):
        assert counter.text_tokens(text) >= 0.9 * real


@pytest.mark.parametrize("name", ["python", "markdown", "listing", "diff", "german", "letters", "base64"])
def test_near_the_truth_for_what_sessions_are_made_of(name: str) -> None:
    """Code, prose, listings, diffs: at most a quarter too high."""
    for counter, real in zip((OLD, NEW), REAL[name], strict=True):
        assert counter.text_tokens(samples()[name]) <= 1.25 * real


def test_text_blocks() -> None:
    """A text costs its tokens times the factor; an empty one nothing."""
    assert OLD.block_tokens({"type": "text", "text": "hello world"}) == 3
    assert NEW.block_tokens({"type": "text", "text": "hello world"}) == 4
    assert NEW.text_tokens("") == 0


def test_a_call_and_its_result() -> None:
    """Name, input and result by their texts, and 45 and 20 tokens for their frames."""
    call = {"type": "tool_use", "id": "t", "name": "bash", "input": {"command": "größe"}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "hello world"}
    assert NEW.block_tokens(call) == CALL_TOKENS + NEW.text_tokens('bash {"command": "größe"}')
    assert NEW.block_tokens(result) == RESULT_TOKENS + NEW.text_tokens("hello world")
    assert NEW.block_tokens({"type": "tool_result", "tool_use_id": "t"}) == RESULT_TOKENS
    parts = [{"type": "text", "text": "a b"}, image(28, 28)]
    assert NEW.block_tokens({**result, "content": parts}) == RESULT_TOKENS + NEW.text_tokens("a b") + 1


def test_thinking() -> None:
    """By its text; without one by the size of what stands for it."""
    shown = {"type": "thinking", "thinking": "hello world", "signature": "x" * 360}
    assert NEW.block_tokens(shown) == NEW.text_tokens("hello world")
    assert NEW.block_tokens({**shown, "thinking": ""}) == 100
    assert NEW.block_tokens({"type": "redacted_thinking", "data": "x" * 36}) == 10


def test_an_unknown_block_counts_as_its_json() -> None:
    """Better than nothing."""
    assert NEW.block_tokens({"type": "odd", "x": "a b c"}) > NEW.text_tokens("a b c")


def image(width: int, height: int) -> dict[str, Any]:
    stream = BytesIO()
    Image.new("1", (width, height)).save(stream, "PNG")
    data = base64.b64encode(stream.getvalue()).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


@pytest.mark.parametrize(
    ("family", "width", "height", "expected"),
    [
        ("4.7", 28, 28, 1),
        ("4.7", 29, 28, 2),
        ("4.7", 1000, 1000, 36 * 36),
        ("4.6", 1000, 1000, 36 * 36),
        ("4.7", 2576, 2576, 4784),
        ("4.6", 1568, 1568, 1568),
        ("4.7", 5152, 560, 92 * 10),
        ("4.6", 5152, 28, 56),
    ],
)
def test_images_by_size(family: Family, width: int, height: int, expected: int) -> None:
    """Patches of 28 pixels after scaling down to the long edge, capped."""
    assert Counter(family).block_tokens(image(width, height)) == expected


@pytest.mark.parametrize("data", ["", "not base64!", base64.b64encode(b"no image").decode()])
def test_an_image_that_cannot_be_read_counts_as_a_large_one(data: str) -> None:
    """The cap is never too low."""
    block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    assert NEW.block_tokens(block) == 4784
    assert OLD.block_tokens({"type": "image", "source": {"type": "url", "url": "x"}}) == 1568
