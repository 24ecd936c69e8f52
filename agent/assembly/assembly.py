"""Puts together what works on one session: its compactor, its loop, and the tools as that agent has them."""

from collections.abc import Callable, Sequence

from agent.assembly.head import sizes_of
from agent.assembly.shared import Role, Shared
from agent.beside import Beside
from agent.calls.batch import BatchParts, ToolBatch
from agent.compacting.compactor import CompactorParts, SessionCompactor
from agent.confinement import told_of
from agent.hooking.turn_hooks import CompactionHooks, EngineTurnHooks, SubagentTurnHooks
from agent.instructions import ProjectOpening
from agent.instructions.telling import ContextTelling
from agent.loop import Loop, Parts
from agent.models import row
from agent.protocols import TurnHooks
from agent.query import ModelQuerier
from agent.session.session import Session
from agent.skilled.given import AskedSkills
from agent.todos.reminder import TodoReminder
from agent.token_counter import Counter
from compaction.presets import PRESETS
from skills.budget import budget_of
from tools.base import Services
from tools.orders import Spawn
from tools.registry import ToolRegistry


def assemble(shared: Shared, session: Session, role: Role) -> tuple[SessionCompactor, Loop]:
    """Return what keeps the context of ``session`` small, and the loop that runs its turns."""
    config, emit = shared.config, role.emit
    opening = ProjectOpening(
        places=config.places,
        clock=config.clock,
        skills=lambda: _skills(shared, session) if role.has("load_skill") else "",
        types=lambda: _types(shared, session) if role.has("task") else "",
        skill_names=lambda: _skill_names(shared) if role.has("load_skill") else (),
        sandbox=told_of(shared.jobs.sandbox),
        is_planning=lambda: not role.name and session.state.mode == "plan",
    )
    querier = ModelQuerier(session, shared.model, emit, patience=config.patience)
    compactor = SessionCompactor(
        CompactorParts(
            session=session,
            querier=querier,
            hooks=CompactionHooks(role.hooks, role.words, is_main=not role.name),
            opening=opening,
            emit=emit,
            clock=config.clock,
            folders=_beside(shared, session, role.name).folders(),
            skills=shared.skills,
        ),
        preset=PRESETS[config.preset],
        sizes=sizes_of(config, session.state.model),
    )
    parts = Parts(
        session=session,
        querier=querier,
        batch=_batch(shared, session, role),
        compactor=compactor,
        hooks=_turn_hooks(shared, session, role),
        telling=ContextTelling(session, opening, is_shown=not role.name),
        reminder=TodoReminder(session, role.hooks, role.words),
        emit=emit,
    )
    return compactor, Loop(parts, role.limits)


def _skills(shared: Shared, session: Session) -> str:
    """Return the list of skills within its share of the session's window."""
    budget, count = _room(shared, session)
    return shared.skills.text(budget_tokens=budget, count=count)


def _types(shared: Shared, session: Session) -> str:
    """Return the list of agent types, other than those built in, within half of the share that skills have."""
    budget, count = _room(shared, session)
    return shared.types.text(budget_tokens=budget // 2, count=count)


def _room(shared: Shared, session: Session) -> tuple[int, Callable[[str], int]]:
    """Return how many tokens a list may have in the session's window, and what counts them."""
    model = session.state.model
    return budget_of(sizes_of(shared.config, model).window), Counter(row(model).family).text_tokens


def _turn_hooks(shared: Shared, session: Session, role: Role) -> TurnHooks:
    if not role.name:
        return EngineTurnHooks(role.hooks, role.words, shared.sight, AskedSkills(shared.skills))
    return SubagentTurnHooks(
        engine=role.hooks, words=role.words, name=role.name, type=role.type, log=str(session.log.path)
    )


def _skill_names(shared: Shared) -> Sequence[str]:
    """Return the names of the skills as they are now: the model is told of a change with the next message."""
    shared.skills.refresh()
    return shared.skills.names()


def _batch(shared: Shared, session: Session, role: Role) -> ToolBatch:
    return ToolBatch(
        BatchParts(
            session=session,
            registry=ToolRegistry(role.tools),
            services=_services(shared, session, role.name, role.spawn),
            hooks=role.hooks,
            words=role.words,
            approver=shared.approver,
            emit=role.emit,
            snapshots=role.snapshots,
            asking=shared.asking,
            agent=role.name,
            agent_type=role.type,
            about=role.about,
        )
    )


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
