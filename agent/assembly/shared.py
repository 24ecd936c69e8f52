"""What agents are made from: the configuration, what all of the process share, and who one of them is."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent.calls.approval import Approver, Asking
from agent.calls.locks import PathLocks
from agent.clock import Clock, system_clock
from agent.events import Emit
from agent.hooking.turn_hooks import Sight
from agent.hooking.words import HookWords
from agent.instructions.places import Places
from agent.loop import Limits
from agent.models import Effort
from agent.pictures import NoPictures
from agent.protocols import Model
from agent.query import Patience
from agent.session.snapshots import Snapshots
from agent.session.store import Store
from agent.subagents.catalog import AgentTypes
from agent.subagents.finding import built_in
from compaction.presets import DEFAULT_PRESET
from hooks.engine import HookEngine
from hooks.permission.judge import Mode, Permission
from skills.catalog import Catalog
from tools.base import Tool
from tools.orders import Spawn
from tools.registry import default_tools
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
    imports: tuple[str, ...] = ()
    """Files outside of the project that its instruction files may bring in, resolved: what the user trusts it with."""
    limits: Limits = field(default_factory=Limits)
    patience: Patience = field(default_factory=Patience)
    clock: Clock = system_clock
    tools: Sequence[Tool] = field(default_factory=default_tools)

    @property
    def places(self) -> Places:
        """Where instruction files may be taken from."""
        return Places(project=self.project, home=self.home, trusted=self.imports)


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
    types: AgentTypes = field(default_factory=lambda: AgentTypes(built_in()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """Who works on a session, and with what.

    ``name``, ``about`` and ``type`` are empty for the main agent; ``snapshots`` are always that one's.
    """

    name: str
    about: str
    type: str
    tools: Sequence[Tool]
    hooks: HookEngine
    spawn: Spawn | None
    emit: Emit
    words: HookWords
    limits: Limits
    snapshots: Snapshots

    def has(self, tool: str) -> bool:
        """Tell whether it has the tool of that name."""
        return any(one.name == tool for one in self.tools)
