"""Which instruction files are in force, as the banner and `/context` say it."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from agent.instructions.note import Note
from agent.terminal.instruction_lines import banner_parts, instruction_lines

NOTES = [
    Note(shown="/elsewhere/mine.md", by="AGENTS.md", problem="there is no such file"),
    Note(shown="docs/git.md", text="x" * 810, content="x" * 810, by="AGENTS.md"),
    Note(
        shown="docs/more.md",
        text="x" * 190,
        content="x" * 190,
        rest="cut after 190 of 2,000 bytes",
        by="AGENTS.md",
    ),
    Note(shown="AGENTS.md", text="x" * 1_234, content="x" * 1_234),
]
TOLD = {note.shown: note.told_as for note in NOTES}


def test_the_banner_is_short() -> None:
    """A file found by its name with its tokens, imports in a sum, and how much is not told."""
    assert banner_parts(NOTES, len) == [
        "AGENTS.md 1.2k tokens",
        "2 imports 1k tokens",
        "2 instruction files not told in full: /context",
    ]
    assert banner_parts([], len) == []


def test_each_file_has_its_line() -> None:
    """Tokens, place, who imports it; below it what is not told of it; nothing about one that was told as it is."""
    assert [line.plain for line in instruction_lines(NOTES, TOLD, len, 100)] == [
        "instructions, the strongest last",
        "     -  /elsewhere/mine.md · imported by AGENTS.md",
        "        not read: there is no such file",
        "   810  docs/git.md · imported by AGENTS.md",
        "   190  docs/more.md · imported by AGENTS.md",
        "        cut after 190 of 2,000 bytes",
        "  1.2k  AGENTS.md",
    ]
    assert instruction_lines([], {}, len, 100) == []


def test_what_the_model_was_told_is_told_apart_from_the_disk() -> None:
    """A file that changed, came or went since says that it is told next; before the first message all are."""
    told = {**TOLD, "AGENTS.md": "old", "gone.md": "4", "long gone.md": "", "<sandbox>": "5"}
    lines = [line.plain for line in instruction_lines(NOTES, told, len, 100)]
    assert lines[-2:] == [
        "  1.2k  AGENTS.md · changed, told with your next message",
        "     -  gone.md · no longer counts, told with your next message",
    ]
    first = [line.plain for line in instruction_lines(NOTES, None, len, 100)]
    assert first[0] == "instructions, told with your first message"
    assert not [line for line in first[1:] if "next message" in line]


@pytest.mark.parametrize("width", [24, 40, 80])
def test_no_line_is_too_wide_and_no_text_is_raw(width: int) -> None:
    """Whatever a file is called."""
    odd = Note(
        shown=f"docs/\x1b[2J漢字{'long ' * 20}\n.md", text="x", content="x", by="a\x07b.md", rest="cut " * 30
    )
    lines = [line.plain for line in instruction_lines([odd, *NOTES], {}, len, width)]
    assert all(cell_len(line) <= width for line in lines)
    assert not {"\x1b", "\x07", "\n"} & set("".join(lines))


def test_the_home_folder_is_a_tilde() -> None:
    """As in the banner."""
    note = Note(shown=str(Path.home() / ".agent/AGENTS.md"), text="x", content="x")
    assert banner_parts([note], len) == ["~/.agent/AGENTS.md 1 tokens"]
