"""The todo at work, on a real screen."""

from pathlib import Path

from agent.offline import Script, calls, says
from tests.support.screen_agent import READY, agent_on_screen

TODOS = [
    {"content": "find it", "status": "completed"},
    {"content": "mend it", "status": "in_progress", "activeForm": "Mending it"},
]
ROW = "[>] Mending it · 1 of 2 done"


def test_the_item_at_work_stands_while_the_turn_runs(tmp_path: Path) -> None:
    """Above what runs and the input, whatever runs; with the end of the turn it is gone, and /todos has the list."""
    waits = calls("bash", command="until [ -e go ]; do sleep 0.05; done")
    turns = Script(calls("todo_write", todos=TODOS), waits, says("That is all."))
    with agent_on_screen(tmp_path, "--permission-mode", "bypass", script=turns) as on:
        on.terminal.until(READY)
        on.prompt("go")
        on.terminal.until("◐ bash")
        lines = on.terminal.lines
        at = lines.index(ROW)
        assert lines[at + 1].startswith("◐ bash  until")
        assert lines[at + 2].startswith(">")
        (on.command.project / "go").touch()
        on.terminal.until("That is all.")
        on.until_at_rest()
        on.terminal.until(lambda: ROW not in on.terminal.text)
        on.prompt("/todos")
        on.terminal.until("1 of 2 todos done\n[x] find it\n[>] mend it")
