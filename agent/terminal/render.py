"""rich renderables to lines with ANSI colours, at a given width."""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from io import StringIO
from typing import ClassVar, Literal

from markdown_it import MarkdownIt
from rich.cells import set_cell_size
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.segment import Segment
from rich.syntax import Syntax
from rich.text import Text

from agent.glyphs import drawn, shielded
from tools import visible

ELLIPSIS = "…"
ANY_ROWS = 25
"""What is drawn does not depend on it; but without it rich draws 80 columns in a dumb terminal, however wide that is."""
ColorSystem = Literal["standard", "256", "truecolor"] | None


INDENT = "    "
"""Where what belongs to a card stands below it."""


TAB_CELLS = 8
TRAILING = re.compile("[ ]+(?=(\x1b\\[[0-9;]*m)*$)", re.MULTILINE)
"""Blanks at a line's end would wrap into empty lines when the terminal is made narrower."""


def color_system() -> ColorSystem:
    """Return what the terminal can show, from its environment; None for no styles at all.

    With NO_COLOR rich leaves the colours out; bold and dim stay.
    """
    if os.environ.get("TERM") == "dumb":
        return None
    if os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return "truecolor"
    return "256" if "256" in os.environ.get("TERM", "") else "standard"


def to_ansi(renderable: RenderableType, width: int) -> str:
    """Return ``renderable`` as lines with ANSI colours, each ended by a newline.

    Text is shown as it is: no markup, no emoji codes, no highlighting of what looks like code.
    """
    console = Console(
        file=StringIO(),
        force_terminal=True,
        color_system=color_system(),
        width=max(width, 4),
        height=ANY_ROWS,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )
    with console.capture() as captured:
        console.print(Group(renderable))  # a bare Text would lose its own rules for wrapping
    return TRAILING.sub("", captured.get())


def plain(text: str) -> str:
    """Return text from outside without control characters: they are shown as escapes, never obeyed.

    So are the characters that turn the direction of what follows: a file name must not look like another. Whatever
    else stands in it is not taken for a glyph of ours.
    """
    return shielded(visible.plain(text))


def abridged(text: str) -> str:
    """Return text from outside that we may have cut: the ellipsis at its end is ours."""
    return plain(text.removesuffix(ELLIPSIS)) + (drawn(ELLIPSIS) if text.endswith(ELLIPSIS) else "")


@cache
def parser() -> MarkdownIt:
    """Return a Markdown parser that shows what it does not format: HTML and entities stand as typed."""
    made = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"]).disable("entity")
    made.options["maxNesting"] = 20
    return made


class LeftHeading(Heading):
    """A heading at the left margin, where text that is read starts."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.stylize("bold underline" if self.tag == "h1" else "bold")
        yield self.text


class IndentedCode(CodeBlock):
    """Code without a frame, indented by two: it can be copied as it stands."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        yield Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True, padding=(0, 2))


class PlainMarkdown(Markdown):
    """Markdown as this screen shows it."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": LeftHeading,
        "fence": IndentedCode,
        "code_block": IndentedCode,
    }


def markdown(source: str) -> Markdown:
    """Return ``source`` as a renderable, by our parser; code blocks in the terminal's own colours."""
    made = PlainMarkdown("", code_theme="ansi_dark", hyperlinks=False)
    made.markup = source
    made.parsed = parser().parse(plain(source))
    return made


class Line(Text):
    """One line, which ends with an ellipsis where it does not fit."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterable[Segment]:
        shown = self.copy()
        if self.overflow == "ellipsis":
            cut(shown, options.max_width)
        return shown.__rich_console__(console, options)


def styled(*parts: tuple[str, str]) -> Line:
    """Return one line of (text, style) parts; what does not fit is cut with an ellipsis, line ends are blanks."""
    line = Line(no_wrap=True, overflow="ellipsis")
    for text, style in parts:
        line.append(drawn(text.replace("\n", " ")), style=style)
    return line


def cut(line: Text, columns: int) -> None:
    """Cut ``line`` to so many columns, the ellipsis among them; a tab becomes the blanks that it would be drawn as."""
    line.expand_tabs(TAB_CELLS)
    if line.cell_len > columns:
        ellipsis = drawn(ELLIPSIS)
        line.plain = set_cell_size(line.plain, max(0, columns - len(ellipsis))) + ellipsis[: max(0, columns)]


class Drawn:
    """Lines that are drawn anew only when what they show has changed: a frame asks for them several times."""

    def __init__(self) -> None:
        self._shown: tuple[object, ...] | None = None
        self._lines: Sequence[str] = ()

    def of(self, shown: tuple[object, ...], draw: Callable[[], Sequence[str]]) -> Sequence[str]:
        """Return the lines for what is ``shown``, drawn by ``draw`` unless they are those of last time."""
        if shown != self._shown:
            self._shown, self._lines = shown, draw()
        return self._lines


def as_lines(ansi: str) -> list[str]:
    """Return the lines of an ANSI text, without their newlines."""
    return ansi.removesuffix("\n").split("\n") if ansi else []
