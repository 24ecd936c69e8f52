"""A session for a person at a terminal of any kind: opened, wired to what shows it and what asks, seen to its end."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from agent import tokenizer
from agent.assembly.shared import Shared
from agent.calls.approval import Question
from agent.calls.preview import change_of
from agent.choices import as_text
from agent.exits import Exit
from agent.instructions.gathering import notes_of
from agent.interactive import Wanted
from agent.local_rules import LocalRules
from agent.models import Effort, row
from agent.pictures import NamedPictures
from agent.prepare import Prepared, forked, open_agent, prepare, shared_of
from agent.session.store import Store
from agent.terminal import git_branch
from agent.terminal.asked import Face, Field
from agent.terminal.bar import Bar
from agent.terminal.desk import OpenAgent, Person, SessionDesk
from agent.terminal.farewell import Surroundings, farewell_lines, welcome_lines
from agent.terminal.figures import short_path
from agent.terminal.instruction_lines import banner_parts
from agent.terminal.question import TerminalApprover
from agent.terminal.render import plain
from agent.terminal.repl import Repl
from agent.terminal.show import Show
from agent.token_counter import Counter
from agent.trust import Standing


async def nothing_lent() -> None:
    """Take nothing back: this terminal is never lent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """What a session needs of the terminal before which the person sits.

    ``size``: (columns, rows) now; ``keys``: those that stop and leave, as the banner names them; ``ring``, ``field``,
    ``typed``, ``keep`` and ``insert`` are those of a question's `Face`.
    """

    show: Show
    refresh: Callable[[], None]
    size: Callable[[], tuple[int, int]]
    person: Callable[[TerminalApprover, Store], Person]
    keys: str
    ring: Callable[[], None]
    field: Field
    typed: Callable[[], None]
    keep: Callable[[str], None]
    insert: Callable[[str], None]
    regain: Callable[[], Awaitable[None]] = nothing_lent
    """Takes the terminal back from another program that it is lent to."""


@dataclass(slots=True, kw_only=True)
class Sitting:
    """An open session and all that works on it; ``is_kept``: it can be resumed later, and the user is told how."""

    prepared: Prepared
    desk: SessionDesk
    repl: Repl
    approver: TerminalApprover
    seat: Seat
    prompt: str
    is_kept: bool
    branch: str
    """The git branch as last heard of."""
    bar: Bar = field(init=False)

    def __post_init__(self) -> None:
        self.bar = Bar(
            self.desk,
            self.seat.show,
            lambda: self.branch,
            queued=lambda: len(self.repl.waiting()),
            questions=lambda: self.approver.open,
        )

    async def run(self) -> Exit:
        """Work until the user leaves; the session is closed and the way back to it is shown."""
        project, prepared = self.desk.agent.session.state.project, self.prepared
        watching = asyncio.ensure_future(git_branch.watch(project, self._heard))
        try:
            return await self.repl.run(self.prompt, lambda: self.desk.begin(prepared.source))
        finally:
            await self.seat.regain()
            watching.cancel()
            await self.desk.agent.close("exit")
            await prepared.client.close()
            self._take_leave()

    def _take_leave(self) -> None:
        show, state = self.seat.show, self.desk.agent.session.state
        way_back = self.prepared.resume_with if self.is_kept else ""
        if lines := farewell_lines(state, way_back):
            show.say("\n".join(lines))
        if self.is_kept and (self.repl.waiting() or self.desk.person.draft()):
            show.say(f"what you typed and did not send is kept: agent -r {state.session_id}")

    def _heard(self, branch: str) -> None:
        if branch != self.branch:
            self.branch = branch
            self.seat.refresh()


async def seated(
    wanted: Wanted, standing: Standing, seat_of: Callable[[Prepared], Seat], left: asyncio.Future[Exit]
) -> Sitting:
    """Read settings, open the session and greet the user. Raises UserError, SessionError.

    ``standing``: the project, as the user was asked about it; ``left``: resolved with the exit code by whoever ends the session.
    """
    flags, env = wanted.flags, wanted.env
    prepared = await asyncio.to_thread(lambda: forked(prepare(flags, env, standing=standing)))
    if wanted.tools is not None:
        prepared = replace(prepared, config=replace(prepared.config, tools=wanted.tools))
    seat = seat_of(prepared)
    desks: list[SessionDesk] = []
    approver = _approver(prepared, seat, lambda: desks[0], env)
    await asyncio.to_thread(tokenizer.warm)
    shared = replace(
        shared_of(prepared, approver=approver, emit=seat.show), sight=NamedPictures(prepared.config.project)
    )
    takes_any_log = prepared.takes_any_log
    agent = open_agent(shared, prepared.wanted, takes_any_log=takes_any_log)

    def reopen(session: str | None, model: str | None, effort: Effort | None) -> OpenAgent:
        config = replace(shared.config, model=model, effort=effort)
        return open_agent(replace(shared, config=config), session, takes_any_log=takes_any_log)

    clock, person = prepared.config.clock, seat.person(approver, shared.store)
    desks.append(SessionDesk(agent, seat.show, shared.store, reopen=reopen, clock=clock, person=person))
    around = await _surroundings(shared, agent.session.state.model, seat, env)
    for line in (*welcome_lines(agent.session, around, clock()), *prepared.remarks):
        seat.show.say(line)
    return Sitting(
        prepared=prepared,
        desk=desks[0],
        repl=Repl(desks[0], seat.show, approver, left=left, refresh=seat.refresh),
        approver=approver,
        seat=seat,
        prompt=as_text(flags.prompt or ""),
        is_kept=wanted.is_kept,
        branch=around.branch,
    )


def _approver(
    prepared: Prepared, seat: Seat, desk: Callable[[], SessionDesk], env: Mapping[str, str]
) -> TerminalApprover:
    project = prepared.config.project

    def place(question: Question) -> str:
        # A subagent's directory is its own and not known here.
        is_known = question.call["name"] == "bash" and not question.agent
        return f"in {plain(short_path(desk().agent.session.state.cwd, env))}" if is_known else ""

    face = Face(
        refresh=seat.refresh,
        commit=seat.show.put,
        size=seat.size,
        clock=prepared.config.clock,
        diff=lambda question: change_of(question.call["name"], question.call["input"], project),
        place=place,
        ring=seat.ring if prepared.config.bell else lambda: None,
        field=seat.field,
        typed=seat.typed,
        keep=seat.keep,
        insert=seat.insert,
    )
    return TerminalApprover(face, rules=LocalRules(prepared.permission, prepared.standing))


async def _surroundings(shared: Shared, model: str, seat: Seat, env: Mapping[str, str]) -> Surroundings:
    project = shared.config.project
    return Surroundings(
        place=short_path(project, env),
        branch=await git_branch.head(project),
        notes=await asyncio.to_thread(_notes, shared, model),
        skills=len(shared.skills.names()),
        keys=seat.keys,
    )


def _notes(shared: Shared, model: str) -> list[str]:
    """Return the instruction files that the model is told, and their sizes in tokens."""
    return banner_parts(notes_of(shared.config.places), Counter(row(model).family).text_tokens)
