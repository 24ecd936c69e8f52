"""The composition root: the one module that knows every concrete class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agent.approval import Approver, Asking
from agent.batch import BatchParts, ToolBatch
from agent.beside import Beside
from agent.clock import Clock, system_clock
from agent.compactor import CompactorParts, SessionCompactor
from agent.confinement import told_of
from agent.events import Emit, Notice
from agent.going_on import go_on
from agent.hook_words import HookWords, watched
from agent.instructions import ProjectOpening
from agent.locks import PathLocks
from agent.loop import Limits, Loop, Parts
from agent.models import DEFAULT_MODEL, Effort, cost_usd, row
from agent.pictures import NoPictures
from agent.prompt import system_blocks
from agent.protocols import Model
from agent.query import ModelQuerier, Patience
from agent.scene import scene_of
from agent.session.log import first_record
from agent.session.session import Session, Tools
from agent.session.snapshots import Snapshots
from agent.session.store import Store
from agent.subagents import MAX_STEPS, Offspring, Subagents
from agent.surrogates import repaired_text
from agent.token_counter import Counter
from agent.turn_hooks import CompactionHooks, SessionHooks, Sight, turn_hooks
from agent.version import __version__
from compaction.policy import DEFAULT_WINDOW_TOKENS, Sizes
from compaction.presets import DEFAULT_PRESET, PRESETS
from hooks.commands.payload import Scene
from hooks.engine import HookEngine
from hooks.events import Source
from hooks.permission.judge import Mode, Permission
from skills.catalog import Catalog
from tools.base import Services, Spawn, Tool
from tools.jobs import end_jobs, look
from tools.registry import ToolRegistry, default_tools
from tools.running import Jobs


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What settings, environment and command line come to."""

    project: Path
    home: Path
    model: str | None = None
    """None: the session's own when it is resumed, else the default."""
    mode: Mode | None = None
    """Permission mode; None: the session's own when it is resumed, else `ask`."""
    effort: Effort | None = None
    window: int | None = None
    """Working window in tokens; None: the model's own, at most 200,000."""
    bell: bool = True
    """A question rings."""
    preset: str = DEFAULT_PRESET
    """How the context is kept small: a name of `PRESETS`."""
    append_system: str = ""
    limits: Limits = field(default_factory=Limits)
    patience: Patience = field(default_factory=Patience)
    clock: Clock = system_clock
    tools: Sequence[Tool] = field(default_factory=default_tools)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """What all agents of the process have in common."""

    config: Config
    model: Model
    store: Store
    permission: Permission
    hooks: HookEngine
    approver: Approver
    skills: Catalog
    emit: Emit
    locks: PathLocks = field(default_factory=PathLocks)
    jobs: Jobs = field(default_factory=Jobs)
    asking: Asking = field(default_factory=Asking)
    sight: Sight = field(default_factory=NoPictures)


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """Who works on a session: ``name``, ``about`` are empty for the main agent; ``snapshots`` are always that one's."""

    name: str
    about: str
    spawn: Spawn | None
    emit: Emit
    words: HookWords
    limits: Limits
    snapshots: Snapshots


class Agent:
    """One open session with everything that works on it."""

    def __init__(self, shared: Shared, session: Session) -> None:
        # A session's own hooks are told how things stand in it.
        shared = self.shared = replace(shared, hooks=shared.hooks.at(self._scene, watched(shared.emit)))
        self.session = session
        session.care.listen(lambda words: shared.emit(Notice(text=words, is_error=True)))
        words = HookWords(shared.emit)
        self._hooks = SessionHooks(shared.hooks, words)
        subagents = Subagents(session, make=self._offspring, words=words, emit=shared.emit)
        self._snapshots = Snapshots(session)
        role = Role(
            name="",
            about="",
            spawn=subagents.spawn,
            emit=shared.emit,
            words=words,
            limits=shared.config.limits,
            snapshots=self._snapshots,
        )
        self.compactor, self.loop = _assemble(shared, session, role)

    @property
    def preset(self) -> str:
        """Name of the preset that keeps its context small."""
        return self.shared.config.preset

    def background(self) -> dict[int, str]:
        """Return what runs in the background: pid -> command."""
        return {pid: command for pid, (command, _) in look(self.shared.jobs).items()}

    async def start(self, source: Source) -> None:
        """Fire SessionStart; what its hooks say stands in the first message."""
        await self._hooks.start(source)

    async def close(self, reason: str) -> None:
        """Fire SessionEnd, end the hooks and processes in the background, close the log."""
        try:
            await self._hooks.end(reason)
            await end_jobs(self.shared.jobs)
        finally:
            self.session.append("end", of="session", reason=reason)
            self.session.close()

    def _scene(self) -> Scene:
        mode = self.shared.permission.mode
        return scene_of(self.session, mode=mode, background=self.background())

    def _offspring(self, name: str, about: str, emit: Emit) -> Offspring:
        shared, parent = self.shared, self.session
        path = shared.store.folder(parent.state.session_id) / f"{name}.jsonl"
        head = {
            **head_of(shared.config, parent.state.model, parent.state.mode, is_subagent=True),
            "session": parent.state.session_id,
            "agent": name,
            "effort": parent.state.effort,
        }
        session = Session.subagent(
            path, shared.config.project, head, tools=_tools(shared.config, parent.state.model)
        )
        session.care.listen(parent.care.complain)
        session.state.own_files |= parent.state.own_files
        limits = Limits(max_steps=MAX_STEPS, max_cost_usd=_left(shared.config.limits, parent.state.spent_usd))
        words, snapshots = HookWords(emit), self._snapshots
        role = Role(
            name=name, about=about, spawn=None, emit=emit, words=words, limits=limits, snapshots=snapshots
        )
        _, loop = _assemble(shared, session, role)
        return Offspring(session=session, loop=loop)


def create(shared: Shared) -> Agent:
    """Start a new session."""
    config, model = shared.config, shared.config.model or DEFAULT_MODEL
    shared.permission.set_mode(config.mode or "ask")
    head = head_of(config, model, shared.permission.mode, is_subagent=False)
    return Agent(shared, Session.create(shared.store, config.project, head, tools=_tools(config, model)))


def resume(shared: Shared, session_id: str) -> Agent:
    """Open a session again, with its own model and mode unless others are asked for, which is recorded."""
    config = shared.config
    own = first_record(shared.store.log(session_id)) or {}
    # Counted as at its beginning: the meter rescales what another tokenizer would count.
    tools = _tools(config, str(own.get("model") or DEFAULT_MODEL))
    session = Session.resume(shared.store, session_id, config.project, tools=tools)
    shared.permission.set_mode(go_on(session, model=config.model, mode=config.mode, effort=config.effort))
    return Agent(shared, session)


def sizes_of(config: Config, model: str) -> Sizes:
    """Return the sizes of the working window for ``model``."""
    known = row(model)
    window = config.window or min(known.window, DEFAULT_WINDOW_TOKENS)
    own = PRESETS[config.preset].summary.threshold_tokens
    return Sizes(window=window, max_output=known.max_output, own_threshold=own)


def _assemble(shared: Shared, session: Session, role: Role) -> tuple[SessionCompactor, Loop]:
    config, emit = shared.config, role.emit
    opening = ProjectOpening(
        project=config.project,
        home=config.home,
        clock=config.clock,
        skills=lambda: "\n".join(shared.skills.lines()),
        sandbox=told_of(shared.jobs.sandbox),
    )
    querier = ModelQuerier(session, shared.model, emit, patience=config.patience)
    compactor = SessionCompactor(
        CompactorParts(
            session=session,
            querier=querier,
            hooks=CompactionHooks(shared.hooks, role.words, is_main=not role.name),
            opening=opening,
            emit=emit,
            clock=config.clock,
            folders=_beside(shared, session, role.name).folders(),
        ),
        preset=PRESETS[config.preset],
        sizes=sizes_of(config, session.state.model),
    )
    parts = Parts(
        session=session,
        querier=querier,
        batch=_batch(shared, session, role),
        compactor=compactor,
        hooks=turn_hooks(shared.hooks, role.words, sight=shared.sight, name=role.name, log=session.log.path),
        opening=opening,
        emit=emit,
    )
    return compactor, Loop(parts, role.limits)


def _batch(shared: Shared, session: Session, role: Role) -> ToolBatch:
    return ToolBatch(
        BatchParts(
            session=session,
            registry=ToolRegistry(_tool_list(shared.config, is_subagent=role.spawn is None)),
            services=_services(shared, session, role.name, role.spawn),
            hooks=shared.hooks,
            words=role.words,
            approver=shared.approver,
            emit=role.emit,
            snapshots=role.snapshots,
            asking=shared.asking,
            agent=role.name,
            about=role.about,
        )
    )


def _left(limits: Limits, spent_usd: float) -> float | None:
    return None if limits.max_cost_usd is None else max(0.0, limits.max_cost_usd - spent_usd)


def head_of(config: Config, model: str, mode: str, *, is_subagent: bool) -> dict[str, Any]:
    """The `session` record: what stays the same, byte for byte, as long as the session lives."""
    return {
        "version": __version__,
        "project": repaired_text(str(config.project)),
        "model": model,
        "mode": mode,
        "effort": config.effort,
        "window": sizes_of(config, model).window,
        "system": system_blocks("subagent" if is_subagent else "system", config.append_system),
        "tools": ToolRegistry(_tool_list(config, is_subagent=is_subagent)).schemas(),
    }


def _tools(config: Config, model: str) -> Tools:
    def price(model: str, usage: Mapping[str, Any]) -> float | None:
        return cost_usd(row(model), usage)

    return Tools(count=Counter(row(model).family).block_tokens, price=price, clock=config.clock)


def _tool_list(config: Config, *, is_subagent: bool) -> list[Tool]:
    """All tools; a subagent starts no further ones."""
    return [tool for tool in config.tools if not (is_subagent and tool.name == "task")]


def _services(shared: Shared, session: Session, name: str, spawn: Spawn | None) -> Services:
    return Services(
        project=shared.config.project,
        spill_folder=_beside(shared, session, name).spills,
        locks=shared.locks,
        jobs=shared.jobs,
        skills=shared.skills,
        spawn=spawn,
    )


def _beside(shared: Shared, session: Session, name: str) -> Beside:
    return Beside(
        store=shared.store, project=shared.config.project, session=session.state.session_id, name=name
    )
