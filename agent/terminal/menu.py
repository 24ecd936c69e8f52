"""The menu of completions below the input."""

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completion
from rich.cells import cell_len, set_cell_size

from agent.glyphs import drawn
from agent.terminal.completion import MOST_PATHS
from agent.terminal.render import as_lines, plain, styled, to_ansi

MENU_ROWS = 6
INDENT = 2


def menu_lines(buffer: Buffer, width: int) -> list[str]:
    """Return the open completion menu, a line a choice, the chosen one marked."""
    state = buffer.complete_state
    if state is None or not state.completions:
        return []
    chosen = state.complete_index or 0
    first = max(0, min(chosen - MENU_ROWS // 2, len(state.completions) - MENU_ROWS))
    lines: list[str] = []
    for index, completion in enumerate(state.completions[first : first + MENU_ROWS], first):
        lines += _row(completion, width, is_chosen=index == state.complete_index)
    if (count := len(state.completions)) > MENU_ROWS:
        told = "or more" if count == MOST_PATHS else "in all"
        lines += as_lines(to_ansi(styled((f"  {count} {told}", "dim")), width))
    return lines


def _row(completion: Completion, width: int, *, is_chosen: bool) -> list[str]:
    """A choice with what it is about; one that has only itself to show keeps its end, which tells most."""
    mark, style = ("▸ ", "bold") if is_chosen else ("  ", "")
    about = completion.display_meta_text
    shown = plain(completion.display_text)
    if not about:
        shown = ending(shown, width - INDENT)
    return as_lines(
        to_ansi(styled((mark, "cyan"), (shown, style), (f"  {about}" if about else "", "dim")), width)
    )


def ending(path: str, columns: int) -> str:
    """Return as much of the end of ``path`` as there are columns for, after an ellipsis if it is cut."""
    if cell_len(path) <= columns:
        return path
    mark = drawn("…")
    room = max(0, columns - cell_len(mark))
    return mark + set_cell_size(path[::-1], room)[::-1].strip()
