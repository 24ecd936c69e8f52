"""Makes a subagent ready: a session beside the parent's, and the loop that works on it, with the rights of its type."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from agent.assembly.assembly import assemble
from agent.assembly.head import head_of, tools_of
from agent.assembly.shared import Config, Role, Shared
from agent.events import Emit, Notice
from agent.hooking.words import HookWords
from agent.loop import Limits
from agent.models import row
from agent.prompt import system_blocks
from agent.session.session import Session
from agent.session.snapshots import Snapshots
from agent.subagents.agent_type import AgentType
from agent.subagents.catalog import BUILT_IN
from agent.subagents.models import model_for
from agent.subagents.run import Offspring
from hooks.engine import HookEngine
from hooks.events import PreToolUse, Verdict
from hooks.permission.judge import Mode, stricter
from tools.base import Tool
from tools.orders import Order
from tools.registry import ToolRegistry

READS_ONLY = "Calls that would change something are refused here: read, run what only reads, and answer with what is to be done."


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """What the subagents of one session are made from; ``snapshots`` are those of ``parent``."""

    shared: Shared
    parent: Session
    snapshots: Snapshots
    spent_usd: Callable[[], float]
    """What the session has cost so far, with its subagents that run."""
    told: set[str] = field(default_factory=set)
    """Types of which the user was told that they work with another model."""

    def __call__(self, name: str, order: Order, kind: AgentType, emit: Emit) -> Offspring:
        """Return the subagent ``name``, such as `task-001`, for ``order``; it reports to ``emit``."""
        model, problem = model_for(kind.model, self.parent.state.model)
        if problem and kind.key not in self.told:
            self.told.add(kind.key)
            self.shared.emit(Notice(text=f"agent type {kind.name}: {problem}"))
        config = _config(self.shared.config, model, parent=self.parent.state.model)
        tools = kind.offered(config.tools)
        session = self._session(name, kind, config, tools)
        limits, steps = self._limits(kind), self._steps(kind)
        role = Role(
            name=name,
            about=order.description,
            type=kind.name,
            tools=tools,
            hooks=self._hooks(kind),
            spawn=None,
            emit=emit,
            words=HookWords(emit),
            limits=limits,
            snapshots=self.snapshots,
        )
        _, loop = assemble(replace(self.shared, config=config), session, role)
        return Offspring(session=session, loop=loop, type=kind.name, max_steps=steps)

    def _session(self, name: str, kind: AgentType, config: Config, tools: list[Tool]) -> Session:
        parent = self.parent.state
        model = config.model or parent.model
        head = {
            **head_of(config, model, self._mode(kind)),
            "session": parent.session_id,
            "agent": name,
            "agent_type": kind.name,
            "effort": kind.effort or parent.effort,
            "system": system_blocks(
                "subagent",
                [tool.name for tool in tools],
                *(kind.prompt, self._standing(kind), config.append_system),
            ),
            "tools": ToolRegistry(tools).schemas(),
        }
        path = self.shared.store.folder(parent.session_id) / f"{name}.jsonl"
        session = Session.subagent(path, config.project, head, tools=tools_of(config, model))
        session.care.listen(self.parent.care.complain)
        session.state.own_files |= parent.own_files
        return session

    def _mode(self, kind: AgentType) -> Mode:
        """The mode in which its calls are judged now: that of the session, or that of its type if stricter."""
        return stricter(self.shared.permission.mode, kind.rights.mode)

    def _standing(self, kind: AgentType) -> str:
        """Return what is told of plan mode to one whose own prompt does not say it."""
        says_it = kind.source == BUILT_IN and kind.rights.mode == "plan"
        return READS_ONLY if self._mode(kind) == "plan" and not says_it else ""

    def _hooks(self, kind: AgentType) -> HookEngine:
        """The session's hooks; its calls are judged by what holds for the session at that time, or narrower."""
        permission, narrowing = self.shared.permission, kind.narrowing

        def judge(event: PreToolUse) -> Verdict:
            return narrowing.judge(permission, event)

        return self.shared.hooks.narrowed(judge, lambda: self._mode(kind))

    def _steps(self, kind: AgentType) -> int:
        """Those of its type, never more than a turn of the session may have."""
        return min(kind.max_steps, self.shared.config.limits.max_steps or kind.max_steps)

    def _limits(self, kind: AgentType) -> Limits:
        """Its own steps; of the cost, what holds for the whole session, with all that work for it now."""
        return Limits(
            max_steps=self._steps(kind),
            max_cost_usd=self.shared.config.limits.max_cost_usd,
            spent_usd=self.spent_usd,
            is_last_told=True,
        )


def _config(config: Config, model: str, *, parent: str) -> Config:
    """Return the session's configuration for ``model``: no larger window than that one has."""
    window = (
        config.window if model == parent or config.window is None else min(config.window, row(model).window)
    )
    return replace(config, model=model, window=window)
