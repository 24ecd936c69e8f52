"""What the model thinks aloud: its end below while it lasts; above, whole, only where the user wants it kept."""

from collections.abc import Sequence

from rich.text import Text

from agent.terminal.render import Drawn, as_lines, plain, to_ansi

TAIL_ROWS = 3
TAIL_CHARS = 2_000
"""More than these rows hold on any screen."""
STYLE = "dim italic"


class Thinking:
    """Takes the thinking of one reply after the other."""

    def __init__(self) -> None:
        self.is_kept = False
        """It goes into the scrollback."""
        self._text = ""
        self._drawn = Drawn()

    def feed(self, text: str) -> None:
        """Take more of it; what nobody will see is not held."""
        self._text += text
        if not self.is_kept:
            self._text = self._text[-TAIL_CHARS:]

    def tail(self, width: int) -> Sequence[str]:
        """Return the last lines of what is thought."""
        text = self._text[-TAIL_CHARS:].strip()
        if not text:
            return ()
        return self._drawn.of(
            (text, width), lambda: as_lines(to_ansi(Text(plain(text), style=STYLE), width))[-TAIL_ROWS:]
        )

    def take(self, width: int) -> str:
        """Return once, as ANSI, what is to be kept of it: something else follows."""
        kept, self._text = self._text.strip() if self.is_kept else "", ""
        return to_ansi(Text(f"thinking: {plain(kept)}", style=STYLE), width) if kept else ""

    def discard(self) -> None:
        """Forget it: the reply broke off and will be asked for again."""
        self._text = ""


def switched(thinking: Thinking, words: str) -> str:
    """Switch keeping on or off by the words behind `/thinking`; return what holds now."""
    if words in ("on", "off"):
        thinking.is_kept = words == "on"
    elif words:
        return f"/thinking on or /thinking off, not `{words}`"
    if thinking.is_kept:
        return "thinking on: what the model thinks stays above; /thinking off shows it only while it lasts"
    return "thinking off: what the model thinks is shown only while it lasts; /thinking on keeps it above"
