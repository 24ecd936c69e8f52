"""Whatever stands in a log, every command ends with an answer or one line, and never holds the log as a whole."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent.offline import calls, says
from agent.session.records import encode
from agent.session.store import Store
from agent.sessions.entries import Teller
from agent.sessions.lines import copied, is_being_written, read_lines
from agent.sessions.listing import glances
from agent.sessions.story import read_story
from tests.agent.sessions.logs import (
    FIRST,
    NASTY,
    SECOND,
    compacted,
    head,
    ran,
    record,
    replied,
    said,
    simple,
    text,
    write,
)
from tests.support.agent import scenario
from tests.support.sources import ROOT

HUGE = 10**400
NO_LISTS: list[Any] = [
    record(3, "message", role=["x"], content={"a": 1}, said={"b": 2}),
    record(4, "result", call=["x"], name={}, content=5, is_error=False),
    record(5, "rewind", to=["a"], what="both", files=[]),
    record(6, "undo", target=["a"], is_redo=False),
    record(7, "compaction", changes=[{"ids": [["a"]], "blocks": [1]}], receipt=[]),
    record(8, "subagent", agent=1, log="\0", spent={}),
    record(9, "title", text=["a"]),
    record(10, "pin", text=5),
    record(11, "note", text=None, content=[{"type": 5}], usage=[1]),
    record(12, "context", content="abc"),
    record(13, "session", model=5),
    record(
        15,
        "message",
        role="assistant",
        content=[{"type": "tool_use", "id": ["x"]}],
        model=5,
        usage={"x": "y"},
    ),
]
SPENT = {"usd": 0.0, "is_known": True, "input_tokens": HUGE, "cached_tokens": 0, "output_tokens": 0}
LOGS: dict[str, list[Any]] = {
    "numbers past belief": [
        head(FIRST, model="nobody-knows"),
        said(3, "x", turn=HUGE),
        replied(4, model="nobody-knows", usage={"input_tokens": HUGE, "output_tokens": -5}),
        compacted(
            5, before=HUGE, after=HUGE, usage={"input_tokens": HUGE, "output_tokens": HUGE}, summary_by="m"
        ),
        record(6, "subagent", agent="a", number=1, log="x", spent=SPENT),
    ],
    "numbers that are none": [
        head(FIRST),
        said(3, "x", turn=1.5, step=-9),
        replied(4, usage={"input_tokens": float("inf")}),
        compacted(5, before=float("nan"), after=True),
    ],
    "values of other types": [head(FIRST), *NO_LISTS],
    "texts that are none": [
        head(FIRST),
        record(3, "message", role="user", content=[{"type": "text", "text": 5}], said=[0]),
        replied(4, {"type": "text", "text": [1]}, {"type": "thinking", "thinking": {"a": 1}}),
    ],
    "receipts that are none": [
        head(FIRST),
        said(3, "x"),
        compacted(4, usage="x", summary_by="model"),
        compacted(5, where=[1]),
        compacted(6, where={"r3.0": ["x"]}, archive={"a": 1}, summary_by=["x"]),
    ],
    "stamps that are none": [{**head(FIRST), "at": 5}, {**said(3, "x"), "at": ["x"]}],
    "foreign lines": [
        b'{"type":"user","message":{}}\n',
        b'"str"\n',
        b"5\n",
        b"null\n",
        b"[]\n",
        b"\xff\xfe\x00\n",
    ],
    "nothing": [b""],
    "zeros": [b"\0" * 1_000_000],
    "long words": [head(FIRST), said(3, NASTY * 20_000), record(4, "title", text=f"T{NASTY}" * 20_000)],
    "halves of pairs": [
        head(FIRST),
        b'{"v":1,"id":"r2","parent":"","at":"x","turn":1,"step":1,"type":"title","text":"\\ud800 t"}\n',
        b'{"v":1,"id":"r3","type":"message","role":"user","said":[0],"content":[{"type":"text","text":"\\udc00"}]}\n',
    ],
}
COMMANDS = {
    "list": ("list",),
    "list --json": ("list", "--json"),
    "show": ("show", FIRST),
    "html": ("export", FIRST, "--to", "html"),
    "md": ("export", FIRST, "--to", "md"),
    "jsonl": ("export", FIRST, "--to", "jsonl"),
    "prune": ("prune", "--older-than", "0h", "--dry-run"),
}
CONTROLS = {*map(chr, range(32)), "\x7f", "\u202e"} - {"\n", "\t"}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("what", LOGS)
def test_there_is_an_answer(tmp_path: Path, what: str, command: str) -> None:
    """And no control character in it but in the log's own lines; the log stays as it is."""
    log = write(tmp_path, FIRST, *LOGS[what])
    before = log.read_bytes()
    done = ran(tmp_path, *COMMANDS[command])
    assert done.code == 0, done.err
    assert log.read_bytes() == before
    if command == "list":
        assert done.text.count("\n") == 1
    if "json" not in command:
        assert not CONTROLS & set(done.text)


def test_jsonl_is_the_log_byte_for_byte(tmp_path: Path) -> None:
    """However a stranger wrote his numbers and escapes; a last line without its end gets one."""
    strange = b'{"v" : 1, "id":"r9","type":"x","a":1e2,"b":"\\u00fc\\ud800","a":2}  \r\n'
    log = write(tmp_path, FIRST, *simple(FIRST), strange, encode(record(10, "x")).rstrip(b"\n"))
    done = ran(tmp_path, "export", FIRST, "--to", "jsonl")
    assert (done.out, done.err) == (log.read_bytes() + b"\n", "")


def test_jsonl_of_a_damaged_log_is_json(tmp_path: Path) -> None:
    """Each line by itself: what was glued together stands on lines of its own, the rest is left out."""
    two = encode(record(10, "x")).rstrip(b"\n") + encode(record(11, "x"))
    bad = encode(record(12, "x", text="?")).replace(b"?", b"\xff")
    lines = [b"\n", two, bad, b"\x00" + encode(record(13, "x")), b"{torn\n"]
    log = write(tmp_path, FIRST, head(FIRST), *lines)
    out = b"".join(copied(log, log.stat().st_size))
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["r1", "r10", "r11", "r12", "r13"]


def test_what_is_being_written_right_now_is_no_damage(tmp_path: Path) -> None:
    """What was there when the log was opened is told; a line in the making is not named."""
    log = write(tmp_path, FIRST, *simple(FIRST))
    whole, more = log.stat().st_size, encode(record(8, "note", text="late"))
    with log.open("ab", buffering=0) as writer, log.open("rb") as reader:
        writer.write(more[:20])
        lines = read_lines(reader, whole + 20)
        *_, torn = lines
        assert (torn.is_ended, is_being_written(reader, torn)) == (False, False)
        assert read_story(log).damaged == [7]
        writer.write(more[20:])
        assert is_being_written(reader, torn)
    story = read_story(log)
    assert (story.damaged, story.bytes) == ([], log.stat().st_size)
    assert b"".join(copied(log, whole)) == log.read_bytes()[:whole]


def test_a_result_whose_place_changed_meanwhile_is_missing(tmp_path: Path) -> None:
    """A log that was put in place of another between two looks gives no foreign text."""
    call = {"type": "tool_use", "id": "c1", "name": "bash", "input": {}}
    result = record(5, "result", call="c1", name="bash", content="out", is_error=False)
    log = write(tmp_path, FIRST, head(FIRST), replied(4, call), result)
    teller = Teller(read_story(log), tmp_path, tmp_path)
    assert teller.result_of("c1") == result
    write(tmp_path, FIRST, head(FIRST), replied(4, call), {**result, "call": "c2"})
    assert teller.result_of("c1") is None
    log.unlink()
    assert teller.result_of("c1") is None


def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """It must not look like one without sessions."""
    (tmp_path / ".transcripts").write_text("no folder")
    done = ran(tmp_path, "list")
    assert (done.code, done.out, done.err.count("\n")) == (2, b"", 1)
    assert "cannot be read" in done.err


def test_a_log_that_goes_meanwhile_is_named(tmp_path: Path) -> None:
    """By whoever looks at all of them; the others are seen."""
    write(tmp_path, FIRST, *simple(FIRST), age_days=1)
    write(tmp_path, SECOND, *simple(SECOND))
    problems: list[str] = []
    found = glances(Store(root=tmp_path), problems)
    assert next(found).id == SECOND
    Store(root=tmp_path).log(FIRST).unlink()
    assert list(found) == []
    assert problems == [f"{FIRST} is passed over, its log cannot be read: No such file or directory"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_log_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    """And the others are listed."""
    write(tmp_path, FIRST, *simple(FIRST)).chmod(0)
    write(tmp_path, SECOND, *simple(SECOND))
    done = ran(tmp_path, "list")
    assert (done.code, len(done.text.splitlines())) == (0, 1)
    assert done.err.startswith(f"agent: {FIRST} is passed over")


@pytest.mark.parametrize("place", [".task_outputs/x.md", ".transcripts/x.md"])
def test_no_export_is_written_among_our_files(tmp_path: Path, place: str) -> None:
    """Neither beside the logs nor beside the long results."""
    write(tmp_path, FIRST, *simple(FIRST))
    done = ran(tmp_path, "export", FIRST, "--to", "md", "-o", str(tmp_path / place))
    assert (done.code, done.err.count("\n"), (tmp_path / place).exists()) == (2, 1, False)


async def test_one_unreadable_log_of_a_subagent_costs_a_line(tmp_path: Path) -> None:
    """The rest is exported: a record may name a log whose first line is all that can be read."""
    script = (calls("task", description="Count", prompt="Count."), says("Three."), says("All done."))
    async with scenario(tmp_path, *script) as harness:
        await harness.turn("Go.")
        await harness.close()
        store = Store.existing(harness.project, harness.project)
        session = store.newest()
        (inner,) = store.folder(session).glob("task-*.jsonl")
        inner.write_bytes(b"{torn\n" + b"".join(inner.read_bytes().splitlines(keepends=True)[1:]))
        out = ran(harness.project, "export", session, "--to", "md").text
        assert "line 1 of the log cannot be read" in out
        assert "\nAll done.\n" in out
        inner.unlink()
        assert "is not there" in ran(harness.project, "export", session, "--to", "md").text


PEAK = """
import resource, sys
from agent.cli import main
code = main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""


def peak_kb(folder: Path, *args: str) -> int:
    """The most memory that a command held, in KB."""
    command = [sys.executable, "-c", PEAK, "sessions", *args, "--cwd", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return int(done.stderr.split()[-1]) // (1_024 if sys.platform == "darwin" else 1)


@pytest.mark.parametrize("to", ["html", "jsonl"])
def test_a_log_is_never_held_as_a_whole(tmp_path: Path, to: str) -> None:
    """One of 30 MB takes hardly more memory than a small one, also where most of it was left behind."""
    write(tmp_path, SECOND, *simple(SECOND))
    result = record(5, "result", call="c", name="bash", content="x" * 100_000, is_error=False)
    answer = replied(6, text("y" * 100_000))
    many = [one for _ in range(150) for one in (result, answer)]
    back = record(9_000, "rewind", to="r3", what="both", files=[])
    log = write(tmp_path, FIRST, head(FIRST), said(3, "go"), *many, back)
    assert log.stat().st_size > 30_000_000
    more = peak_kb(tmp_path, "export", FIRST, "--to", to) - peak_kb(tmp_path, "export", SECOND, "--to", to)
    assert more < 8_000
