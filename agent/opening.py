"""Opens a session for the screen: wires the agent to what shows it and what asks."""

import asyncio
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from prompt_toolkit.completion import ThreadedCompleter
from prompt_toolkit.history import FileHistory, ThreadedHistory

from agent import tokenizer
from agent.approval import Question
from agent.choices import as_text
from agent.exits import Exit
from agent.flags import Flags
from agent.prepare import Prepared, open_agent, prepare, shared_of
from agent.preview import change_of
from agent.terminal import commands
from agent.terminal.bar import Bar
from agent.terminal.completion import InputCompleter, menu_lines, project_files
from agent.terminal.desk import OpenAgent, SessionDesk
from agent.terminal.farewell import farewell_lines, welcome_lines
from agent.terminal.git_branch import watch
from agent.terminal.question import TerminalApprover
from agent.terminal.render import as_lines, plain, styled, to_ansi
from agent.terminal.repl import Repl
from agent.terminal.screen import Screen
from agent.terminal.show import Show


@dataclass(slots=True)
class Branch:
    """The git branch as last heard of."""

    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """What the session is seen through."""

    screen: Screen
    show: Show
    approver: TerminalApprover


class TerminalSession:
    """What `interactive.Session` promises: keys and lines in, an exit code out."""

    def __init__(
        self, prepared: Prepared, desk: SessionDesk, repl: Repl, surface: Surface, *, prompt: str
    ) -> None:
        self._prepared = prepared
        self._desk = desk
        self._repl = repl
        self._screen = surface.screen
        self._show = surface.show
        self._prompt = prompt
        self._branch = Branch()
        self.submit = repl.submit
        self.interrupt = repl.interrupt
        self.ask_to_leave = repl.ask_to_leave
        self.leave = repl.leave
        self.takes_answer = surface.approver.takes
        self.answer = surface.approver.answer
        self.key_typed = surface.approver.key_typed
        self._draw(surface.approver)

    @property
    def is_busy(self) -> bool:
        """True while a turn or a command runs."""
        return self._repl.is_busy

    async def run(self) -> Exit:
        """Work until the user leaves; the session is closed and the way back to it is shown."""
        agent, prepared = self._desk.agent, self._prepared
        watching = asyncio.ensure_future(watch(agent.session.state.project, self._heard))
        self._say(welcome_lines(agent.session, {}))
        try:
            await agent.start("resume" if prepared.wanted else "startup")
            return await self._repl.run(self._prompt)
        finally:
            watching.cancel()
            await self._desk.agent.close("exit")
            await prepared.client.close()
            self._say(farewell_lines(self._desk.agent.session.state, prepared.resume_with))

    def _say(self, lines: Sequence[str]) -> None:
        if lines:
            self._show.say("\n".join(lines))

    def _heard(self, branch: str) -> None:
        if branch != self._branch.name:
            self._branch.name = branch
            self._screen.refresh()

    def _draw(self, approver: TerminalApprover) -> None:
        """Put the session's own parts on the screen."""
        parts, buffer = self._screen.parts, self._screen.buffer
        bar = Bar(self._desk, self._show, lambda: self._branch.name)
        parts.tail = self._show.tail
        parts.activity = self._show.activity.lines
        parts.queue = self._queue_lines
        parts.question = approver.lines
        parts.menu = lambda width: menu_lines(buffer, width)
        parts.status = bar.lines

    def _queue_lines(self, width: int) -> Sequence[str]:
        texts = [
            styled(("  queued: ", "dim"), (plain(" ".join(text.split())), ""))
            for text in self._repl.waiting()
        ]
        return [line for text in texts for line in as_lines(to_ansi(text, width))]


async def open_session(
    flags: Flags, screen: Screen, left: asyncio.Future[Exit], env: Mapping[str, str]
) -> TerminalSession:
    """Read settings, open the session, put it on the screen. Raises UserError, SessionError."""
    prepared = await asyncio.to_thread(prepare, flags, env)
    clock = prepared.config.clock
    show = Show(commit=screen.commit, refresh=screen.refresh, width=lambda: screen.width, clock=clock)
    project = prepared.config.project

    def diff(question: Question) -> str:
        return change_of(question.call["name"], question.call["input"], project)

    approver = TerminalApprover(
        refresh=screen.refresh, clock=clock, allow_always=prepared.permission.allow_always, diff=diff
    )
    for line in prepared.remarks:
        show.say(line)
    await asyncio.to_thread(tokenizer.warm)
    shared = shared_of(prepared, approver=approver, emit=show)
    agent = open_agent(shared, prepared.wanted)

    def reopen(session: str | None, model: str | None) -> OpenAgent:
        config = replace(shared.config, model=model or desk.agent.session.state.model)
        return open_agent(replace(shared, config=config), session)

    desk = SessionDesk(agent, show, shared.store, reopen=reopen, clock=clock)
    repl = Repl(desk, show, approver, left=left, refresh=screen.refresh)
    _equip(screen, project, shared.config.home)
    surface = Surface(screen=screen, show=show, approver=approver)
    return TerminalSession(prepared, desk, repl, surface, prompt=as_text(flags.prompt or ""))


def _equip(screen: Screen, project: Path, home: Path) -> None:
    """Give the input its history, kept per project, and its completions."""
    known = hashlib.sha256(os.fsencode(project)).hexdigest()[:16]
    folder = home / "history"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    about = {name: command.about for name, command in commands.COMMANDS.items()}
    screen.equip(
        history=ThreadedHistory(FileHistory(folder / f"{project.name}-{known}")),
        completer=ThreadedCompleter(InputCompleter(about, lambda: project_files(project))),
    )
