"""`!command`: the user's own shell command, in the project; it is shown, and the model is told of it afterwards."""

import asyncio
import math
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from subprocess import Popen

from agent.interrupts import Interrupts
from agent.session.session import Session
from agent.session.shells import told
from agent.terminal.render import plain
from agent.terminal.shell_output import Output
from agent.terminal.show import Show
from tools.collector import Collector
from tools.limits import BASH_CHARS
from tools.process import OutputPipe, complete, end_group, start, wait_for_end

DRAIN_S = 0.3
"""How long the pipe may stay open after the shell's end, for output still on its way."""
ABOUT = (
    "!command runs in bash with your rights, in no sandbox and without a terminal; Esc ends it",
    "the model is told of it, and of what it printed, with your next message",
)
LEFT_BEHIND = "what it started still runs; its output is not shown any more"
STOPPED = "stopped by the user"
SIGNAL_BASE = 128
"""A shell's exit code for a command that a signal ended is this and the signal's number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended."""

    words: str
    """In words: `exit code 0`."""
    code: int | None = None
    """Its exit code, 128 and the signal's number for one that a signal ended; None: it did not end by itself."""
    has_left_behind: bool = False
    """What it started still runs."""


class Shells:
    """The user's own commands: several may run, also beside a turn.

    Args:  session: the one that is open now; outputs: in a folder of the session's there, long outputs are kept.
    """

    def __init__(self, show: Show, session: Callable[[], Session], outputs: Path) -> None:
        self._show = show
        self._session = session
        self._outputs = outputs
        self._running: set[Interrupts] = set()

    def interrupt(self) -> None:
        """End all that run; what they have printed stands."""
        for one in self._running:
            one.ask()

    async def run(self, command: str) -> None:
        """Run ``command``, show what it prints, and log both; without one say what this is for."""
        self._show.say(f"> !{command}".rstrip(), "bold", is_apart=True)
        if not command:
            self._show.say("\n".join(ABOUT), "")
            return
        activity, running = self._show.activity, Interrupts()
        if is_alone := not activity.is_busy:
            activity.do(f"running {plain(' '.join(command.split()))}")
        self._running.add(running)
        try:
            await self._logged(command, running)
        finally:
            self._running.discard(running)
            if is_alone:
                activity.do("")

    async def _logged(self, command: str, running: Interrupts) -> None:
        """Run ``command`` between its two records; a session that is opened meanwhile gets both."""
        session = self._session()
        project, id_ = session.state.project, _begun(session, command)
        name = f"shell-{id_}"
        path = self._outputs / session.state.session_id / f"{name}.txt"
        output = Output(self._put, Collector(path, limit_chars=BASH_CHARS))
        ended = await running.finish(run_shell(command, project, output), lambda: Ended(words=STOPPED))
        kept = await output.finish(mark_id=name, project=project)
        self._tell(ended)
        if self._session().state.session_id != session.state.session_id:
            id_ = _begun(self._session(), command)
        self._session().append(
            "output",
            shell=id_,
            exit_code=ended.code,
            content=told(command, kept.content, ended.words),
            marks=kept.marks,
            spill=kept.spill and asdict(kept.spill),
        )
        self._session().sync()

    def _put(self, lines: Sequence[str]) -> None:
        """Show a program's lines; the terminal wraps them, for there may be very many."""
        self._show.put(plain("\n".join(lines)), "said")

    def _tell(self, ended: Ended) -> None:
        """Say how a command ended, unless all went well."""
        if ended.code is None:
            self._show.say(ended.words, "yellow")
        elif ended.code:
            self._put([f"exit {ended.code}"])
        if ended.has_left_behind:
            self._put([LEFT_BEHIND])


def _begun(session: Session, command: str) -> str:
    id_ = session.append("shell", command=command)
    session.sync()
    return id_


async def run_shell(command: str, project: Path, output: Output) -> Ended:
    """Run ``command`` with the user's rights; ``output`` gets what it prints, as it comes.

    It gets no input: the terminal belongs to the prompt. It is over when the shell is, whatever that has left
    running. Cancelled, it is ended with all it started, and that is how it ended.
    """
    pipe = OutputPipe(output.take)
    try:
        process = start(["bash", "-c", command], cwd=project, env=os.environ, output=pipe.write_end)
    except (OSError, ValueError) as error:  # ValueError: a NUL in it
        pipe.close_write_end()
        pipe.close()
        return Ended(words=f"it cannot be run: {error}")
    pipe.close_write_end()
    try:
        await wait_for_end(process, timeout_s=math.inf, tick=lambda: None)
        await _drain(pipe)
        return _ended(process, pipe)
    except asyncio.CancelledError:
        await complete(_stop(process, pipe))
        return Ended(words=STOPPED)
    finally:
        pipe.close()


async def _stop(process: Popen[bytes], pipe: OutputPipe) -> None:
    await end_group(process)
    await _drain(pipe)


async def _drain(pipe: OutputPipe) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(pipe.ended.wait(), DRAIN_S)


def _ended(process: Popen[bytes], pipe: OutputPipe) -> Ended:
    code = SIGNAL_BASE - process.returncode if process.returncode < 0 else process.returncode
    left = f"; {LEFT_BEHIND}" if pipe.is_open else ""
    return Ended(words=f"exit code {code}{left}", code=code, has_left_behind=pipe.is_open)
