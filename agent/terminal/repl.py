"""What is typed becomes turns, steering, commands; one thing at a time, the rest waits."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from agent.errors import AgentError
from agent.exits import Exit
from agent.terminal import commands
from agent.terminal.compacting import is_focus
from agent.terminal.desk import SessionDesk
from agent.terminal.help import without
from agent.terminal.leaving import Leaving
from agent.terminal.line import Line, read_line
from agent.terminal.question import TerminalApprover
from agent.terminal.show import Show
from agent.terminal.waiting import Waiting

SWALLOW_S = 1.0
"""Interrupts within this time after one are the same impatience."""
LEAVE_S = 2.0
"""A second Ctrl-C on an empty input within this time leaves."""
CLOSING_S = 3.0
"""How long an interrupted turn may take to answer its open calls when the user leaves."""
LEAVING = ("clear", "resume", "fork", "rewind")
"""Commands after which another history stands: what was said to this one and is not sent goes into the input."""


class Aside:
    """What runs beside the turn; held here, for the event loop alone would let it be collected."""

    def __init__(self, refresh: Callable[[], None]) -> None:
        self.tasks: set[asyncio.Task[None]] = set()
        self._refresh = refresh

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run ``work``."""
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        self._refresh()


class Repl:
    """Takes lines until the user leaves.

    Args:  left: resolved with the exit code by whoever ends the session; refresh: asks for a new frame.
    """

    def __init__(
        self,
        desk: SessionDesk,
        show: Show,
        approver: TerminalApprover,
        *,
        left: asyncio.Future[Exit],
        refresh: Callable[[], None],
    ) -> None:
        self._desk = desk
        self._show = show
        self._left = left
        self._refresh = refresh
        self._waiting = Waiting(desk, show, refresh)
        self.waiting = self._waiting.texts
        self.take_back = self._waiting.take_back
        self.draft_changed = self._waiting.draft_changed
        self.keep_draft = self._waiting.save
        self._queue = self._waiting.queue
        self._is_in_turn = False
        self._is_given_back = False
        """Steering that waits goes back into the input once the interrupted line has ended."""
        self._aside = Aside(refresh)
        self._leaving = Leaving(approver, self.leave)
        self._interrupted_at = self._asked_to_leave_at = 0.0
        self._is_working = False

    @property
    def is_busy(self) -> bool:
        """A turn or a command runs, or something beside it that was begun meanwhile."""
        return self._is_working or bool(self._aside.tasks)

    async def run(self, prompt: str, first: Callable[[], Awaitable[None]] | None = None) -> Exit:
        """Take lines until the user leaves; ``prompt``, when there is one, is the first; ``first`` is done before any."""
        self._waiting.restore()
        if prompt.strip():
            self.submit(prompt)
        worker = asyncio.ensure_future(self._work(first))
        try:
            waited: list[asyncio.Future[Any]] = [worker, self._left]
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if worker.done():
                worker.result()
            return self._left.result()
        finally:
            await self._stop(worker)

    def submit(self, line: str) -> None:
        """Take a line from the input: at once, as steering, or after what runs."""
        if line.strip():
            self._sort(line)
        elif not self.is_busy:
            self._waiting.go_on()
        self._waiting.changed()

    def queue(self, line: str) -> None:
        """Take a line that is sent when what runs is done, not before."""
        if not line.strip():
            return
        if self.is_busy:
            self._queue.later.append(line)
            self._waiting.changed()
        else:
            self.submit(line)

    def interrupt(self) -> None:
        """Stop what runs; further calls within a second are the same impatience."""
        now = self._desk.now()
        if now - self._interrupted_at >= SWALLOW_S:
            self._interrupted_at = now
            self._is_given_back = self._is_working
            if self._is_working:
                self._waiting.give_queue_back()
            self._leaving.take_back()
            self._desk.interrupt()

    def ask_to_leave(self) -> None:
        """Leave at the second time."""
        now = self._desk.now()
        if now - self._asked_to_leave_at < LEAVE_S:
            self.leave(Exit.INTERRUPTED)
        elif now - self._interrupted_at >= SWALLOW_S:
            self._asked_to_leave_at = now
            self._show.say("Ctrl-C again to leave")

    def leave(self, code: Exit = Exit.DONE) -> None:
        """Leave; what runs is interrupted first and keeps what it has done."""
        if self.is_busy:
            self._desk.interrupt()
        if not self._left.done():
            self._left.set_result(code)

    def _sort(self, line: str) -> None:
        typed = _typed(self._desk, line)
        if self.is_busy and (typed.is_shell or typed.is_immediate):
            self._aside.start(self._take(line))
        elif self.is_busy and typed.name == "quit":
            self._leaving.ask()
        elif self._is_in_turn and typed.name == "compact" and is_focus(typed.words):
            self._desk.wish_compaction(typed.words)
        elif self._is_in_turn and not typed.name:
            self._desk.agent.loop.steer(line)
        else:
            (self._queue.later if self._is_working else self._queue.now).append(line)

    async def _work(self, first: Callable[[], Awaitable[None]] | None) -> None:
        if first is not None:
            self._is_working = True
            await first()
            self._is_working = False
            self._waiting.changed()
        while not self._left.done():
            await self._waiting.heard.wait()
            self._waiting.heard.clear()
            if not self._queue.is_ready:
                continue
            line = self._queue.take()
            self._is_working = True
            if not _typed(self._desk, line).is_done_by_us:
                self._waiting.take_in_hand(line)
            self._desk.work.clear()
            try:
                await self._take(line)
            finally:
                self._is_working = False
                self._waiting.put_down(is_given_back=self._is_given_back, is_left=self._left.done())
                self._is_given_back = False
            if not self.is_busy and self._leaving.take_back():
                self.leave()  # what the user was asked about has ended

    async def _take(self, line: str) -> None:
        """Run a line: a shell command, a command, or a turn."""
        typed = _typed(self._desk, line)
        try:
            if typed.is_shell:
                await self._desk.shells.run(line[1:].strip())
            elif typed.name:
                await self._command(typed.name, typed.words)
            else:
                await self._turn(line)
        except AgentError as error:
            self._show.say(str(error), "red")
        except OSError as error:  # a disk, a folder that is gone: it costs this line alone
            self._show.say(f"this did not work: {error}", "red")

    async def _turn(self, prompt: str) -> None:
        self._is_in_turn = True
        try:
            ended = await self._desk.agent.loop.run(prompt)
        finally:
            self._is_in_turn = False
        self._queue.is_held = ended.reason not in ("done", "interrupted")
        if ended.reason == "done":
            await self._desk.keep_wish()

    async def _command(self, name: str, words: str) -> None:
        command = commands.find(name)
        self._show.say(f"> /{name} {words}".rstrip(), "bold", is_apart=True)
        if command is None:
            self._show.say(commands.unknown(name, self._desk.agent.shared.skills.names()), "red")
        elif words and not command.takes:
            self._show.say(without(name, command, words), "red")
        else:
            if name in LEAVING:
                self._waiting.take_steering_back(list(self._desk.agent.session.state.waiting))
            await command.run(self._desk, words)
            self._waiting.follow()
        if self._desk.is_left:
            self.leave()

    async def _stop(self, worker: asyncio.Task[None]) -> None:
        """End the worker; an interrupted turn gets the time to close its pairs."""
        if self._is_working:
            await asyncio.wait([worker], timeout=CLOSING_S)
        self._leaving.take_back()
        ended = [worker, *self._aside.tasks]
        for task in ended:
            task.cancel()
        await asyncio.gather(*ended, return_exceptions=True)


def _typed(desk: SessionDesk, line: str) -> Line:
    """Return what a line is in the session that is open, with its skills as they are now."""
    if line.startswith("/"):
        desk.agent.shared.skills.refresh()
    return read_line(line, desk.agent.shared.skills.names())
