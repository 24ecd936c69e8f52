"""Completions of commands and of mentioned paths."""

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from agent.terminal.completion import InputCompleter
from agent.terminal.path_index import PathIndex

COMMANDS = {"compact": "summarise", "context": "what fills it", "cost": "what it cost"}
PATHS = [
    "src/",
    "src/config.py",
    "deep/down/con.txt",
    "README.md",
    "src/über.py",
    "my notes/a b.md",
    'x "y".md',
]


def completed(text: str) -> list[str]:
    """Return what the input would hold after each of the choices."""
    completer = InputCompleter(COMMANDS, PathIndex(PATHS).find)
    offered = completer.get_completions(Document(text), CompleteEvent())
    return [text[: len(text) + one.start_position] + one.text for one in offered]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("/co", ["/compact", "/context", "/cost"]),
        ("/cos", ["/cost"]),
        ("/cost now", []),
        ("see /co", []),
        ("look at @con", ["look at @src/config.py", "look at @deep/down/con.txt"]),
        ("@cfg", ["@src/config.py"]),
        ("two\nlines (@RM", ["two\nlines (@README.md"]),
        ("@ÜB", ["@src/über.py"]),
        ("@src/", ["@src/config.py", "@src/über.py"]),
        ("@notes a", []),
        ("@nab", ['@"my notes/a b.md"']),
        ('@"my notes/a', ['@"my notes/a b.md"']),
        ("@xy", ["@'x \"y\".md'"]),
        ("@README.md", []),
        ("mail me@example", []),
        ("@nowhere", []),
        ("", []),
    ],
)
def test_what_is_offered(typed: str, offered: list[str]) -> None:
    """Commands at the start of the input only; paths anywhere, quoted where blanks are in them; never what stands there."""
    assert sorted(completed(typed)) == sorted(offered)
