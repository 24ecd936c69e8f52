"""Completions and their menu."""

import re
import subprocess
from pathlib import Path

import pytest
from prompt_toolkit.buffer import Buffer, CompletionState
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from rich.cells import cell_len

from agent.terminal.completion import MENU_ROWS, InputCompleter, menu_lines, project_files

SGR = re.compile("\x1b\\[[0-9;]*m")
COMMANDS = {"compact": "summarise", "context": "what fills it", "cost": "what it cost"}
PATHS = ["src/config.py", "deep/down/con.txt", "README.md", "src/über.py"]


def found(text: str) -> list[str]:
    completer = InputCompleter(COMMANDS, lambda: PATHS)
    return [one.text for one in completer.get_completions(Document(text), CompleteEvent())]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("/co", ["/compact", "/context", "/cost"]),
        ("/cos", ["/cost"]),
        ("/cost now", []),
        ("see /co", []),
        ("look at @con", ["@src/config.py", "@deep/down/con.txt"]),
        ("@ÜB", ["@src/über.py"]),
        ("mail me@example", []),
        ("@nowhere", []),
        ("", []),
    ],
)
def test_what_is_offered(typed: str, offered: list[str]) -> None:
    """Commands at the start of the input only; paths anywhere, those whose name begins so first."""
    assert found(typed) == offered


def test_project_files(tmp_path: Path) -> None:
    """As git lists them, ignored ones left out; without git the first two levels."""
    for name in ("a.py", "x/b.py", "x/y/c.py", "build/out"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert project_files(tmp_path) == ["a.py", "build/out", "x/b.py"]
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("build\n")
    assert sorted(project_files(tmp_path)) == [".gitignore", "a.py", "x/b.py", "x/y/c.py"]


def menu(typed: str, index: int | None, width: int = 60) -> list[str]:
    buffer = Buffer(document=Document(typed))
    completer = InputCompleter({f"c{number:02}": "about" for number in range(20)}, lambda: PATHS)
    offered = list(completer.get_completions(buffer.document, CompleteEvent()))
    buffer.complete_state = CompletionState(buffer.document, offered, index)
    return [SGR.sub("", line) for line in menu_lines(buffer, width)]


def test_the_menu() -> None:
    """A line a choice, the chosen one marked and in view, the number of all below; never wider than the screen."""
    assert menu("/c0", None)[:2] == ["  /c00  about", "  /c01  about"]
    lines = menu("/c", 12)
    assert len(lines) == MENU_ROWS + 1
    assert "▸ /c12  about" in lines
    assert lines[-1] == "  20 in all"
    assert menu("/c", 19)[-2] == "▸ /c19  about"
    assert menu("/nothing", None) == []
    assert all(cell_len(line) <= 10 for line in menu("/c", 3, width=10))
