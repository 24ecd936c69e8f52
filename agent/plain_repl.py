"""The interactive program on a terminal that knows no escapes: lines in, lines out, the same session and commands."""

import asyncio
import signal
from collections.abc import Mapping
from functools import partial
from typing import Any, TextIO

from agent.choices import standing_by
from agent.exits import Exit
from agent.flags import Flags
from agent.interactive import Wanted
from agent.prepare import Prepared
from agent.seating import Seat, Sitting, seated
from agent.session.store import Store
from agent.sessions.command import export_to
from agent.shelf import shelf_of
from agent.signals import Signals
from agent.terminal.desk import Person
from agent.terminal.line_field import LineField
from agent.terminal.line_terminal import STYLE, LineTerminal
from agent.terminal.numbered import numbered_lines
from agent.terminal.plain_show import PlainShow
from agent.terminal.question import TerminalApprover
from agent.terminal.trusting import asked_by_lines

KEYS = "/help, Ctrl-C interrupts, twice leaves"
PROMPT = "> "
ANSWER = "the letter and Enter: "
ANSWERS, STOPS = "  [y]", ("Esc stop", "Ctrl-C stop")
"""How the line of a question's keys begins, and what in it is another key here."""
ROWS = 1_000_000
"""A question is written whole, however long it is."""


def run(flags: Flags, *, stdin: TextIO, stdout: TextIO, env: Mapping[str, str]) -> Exit:
    """Work until the user leaves. Raises UserError, SessionError: the session cannot be opened."""
    return asyncio.run(_run(Wanted(flags=flags, env=env), LineTerminal(stdin, stdout)))


async def _run(wanted: Wanted, terminal: LineTerminal) -> Exit:
    talk = Talk(terminal)

    def take_leave() -> None:
        talk.leave(signals.code or Exit.TERMINATED)

    signals = Signals(take_leave, take_leave)
    with signals.handled():
        opening = asyncio.ensure_future(_opened(wanted, talk, terminal))
        waited: list[asyncio.Future[Any]] = [opening, talk.left]
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        if not talk.left.done() and (sitting := opening.result()) is not None:
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, talk.stop)
            return await talk.run(sitting)
        opening.cancel()
        await asyncio.wait([opening])
        return talk.left.result()


async def _opened(wanted: Wanted, talk: "Talk", terminal: LineTerminal) -> Sitting | None:
    """Ask whether the project is trusted, where that is not known, and open the session; None: the user has left."""
    standing = await asyncio.to_thread(standing_by, wanted.flags, wanted.env)
    if not standing.is_on:
        asked = await asked_by_lines(standing, terminal, keep=talk.put_aside)
        if asked is None:
            talk.leave(Exit.DONE)
            return None
        standing = asked
    return await seated(wanted, standing, talk.seat, talk.left)


class Talk:
    """What is typed is the answer to a question, a line for the session, or, as Enter alone, what is kept for it."""

    def __init__(self, terminal: LineTerminal) -> None:
        self.left: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()
        self._terminal = terminal
        self._field = LineField(terminal.write)
        self._sitting: Sitting | None = None
        self._draft = ""
        """What was given back: Enter alone sends it."""
        self._asked: list[str] | None = None
        """The question that is written, None while none stands."""
        self._is_bar_due = True
        """Something ran since it was written last."""
        self._is_prompted = False
        """A prompt of the command line is on its way."""
        self._is_due = False

    def seat(self, prepared: Prepared) -> Seat:
        """Return this terminal as a session sees it."""
        clock = prepared.config.clock
        show = PlainShow(
            write=self._terminal.write, changed=self._changed, width=lambda: self._terminal.width, clock=clock
        )

        def person(approver: TerminalApprover, store: Store) -> Person:
            async def choose(current: str) -> None:
                lines = await asyncio.to_thread(numbered_lines, shelf_of(store), now=clock(), current=current)
                show.say("\n".join(lines))

            return Person(
                confirm=approver.confirm,
                fill=lambda words: self._keep(words, show),
                choose=choose,
                export=partial(export_to, store),
                draft=lambda: self._draft,
                has_screen=False,
            )

        return Seat(
            show=show,
            refresh=self._changed,
            size=lambda: (self._terminal.width, ROWS),
            person=person,
            keys=KEYS,
            field=self._field,
            typed=lambda: None,
            keep=lambda words: self._keep(words, show),
            insert=lambda words: self._keep(words, show),
            ring=lambda: None,
        )

    async def run(self, sitting: Sitting) -> Exit:
        """Take lines until the user leaves."""
        self._sitting, self._is_prompted = sitting, bool(sitting.prompt.strip())
        self._terminal.listen(lambda line: self._heard(sitting, line))
        self._changed()
        try:
            return await sitting.run()
        finally:
            self._terminal.close()
            self._terminal.end_line()

    def leave(self, code: Exit) -> None:
        """End the program with ``code``."""
        if self._sitting is not None:
            self._sitting.repl.leave(code)
        elif not self.left.done():
            self.left.set_result(code)

    def stop(self) -> None:
        """Ctrl-C: interrupt what runs, else leave at the second time."""
        self._terminal.break_off()
        if self._sitting is not None and self._sitting.repl.is_busy:
            self._sitting.repl.interrupt()
        elif self._sitting is not None:
            self._sitting.repl.ask_to_leave()
        self._changed()

    def _heard(self, sitting: Sitting, line: str | None) -> None:
        repl, approver = sitting.repl, sitting.approver
        if line is None:
            repl.leave(Exit.DONE)
        elif self._field.label:
            self._field.take(line)
        elif approver.is_asking and len(line.strip()) <= 1:
            self._answer(approver, line.strip().casefold())
        elif line.strip() or not self._draft or repl.is_busy:
            self._submit(sitting, line)
        else:
            draft, self._draft = self._draft, ""
            repl.submit(draft)
            repl.draft_changed()
        self._changed()

    def _answer(self, approver: TerminalApprover, key: str) -> None:
        """Take a letter as the answer if it is one; else the question is written again."""
        if approver.takes(key):
            approver.answer(key)
        else:
            self._asked = None

    def _submit(self, sitting: Sitting, line: str) -> None:
        show, waiting = sitting.seat.show, sitting.repl.waiting()
        if isinstance(show, PlainShow) and not sitting.repl.is_busy:
            show.typed = line.strip()
        sitting.repl.submit(line)
        if sitting.repl.is_busy and len(sitting.repl.waiting()) > len(waiting):
            show.say(f"  queued: {' '.join(line.split())}")

    def put_aside(self, words: str) -> None:
        """Keep a line that was typed before it could be taken."""
        self._draft = f"{self._draft}\n{words}" if self._draft else words
        self._terminal.write(f"kept for you, Enter alone sends it later: {words}")

    def _keep(self, words: str, show: PlainShow) -> None:
        self._draft = f"{words}\n{self._draft}" if self._draft else words
        show.say(f"kept for you, Enter alone sends it:\n{self._draft}")
        if self._sitting is not None:
            self._sitting.repl.draft_changed()

    def _changed(self) -> None:
        """See to it that what is to be answered, or typed, is asked for once all that is on its way has come."""
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._ask)

    def _ask(self) -> None:
        self._is_due = False
        if self._sitting is None or self.left.done():
            return
        approver, repl = self._sitting.approver, self._sitting.repl
        if repl.is_busy:
            self._is_bar_due, self._is_prompted = True, False
        if self._field.label:
            self._terminal.ask(self._field.label)
        elif approver.is_asking:
            self._ask_question(approver)
        elif not repl.is_busy and not self._is_prompted:
            self._write_bar(self._sitting)
            self._terminal.ask(PROMPT)
        if not approver.is_asking:
            self._asked = None

    def _ask_question(self, approver: TerminalApprover) -> None:
        lines = [
            line.replace(*STOPS) if STYLE.sub("", line).startswith(ANSWERS) else line
            for line in approver.lines(self._terminal.width)
        ]
        if lines != self._asked:
            self._asked = lines
            self._terminal.write("\n".join(["", *lines]))
        self._terminal.ask(ANSWER)

    def _write_bar(self, sitting: Sitting) -> None:
        if self._is_bar_due:
            self._is_bar_due = False
            self._terminal.write("\n".join(["", *sitting.bar.lines(self._terminal.width)]))
