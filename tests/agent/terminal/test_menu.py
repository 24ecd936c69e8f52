"""The menu of completions."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.buffer import Buffer, CompletionState
from prompt_toolkit.completion import Completion
from prompt_toolkit.document import Document
from rich.cells import cell_len

from agent.terminal.completion import MOST_PATHS
from agent.terminal.menu import MENU_ROWS, ending, menu_lines

SGR = re.compile("\x1b\\[[0-9;]*m")


def menu(offered: list[Completion], index: int | None, width: int = 60) -> list[str]:
    """Return the menu for these choices, without colours."""
    buffer = Buffer(document=Document("x"))
    buffer.complete_state = CompletionState(buffer.document, offered, index)
    return [SGR.sub("", line) for line in menu_lines(buffer, width)]


def test_the_menu() -> None:
    """A line a choice, the chosen one marked and in view, the number of all below; never wider than the screen."""
    commands = [Completion(f"/c{number:02}", display_meta="about") for number in range(20)]
    assert menu(commands, None)[:2] == ["  /c00  about", "  /c01  about"]
    lines = menu(commands, 12)
    assert len(lines) == MENU_ROWS + 1
    assert "▸ /c12  about" in lines
    assert lines[-1] == "  20 in all"
    assert menu(commands, 19)[-2] == "▸ /c19  about"
    assert menu([], None) == []
    assert menu([Completion("@x")] * MOST_PATHS, None)[-1] == f"  {MOST_PATHS} or more"
    assert all(cell_len(line) <= 10 for line in menu(commands, 3, width=10))


@pytest.mark.parametrize("width", [20, 40, 80])
def test_a_path_keeps_its_end(width: int) -> None:
    """Where it does not fit, the folders before its name go first."""
    path = "packages/server/models/日本/" + "very/" * 20 + "invoice_totals.py"
    (line,) = menu([Completion(f"@{path}", display=path)], None, width=width)
    assert cell_len(line) <= width
    assert line.startswith("  …")
    assert line.endswith("invoice_totals.py" if width > 20 else "oice_totals.py")


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40), st.integers(4, 30))
def test_ending(path: str, columns: int) -> None:
    """Never wider than the columns; whole where it fits."""
    shown = ending(path, columns)
    assert cell_len(shown) <= columns
    assert shown == path or cell_len(path) > columns
