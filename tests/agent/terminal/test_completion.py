"""Completions of commands, of what stands behind them, and of mentioned paths."""

from collections.abc import Sequence

import pytest
from prompt_toolkit.completion import CompleteEvent, Completion
from prompt_toolkit.document import Document

from agent.terminal.arguments import Offer, fitting
from agent.terminal.completion import InputCompleter
from agent.terminal.desk import SessionDesk
from agent.terminal.help import Command
from agent.terminal.path_index import PathIndex
from agent.terminal.skill_offers import SkillOffer

PATHS = [
    "src/",
    "src/config.py",
    "deep/down/con.txt",
    "README.md",
    "src/über.py",
    "my notes/a b.md",
    'x "y".md',
]


async def run(desk: SessionDesk, words: str) -> None:
    """Do nothing."""


COMMANDS = {
    "compact": Command(takes="[focus]", about="summarise", run=run),
    "context": Command(about="what fills it", run=run),
    "cost": Command(about="what it cost", run=run),
}


SKILLS = [
    SkillOffer(name="commit", hint="[what]", about="built in: commits"),
    SkillOffer(name="skill:cost", hint="", about="~/.agent/skills: what it would cost"),
]


async def offering(name: str, typed: str) -> Sequence[Offer]:
    """Offer something behind one command."""
    known = [Offer("undo", "take it back"), Offer("receipt")]
    return fitting(known, typed) if name == "compact" else []


async def offered(text: str) -> list[Completion]:
    """Return the choices for a text with the cursor behind it."""
    completer = InputCompleter(COMMANDS, offering, PathIndex(PATHS).find, skills=lambda: SKILLS)
    return [one async for one in completer.get_completions_async(Document(text), CompleteEvent())]


@pytest.mark.parametrize(
    ("typed", "becomes"),
    [
        ("/co", ["/compact ", "/context", "/cost", "/commit ", "/skill:cost "]),
        ("/cos", ["/cost", "/skill:cost "]),
        ("/mit", ["/commit "]),
        ("/commit", []),
        ("/commit now", []),
        ("/skill:", ["/skill:cost "]),
        ("/text", ["/context"]),
        ("/cost", ["/skill:cost "]),
        ("/cost now", []),
        ("/compact ", ["/compact undo", "/compact receipt"]),
        ("/compact u", ["/compact undo"]),
        ("/compact back", ["/compact undo"]),
        ("/compact undo", []),
        ("/compact keep @con", ["/compact keep @src/config.py", "/compact keep @deep/down/con.txt"]),
        ("/compact\nu", []),
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
async def test_what_is_offered(typed: str, becomes: list[str]) -> None:
    """Commands at the start of the input only; paths anywhere, quoted where blanks are in them; never what stands there."""
    found = [typed[: len(typed) + one.start_position] + one.text for one in await offered(typed)]
    assert sorted(found) == sorted(becomes)


async def test_what_is_said_of_them() -> None:
    """A command with what it takes and what it does; what stands behind it with what that is."""
    assert [(one.display_text, one.display_meta_text) for one in await offered("/com")] == [
        ("/compact [focus]", "summarise"),
        ("/commit [what]", "built in: commits"),
    ]
    assert [(one.display_text, one.display_meta_text) for one in await offered("/compact u")] == [
        ("undo", "take it back")
    ]
