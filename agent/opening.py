"""Opens a session for the screen: wires the agent to what shows it and what asks."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from prompt_toolkit.completion import ThreadedCompleter

from agent import tokenizer
from agent.approval import Question
from agent.choices import as_text
from agent.clock import Clock
from agent.exits import Exit
from agent.first_choice import chooser_of, chosen_first
from agent.interactive import Wanted
from agent.models import row
from agent.prepare import Prepared, forked, open_agent, prepare, shared_of
from agent.preview import change_of
from agent.prompt import ProjectOpening
from agent.session.store import Store
from agent.terminal import commands, git_branch
from agent.terminal.bar import Bar
from agent.terminal.completion import InputCompleter, menu_lines, project_files
from agent.terminal.desk import OpenAgent, Person, SessionDesk
from agent.terminal.farewell import Surroundings, farewell_lines, welcome_lines
from agent.terminal.figures import short_path
from agent.terminal.history import history_of
from agent.terminal.question import Face, TerminalApprover, settled
from agent.terminal.queue import queue_lines
from agent.terminal.queue_keys import queue_keys
from agent.terminal.render import plain
from agent.terminal.repl import Repl
from agent.terminal.screen import Screen
from agent.terminal.show import Show
from agent.terminal.unfolding import Unfolding
from agent.token_counter import Counter
from agent.wiring import Shared


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
    is_kept: bool
    """The session can be resumed later, and the user is told how."""


class TerminalSession:
    """What `interactive.Session` promises: keys and lines in, an exit code out."""

    def __init__(
        self, prepared: Prepared, desk: SessionDesk, repl: Repl, surface: Surface, *, prompt: str
    ) -> None:
        self._prepared = prepared
        self._desk = desk
        self._repl = repl
        self._surface = surface
        self._prompt = prompt
        self._branch = Branch()
        self.submit = repl.submit
        self.interrupt = repl.interrupt
        self.ask_to_leave = repl.ask_to_leave
        self.leave = repl.leave
        self.takes_answer = surface.approver.takes
        self.answer = surface.approver.answer
        self.key_typed = surface.approver.key_typed
        self.unfold = Unfolding(desk, surface.show, lambda: surface.screen.width).press
        self._draw(surface.approver)

    @property
    def is_busy(self) -> bool:
        """True while a turn or a command runs."""
        return self._repl.is_busy

    async def run(self) -> Exit:
        """Work until the user leaves; the session is closed and the way back to it is shown."""
        agent, prepared = self._desk.agent, self._prepared
        watching = asyncio.ensure_future(git_branch.watch(agent.session.state.project, self._heard))
        try:
            await agent.start("resume" if prepared.wanted else "startup")
            return await self._repl.run(self._prompt)
        finally:
            watching.cancel()
            await self._desk.agent.close("exit")
            await prepared.client.close()
            way_back = prepared.resume_with if self._surface.is_kept else ""
            if lines := farewell_lines(self._desk.agent.session.state, way_back):
                self._surface.show.say("\n".join(lines))
            if self._surface.is_kept and (self._repl.waiting() or self._surface.screen.buffer.text):
                name = self._desk.agent.session.state.session_id
                self._surface.show.say(f"what you typed and did not send is kept: agent -r {name}")

    def _heard(self, branch: str) -> None:
        if branch != self._branch.name:
            self._branch.name = branch
            self._surface.screen.refresh()

    def _draw(self, approver: TerminalApprover) -> None:
        """Put the session's own parts on the screen."""
        parts, buffer = self._surface.screen.parts, self._surface.screen.buffer
        bar = Bar(
            self._desk,
            self._surface.show,
            lambda: self._branch.name,
            queued=lambda: len(self._repl.waiting()),
        )
        parts.tail = self._surface.show.tail
        parts.activity = self._surface.show.activity.lines
        parts.queue = lambda width: queue_lines(
            [buffer.folds.shown(text) for text in self._repl.waiting()], width
        )
        parts.question = approver.lines
        parts.menu = lambda width: menu_lines(buffer, width)
        parts.status = bar.lines
        self._surface.screen.refresh()


async def open_session(wanted: Wanted, screen: Screen, left: asyncio.Future[Exit]) -> TerminalSession | None:
    """Read settings, open the session, put it on the screen. Raises UserError, SessionError.

    A bare `-r` lets the session be chosen first; None when the user wants none.
    """
    flags = wanted.flags
    if flags.resume == "" and not flags.is_continue:
        if (chosen := await chosen_first(flags, wanted.env, screen)) is None:
            return None
        wanted = replace(wanted, flags=replace(flags, resume=chosen))
    return await _open(wanted, screen, left)


async def _open(wanted: Wanted, screen: Screen, left: asyncio.Future[Exit]) -> TerminalSession:
    flags, env = wanted.flags, wanted.env
    prepared = await asyncio.to_thread(lambda: forked(prepare(flags, env)))
    if wanted.tools is not None:
        prepared = replace(prepared, config=replace(prepared.config, tools=wanted.tools))
    clock, project = prepared.config.clock, prepared.config.project
    show = Show(
        commit=screen.commit,
        refresh=screen.refresh,
        width=lambda: screen.width,
        clock=clock,
        folded=screen.buffer.folds.shown,
    )
    desks: list[SessionDesk] = []
    approver = _approver(prepared, screen, show, lambda: desks[0], env)
    await asyncio.to_thread(tokenizer.warm)
    shared = shared_of(prepared, approver=approver, emit=show)
    idle_s = _idle_s(prepared)
    agent = open_agent(shared, prepared.wanted)

    def reopen(session: str | None, model: str | None) -> OpenAgent:
        in_use = None if session else desks[0].agent.session.state.model
        config = replace(shared.config, model=model or in_use)
        return open_agent(replace(shared, config=config), session)

    person = _person(screen, show, approver, shared.store, clock)
    desks.append(SessionDesk(agent, show, shared.store, reopen=reopen, clock=clock, person=person))
    repl = Repl(desks[0], show, approver, left=left, refresh=screen.refresh)
    _equip(screen, repl, project, shared.config.home)
    around = Surroundings(
        place=short_path(project, env),
        branch=await git_branch.head(project),
        notes=await asyncio.to_thread(_notes, shared, agent.session.state.model),
        skills=len(shared.skills.names()),
        idle_s=idle_s,
    )
    for line in (*welcome_lines(agent.session, around), *prepared.remarks):
        show.say(line)
    surface = Surface(screen=screen, show=show, approver=approver, is_kept=wanted.is_kept)
    return TerminalSession(prepared, desks[0], repl, surface, prompt=as_text(flags.prompt or ""))


def _equip(screen: Screen, repl: Repl, project: Path, home: Path) -> None:
    """Give the input what an open session adds to it: the queue's keys, history and completions."""
    screen.fields.prompt.key_bindings = queue_keys(repl, screen.buffer)
    screen.buffer.on_text_changed += lambda _: repl.draft_changed()
    about = {name: command.about for name, command in commands.COMMANDS.items()}
    completer = ThreadedCompleter(InputCompleter(about, lambda: project_files(project)))
    screen.equip(history=history_of(project, home), completer=completer)


def _person(screen: Screen, show: Show, approver: TerminalApprover, store: Store, clock: Clock) -> Person:
    async def until_settled() -> None:
        if screen.buffer.text:
            await settled(approver, clock)

    def fill(words: str) -> None:
        screen.buffer.put_before(words)
        screen.refresh()

    chooser = chooser_of(store, screen, clock=clock, say=show.say, settled=until_settled)
    return Person(
        confirm=approver.confirm,
        fill=fill,
        choose=chooser.choose,
        draft=lambda: screen.buffer.expanded,
    )


def _approver(
    prepared: Prepared,
    screen: Screen,
    show: Show,
    desk: Callable[[], SessionDesk],
    env: Mapping[str, str],
) -> TerminalApprover:
    project = prepared.config.project

    def place(question: Question) -> str:
        # A subagent's directory is its own and not known here.
        is_known = question.call["name"] == "bash" and not question.agent
        return f"in {plain(short_path(desk().agent.session.state.cwd, env))}" if is_known else ""

    face = Face(
        refresh=screen.refresh,
        commit=show.put,
        size=lambda: (screen.width, screen.rows),
        clock=prepared.config.clock,
        diff=lambda question: change_of(question.call["name"], question.call["input"], project),
        place=place,
    )
    return TerminalApprover(face, allow_always=prepared.permission.allow_always)


def _idle_s(prepared: Prepared) -> float | None:
    """Return how long ago the session was written that goes on; None for a new one."""
    if prepared.wanted is None:
        return None
    return prepared.config.clock() - prepared.store.log(prepared.wanted).stat().st_mtime


def _notes(shared: Shared, model: str) -> dict[str, int]:
    """Return the instruction files that the model is told, and their sizes in tokens."""
    config = shared.config
    opening = ProjectOpening(project=config.project, home=config.home, clock=config.clock, skills=lambda: "")
    count = Counter(row(model).family).text_tokens
    return {path: count(text) for path, text in opening.instructions().items()}
