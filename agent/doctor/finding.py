"""What was found: one line each, with a word that says whether anything has to be done."""

import textwrap
from dataclasses import dataclass
from typing import Literal

Mark = Literal["ok", "note", "fault"]
_MARK_CHARS, _ABOUT_CHARS = 5, 12
_INDENT = _MARK_CHARS + _ABOUT_CHARS + 4
_WIDE, _NARROW_INDENT = 60, 4


@dataclass(frozen=True, slots=True)
class Finding:
    """``note``: works, but something is worth knowing; ``fault``: does not work, and ``text`` says what to do."""

    mark: Mark
    about: str
    text: str

    @property
    def line(self) -> str:
        """The whole in one line."""
        return f"{self.mark:<{_MARK_CHARS}}  {self.about:<{_ABOUT_CHARS}}  {' '.join(self.text.split())}"

    def wrapped(self, columns: int) -> str:
        """Return it for a terminal of that width: what does not fit goes on below, indented."""
        indent = _INDENT if columns >= _WIDE else _NARROW_INDENT
        return textwrap.fill(self.line, columns, subsequent_indent=" " * indent, break_on_hyphens=False)
