"""`agent replay` as a command: rows, table, and what it says to input that it cannot use."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from agent.cli import Streams, main
from compaction.presets import PRESETS
from tests.agent.replay.made import did, lines, turn, working, written
from tests.support.command import Ran

KEYS = [
    "session",
    "preset",
    "cost",
    "support",
    "first_use",
    "recoverability",
    "peak_tokens",
    "resets",
    "summaries",
    "ms_per_step",
    "cost_marks",
]
SMALL = (
    turn(0, did("Read", "     1→amount = 1\n     2→", file_path="/p/a.py")),
    turn(10, did("Edit", "updated", file_path="/p/a.py", old_string="amount = 1", new_string="amount = 2")),
    turn(20, did("Bash", "no such command", is_error=True, command="pytset"), says="Now the test."),
    turn(400, says="The total is right."),
)
TABLE = """\
session  preset   cost  cost at marks  support  first use  recoverable  peak tokens  resets  summaries  ms/step
made     off     0.759          0.759    1.000      1.000        1.000        5,214       0          0      0.0
all      off     0.759          0.759    1.000      1.000        1.000        5,214       0          0      0.0
"""


def ran(*args: str) -> Ran:
    """Run the command line in this process."""
    out, err = io.BytesIO(), io.BytesIO()
    streams = Streams(
        stdin=None,
        stdout=io.TextIOWrapper(out, encoding="utf-8"),
        stderr=io.TextIOWrapper(err, encoding="utf-8"),
    )
    code = main(("replay", *args), streams, {})
    return Ran(code, out.getvalue(), err.getvalue().decode())


def rows(*args: str) -> list[dict[str, Any]]:
    """The rows of a run that must work."""
    done = ran(*args, "--json")
    assert (done.code, done.err) == (0, "")
    found: list[dict[str, Any]] = json.loads(done.out)["rows"]
    return found


def test_json_has_a_row_a_session_and_preset_and_one_of_all(tmp_path: Path) -> None:
    """In the order of the presets, the pooled row behind each preset's own; exactly the keys that are promised."""
    files = [str(written(tmp_path, *working(30), name=name)) for name in ("one", "two")]
    found = rows(*files)
    assert [list(row) for row in found] == [KEYS] * len(found)
    assert [(row["preset"], row["session"]) for row in found] == [
        (preset, session) for preset in PRESETS for session in ("one", "two", "all")
    ]


def test_the_pooled_row_pools_sums_not_ratios(tmp_path: Path) -> None:
    """A long session weighs more than a short one; the peak is the larger."""
    long = written(tmp_path, *working(60), name="long")
    short = written(tmp_path, *working(6), name="short")
    one, two, pooled = rows(str(long), str(short), "--preset", "balanced")
    mean = (one["cost"] + two["cost"]) / 2
    assert abs(pooled["cost"] - one["cost"]) < abs(mean - one["cost"])
    assert pooled["peak_tokens"] == max(one["peak_tokens"], two["peak_tokens"])
    assert pooled["resets"] == one["resets"] + two["resets"]


def test_the_table_is_as_it_was(tmp_path: Path) -> None:
    """Numbers to the right, and the note that trajectories are fixed; the time that it took aside."""
    done = ran(str(written(tmp_path, *SMALL)), "--preset", "off")
    table, _, note = done.out.decode().partition("\n\n")
    assert (done.code, done.err) == (0, "")
    assert re.sub(r"\d\.\d$", "0.0", table, flags=re.MULTILINE) + "\n" == TABLE
    assert note.startswith("Trajectories are fixed")


@pytest.mark.parametrize(
    "args", [["--preset", "off", "--preset", "balanced"], ["--preset", "off", "balanced"]]
)
def test_several_presets_may_be_named(tmp_path: Path, args: list[str]) -> None:
    """By a flag each, or behind one flag; in the order given."""
    found = rows(str(written(tmp_path, *SMALL)), *args)
    assert [row["preset"] for row in found] == ["off", "off", "balanced", "balanced"]


def test_shares_of_nothing_are_null(tmp_path: Path) -> None:
    """Without edits there is no support to speak of; the table shows a dash, and nothing lost is all there."""
    path = str(written(tmp_path, turn(0, did("Bash", "ok", command="true")), turn(5, says="Done.")))
    row = rows(path, "--preset", "off")[0]
    assert (row["support"], row["first_use"], row["recoverability"]) == (None, None, 1.0)
    assert re.search(r"–\s+–\s+1\.000", ran(path, "--preset", "off").out.decode())


def test_without_usage_cost_is_relative_to_no_compaction(tmp_path: Path) -> None:
    """`off` is 1 then."""
    path = str(written(tmp_path, *working(40, usage=None)))
    found = rows(path, "--preset", "off", "--preset", "balanced")
    assert found[0]["cost"] == 1.0
    assert found[2]["cost"] < 1.0


BAD = {
    "empty": ("", "its first line is neither"),
    "prose": ("Dear diary,\n", "line 1 is not JSON"),
    "other JSON": ('{"kind": "recipe"}\n', "its first line is neither"),
    "a list": ("[1, 2]\n", "its first line is neither"),
    "no turn": (lines(()), "holds no reply"),
    "a turn without its time": (lines(({"kind": "turn", "assistant": []},)), "turn.at: Field required"),
    "a line of another kind": (lines(({"kind": "tune"},)), "is not a session"),
    "a call without a name": (
        lines(({**turn(0), "assistant": [{"type": "tool_use", "id": "a"}]},)),
        "is not a session",
    ),
    "a half line": (lines((turn(0),)) + '{"kind": "tu', "line 3 is not JSON"),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_session_costs_one_line(tmp_path: Path, kind: str) -> None:
    """Exit 2, and one line that names the file and the fault."""
    content, fault = BAD[kind]
    path = tmp_path / "bad.jsonl"
    path.write_text(content, "utf-8")
    done = ran(str(path))
    assert (done.code, done.out, done.err.count("\n")) == (2, b"", 1)
    assert fault in done.err
    assert "bad.jsonl" in done.err


def test_what_cannot_be_read_costs_one_line(tmp_path: Path) -> None:
    """A file that is not there, a folder, and bytes that are no text."""
    binary = tmp_path / "b.jsonl"
    binary.write_bytes(b"\xff\xfe\x00")
    for path, fault in (
        (tmp_path / "none.jsonl", "No such file"),
        (tmp_path, "Is a directory"),
        (binary, "not UTF-8"),
    ):
        done = ran(str(path))
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert fault in done.err


@pytest.mark.parametrize(
    ("args", "fault"),
    [
        (["--preset", "balnced"], "no preset `balnced`: did you mean `balanced`?"),
        (["--context-window", "500"], "--context-window: a working window of 500 is too small"),
        (["--compact"], "No such option"),
    ],
)
def test_a_flag_that_cannot_be_used_costs_one_line(tmp_path: Path, args: list[str], fault: str) -> None:
    """The nearest preset is named."""
    done = ran(str(written(tmp_path, *SMALL)), *args)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert fault in done.err


def test_a_file_has_to_be_named() -> None:
    """None at all, or only the name of a preset."""
    assert "Missing argument" in ran().err
    assert "name at least one file" in ran("--preset", "off", "balanced").err
