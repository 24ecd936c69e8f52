"""Four subagents side by side on a real screen: what stands while they work, when one asks, and afterwards."""

from pathlib import Path

import pytest
from wcwidth import wcswidth

from agent.offline import Reply, Script, calls, says
from tests.support.delegation import does, ordered
from tests.support.screen_agent import READY, OnScreen, agent_on_screen

ORDERS = ("Look at the ledger.", "Count the lines.", "Say yes.", "Touch a file.")
HANG = "echo started; while [ ! -e go ]; do sleep 0.05; done"


def script(last: Reply) -> Script:
    """Three that work until a file is there, and ``last``, what the fourth wants first."""
    hang = calls("bash", command=HANG)
    routes = [
        does(ORDERS[0], says("I look.") + calls("read", file_path="ledger.py"), hang, says("It is there.")),
        does(ORDERS[1], calls("glob", pattern="*"), calls("glob", pattern="*.py"), hang, says("One line.")),
        does(ORDERS[2], hang, says("# Answer\n\nYes.")),
        does(ORDERS[3], last, hang, says("Touched.")),
    ]
    return Script(says("I share it out.") + ordered(*ORDERS), says("All is done."), routes=routes)


def heads(on: OnScreen, mark: str) -> list[str]:
    """The rows of subagents with this mark, without what came of them."""
    rows = [row for row in on.terminal.lines if row.startswith(f"{mark} task  ")]
    return [row[2:].split("  ")[1] for row in rows]


@pytest.mark.parametrize(("columns", "glyphs"), [(40, ()), (80, ()), (160, ("--ascii",))])
def test_they_stand_in_call_order(tmp_path: Path, columns: int, glyphs: tuple[str, ...]) -> None:
    """Three rows each at most in every frame, none wider than the screen; then a card each, with its answer."""
    with agent_on_screen(
        tmp_path,
        "--permission-mode",
        "bypass",
        *glyphs,
        script=script(calls("bash", command="touch made")),
        columns=columns,
    ) as on:
        most: list[int] = []

        def look() -> None:
            most.append(sum(row.startswith(("◐ task", "o task", "    ")) for row in on.terminal.lines))
            assert all(wcswidth(row.rstrip()) <= columns for row in on.terminal.lines)

        on.terminal.until(READY)
        on.terminal.on_frame = look
        on.prompt("share it out")
        on.terminal.until(lambda: on.terminal.text.count("echo started") == 4)
        mark, done = ("o", "*") if glyphs else ("◐", "●")
        assert len(heads(on, mark)) == 4
        assert [head[:3] for head in heads(on, mark)] == [order[:3] for order in ORDERS]
        assert max(most) <= 12
        (on.command.project / "go").touch()
        on.terminal.until("All is done.")
        on.until_at_rest()
        assert len(heads(on, done)) == 4
        assert "\n    Yes.\n" in on.terminal.text
        assert heads(on, mark) == []
        assert on.server.refusals == []


def test_a_question_between_them_and_esc(tmp_path: Path) -> None:
    """It names the one that asks, the others work on; Esc ends all, and each card says what became of it."""
    with agent_on_screen(
        tmp_path,
        "--allow",
        "bash(echo:*)",
        "--allow",
        f"bash({HANG})",
        script=script(calls("bash", command="touch made")),
    ) as on:
        on.terminal.until(READY)
        on.prompt("share it out")
        on.terminal.until("Touch a file (task 4): bash wants to run")
        on.terminal.until("bash: touch made · waits")
        on.terminal.rest(0.5)
        on.terminal.send("\x1b")
        on.terminal.until("interrupted\n")
        on.until_at_rest()
        assert on.terminal.text.count("incomplete: interrupted by the user") == 4
        assert not (on.command.project / "made").exists()
        on.prompt("/status")
        on.terminal.until("permissions ask")
        assert "at work" not in on.terminal.text
