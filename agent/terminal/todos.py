"""The todo list away from its card: all of it for /todos, the item at work while a turn runs, what stands open in a line."""

from collections.abc import Callable, Sequence

from rich.text import Text

from agent.glyphs import drawn
from agent.session.state import State
from agent.terminal.checklist import DONE, MARKS
from agent.terminal.columns import LEAST, flowed, one_line
from agent.terminal.render import Drawn, as_lines, cut, styled, to_ansi
from compaction.deeds import one_line as shortened
from tools.base import Todo

NONE = "no todos: the model keeps a list for work of several steps"
NAMED_CHARS = 60
"""Of the item that is named in a line about the others."""


def todo_lines(todos: Sequence[Todo], width: int) -> list[Text]:
    """Return how far the list is and every item in full, whatever its length, in ``width`` columns."""
    if not todos:
        return [Text(line) for line in flowed([NONE], width)]
    lines: list[Text] = [styled((_progress(todos), "dim"))]
    for todo in todos:
        mark, style = MARKS.get(todo["status"], MARKS["pending"])
        words = one_line(todo["content"])
        first, *more = flowed([words], max(width - len(mark) - 1, LEAST)) or [""]
        lines.append(Text(f"{mark} {first}", style=style))
        lines += [Text(f"{' ' * len(mark)} {line}", style=style) for line in more]
    return lines


def open_words(todos: Sequence[Todo]) -> str:
    """Return what stands open and what is next, in a few words; empty where nothing does."""
    still_open = [todo for todo in todos if todo["status"] != DONE]
    if not still_open:
        return ""
    return f"{_progress(todos)}, next: {shortened(_next(still_open)['content'], NAMED_CHARS)}"


class TodoRow:
    """The item at work, in a line that stands while a turn runs; ``state``: of the session that is open."""

    def __init__(self, state: Callable[[], State]) -> None:
        self._state = state
        self._drawn = Drawn()

    def lines(self, width: int) -> Sequence[str]:
        """Return that line, cut to ``width``; none between turns, nor where nothing is open."""
        state = self._state()
        still_open = [todo for todo in state.todos if todo["status"] != DONE]
        if not state.is_turn_open or not still_open:
            return ()
        todo, progress = _next(still_open), drawn(f" · {_progress(state.todos, '')}")
        shown = (todo["status"], todo["activeForm"], progress, width)
        return self._drawn.of(shown, lambda: as_lines(to_ansi(_row(todo, progress, width), width)))


def _row(todo: Todo, progress: str, width: int) -> Text:
    """Return the line of an item: where it does not fit, the item is cut; on a very narrow screen it stands alone."""
    mark, _ = MARKS.get(todo["status"], MARKS["pending"])
    is_at_work = todo["status"] != "pending"
    words = one_line(todo["activeForm"] if is_at_work else todo["content"])
    line = styled((f"{mark} ", "cyan"), (words, "" if is_at_work else "dim"))
    room = width - len(progress)
    cut(line, room if room > len(progress) else width)
    return line.append(progress, "dim") if room > len(progress) else line


def _next(still_open: Sequence[Todo]) -> Todo:
    """Return the item at work, or the first that is to come."""
    return next((todo for todo in still_open if todo["status"] == "in_progress"), still_open[0])


def _progress(todos: Sequence[Todo], of_what: str = "todos ") -> str:
    return f"{sum(todo['status'] == DONE for todo in todos)} of {len(todos)} {of_what}done"
