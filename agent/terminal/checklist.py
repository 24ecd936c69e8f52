"""The todo list as a checklist: how each item stands, and by a word what has changed since it was last written."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rich.text import Text

from agent.glyphs import drawn
from agent.terminal.render import INDENT, cut, plain, styled

MOST_ROWS = 12
"""Of a longer list the rest is counted."""
DONE = "completed"
MARKS = {DONE: ("[x]", "dim"), "in_progress": ("[>]", "bold"), "pending": ("[ ]", "")}
GONE = ("[-]", "dim")


class Row(NamedTuple):
    """An item; ``rank``: of how little interest it is; ``news``: what has changed, in a word."""

    rank: int
    mark: str
    style: str
    text: str
    news: str


def checklist(facts: Mapping[str, Any], width: int, most: int = MOST_ROWS) -> list[Text]:
    """Return the list that a result's facts hold, in at most ``most`` lines.

    Of a longer one those that changed are shown, then what is at work and what is to come, all in their order.
    """
    rows = _rows(facts)
    if len(rows) <= most:
        return [_drawn(row, width) for row in rows]
    order = sorted(range(len(rows)), key=lambda index: rows[index].rank)
    shown, hidden = sorted(order[: most - 1]), order[most - 1 :]
    done = sum(rows[index].mark == MARKS[DONE][0] for index in hidden)
    rest = drawn(f"{INDENT}… {len(hidden)} more, {done} of them done")
    return [*(_drawn(rows[index], width) for index in shown), styled((rest, "dim"))]


def has_rest(facts: Mapping[str, Any]) -> bool:
    """True for a list of which the rest is counted."""
    return len(_rows(facts)) > MOST_ROWS


def _rows(facts: Mapping[str, Any]) -> list[Row]:
    todos: Sequence[Mapping[str, str]] = facts.get("todos", ())
    told: Sequence[str] = facts.get("news") or [""] * len(todos)  # a log of an earlier version has none
    gone: Sequence[str] = facts.get("gone", ())
    is_first = not gone and all(word == "new" for word in told)
    rows = [_row(todo, "" if is_first else word) for todo, word in zip(todos, told, strict=False)]
    return rows + [Row(0, *GONE, content, "gone") for content in gone]


def _row(todo: Mapping[str, str], news: str) -> Row:
    mark, style = MARKS.get(todo["status"], MARKS["pending"])
    rank = 0 if news or todo["status"] == "in_progress" else 2 if todo["status"] == DONE else 1
    return Row(rank, mark, style, todo["content"], news)


def _drawn(row: Row, width: int) -> Text:
    """Return the line of a row: where it does not fit, the item is cut, not the word behind it."""
    news = f"  {row.news}" if row.news else ""
    line = styled((f"{INDENT}{row.mark} {plain(row.text)}", row.style))
    cut(line, width - len(news))
    return line.append(news, "cyan")
