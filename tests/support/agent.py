"""A whole agent against the strict local server: real HTTP, tools, files and logs; only the model is scripted.

async with scenario(tmp_path, calls("bash", command="ls"), says("Done."), files={"a.py": "x = 1\n"}) as harness:
    ended = await harness.turn("list the files")

On leaving, what must always hold is checked (`tests.support.invariants`): no request was refused, every call is
answered, requests extend one another's bytes, and the log adds up to the live state.
"""

import asyncio
import shutil
import subprocess
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from agent import wiring
from agent.assembly.shared import Config, Shared
from agent.calls.approval import Answer, Approver, NobodyToAsk, Question
from agent.client import MessagesClient
from agent.compacting import by_hand
from agent.events import Compacted, Event, TurnEnded
from agent.offline import MessagesServer, Script
from agent.offline.script import Always, Route, Turn
from agent.pictures import NamedPictures
from agent.query import Patience
from agent.session.log import read_records
from agent.session.records import Record
from agent.session.state import State
from agent.session.store import Store
from agent.subagents.finding import types_of
from agent.trust import standing_of
from hooks.call import Hook
from hooks.commands.command import CommandHooks
from hooks.commands.config import parse_hooks
from hooks.engine import EventType, HookEngine
from hooks.permission.judge import Mode, Permission
from hooks.permission.rules import PermissionRules
from skills.catalog import Catalog
from skills.discover import SkillPlaces, skill_roots
from tests.support import invariants

E = TypeVar("E")
WAIT_S = 20.0
"""How long a test waits for something that must come."""
START_AT = 1_800_000_000.0


class FakeApprover:
    """Answers questions as scripted, the last answer for all further ones; remembers what it was asked.

    ``answers``: Answer, True or False; or, for a question that stays open, an Event to wait for first.
    """

    def __init__(self, *answers: Answer | bool | asyncio.Event) -> None:
        self.questions: list[Question] = []
        self.open = 0
        self.most_open = 0
        self._answers = deque(answers)

    async def ask(self, question: Question) -> Answer:
        """Return the next answer."""
        self.questions.append(question)
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            answer = self._answers.popleft() if len(self._answers) > 1 else self._answers[0]
            if isinstance(answer, asyncio.Event):
                await answer.wait()
                answer = True
            await asyncio.sleep(0)
        finally:
            self.open -= 1
        return answer if isinstance(answer, Answer) else Answer(is_allowed=answer)


class FakeClock:
    """Seconds since the epoch that pass by ``step_s`` with every look."""

    def __init__(self, now: float = START_AT, step_s: float = 0.001) -> None:
        self.now = now
        self.step_s = step_s

    def __call__(self) -> float:
        """Return the time."""
        self.now += self.step_s
        return self.now


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What a scenario starts with.

    ``files``: path in the project -> content; ``home_files``: in the user's agent folder. ``hooks``: (event, hook).
    ``windows``: context windows of the server's models. ``config``: further fields of `Config`;
    ``patience``: of `Patience`, whose pauses are noted and not slept unless it says otherwise.
    ``may_refuse``: the server is expected to refuse requests; ``may_move``: the prefix may change.
    """

    files: Mapping[str, str | bytes] = field(default_factory=dict)
    home_files: Mapping[str, str] = field(default_factory=dict)
    routes: Sequence[Route] = ()
    mode: Mode | None = "bypass"
    rules: Mapping[str, Sequence[str]] = field(default_factory=dict)
    approver: Approver = field(default_factory=NobodyToAsk)
    hooks: Sequence[tuple[EventType, Hook]] = ()
    commands: Mapping[str, Any] = field(default_factory=dict)
    """`hooks` of the settings."""
    windows: Mapping[str, int] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    patience: Mapping[str, Any] = field(default_factory=dict)
    stall_timeout_s: float = 20.0
    may_refuse: bool = False
    may_move: bool = False


class Harness:
    """One running scenario."""

    def __init__(self, shared: Shared, server: MessagesServer, pauses: list[float]) -> None:
        self.server = server
        self.pauses = pauses
        """Every pause before a retry, in seconds; none of them was slept."""
        self.events: list[Event] = []
        self.breaks: list[int] = []
        """How many requests had been made when a compaction of the main agent changed the view."""
        self.shared = shared
        self.agent = wiring.create(shared)
        self._is_open = True
        self._watchers: list[tuple[Callable[[Event], bool], Callable[[], object]]] = []

    @property
    def project(self) -> Path:
        """The project folder."""
        return self.shared.config.project

    @property
    def state(self) -> State:
        """The live state of the session."""
        return self.agent.session.state

    async def turn(self, prompt: str) -> TurnEnded:
        """Run a turn to its end."""
        return await asyncio.wait_for(self.agent.loop.run(prompt), WAIT_S * 2)

    def start(self, prompt: str) -> asyncio.Task[TurnEnded]:
        """Start a turn and go on at once."""
        return asyncio.ensure_future(self.turn(prompt))

    def interrupt(self) -> None:
        """Press Esc."""
        self.agent.loop.interrupt()

    def steer(self, words: str) -> None:
        """Type while a turn runs."""
        self.agent.loop.steer(words)

    def pin(self, words: str) -> str:
        """Type /pin."""
        return by_hand.pin(self.agent.session, self.agent.compactor.sizes, words)

    def undo(self) -> str:
        """Type /compact undo."""
        return by_hand.undo(self.agent.session, self.agent.compactor.sizes)

    def redo(self) -> str:
        """Type /compact redo."""
        return by_hand.redo(self.agent.session)

    def once(self, wanted: type | Callable[[Event], bool], act: Callable[[], object]) -> None:
        """Do ``act``, inside the emit, at the first event that is ``wanted`` from now on."""
        is_wanted = (lambda event: isinstance(event, wanted)) if isinstance(wanted, type) else wanted
        self._watchers.append((is_wanted, act))

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until ``condition`` holds."""
        for _ in range(int(WAIT_S / 0.005)):
            if condition():
                return
            await asyncio.sleep(0.005)
        raise AssertionError("it did not come true")

    def of(self, kind: type[E]) -> list[E]:
        """Return the events of one kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    def log_records(self, kind: str = "") -> list[Record]:
        """Return the records of the log, or those of one type."""
        records = [record for _, record in read_records(self.agent.session.log.path) if record]
        return [record for record in records if kind in ("", record["type"])]

    def read(self, path: str) -> str:
        """Return the text of a project file."""
        return (self.project / path).read_text("utf-8")

    async def resume(self, *, is_killed: bool = False, log: bytes | None = None) -> None:
        """Leave the session and open it again.

        Args:  is_killed: without a last word, as after kill -9; log: what the log held when that happened.
        """
        session = self.agent.session
        if is_killed or log is not None:
            session.close()
        else:
            await self.close()
        if log is not None:
            session.log.path.write_bytes(log)
        self.agent = wiring.resume(self.shared, session.state.session_id)
        self._is_open = True

    async def close(self) -> None:
        """Leave the session, if that was not done."""
        if self._is_open:
            self._is_open = False
            await self.agent.close("exit")

    def listen(self, event: Event) -> None:
        """Take an event of the agent."""
        self.events.append(event)
        if isinstance(event, Compacted):
            self.breaks.append(len(self.server.queries))
        for watcher in list(self._watchers):
            if watcher[0](event):
                self._watchers.remove(watcher)
                watcher[1]()


def check(harness: Harness, setup: Setup) -> None:
    """Check what must always hold."""
    queries = [request for request in harness.server.queries if request.body]
    if not setup.may_refuse:
        assert harness.server.refusals == [], harness.server.refusals
    invariants.check_pairs(queries)
    if not setup.may_move:
        invariants.check_main_prefix(queries, harness.breaks)
        invariants.check_subagent_prefix(queries)
    replayed = invariants.replayed(harness.agent.session.log.path, harness.state)
    assert invariants.facts_of(replayed) == invariants.facts_of(harness.state)
    invariants.check_checkpoint(harness.state)


@asynccontextmanager
async def scenario(folder: Path, *turns: Turn | Always, **how: Any) -> AsyncGenerator[Harness, None]:
    """Set up an agent in ``folder`` with a model that answers ``turns``; ``how``: fields of `Setup`."""
    setup = Setup(**how)
    import_module("anthropic")  # the first request of a process would else wait for it
    project, home = make_project(folder, setup)
    with MessagesServer(Script(*turns, routes=setup.routes), windows=setup.windows) as server:
        client = MessagesClient(
            base_url=server.url, api_key=server.api_key, stall_timeout_s=setup.stall_timeout_s
        )
        harness = make_harness(setup, server, client, project=project, home=home)
        try:
            yield harness
            check(harness, setup)
        finally:
            await harness.close()
            await client.close()


def make_harness(
    setup: Setup, server: MessagesServer, client: MessagesClient, *, project: Path, home: Path
) -> Harness:
    """Wire an agent as `agent.cli` does."""
    pauses: list[float] = []
    listeners: list[Harness] = []

    def emit(event: Event) -> None:
        listeners[0].listen(event)

    permission = Permission(rules=PermissionRules.parse(dict(setup.rules)), home=home.parent)
    shared = Shared(
        config=Config(project=project, home=home, **_config(setup, pauses)),
        model=client,
        store=Store.of(project, home),
        permission=permission,
        hooks=_hooks(setup, permission),
        approver=setup.approver,
        skills=_skills(project, home),
        emit=emit,
        sight=NamedPictures(project),
        types=types_of(standing_of(project, home).for_run(), home.parent),
    )
    listeners.append(Harness(shared, server, pauses))
    return listeners[0]


def _skills(project: Path, home: Path) -> Catalog:
    """Return the skills of the project and the user; none of those that ship."""
    places = SkillPlaces(skill_roots(project, home, home)[:-1])
    return Catalog(places.found(), places)


def _config(setup: Setup, pauses: list[float]) -> dict[str, Any]:
    async def note_pause(delay_s: float) -> None:
        pauses.append(delay_s)
        await asyncio.sleep(0)

    patience = Patience(**{"sleep": note_pause, **setup.patience})
    return {"patience": patience, "clock": FakeClock(), "mode": setup.mode, **setup.config}


def _hooks(setup: Setup, permission: Permission) -> HookEngine:
    commands = CommandHooks(parse_hooks(dict(setup.commands), origin="settings.json"))
    hooks = HookEngine(permission.judge, commands)
    for number, (event_type, hook) in enumerate(setup.hooks):
        hooks.register(event_type, hook, name=f"hook-{number}")
    return hooks


def make_project(folder: Path, setup: Setup) -> tuple[Path, Path]:
    """Make an empty git project with ``setup.files``, and the agent's folder in a home beside it."""
    project, home = folder.resolve() / "project", folder.resolve() / "home" / ".agent"
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir(parents=True)
    home.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "-q", "-b", "main", str(project)], check=True)
    _write_all(project, setup.files.items())
    _write_all(home, setup.home_files.items())
    return project, home


def _write_all(folder: Path, files: Iterable[tuple[str, str | bytes]]) -> None:
    for name, content in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
