"""What is seen of a log with a checkpoint beside it: what that says, and what came after."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agent.session.glance import TAIL_BYTES, Glance, glance
from agent.session.records import Record, encode
from tests.agent.sessions.logs import (
    FIRST,
    compacted,
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

SAYS = {
    "v": 1,
    "program": "0.1",
    "sha256": "0" * 64,
    "lines": 3,
    "title": "Named there",
    "turns": 40,
    "tokens": 70_000,
    "compactions": 5,
    "prompt": "As of the checkpoint",
}


def beside(log: Path, covered: int | None = None, /, **changed: Any) -> None:
    """Put a checkpoint beside a log; it covers all of it, if nothing else is said."""
    says = {**SAYS, "bytes": log.stat().st_size if covered is None else covered, **changed}
    line = json.dumps(says, ensure_ascii=False).encode("utf-8", "surrogatepass")
    (log.with_suffix("") / "checkpoint").write_bytes(line + b"\n\x81\xa4\n" * 2_000)


def add(log: Path, *records: Record) -> None:
    with log.open("ab") as file:
        file.writelines(map(encode, records))


def long_log(folder: Path) -> Path:
    """A log whose end tells neither a size nor a title."""
    filler = [record(number, "note", text="x" * 50_000) for number in range(10, 50)]
    return write(folder, FIRST, *simple(FIRST), record(9, "title", text="In the middle"), *filler, *filler)


def test_a_title_in_the_middle_of_a_long_log_is_seen(tmp_path: Path) -> None:
    """And the counts, the size as an estimate, the first prompt; the branch is still that of the log."""
    log = long_log(tmp_path)
    bare = glance(log)
    assert (bare.title, bare.tokens, bare.compactions) == ("", None, None)
    beside(log)
    seen = glance(log)
    assert seen == Glance(
        id=FIRST,
        at=log.stat().st_mtime,
        log_bytes=log.stat().st_size,
        turns=40,
        prompt="As of the checkpoint",
        title="Named there",
        branch="main",
        tokens=70_000,
        is_estimate=True,
        compactions=5,
    )
    assert listed(tmp_path)[0]["compactions"] == 5


def test_what_came_after_the_checkpoint_counts(tmp_path: Path) -> None:
    """A newer title, a reply, another compaction; one that brings results back is none."""
    log = long_log(tmp_path)
    beside(log)
    title = record(91, "title", text="Newer")
    add(log, title, compacted(92), compacted(93, layer="restore"), replied(94, text("."), turn=41))
    seen = glance(log)
    assert (seen.title, seen.turns, seen.tokens, seen.is_estimate) == ("Newer", 41, 1_000, False)
    assert seen.compactions == 6
    add(log, record(95, "title", text=""))
    assert glance(log).title == ""


def test_what_stands_before_the_checkpoint_does_not_count_twice(tmp_path: Path) -> None:
    """The first line after it is looked at, those before are not."""
    log = write(tmp_path, FIRST, *simple(FIRST), record(9, "title", text="Older"))
    beside(log)
    assert (glance(log).title, glance(log).compactions) == ("Named there", 5)
    add(log, record(10, "title", text="Next"))
    assert glance(log).title == "Next"


def test_far_behind_the_checkpoint_what_it_says_stands(tmp_path: Path) -> None:
    """Only so much of the end is read: a title between is not seen, and how many compactions there were not known."""
    log = write(tmp_path, FIRST, *simple(FIRST))
    beside(log)
    between = record(10, "title", text="Between")
    add(log, between, record(11, "note", text="x" * 2 * TAIL_BYTES[1]), record(12, "note", text="y", turn=50))
    seen = glance(log)
    assert (seen.title, seen.tokens, seen.compactions, seen.turns) == ("Named there", 70_000, None, 50)


def test_after_a_rewind_the_number_of_compactions_is_not_known(tmp_path: Path) -> None:
    """Some may have been left behind; when files alone went back none were."""
    log = write(tmp_path, FIRST, *simple(FIRST))
    assert glance(log).compactions == 1
    add(log, record(10, "rewind", to="r3", what="files", files=[]))
    assert glance(log).compactions == 1
    add(log, record(11, "rewind", to="r3", what="both", files=[]))
    assert glance(log).compactions is None
    assert glance(log).is_estimate


ODD: dict[str, dict[str, Any]] = {
    "another format": {"v": 2},
    "truth for a number": {"v": True},
    "more than the log holds": {"bytes": 10**9},
    "less than nothing": {"bytes": -1},
    "a broken number": {"bytes": 1.5},
    "words for a number": {"turns": "many"},
    "a number past belief": {"tokens": 10**300},
    "no number": {"compactions": None},
    "a number for words": {"title": 5},
    "a list for words": {"prompt": ["x"]},
    "a line that is too long": {"sha256": "0" * 5_000},
}


@pytest.mark.parametrize("what", ODD)
def test_an_odd_checkpoint_is_passed_over(tmp_path: Path, what: str) -> None:
    """All is as without one."""
    log = write(tmp_path, FIRST, *simple(FIRST))
    before = glance(log)
    beside(log, **ODD[what]) if "bytes" not in ODD[what] else beside(log, ODD[what]["bytes"])
    assert glance(log) == before


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"[]\n",
        b"null\n",
        b"{torn\n",
        b"\xff\xfe\n",
        b"[" * 4_000 + b"\n",
        json.dumps(SAYS).encode(),
    ],
)
def test_what_is_no_checkpoint_is_passed_over(tmp_path: Path, data: bytes) -> None:
    """Also one whose first line has no end."""
    log = write(tmp_path, FIRST, *simple(FIRST))
    before = glance(log)
    (log.with_suffix("") / "checkpoint").write_bytes(data)
    assert glance(log) == before


def test_a_folder_and_a_pipe_are_no_checkpoints(tmp_path: Path) -> None:
    """Nothing waits for a writer that never comes."""
    log = write(tmp_path, FIRST, *simple(FIRST))
    before = glance(log)
    place = log.with_suffix("") / "checkpoint"
    place.mkdir()
    assert glance(log) == before
    place.rmdir()
    os.mkfifo(place)
    assert glance(log) == before


def test_texts_of_a_checkpoint_are_cut_to_one_line(tmp_path: Path) -> None:
    """Lone surrogates are repaired, so that the list can be written."""
    log = write(tmp_path, FIRST, *simple(FIRST))
    beside(log, title="a\n\tb\x1b[2J", prompt="p" * 900)
    seen = glance(log)
    assert (seen.title, seen.prompt) == ("a b\x1b[2J", "p" * 200)
    assert "\x1b" not in ran(tmp_path, "list").text
    (log.with_suffix("") / "checkpoint").unlink()
    write(tmp_path, FIRST, head(FIRST), said(3, "x" * 1_000), record(4, "title", text="t" * 1_000))
    assert (len(glance(log).title), len(glance(log).prompt)) == (200, 200)


def test_lines_that_do_not_begin_as_ours_are_read_all_the_same(tmp_path: Path) -> None:
    """Another order of the keys, blanks, another escape: it is the same record."""
    prompt, title = said(3, "words"), record(9, "title", text="\u00fc\ud800")
    lines = [json.dumps(dict(reversed(one.items()))).encode() + b"\n" for one in (prompt, title)]
    odd = b'{"v":1,"id":"r9","parent":"","at":"","turn":1,"step":1,"type":"title","text":"torn\n'
    write(tmp_path, FIRST, head(FIRST), *lines, replied(10, text(".")), odd)
    assert [(one["prompt"], one["title"], one["turns"]) for one in listed(tmp_path)] == [
        ("words", "\u00fc\ufffd", 1)
    ]
