"""Makes a subagent ready: a session beside the parent's, and the loop that works on it."""

from collections.abc import Callable
from dataclasses import dataclass

from agent.assembly.assembly import assemble
from agent.assembly.head import head_of, tools_of
from agent.assembly.shared import Role, Shared
from agent.events import Emit
from agent.hook_words import HookWords
from agent.loop import Limits
from agent.session.session import Session
from agent.session.snapshots import Snapshots
from agent.subagents.run import MAX_STEPS, Offspring


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """What the subagents of one session are made from; ``snapshots`` are those of ``parent``."""

    shared: Shared
    parent: Session
    snapshots: Snapshots
    spent_usd: Callable[[], float]
    """What the session has cost so far, with its subagents that run."""

    def __call__(self, name: str, about: str, emit: Emit) -> Offspring:
        """Return the subagent ``name``, such as `task-001`, which is for ``about`` and reports to ``emit``."""
        session = self._session(name)
        role = Role(
            name=name,
            about=about,
            spawn=None,
            emit=emit,
            words=HookWords(emit),
            limits=self._limits(),
            snapshots=self.snapshots,
        )
        _, loop = assemble(self.shared, session, role)
        return Offspring(session=session, loop=loop)

    def _session(self, name: str) -> Session:
        config, parent = self.shared.config, self.parent
        path = self.shared.store.folder(parent.state.session_id) / f"{name}.jsonl"
        head = {
            **head_of(config, parent.state.model, parent.state.mode, is_subagent=True),
            "session": parent.state.session_id,
            "agent": name,
            "effort": parent.state.effort,
        }
        tools = tools_of(config, parent.state.model)
        session = Session.subagent(path, config.project, head, tools=tools)
        session.care.listen(parent.care.complain)
        session.state.own_files |= parent.state.own_files
        return session

    def _limits(self) -> Limits:
        """Its own steps; of the cost, what holds for the whole session, with all that work for it now."""
        most = self.shared.config.limits.max_cost_usd
        return Limits(max_steps=MAX_STEPS, max_cost_usd=most, spent_usd=self.spent_usd)
