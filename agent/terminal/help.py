"""What a command is, and /help: all of them and the keys on one screen, or one of them in full."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from agent.terminal.desk import SessionDesk

COLUMN = 39
"""Two of them fit 80 columns, one fits 40."""
GAP = 1
NAME = 16
"""Of a column: the name of a command with what it takes."""
MOST_COLUMNS = 3
KEYS = (
    ("Enter", "send; steer a turn"),
    ("Alt-Enter", "a new line"),
    ("Alt-Q", "queue for after it"),
    ("Up", "take queued back"),
    ("Esc, Ctrl-C", "interrupt"),
    ("Shift-Tab", "the next mode"),
    ("Ctrl-R", "search what was typed"),
    ("Ctrl-X Ctrl-E", "draft in $EDITOR"),
    ("Ctrl-O", "unfold what was folded"),
    ("Ctrl-D", "leave (empty input)"),
    ("@path", "complete a file"),
    ("!command", "run it, tell the model"),
)
LINE_KEYS = (
    ("Enter", "send; steer a turn"),
    ("Ctrl-C", "stop; twice: leave"),
    ("Ctrl-D", "leave"),
    ("!command", "run it, tell the model"),
)
"""Those of a terminal of lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command.

    ``takes``: what can stand behind its name; empty: nothing. ``short``: ``about`` in a few words, where it is long.
    ``is_immediate``: it runs at once also while a turn runs.
    """

    about: str
    run: Callable[[SessionDesk, str], Awaitable[None]]
    takes: str = ""
    short: str = ""
    is_immediate: bool = False


def help_lines(commands: Mapping[str, Command], columns: int, *, has_screen: bool = True) -> list[str]:
    """Return all commands, and the keys below them, in as many columns of equal width as there is room for.

    ``has_screen``: False for a terminal of lines, in which few keys do something.
    """
    named = [(usage(name, one), one.short or one.about) for name, one in commands.items()]
    return [*_table(named, columns), "", *_table(KEYS if has_screen else LINE_KEYS, columns)]


def explained(name: str, command: Command) -> list[str]:
    """Return all that there is to say of a command."""
    when = ["it also runs beside a turn, at once"] if command.is_immediate else []
    return [f"{usage(name, command)}  {command.about}", *when]


def without(name: str, command: Command, words: str) -> str:
    """Return what to say of ``words`` behind a command that takes nothing."""
    return f"/{name} takes nothing behind it, `{words}` either: {usage(name, command)}  {command.about}"


def usage(name: str, command: Command) -> str:
    """Return how a command is typed."""
    return f"/{name} {command.takes}".rstrip()


def _table(entries: Sequence[tuple[str, str]], columns: int) -> list[str]:
    """Return entries in columns that are read from top to bottom, no line wider than ``columns``."""
    number = max(1, min(MOST_COLUMNS, (columns + GAP) // (COLUMN + GAP)))
    height = -(-len(entries) // number)
    width = max(1, min(COLUMN, columns))
    cells = [_cell(left, right, width) for left, right in entries]
    rows = [cells[at::height] for at in range(height)]
    return [(" " * GAP).join(row).rstrip() for row in rows]


def _cell(left: str, right: str, width: int) -> str:
    """Return an entry in exactly ``width`` columns; what does not fit is cut with an ellipsis."""
    text = f"{set_cell_size(left, NAME) if cell_len(left) < NAME else left} {right}"
    return set_cell_size(text, width) if cell_len(text) <= width else f"{set_cell_size(text, width - 1)}…"
