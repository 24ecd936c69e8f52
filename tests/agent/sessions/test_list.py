"""`agent sessions list`: every session, from the head and the tail of its log."""

import os
from pathlib import Path

import pytest

from agent.session.glance import HEAD_BYTES, TAIL_BYTES, glance
from agent.session.records import Record
from agent.session.store import Store
from tests.agent.sessions.logs import (
    FIRST,
    NASTY,
    SECOND,
    compacted,
    context,
    head,
    listed,
    ran,
    record,
    replied,
    said,
    simple,
    text,
    write,
)


def test_a_line_a_session_the_last_written_first(tmp_path: Path) -> None:
    """Id, age, size with all that is beside the log, turns, context tokens, branch, first prompt."""
    path = write(tmp_path, FIRST, *simple(FIRST), age_days=3)
    write(tmp_path, SECOND, head(SECOND))
    new, old = ran(tmp_path, "list").text.splitlines()
    assert new.split() == [SECOND, "now", *new.split()[2:4], "0", "turns", "–", "(nothing", "said)"]
    assert " ".join(old.split()).endswith("1 turn 400 main Mend the total.")
    assert "3d ago" in old
    (_, one) = listed(tmp_path)
    assert one["bytes"] == path.stat().st_size + len("archived") + len("long output")
    assert (one["tokens"], one["is_estimate"], one["prompt"]) == (400, False, "Mend the total.")


def test_what_came_after_the_measure_makes_it_an_estimate(tmp_path: Path) -> None:
    """`~`: an undone compaction, or a reply that never came."""
    write(tmp_path, FIRST, *simple(FIRST), record(7, "undo", target="r6", is_redo=False))
    assert " ~400 " in ran(tmp_path, "list").text


def test_no_session_at_all(tmp_path: Path) -> None:
    """Says so, and makes no folder."""
    assert ran(tmp_path, "list").text == f"no sessions in {tmp_path}\n"
    assert listed(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_the_newest_title_stands_for_the_prompt(tmp_path: Path) -> None:
    """An empty one takes it back."""
    titles = [record(number, "title", text=f"The\n{number}th") for number in (7, 8)]
    write(tmp_path, FIRST, *simple(FIRST), *titles)
    assert listed(tmp_path)[0]["title"] == "The 8th"
    write(tmp_path, FIRST, *simple(FIRST), *titles, record(9, "title", text=""))
    assert ran(tmp_path, "list").text.endswith("Mend the total.\n")


def test_hostile_words_stay_one_line(tmp_path: Path) -> None:
    """Control characters are shown as escapes; what is too long for the line is cut."""
    write(tmp_path, FIRST, head(FIRST), context("a\x1b]0;b"), said(3, NASTY + "x" * 500))
    shown = ran(tmp_path, "list").text
    assert shown.count("\n") == 1
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\\x1b[31m" in shown
    assert shown.endswith("…\n")


@pytest.mark.parametrize(
    ("status", "branch"),
    [
        ("main...origin/main [ahead 1]", "main"),
        ("No commits yet on trunk", "trunk"),
        ("HEAD (no branch)", ""),
    ],
)
def test_the_branch_is_the_one_the_model_was_told(tmp_path: Path, status: str, branch: str) -> None:
    """As `git status` names it; none where the head is detached."""
    assert glance(write(tmp_path, FIRST, *simple(FIRST, branch=status))).branch == branch


def test_only_head_and_tail_are_read(tmp_path: Path) -> None:
    """A title in the middle of a long log is not seen, a size and a turn at its end are."""
    filler = [record(number, "note", text="x" * 50_000) for number in range(10, 50)]
    middle = [*filler[:20], record(60, "title", text="unseen"), *filler[20:]]
    seen = glance(write(tmp_path, FIRST, *simple(FIRST), *middle, replied(61, text("End."), turn=7)))
    assert (seen.title, seen.turns, seen.tokens, seen.name) == ("", 7, 1_000, "Mend the total.")


def test_a_reply_far_from_the_end_is_looked_for_once_more(tmp_path: Path) -> None:
    """One result may be longer than the tail that is read first."""
    long = record(7, "note", text="x" * (2 * TAIL_BYTES[0]))
    assert glance(write(tmp_path, FIRST, *simple(FIRST), long)).tokens == 400
    longer = record(7, "note", text="x" * (2 * TAIL_BYTES[1]))
    assert glance(write(tmp_path, FIRST, *simple(FIRST), longer)).tokens is None


def test_a_prompt_too_far_from_the_head_is_not_looked_for(tmp_path: Path) -> None:
    """The turns are still those of the tail."""
    note = record(2, "note", text="x" * HEAD_BYTES)
    seen = glance(write(tmp_path, FIRST, head(FIRST), note, said(3, "late")))
    assert (seen.prompt, seen.turns) == ("", 1)


DAMAGED: dict[str, list[Record | bytes]] = {
    "head": [b"\x00\x00{torn\n", *simple(FIRST)[1:]],
    "tail": [*simple(FIRST), b'{"v":1,"id":"r9","ty'],
    "glued": [*simple(FIRST)[:-1], b"\r\n\r\n"],
    "types": [
        *simple(FIRST),
        record(7, "message", role="user", said=[0], content="no list"),
        record(8, "context", content=7),
        record(8, "context", content=["no block"]),
        record(9, "title", text=5),
        record(9, "compaction", receipt=3, turn="x"),
    ],
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_damage_is_passed_over(tmp_path: Path, damage: str) -> None:
    """What can be read is shown."""
    write(tmp_path, FIRST, *DAMAGED[damage])
    assert ran(tmp_path, "list").text.endswith("Mend the total.\n")


def test_a_thousand_sessions(tmp_path: Path) -> None:
    """All are there, in order."""
    ids = [f"20260101-000000-{number:06x}" for number in range(1_000)]
    store = Store.of(tmp_path, tmp_path)
    for number, session in enumerate(ids):
        path = write(tmp_path, session, head(session), said(3, f"prompt {number}"), compacted(4))
        os.utime(path, (number, number))
    (store.outputs / ids[0] / "link").symlink_to("nowhere")
    found = listed(tmp_path)
    assert [one["id"] for one in found] == ids[::-1]
    assert found[0]["prompt"] == "prompt 999"


def test_a_log_that_may_not_be_read_is_passed_over(tmp_path: Path) -> None:
    """The others are listed; a folder is no log."""
    write(tmp_path, FIRST, *simple(FIRST))
    Store.of(tmp_path, tmp_path).log(SECOND).mkdir()
    assert len(listed(tmp_path)) == 1


def test_sessions_of_a_project_that_cannot_be_written(tmp_path: Path) -> None:
    """They are found where they are kept instead."""
    project, home = tmp_path / "file", tmp_path / "home"
    project.write_text("no folder")
    kept = Store.of(project, home)
    assert Store.existing(project, home) == kept
