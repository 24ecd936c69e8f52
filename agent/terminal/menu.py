"""The menu of completions below the input, and its keys."""

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completion
from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
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
    shown = state.completions[first : first + MENU_ROWS]
    column = min(max(_columns(one) for one in shown), width // 2)
    lines: list[str] = []
    for index, completion in enumerate(shown, first):
        lines += _row(completion, width, column, is_chosen=index == state.complete_index)
    if (count := len(state.completions)) > MENU_ROWS:
        told = "or more" if count == MOST_PATHS else "in all"
        lines += as_lines(to_ansi(styled((f"  {count} {told}", "dim")), width))
    return lines


def _columns(completion: Completion) -> int:
    """Return how wide a choice is that has something beside it, 0 for another."""
    return cell_len(plain(completion.display_text)) if completion.display_meta_text else 0


def _row(completion: Completion, width: int, column: int, *, is_chosen: bool) -> list[str]:
    """A choice with what it is about; one that has only itself to show keeps its end, which tells most.

    Args:  column: what stands beside choices of up to so many columns begins behind it.
    """
    mark, style = ("▸ ", "bold") if is_chosen else ("  ", "")
    about = plain(completion.display_meta_text)
    shown = plain(completion.display_text)
    padding = " " * max(0, column - cell_len(shown))
    shown = f"{shown}{padding}" if about else ending(shown, width - INDENT)
    line = styled((mark, "cyan"), (shown, style), (f"  {about}" if about else "", "dim"))
    return as_lines(to_ansi(line, width))


def ending(path: str, columns: int) -> str:
    """Return as much of the end of ``path`` as there are columns for, after an ellipsis if it is cut."""
    if cell_len(path) <= columns:
        return path
    mark = drawn("…")
    room = max(0, columns - cell_len(mark))
    return mark + set_cell_size(path[::-1], room)[::-1].strip()


def menu_keys(buffer: Buffer) -> KeyBindings:
    """Return the keys of the menu beside those of prompt-toolkit: Tab takes the only choice, and the next menu opens."""
    keys = KeyBindings()

    def is_only_one() -> bool:
        state = buffer.complete_state
        return state is not None and len(state.completions) == 1

    def take(event: KeyPressEvent) -> None:
        if (state := buffer.complete_state) is not None:
            buffer.apply_completion(state.completions[0])

    keys.add("tab", filter=Condition(is_only_one))(take)
    return keys
