"""F52: what the model, tools and files say is shown, never obeyed."""

from collections.abc import Callable
from pathlib import Path

from agent.offline import Reply, Request, Script, always, calls, says
from tests.support.pty_screen import Terminal
from tests.support.screen_agent import READY, agent_on_screen

LITERAL = (
    "error CS1022 [/home/u/App.csproj]",
    "{a}/{b}[/{c}...]/read",
    "def f(x: list[int]) -> dict[str, int]",
    "[bold] [red]x[/red] <b>&amp; :smile:",
)
"""a, b, c, e: must stand on the screen as they are."""
CONTROLS = (
    "\x1b[?1049h",
    "\x1b]0;T\x07",
    "\x1b[2J",
    "\x1b]52;c;eA==\x07",
    "\x9b2J",
    "over\rwritten",
    "\x08",
    "\u202e",
)
"""d, f, g: must not reach the terminal."""
NASTY = "\n\n".join([*LITERAL, " ".join(CONTROLS)])
QUESTIONS = 3
FENCE = "```python\nwhile True:\n    still_open()\n"


def reply(request: Request) -> Reply:
    """Say it, print it, read it, put it into a question and a todo list."""
    steps: list[Callable[[], Reply]] = [
        lambda: says(NASTY, chunk_chars=7) + calls("bash", command="cat literal.txt; expr 0"),
        lambda: calls("bash", command="cat controls.txt; expr 0"),
        lambda: calls("read", file_path=f"{LITERAL[3]}{CONTROLS[0]}{CONTROLS[7]}.py"),
        lambda: calls(
            "todo_write", todos=[{"content": line, "status": "pending"} for line in NASTY.split("\n\n")]
        ),
        lambda: calls("bash", command=f"expr 1 # {NASTY}".replace("\n\n", "\n# ")),
        lambda: says(FENCE, chunk_chars=5, pace_s=0.02),
    ]
    answered = len([message for message in request.body["messages"] if message["role"] == "assistant"])
    return steps[answered]()


def test_f52_nothing_is_obeyed(tmp_path: Path) -> None:
    """a to h: as model text, tool output, file name and error, todo item, argument in a question."""
    with agent_on_screen(tmp_path, script=Script(always(reply)), rows=60, columns=120) as on:
        (on.command.project / "literal.txt").write_text("\n".join(LITERAL))
        (on.command.project / "controls.txt").write_text("\n".join(CONTROLS))
        on.terminal.until(READY)
        on.prompt("go")
        on.terminal.answer("cat literal.txt; expr 0\n    in ", "y")
        on.terminal.answer("cat controls.txt; expr 0\n    in ", "y")
        on.terminal.until("    expr 1 # error CS1022")
        check_question(on.terminal.text[on.terminal.text.rindex("bash wants to run") :])
        on.terminal.answer("wants to run", "y")
        on.terminal.until("still_open()")
        on.terminal.until(lambda: "◐" not in on.terminal.text)
        for literal in LITERAL:
            assert on.terminal.history.count(literal) >= 3  # the answer, the card, the checklist
        check_stream(on.terminal)
        on.terminal.send("\x15\x04")
        assert on.terminal.ended() == 0
        assert on.server.refusals == []


def check_question(question: str) -> None:
    """The whole command is there, control characters as escapes."""
    for literal in LITERAL:
        assert literal in question
    escapes = (
        r"\x1b[?1049h",
        r"\x1b]52;c;eA==\x07",
        r"\u009b2J",
        r"over\x0dwritten",
        r"\x08",
        r"\u202e",
    )
    for escape in escapes:
        assert escape in question.replace("\n    ", "")


def check_stream(terminal: Terminal) -> None:
    """No sequence reached the terminal, no bell but one a question, no mark that turns the text round."""
    raw = bytes(terminal.raw)
    for control in (*CONTROLS[:5], "\u202e"):
        assert control.encode() not in raw
    assert raw.count(b"\x07") == QUESTIONS
    assert terminal.screen.title == ""
