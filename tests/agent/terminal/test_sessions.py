"""Sessions as choices: what their line says, and what is shown of the selected one."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from agent.session.records import Record, encode
from agent.session.store import Store
from agent.shelf import shelf_of
from agent.terminal.picker import PREVIEW_ROWS
from agent.terminal.sessions import LastSaid, Listed, is_listed, last_said, listed, preview_lines
from tests.agent.sessions.logs import FIRST, NASTY, SECOND, context, head, replied, said, text, write

SGR = re.compile("\x1b\\[[0-9;]*m")
EMPTY = "20260101-000000-cccccc"


def the_list(folder: Path, *sessions: str, current: str = "") -> list[Listed]:
    """What stands in the list."""
    return listed(shelf_of(Store(root=folder)), sessions, now=4e9, current=current)


def lines(one: Listed, words: LastSaid | None, width: int = 80) -> list[str]:
    """The preview without colours."""
    return [SGR.sub("", line) for line in preview_lines(one, words, width)]


def test_a_line(tmp_path: Path) -> None:
    """Turns, tokens, size, branch, title or first prompt; the open session has its word, and is not offered."""
    title: Record = {"v": 1, "id": "r9", "type": "title", "turn": 1, "text": "My\ntitle"}
    write(
        tmp_path,
        FIRST,
        head(FIRST),
        context("vat...origin/vat"),
        said(3, "look\nat it"),
        replied(4, text("Yes.")),
    )
    write(tmp_path, SECOND, head(SECOND), said(3, "go on"), replied(4, text("No.")), title)
    write(tmp_path, EMPTY, head(EMPTY))
    first, second, empty = the_list(tmp_path, FIRST, SECOND, "20260101-000000-eeeeee", EMPTY, current=EMPTY)
    assert (first.choice.id, first.choice.name, first.choice.is_offered) == (FIRST, "look at it", True)
    assert first.choice.cells[1:3] == ("1 turn", "1k")
    assert first.choice.cells[-1] == "vat"
    assert first.size in first.choice.cells
    assert second.choice.name == "My title"
    assert "go on" in second.choice.searched
    assert (empty.choice.note, empty.choice.is_offered, empty.choice.name) == ("this one", False, EMPTY)
    assert empty.choice.cells[2] == "–"
    assert [one.choice.id for one in the_list(tmp_path, FIRST, EMPTY)] == [FIRST]
    store = Store(root=tmp_path)
    shown = [is_listed(store, one, SECOND) for one in (FIRST, SECOND, EMPTY, "20260101-000000-eeeeee")]
    assert shown == [True, True, False, False]


@pytest.mark.parametrize("filler", [0, 100_000, 2_000_000])
def test_what_was_said_last(tmp_path: Path, filler: int) -> None:
    """The newest prompt and the newest answer behind it, however long results are; too far from the end, none."""
    records = [
        said(3, "first"),
        replied(4, text("Old.")),
        said(5, "second\nprompt"),
        replied(6, text("New\nend.")),
    ]
    long = {"v": 1, "id": "r7", "type": "result", "call": "c", "name": "x", "content": "x" * filler}
    write(tmp_path, FIRST, head(FIRST), *records, long)
    found = last_said(tmp_path / ".transcripts" / f"{FIRST}.jsonl")
    expected = LastSaid(prompt="second prompt", answer="New end.")
    assert found == (expected if filler < 1_000_000 else LastSaid())


def test_a_prompt_without_an_answer(tmp_path: Path) -> None:
    """The answer to the prompt before is not shown as its answer; damage is passed over."""
    odd = [
        {**replied(6), "content": "x"},
        {**replied(7), "content": [1, {"type": "text"}]},
        {**said(8, ""), "said": [9]},
    ]
    write(tmp_path, FIRST, head(FIRST), said(3, "first"), replied(4, text("Old.")), said(5, "second"), *odd)
    path = tmp_path / ".transcripts" / f"{FIRST}.jsonl"
    with path.open("ab") as log:
        log.write(b'{"said":[0\n{"role":"assistant"\n' + encode(odd[0])[:40])
    assert last_said(path) == LastSaid(prompt="second")
    assert last_said(tmp_path / "nowhere") == LastSaid()


def test_a_preview(tmp_path: Path) -> None:
    """Id and time at once; then the prompt, at most two rows of it, and the end of the answer; never more rows."""
    write(tmp_path, FIRST, head(FIRST), said(3, "look at it"), replied(4, text("Yes.")))
    (one,) = the_list(tmp_path, FIRST)
    assert len(lines(one, None)) == 1
    assert lines(one, None)[0].startswith(f"  {FIRST} · 20")
    assert lines(one, LastSaid())[1:] == ["  > look at it"]
    assert lines(one, LastSaid(prompt="go", answer="Done."))[1:] == ["  > go", "  Done."]
    long = LastSaid(prompt="p " * 500, answer=f"{'a ' * 500}end")
    assert [line[2:3] for line in lines(one, long)] == ["2", ">", "…", "a", "a"]
    assert lines(one, long)[-1].endswith("end")
    titled = replace(one, seen=replace(one.seen, title="T"))
    assert lines(titled, None)[0].endswith(" · first: look at it")


@pytest.mark.parametrize("width", [39, 80, 199])
def test_nothing_of_a_log_is_obeyed(tmp_path: Path, width: int) -> None:
    """Control characters and markup in prompt, answer, branch are shown; no line is too wide."""
    write(
        tmp_path, FIRST, head(FIRST), context(NASTY), said(3, f"[red]{NASTY}"), replied(4, text(NASTY * 30))
    )
    (one,) = the_list(tmp_path, FIRST)
    drawn = preview_lines(one, last_said(tmp_path / ".transcripts" / f"{FIRST}.jsonl"), width)
    plain = [SGR.sub("", line) for line in drawn]
    assert len(plain) <= PREVIEW_ROWS
    assert all(len(line) <= width for line in plain)
    assert not any(ord(char) < ord(" ") or char == "\u202e" for char in "".join([*plain, *one.choice.cells]))
