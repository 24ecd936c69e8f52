"""The parts of a replay: caches, the other agent's forms, files, and recovery."""

from typing import Any

import pytest

from agent.replay.caches import MarkCache, PrefixCache
from agent.replay.files import ProvenFiles, whole_text
from agent.replay.foreign import foreign_session
from agent.replay.prices import IMAGE_TOKENS, PROMPT_TOKENS, block_tokens
from agent.replay.recovery import Recovery
from agent.replay.standing import Support
from compaction.messages import Block, as_blocks, text
from compaction.plan import Plan, PlannedFile
from compaction.view import Placed, View, head_sha
from tests.agent.replay.made import did

PNG = {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}


def request(*ids: str, tokens: int = 1_000) -> list[Placed]:
    """Blocks of text under these ids."""
    return [Placed(id=id_, role="user", block=text(id_), tokens=tokens) for id_ in ids]


def test_any_prefix_of_the_previous_request_is_read() -> None:
    """What changed and all behind it is written; the first request is written whole; a reset is counted."""
    cache = PrefixCache()
    assert cache.price(request("a", "b"), is_cold=True) == 1.25 * 7_000
    assert cache.price(request("a", "b", "c"), is_cold=False) == 0.1 * 7_000 + 1.25 * 1_000
    assert cache.resets == 0
    assert cache.price(request("a", "x", "c"), is_cold=False) == 0.1 * 6_000 + 1.25 * 2_000
    assert cache.price(request("a"), is_cold=True) == 1.25 * 6_000
    assert cache.resets == 1


def test_marks_make_entries_for_five_minutes() -> None:
    """A prefix without an entry at its end is written again; an entry that was read lives on."""
    cache = MarkCache()
    whole = 1.25 * (PROMPT_TOKENS + 3_000)
    assert cache.price(request("a", "b", "c"), [2], now=0.0) == whole
    assert cache.price(request("a", "b", "x"), [2], now=10.0) == 0.1 * PROMPT_TOKENS + 1.25 * 3_000
    assert cache.price(request("a", "b", "c"), [2], now=300.0) == 0.1 * (PROMPT_TOKENS + 3_000)
    assert cache.price(request("a", "b", "c"), [2], now=600.0) == 0.1 * (PROMPT_TOKENS + 3_000)
    assert cache.price(request("a", "b", "c"), [2], now=901.0) == whole


def test_a_mark_looks_back_twenty_positions() -> None:
    """An entry farther ahead is not found; what stands behind the last mark is neither read nor written."""
    ids = [str(number) for number in range(30)]
    near, far = MarkCache(), MarkCache()
    near.price(request(*ids[:11]), [10], now=0.0)
    far.price(request(*ids[:10]), [9], now=0.0)
    read = 0.1 * (PROMPT_TOKENS + 11_000) + 1.25 * 19_000
    assert near.price(request(*ids), [29], now=1.0) == read
    assert far.price(request(*ids), [29], now=1.0) == 0.1 * PROMPT_TOKENS + 1.25 * 30_000
    assert near.price(request(*ids, "new"), [29], now=2.0) == 0.1 * (PROMPT_TOKENS + 30_000) + 1_000


def test_the_other_agents_forms_become_ours() -> None:
    """Names, line numbers, one line for a change; its reminders are left out, wherever they stand."""
    read, shown = did(
        "Read", "     1→a\n    12→b\n\n<system-reminder>\nBe good.\n</system-reminder>\n", file_path="p"
    )
    edit, edited = did("MultiEdit", "The file p has been updated.", file_path="p", edits=[])
    grep, found = did("Grep", "p:1", pattern="a")
    other, listed = did("TaskList", "", tasks=[])
    turn = {"kind": "turn", "at": 1, "assistant": [read, edit, grep, other, {"type": "text", "text": " "}]}
    reminder = {"type": "text", "text": "<system-reminder>x</system-reminder>"}
    lines = [{"kind": "start", "user": []}, {**turn, "user": [reminder, shown, edited, found, listed]}]
    (step,) = foreign_session("s", lines).steps
    blocks: list[Any] = list(step.user)
    assert [block["name"] for block in step.assistant if block["type"] == "tool_use"] == [
        "read",
        "edit",
        "bash",
        "tasklist",
    ]
    assert [block["content"] for block in blocks] == ["1\ta\n12\tb", "edited p", "p:1", ""]
    assert step.said == ()


@pytest.mark.parametrize(
    ("shown", "text_"),
    [
        ("1\ta\n2\t", "a\n"),
        ("1\ta\n2\tb", "a\nb"),
        ("5\ta", None),
        ("1\ta\n(3 more lines)", None),
        ("no such file", None),
    ],
)
def test_a_whole_read_proves_the_file(shown: str, text_: str | None) -> None:
    """Numbered lines from the first on, and nothing else."""
    assert whole_text(shown) == text_


def test_files_follow_writes_and_edits() -> None:
    """One place or all; an edit that does not fit proves that the file is another by now."""
    files = ProvenFiles()

    def step(name: str, *, is_error: bool = False, **given: Any) -> dict[str, str]:
        use, result = did(name, "ok", is_error=is_error, file_path="p", **given)
        return dict(files.see(as_blocks([use]), as_blocks([result])))

    assert step("write", content="a a\nb\n") == {}
    assert step("edit", old_string="a", new_string="c") == {"p": "1\tc a\n2\tb"}
    assert step(
        "edit", edits=[{"old_string": "c", "new_string": "a"}, {"old_string": "b", "new_string": "d"}]
    ) == {"p": "1\ta a\n2\td"}
    assert step("edit", old_string="a", new_string="e", replace_all=True) == {"p": "1\te e\n2\td"}
    assert step("edit", old_string="zzz", new_string="e", is_error=True) == {}
    assert step("edit", old_string="zzz", new_string="e") == {}
    assert step("write", content="word " * 20_000) == {}
    assert step("edit", old_string="word", new_string="a") == {}


def test_images_and_thinking_have_their_tokens() -> None:
    """An image costs the same everywhere; hidden thinking costs nothing here."""
    image: Any = {"type": "image", "source": PNG}
    result: Any = {"type": "tool_result", "tool_use_id": "a", "content": [text("word"), image]}
    hidden: Any = {"type": "redacted_thinking", "data": "x"}
    thought: Any = {"type": "thinking", "thinking": "a few words", "signature": ""}
    assert block_tokens(image) == IMAGE_TOKENS
    assert block_tokens(result) == IMAGE_TOKENS + block_tokens(text("word"))
    assert (block_tokens(hidden), block_tokens(thought) > 0) == (0, True)


def recovered(*files: PlannedFile, shows: str) -> tuple[int, int]:
    """Of a text, an image and a result in two parts, all replaced by a text that shows these words."""
    view = View(head_sha("", ""), block_tokens)
    image: Any = {"type": "image", "source": PNG}
    pair: Any = {"type": "tool_result", "tool_use_id": "a", "content": [text("one"), text("two"), image]}
    blocks: list[Block] = [text("gone"), image, pair]
    view.append("u0", "user", blocks)
    recovery = Recovery()
    recovery.came(list(view))
    view.apply("c1", [{"ids": ["u0.0", "u0.1", "u0.2"], "role": "user", "blocks": [text(shows)]}])
    recovery.planned(
        Plan(layer="summary", trigger="auto", changes=(), files=files, receipt={"layer": "summary"}), view
    )
    return recovery.share(view)


def test_two_files_may_lie_between_the_view_and_the_bytes() -> None:
    """A third is one too many; a path that does not stand anywhere leads nowhere; bytes must be the same."""
    files = (
        PlannedFile(path="f/1", data=b"see f/2"),
        PlannedFile(path="f/2", data=b"gone\n"),
        PlannedFile(path="f/3", data=b"gone"),
        PlannedFile(path="f/4", data=b"one\ntwo"),
        PlannedFile(path="f/5", data=b"hello"),
    )
    total = len("gone" + "hello" + "onetwo" + "hello")
    assert recovered(*files, shows="nothing") == (total, 0)
    assert recovered(*files, shows="f/1") == (total, 0)
    assert recovered(*files, shows="f/3") == (total, 4)
    assert recovered(*files, PlannedFile(path="f/0", data=b"f/3 f/4 f/5"), shows="f/0") == (total, total)


def test_a_text_that_a_compaction_put_there_supports_an_edit() -> None:
    """Without its line numbers; the user's own text does not count."""
    view = View(head_sha("", ""), block_tokens)
    view.append("u0", "user", [text("1\ta\n2\tb")])
    use, _ = did("edit", "", file_path="p", old_string="a\nb", new_string="")
    support = Support()
    support.see(view, as_blocks([use]))
    assert (support.edits, support.supported) == (1, 0)
    view.apply("c1", [{"ids": ["u0.0"], "role": "user", "blocks": [text("1\ta\n2\tb")]}])
    support.see(view, as_blocks([use]))
    assert (support.edits, support.supported) == (2, 1)
