"""/help: every command and key, on one screen."""

import pytest
from rich.cells import cell_len

from agent.terminal.commands import COMMANDS
from agent.terminal.help import COLUMN, KEYS, NAME, help_lines, usage

ROWS = 20
"""Of 24, less the command's own line, an empty one, the input and the status bar."""


@pytest.mark.parametrize("columns", [20, 39, 79, 80, 159])
def test_help_is_no_wider_than_the_screen(columns: int) -> None:
    """Every command and key is named, in as many columns as there is room for."""
    lines = help_lines(COMMANDS, columns)
    assert max(map(cell_len, lines)) <= columns
    shown = "\n".join(lines)
    assert all(f"/{name}"[:columns] in shown for name in COMMANDS)
    assert all(key in shown for key, _ in KEYS)


def test_help_fits_one_screen() -> None:
    """Of 80 columns and 24 rows; no text is cut there, nor in 40 columns."""
    assert len(help_lines(COMMANDS, 79)) <= ROWS
    for columns in (39, 79):
        assert "…" not in "\n".join(help_lines(COMMANDS, columns))


def test_what_a_command_takes_is_no_part_of_what_it_does() -> None:
    """Else words behind it are refused: `takes` says that there may be some."""
    assert [name for name, one in COMMANDS.items() if one.about[0] in "[<" or one.about[0].isupper()] == []
    assert max(len(usage(name, one)) for name, one in COMMANDS.items()) < COLUMN
    assert NAME < COLUMN
