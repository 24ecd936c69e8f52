"""`agent sessions show`: prompts, context size over time, compactions, cost, damage."""

from pathlib import Path

import pytest

from agent.session.records import Record, encode
from agent.sessions.chart import MARK, chart_lines
from agent.sessions.story import Point, read_story
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


def shown(folder: Path, wanted: str = FIRST) -> str:
    done = ran(folder, "show", wanted)
    assert (done.code, done.err) == (0, "")
    return done.text


def test_all_parts_are_there(tmp_path: Path) -> None:
    """Head, prompt, chart with its mark, the receipt with what left and where, the cost."""
    path = write(tmp_path, FIRST, *simple(FIRST), record(7, "title", text="Totals"))
    before = path.read_bytes()
    out = shown(tmp_path)
    for part in (
        f"{FIRST} · Totals · claude-sonnet-5-5\n1 turn · 1 step · 400 tokens of context · 1.8k in (1.8k cached)",
        "180 out · $0.00",
        "started 2026-01-01 10:00 UTC · last written ",
        "\nPrompts\n   1  Mend the total.\n",
        "▲ a compaction",
        "1 compaction\n  step 1: summary (manual) 1k → 400\n      changed: 1 text, 1 stand-in\n",
        "      kept in .transcripts/x/archive-001.md\n      summary by model, 90 tokens\n",
    ):
        assert part in out
    assert path.read_bytes() == before


@pytest.mark.parametrize("wanted", [FIRST, "aaaaaa", "The Totals"])
def test_it_is_found_by_id_its_end_and_its_title(tmp_path: Path, wanted: str) -> None:
    """As `-r` finds it."""
    write(tmp_path, FIRST, *simple(FIRST), record(7, "title", text="The totals"))
    write(tmp_path, SECOND, *simple(SECOND))
    assert shown(tmp_path, wanted).startswith(FIRST)


def test_an_unknown_session_costs_one_line(tmp_path: Path) -> None:
    """Exit 2."""
    write(tmp_path, FIRST, *simple(FIRST))
    done = ran(tmp_path, "show", "../../etc/passwd")
    assert (done.code, done.out, done.err.count("\n")) == (2, b"", 1)
    assert ran(tmp_path / "nowhere", "list").code == 2


def test_damaged_lines_are_named(tmp_path: Path) -> None:
    """Torn ones, and records that are not as they were written; a damaged head does not hide the session."""
    bad: list[Record | bytes] = [
        b"{torn\n",
        *simple(FIRST)[1:],
        b"\x00\x00\n",
        record(9, "message", content=[]),
        record(9, "undo"),
    ]
    write(tmp_path, FIRST, *bad)
    out = shown(tmp_path)
    assert "passed over: line 1, 7, 8, 9\n" in out
    assert "Mend the total." in out
    write(tmp_path, FIRST, *[b"{\n"] * 30)
    assert shown(tmp_path).endswith("20 and 10 more\n")


def test_undone_and_redone(tmp_path: Path) -> None:
    """An undone compaction is marked so, until it is redone."""
    undo = record(7, "undo", target="r6", is_redo=False)
    write(tmp_path, FIRST, *simple(FIRST), undo)
    assert "1k → 400 · undone" in shown(tmp_path)
    write(tmp_path, FIRST, *simple(FIRST), undo, record(8, "undo", target="r6", is_redo=True))
    assert " · undone" not in shown(tmp_path)


def test_what_left_is_named_by_its_kind(tmp_path: Path) -> None:
    """Results by their tool, with the files that lead to them, the most frequent first; many are counted."""
    call = {"type": "tool_use", "id": "c1", "name": "bash", "input": {}}
    where = {f"r{number}.0": f"spill-{number}.txt" for number in range(7)}
    ids = ["r4.0", "r6.0", "r2.0", "r3.0"]
    change = {"ids": ids, "role": "user", "blocks": []}
    write(
        tmp_path,
        FIRST,
        head(FIRST),
        record(2, "pin", text="keep"),
        record(3, "context", content=[text("day")], files={}),
        replied(4, call),
        record(5, "result", call="c1", name="bash", content="out", is_error=False),
        record(6, "message", role="user", results=["r5"], content=[], said=[]),
        {**compacted(7, cause="price", where=where, after=None), "changes": [change]},
    )
    out = shown(tmp_path)
    assert "changed: 1 call, 1 bash result, 1 pin, 1 context block" in out
    assert "kept in spill-0.txt (1 block)" in out
    assert "kept in 3 further files" in out
    assert "summary (manual price) 1k → ?" in out


def test_cost_counts_every_request_once(tmp_path: Path) -> None:
    """Replies, summaries, notes and subagents; an unknown price is marked."""
    spent = {"usd": 1.5, "is_known": True, "input_tokens": 5, "cached_tokens": 1, "output_tokens": 2}
    usage = {"output_tokens": 1_000}
    more = [
        record(7, "model", model="nobody-knows"),
        record(8, "note", text="x", usage=usage),
        record(9, "subagent", agent="task-001", number=1, log="x", spent=spent),
    ]
    story = read_story(write(tmp_path, FIRST, *simple(FIRST), *more))
    assert (story.spent.output_tokens, story.spent.is_known, story.spent.usd > 1.5) == (1_182, False, True)
    assert "$1.50+?" in shown(tmp_path)


@pytest.mark.parametrize(
    ("kind", "line"),
    [({}, "  task-001  look"), ({"agent_type": f"explore{NASTY}"}, "  task-001  explore")],
)
def test_a_subagent_is_told_with_its_type(tmp_path: Path, kind: dict[str, str], line: str) -> None:
    """On its line, where its record names one; what that says is shown, never obeyed."""
    spent = {"usd": 1.5, "is_known": True, "input_tokens": 5, "cached_tokens": 1, "output_tokens": 2}
    one = record(9, "subagent", agent="task-001", number=1, description="look", log="x", spent=spent, **kind)
    write(tmp_path, FIRST, *simple(FIRST), one)
    out = shown(tmp_path)
    assert f"\n{line}" in out
    assert "\x1b" not in out


def test_many_prompts_are_cut_in_the_middle(tmp_path: Path) -> None:
    """The first and the newest are shown, hostile ones on one line without control characters."""
    many = [said(number, f"{NASTY} {number}\n" * 3, turn=number) for number in range(2, 102)]
    write(tmp_path, FIRST, head(FIRST, forked_from=SECOND), *many)
    out = shown(tmp_path)
    assert "\n      … 60 more\n" in out
    assert "\x1b" not in out
    assert out.splitlines()[2].endswith(f"fork of {SECOND}")
    assert all(len(line) <= 120 for line in out.splitlines() if "pts/" not in line and "jsonl" not in line)


def test_subagents_are_listed(tmp_path: Path) -> None:
    """What each was for and came to; one that has not ended as its own log tells; names and logs are only shown."""
    none = {"usd": 0.0, "is_known": True, "input_tokens": 0, "cached_tokens": 0, "output_tokens": 0}
    about = {"number": 1, "description": f"look {NASTY}", "spent": none}
    ended = {"steps": 3, "size": 5_200, "spent": {**none, "usd": 1.5}, "problem": "50 steps"}
    more = [
        record(7, "subagent", agent="task-001", **about, log="l1.jsonl", is_open=True),
        record(8, "subagent", agent="task-002", **about, log="l2.jsonl", is_open=True),
        record(9, "subagent", agent="../../x", **about, is_open=True),
        record(10, "subagent", agent="task-001", **{**about, **ended}, log="l1.jsonl"),
    ]
    path = write(tmp_path, FIRST, *simple(FIRST), *more)
    (path.with_suffix("") / "task-002.jsonl").write_bytes(b"".join(map(encode, simple("task-002"))))
    lines = shown(tmp_path).split("3 subagents\n")[1].splitlines()
    assert lines[0].startswith("  task-001  look </pre>")
    assert lines[0].endswith("  3 steps · 5.2k · $1.50 · incomplete: 50 steps")
    assert lines[1] == "      l1.jsonl"
    assert "$0.00" in lines[2]
    assert lines[2].endswith(" · has not ended")
    assert " step" in lines[2], "by its own log"
    assert lines[4].startswith("  ../../x  ")
    assert "\x1b" not in "".join(lines)


def points(*sizes: int, marked: tuple[int, ...] = ()) -> list[Point]:
    return [
        Point(step=index + 1, tokens=size, compaction=f"r{index}" if index in marked else "")
        for index, size in enumerate(sizes)
    ]


def test_the_chart_is_as_drawn() -> None:
    """A column a reply, as high as its share of the largest, the mark under the compaction."""
    assert chart_lines(points(100, 200, 400, 50, marked=(3,)), 18) == [
        "   400 │    ██",
        "       │    ██",
        "       │    ██",
        "       │    ██",
        "   200 │  ████",
        "       │  ████",
        "       │██████",
        "     0 │████████",
        "       └────────",
        "              ▲",
        "        step 1 to 4; ▲ a compaction",
    ]


def test_a_long_session_fits_the_width() -> None:
    """A column shows the largest of its points, and a mark when any of them has one; nothing marked, no mark."""
    lines = chart_lines(points(*range(1, 1_001), marked=(500,)), 80)
    assert max(map(len, lines)) <= 80
    assert "".join(lines).count(MARK) == 2
    assert MARK not in "".join(chart_lines(points(0, 0), 80))
    assert chart_lines([], 80) == []
