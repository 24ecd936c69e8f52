"""The interactive program: the screen is painted first, everything heavy is loaded behind it."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, TextIO

from agent.exits import Exit
from agent.flags import Flags
from agent.signals import Signals
from agent.terminal.keys import Actions, InputKeys
from agent.terminal.pasting import TerminalInput
from agent.terminal.prompt_buffer import PromptBuffer
from agent.terminal.screen import Screen
from agent.version import __version__

WAYS_IN = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")
"""Without any of these there is no model to talk to."""
TICK_S = 0.5
"""How often elapsed times move while something runs."""


class Session(Protocol):
    """The open session, as the front of the house sees it."""

    @property
    def is_busy(self) -> bool: ...

    def submit(self, line: str) -> None: ...

    def interrupt(self) -> None: ...

    def leave(self, code: Exit) -> None: ...

    def ask_to_leave(self) -> None: ...

    def takes_answer(self, key: str) -> bool: ...

    def answer(self, key: str) -> None: ...

    def key_typed(self) -> None: ...

    def unfold(self) -> None: ...

    async def run(self) -> Exit: ...


class Front:
    """Takes keys from the first moment on; what is typed before the session is open waits for it."""

    def __init__(self) -> None:
        self.session: Session | None = None
        self.early: list[str] = []
        self.left: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()

    def actions(self) -> Actions:
        """Return what the keys do."""
        return Actions(
            submit=self._submit,
            interrupt=lambda: self.session.interrupt() if self.session else None,
            is_busy=lambda: self.session is not None and self.session.is_busy,
            leave=lambda: self.leave(Exit.DONE),
            ask_to_leave=lambda: (
                self.session.ask_to_leave() if self.session else self.leave(Exit.INTERRUPTED)
            ),
            takes_answer=lambda key: self.session is not None and self.session.takes_answer(key),
            answer=lambda key: self.session.answer(key) if self.session else None,
            key_typed=lambda: self.session.key_typed() if self.session else None,
            unfold=lambda: self.session.unfold() if self.session else None,
            suspend=lambda: os.kill(os.getpid(), signal.SIGTSTP),
        )

    def open(self, session: Session) -> None:
        """Hand over what was typed early, and all that follows."""
        self.session = session
        for line in self.early:
            session.submit(line)

    def leave(self, code: Exit) -> None:
        """End the program with ``code``."""
        if self.session is not None:
            self.session.leave(code)
        elif not self.left.done():
            self.left.set_result(code)

    def _submit(self, line: str) -> None:
        if self.session is not None:
            self.session.submit(line)
        else:
            self.early.append(line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the session is opened with.

    ``is_kept``: it can be resumed later, and the user is told how; ``tools``: instead of ours, None for those.
    """

    flags: Flags
    env: Mapping[str, str]
    is_kept: bool = True
    tools: Sequence[Any] | None = None


def run(
    flags: Flags,
    *,
    stdin: TextIO,
    stdout: TextIO,
    env: Mapping[str, str],
    is_kept: bool = True,
    tools: Sequence[Any] | None = None,
) -> Exit:
    """Show the screen and work until the user leaves; the terminal is afterwards as it was.

    ``is_kept``: the session can be resumed later, and is told how; ``tools``: `tools.base.Tool`s instead of ours.

    Raises:    UserError, SessionError: the session cannot be opened; the screen is gone by then, or, without any
               way to a model, was never shown.
    """
    if not any(env.get(name, "").strip() for name in WAYS_IN):
        import_module("agent.choices").access_of(env)
    return asyncio.run(_run(Wanted(flags=flags, env=env, is_kept=is_kept, tools=tools), stdin, stdout))


async def _run(wanted: Wanted, stdin: TextIO, stdout: TextIO) -> Exit:
    front, buffer = Front(), PromptBuffer()
    keys = InputKeys(front.actions(), buffer).bindings()
    screen = Screen(buffer=buffer, keys=keys, input=TerminalInput(stdin), stdout=stdout)
    screen.parts.queue = lambda width: [
        f"  queued: {' '.join(buffer.folds.shown(line).split())}"[:width] for line in front.early
    ]
    screen.parts.status = lambda width: [f"palimpsest {__version__} · starting"[:width]]
    # First what takes the signals: none may end us while the terminal is not as it was.
    working = asyncio.ensure_future(_work(wanted, screen, front))
    painting = asyncio.ensure_future(screen.run())
    try:
        await asyncio.wait([painting, working], return_when=asyncio.FIRST_COMPLETED)
        if not working.done():  # the terminal is gone, or a frame could not be drawn
            front.leave(Exit.HUNG_UP)
            await asyncio.wait([working])
        return working.result()
    finally:
        screen.stop()
        with contextlib.suppress(EOFError):
            await painting


async def _work(wanted: Wanted, screen: Screen, front: Front) -> Exit:
    signals: Signals

    def take_leave() -> None:
        front.leave(signals.code or Exit.TERMINATED)

    signals = Signals(take_leave, take_leave, is_elsewhere=lambda: screen.lending.is_on)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTSTP, screen.suspend)
    ticking = asyncio.ensure_future(_tick(screen, front))
    try:
        with signals.handled():
            opening = await asyncio.to_thread(import_module, "agent.opening")
            session: Session | None = await _opened(opening, wanted, screen, front)
            return front.left.result() if session is None else await session.run()
    finally:
        ticking.cancel()
        loop.remove_signal_handler(signal.SIGTSTP)


async def _opened(opening: Any, wanted: Wanted, screen: Screen, front: Front) -> Session | None:
    """Open the session; None when the user left before it was open, or wanted none of those that could go on."""
    work = asyncio.ensure_future(opening.open_session(wanted, screen, front.left))
    await asyncio.wait([work, front.left], return_when=asyncio.FIRST_COMPLETED)
    if front.left.done() and not work.done():
        work.cancel()
        await asyncio.wait([work])
        return None
    session: Session | None = work.result()
    if session is None:
        front.leave(Exit.DONE)
    else:
        front.open(session)
    return session


async def _tick(screen: Screen, front: Front) -> None:
    while True:
        await asyncio.sleep(TICK_S)
        if front.session is not None and front.session.is_busy:
            screen.refresh()
