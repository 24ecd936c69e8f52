"""One card a call."""

import re
from typing import Any, cast

import pytest
from rich.cells import cell_len

from agent.terminal.cards import card
from compaction.messages import ToolResultBlock, ToolUseBlock

SGR = re.compile("\x1b\\[[0-9;]*m")


def made(name: str, given: dict[str, Any], content: str = "", *, width: int = 80, **facts: Any) -> list[str]:
    call = cast("ToolUseBlock", {"type": "tool_use", "id": "t1", "name": name, "input": given})
    result = {"type": "tool_result", "tool_use_id": "t1", "content": content}
    if facts.pop("is_error", False):
        result["is_error"] = cast("Any", True)
    return SGR.sub("", card(call, cast("ToolResultBlock", result), facts, width)).splitlines()


def test_a_call_that_changes_nothing_is_one_line() -> None:
    """Tool, target, what came of it; its output is the model's."""
    assert made("read", {"file_path": "a.py"}, "1\tx", note="212 lines") == ["● read  a.py  212 lines"]


def test_a_change_shows_its_diff() -> None:
    """The whole of a short one, the head of a long one and how much more there is."""
    diff = "   41   def total():\n   42 -     return 1\n   42 +     return 2"
    assert made("edit", {"file_path": "a.py"}, note="+1 −1", diff=diff) == [
        "● edit  a.py  +1 −1",
        *[f"  {line}" for line in diff.split("\n")],
    ]
    long = "\n".join(f"{number:>5} + x" for number in range(60))
    lines = made("write", {"file_path": "a.py"}, diff=long)
    assert len(lines) == 26
    assert lines[-1] == "    … 36 more lines"


def test_a_failure_shows_the_end_of_its_output() -> None:
    """Also one that is told by an exit code alone; time is told once."""
    output = "\n".join(f"line {number}" for number in range(20))
    lines = made("bash", {"command": "pytest"}, output, note="exit 1", exit_code=1, duration_s=3.2)
    assert lines[0] == "● bash  pytest  exit 1 · 3.2 s"
    assert lines[1:] == [f"    line {number}" for number in range(14, 20)]
    stopped = made(
        "bash", {"command": "x"}, "", note="interrupted after 2.4 s", exit_code=143, duration_s=2.4
    )
    assert stopped[0] == "● bash  x  interrupted after 2.4 s"


@pytest.mark.parametrize(
    ("text", "word"), [("Refused: no", "refused"), ("Not run: x", "not run"), ("No such file", "failed")]
)
def test_an_error_says_whether_it_was_let_run(text: str, word: str) -> None:
    """A refusal is the user's or a rule's, a failure the tool's."""
    assert made("read", {"file_path": "a"}, text, is_error=True) == [f"● read  a  {word}", f"    {text}"]


def test_the_todo_list_is_a_checklist() -> None:
    """Its three states have three marks."""
    states = ("completed", "in_progress", "pending")
    todos = [{"content": state, "status": state} for state in states]
    assert made("todo_write", {"todos": todos}, note="3 items", todos=todos) == [
        "● todo_write    3 items",
        "    [x] completed",
        "    [>] in_progress",
        "    [ ] pending",
    ]


@pytest.mark.parametrize("width", [20, 48, 80, 120])
def test_nothing_is_wider_than_the_screen(width: int) -> None:
    """Long targets and long lines end in an ellipsis; control characters are escapes; lines stay lines."""
    lines = made("bash", {"command": "echo \x1b[2J" + "x" * 300}, "y" * 900, exit_code=1, width=width)
    assert len(lines) == 4  # its own line, and one of its output in three rows
    assert all(cell_len(line) <= width for line in lines)
    assert lines[0].endswith("…")
    assert lines[-1].endswith("…")
    assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize("width", [24, 48, 80])
def test_what_came_of_a_call_is_not_pushed_out_by_a_long_target(width: int) -> None:
    """The target is cut; exit code and time stay; a short target leaves the room to the outcome."""
    (line,) = made("bash", {"command": "pytest -q " * 20}, note="exit 1", width=width)
    assert line.startswith("● bash  pyte")
    assert line.endswith("…  exit 1")
    assert cell_len(line) <= width
    (line,) = made("read", {"file_path": "a.py"}, note="n" * 100, width=width)
    assert line.startswith("● read  a.py  nnn")
    assert cell_len(line) == width


def test_a_subagent_s_card_says_what_it_did() -> None:
    """Steps, tokens and cost also where the screen is narrow; the first line of its answer; why it did not finish."""
    given = {"description": "where is VAT configured", "prompt": "look", "agent_type": "explore"}
    work = {"steps": 14, "size": 31_000, "usd": 0.041, "is_known": True}
    assert made("task", given, "In ledger.toml.\nMore.", note="In ledger.toml.", work=work, width=40) == [
        "● task  explore…  14 steps · 31k · $0.04",
        "    In ledger.toml.",
    ]
    lines = made("task", given, "so far", note="incomplete: 50 steps", work=work, is_error=True, width=100)
    assert (
        lines[0] == "● task  explore: where is VAT configured  14 steps · 31k · $0.04 · incomplete: 50 steps"
    )
    assert lines[1:] == ["    so far"]


def test_an_error_is_read_whole() -> None:
    """A line of it that is longer than the screen is wide is wrapped."""
    text = "`bash` failed unexpectedly: RuntimeError: the disk said something that is longer than a row"
    lines = made("bash", {"command": "x"}, text, is_error=True, width=48)
    assert " ".join(line.strip() for line in lines[1:]) == text


def test_a_checklist_has_a_row_an_item() -> None:
    """Line ends inside an item are blanks."""
    todos = [{"content": "one\ntwo", "status": "pending"}]
    assert made("todo_write", {"todos": todos}, todos=todos)[1:] == ["    [ ] one two"]
