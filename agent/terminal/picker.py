"""A list to choose from: it fills while it is searched. What the choices are, the picker does not know."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len, set_cell_size
from rich.console import Group
from rich.text import Text

from agent.glyphs import drawn
from agent.terminal.render import ELLIPSIS, as_lines, plain, styled, to_ansi

MARK = "▸ "
GAP = "  "
LIST_ROWS = 16
"""Most choices that are shown at once."""
PREVIEW_ROWS = 5
ROWS_FOR_PREVIEW = 11
"""With fewer rows than these, head, list and preview would be too small to be of use."""
NAME_COLUMNS = 24
"""So much a name gets, before any cell beside it."""
SEARCHED_CHARS = 2_000
"""Of a choice: more would be no search of names."""

LETTERS = 3
"""The rank of what a search fits only by its letters, in their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One line of the list; its texts are shown as they are, save control characters.

    ``cells``: what stands before the name, one text a column; ``note``: a word before the name; ``is_offered``: False
    for what can be looked at but is what one has already.
    """

    id: str
    name: str
    cells: tuple[str, ...] = ()
    note: str = ""
    searched: str = ""
    """What is searched beside the name."""
    is_offered: bool = True

    @property
    def haystacks(self) -> tuple[str, str]:
        """What the search looks at: the name, and all."""
        name = self.name[:SEARCHED_CHARS].casefold()
        return name, f"{name}\n{self.searched[:SEARCHED_CHARS].casefold()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """How a cell stands. ``rank``: on a narrow screen the column with the lowest goes first."""

    rank: int
    is_number: bool = True
    """It stands to the right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What is always the same. ``hints``: what keys do, the longest text first."""

    title: str
    hints: Sequence[str]
    columns: Sequence[Column]
    nothing: str
    """What stands where there is no choice at all."""


@dataclass(slots=True)
class Picker:
    """The choices, which of them the search fits, and which one is selected."""

    is_complete: bool = False
    """No more choices come."""
    query: str = ""
    choices: list[Choice] = field(default_factory=list)
    matches: list[Choice] = field(default_factory=list)
    """Those that the search fits, the best first; of what fits as well, in the order in which they came."""
    _haystacks: dict[str, tuple[str, str]] = field(default_factory=dict)
    _selected: str = ""
    """Id of what the user moved to; empty: the first that is offered."""

    @property
    def at(self) -> int:
        """Index in the matches of the one that is selected; 0 when there is none."""
        found = (at for at, one in enumerate(self.matches) if one.id == self._selected)
        offered = (at for at, one in enumerate(self.matches) if one.is_offered)
        return next(found, next(offered, 0))

    @property
    def selected(self) -> Choice | None:
        """The choice that is selected."""
        return self.matches[self.at] if self.matches else None

    def put(self, more: Iterable[Choice]) -> None:
        """Add choices behind the others."""
        for one in more:
            self.choices.append(one)
            self._haystacks[one.id] = one.haystacks
        self._match()

    def drop(self, id_: str) -> None:
        """Take a choice away; the one below it is selected, else the one above."""
        if self.selected is not None and self.selected.id == id_:
            rest = self.matches[self.at + 1 :] or self.matches[: self.at][-1:]
            self._selected = rest[0].id if rest else ""
        self.choices = [one for one in self.choices if one.id != id_]
        self._match()

    def search(self, query: str) -> None:
        """Show what ``query`` fits, the first of it selected."""
        self.query = query
        self._selected = ""
        self._match()

    def move(self, by: int) -> None:
        """Select the choice so many lines below, or above when negative; at the ends it stops."""
        if self.matches:
            at = max(0, min(len(self.matches) - 1, self.at + by))
            self._selected = self.matches[at].id

    def _match(self) -> None:
        folded = self.query.casefold()
        ranks = {one.id: _rank(*self._haystacks[one.id], folded) for one in self.choices}
        found = [one for one in self.choices if ranks[one.id] < LETTERS]
        # Letters alone fit much: they are a last resort.
        found = found or [one for one in self.choices if ranks[one.id] == LETTERS]
        self.matches = sorted(found, key=lambda one: ranks[one.id])


def picker_lines(
    picker: Picker, look: Look, *, preview: Sequence[str], notice: str, size: tuple[int, int]
) -> list[str]:
    """Return head, list and preview as lines; ``size``: columns and rows that there are for them.

    The height depends on nothing that a search changes: what is typed stays in its row.
    ``preview``: lines about the selected choice, drawn already; ``notice``: a word in place of the head, if there is
    one.
    """
    width, rows = size
    if notice and rows == 1:
        return as_lines(to_ansi(_notice(notice), width))
    room = max(1, rows - 1)
    previewed = PREVIEW_ROWS if rows >= ROWS_FOR_PREVIEW else 0
    most = max(1, min(LIST_ROWS, room - previewed, max(1, len(picker.choices))))
    head = [_notice(notice) if notice else _head(picker, look, width)] if rows > 1 else []
    drawn = as_lines(to_ansi(Group(*head, *_table(picker, look, width=width, rows=most)), width))
    drawn += [""] * (len(head) + most - len(drawn))
    return drawn + ([*preview[:previewed], *[""] * (previewed - len(preview))] if previewed else [])


def _notice(notice: str) -> Text:
    return styled(("◐ ", "yellow"), (plain(notice), "bold"))


def _head(picker: Picker, look: Look, width: int) -> Text:
    """Return the title, how many there are, and the longest hint there is room for."""
    number = f"{len(picker.choices):,}"
    counted = f"{len(picker.matches):,} of {number}" if picker.query.strip() else number
    left = drawn(f"{look.title} · {counted}" + ("" if picker.is_complete else " …"))
    room = width - cell_len(left) - 2
    hint = next((hint for hint in look.hints if cell_len(hint) <= room), "")
    return styled((left, "bold"), (" " * (room + 2 - cell_len(hint)), ""), (hint, "dim"))


def _table(picker: Picker, look: Look, *, width: int, rows: int) -> list[Text]:
    """Return ``rows`` of the matches around the selected one."""
    if not picker.matches:
        is_empty = picker.is_complete and not picker.choices
        words = look.nothing if is_empty else "nothing fits" if picker.query.strip() else "looking …"
        return [styled((f"{GAP}{words}", "dim"))]
    widths = _widths(picker.choices, look.columns, width)
    at = picker.at
    first = max(0, min(at - rows // 2, len(picker.matches) - rows))
    return [
        _row(one, widths, look.columns, is_selected=first + index == at)
        for index, one in enumerate(picker.matches[first : first + rows])
    ]


def _widths(choices: Sequence[Choice], columns: Sequence[Column], width: int) -> list[int]:
    """Return how wide each column is; 0 for one that is empty, or goes for want of room."""
    widths = [max(cell_len(one.cells[at]) for one in choices) for at in range(len(columns))]
    while any(widths) and width - len(MARK) - sum(one + len(GAP) for one in widths if one) < NAME_COLUMNS:
        gone = min((at for at, one in enumerate(widths) if one), key=lambda at: columns[at].rank)
        widths[gone] = 0
    return widths


def _row(one: Choice, widths: Sequence[int], columns: Sequence[Column], *, is_selected: bool) -> Text:
    cells = ""
    for cell, wide, column in zip(one.cells, widths, columns, strict=True):
        if wide:
            blanks = " " * (wide - cell_len(cell))
            cells += f"{blanks}{cell}{GAP}" if column.is_number else f"{cell}{blanks}{GAP}"
    return styled(
        (MARK if is_selected else " " * len(MARK), "cyan"),
        (cells, "" if is_selected else "dim"),
        (f"({one.note}) " if one.note else "", "bold" if is_selected else ""),
        (plain(one.name), "bold" if is_selected else ""),
    )


def shortened(text: str, columns: int) -> str:
    """Return ``text`` without control characters in at most so many columns."""
    safe = plain(text)
    ellipsis = drawn(ELLIPSIS)
    return (
        safe
        if cell_len(safe) <= columns
        else set_cell_size(safe, columns - len(ellipsis)).rstrip() + ellipsis
    )


def _rank(name: str, all_: str, query: str) -> int:
    """Return how well ``query`` fits, 0 the best: as it stands in the name, its words there, its words, its letters."""
    words = query.split()
    if query.strip() in name:
        return 0
    if all(word in name for word in words):
        return 1
    if all(word in all_ for word in words):
        return 2
    return LETTERS if all(_has_letters(all_, word) for word in words) else LETTERS + 1


def _has_letters(haystack: str, word: str) -> bool:
    """True when the letters of ``word`` stand in one line of ``haystack``, in their order."""
    for line in haystack.split("\n"):
        at = -1
        for letter in word:
            at = line.find(letter, at + 1)
            if at < 0:
                break
        else:
            return True
    return False
