"""Asking whether a project is trusted, before anything of it is in force: on the screen, or on a terminal of lines."""

import asyncio
from collections.abc import Callable, Sequence

from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from agent.clock import Clock, system_clock
from agent.surrogates import repaired_text
from agent.terminal.asked import QUIET_S
from agent.terminal.layout import no_lines
from agent.terminal.line_terminal import LineTerminal
from agent.terminal.pasting import cleaned
from agent.terminal.screen import Screen
from agent.terminal.sequences import at_lone_escape
from agent.terminal.trust_lines import decided, listing, question_lines
from agent.trust import Standing

LABEL = "trust it? > "
ANSWERS = {"y": True, "yes": True, "n": False, "no": False}
LINE_LABEL = "y trusts it, n is not now; the letter and Enter: "


class TrustQuestion:
    """The question on the screen, in place of the input. Only `y`, after a pause, says yes.

    What else is typed was meant for the prompt, and stands there afterwards.

    Args:  keep: puts typed text into the input; paste: and pasted text.
    """

    def __init__(self, *, clock: Clock, keep: Callable[[str], None], paste: Callable[[str], None]) -> None:
        self.answered: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._clock = clock
        self._keep = keep
        self._paste = paste
        self._shown_at: float | None = None
        self._typed_at = 0.0

    def lines(self, width: int) -> Sequence[str]:
        """Return the question as lines; it counts as seen from now on."""
        if self._shown_at is None:
            self._shown_at = self._clock()
        return question_lines(width)

    def bindings(self) -> KeyBindings:
        """Return what each key does. Enter does nothing."""
        keys = KeyBindings()
        keys.add(Keys.Any)(self.typed)
        keys.add("enter")(lambda _: None)
        keys.add("escape", eager=True)(at_lone_escape(lambda: self._settle(is_trusted=False)))
        keys.add("c-g")(lambda _: self._settle(is_trusted=False))
        keys.add(Keys.BracketedPaste)(lambda event: self._paste(cleaned(event.data)))
        return keys

    def typed(self, event: KeyPressEvent) -> None:
        """A character: the answer, when it is one and nothing was typed just before it."""
        now = self._clock()
        is_meant = self._shown_at is not None and now - max(self._shown_at, self._typed_at) >= QUIET_S
        if is_meant and event.data in ("y", "n"):
            self._settle(is_trusted=event.data == "y")
        else:
            self._typed_at = now
            self._keep(repaired_text(event.data))

    def _settle(self, *, is_trusted: bool) -> None:
        if not self.answered.done():
            self.answered.set_result(is_trusted)


async def asked_on_screen(standing: Standing, screen: Screen, clock: Clock = system_clock) -> Standing:
    """Ask about a project that is not trusted as it is; return how it stands then."""
    buffer = screen.buffer
    question = TrustQuestion(clock=clock, keep=buffer.insert_text, paste=buffer.paste)
    screen.commit("\n".join(listing(standing, screen.width)))
    screen.parts.question = question.lines
    screen.open_field(question.bindings(), lambda _: None, LABEL)
    try:
        is_trusted = await question.answered
    finally:
        screen.parts.question = no_lines
        screen.close_field()
    after = await asyncio.to_thread(standing.trusted) if is_trusted else standing
    screen.commit(decided(after))
    return after


async def asked_by_lines(
    standing: Standing, terminal: LineTerminal, *, keep: Callable[[str], None], clock: Clock = system_clock
) -> Standing | None:
    """Ask the same on a terminal of lines; None: the user has left. Only `y` or `yes` says yes.

    ``keep`` takes a line that is no answer, as is any that came before the question could be read.
    """
    heard: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
    shown_at = clock()

    def hear(line: str | None) -> None:
        word = line.strip().casefold() if line is not None else ""
        is_answer = word in ANSWERS and clock() - shown_at >= QUIET_S
        if heard.done():
            return
        if line is None or is_answer:
            heard.set_result(line and word)
            return
        if word:
            keep(line.strip())
        terminal.ask(LINE_LABEL)

    terminal.write(
        "\n".join([*listing(standing, terminal.width), *question_lines(terminal.width, has_keys=False)])
    )
    terminal.listen(hear)
    terminal.ask(LINE_LABEL)
    try:
        word = await heard
    finally:
        terminal.close()
    if word is None:
        return None
    after = await asyncio.to_thread(standing.trusted) if ANSWERS[word] else standing
    terminal.write(decided(after))
    return after
