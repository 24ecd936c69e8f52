"""Where hooks are listed and tried: the settings that count there, as a session would read them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agent.choices import config_of, hooks_of, layers_of, rules_of, standing_by
from agent.flags import Flags
from agent.home import user_home
from agent.output import Output
from agent.prepare import permission_of
from hooks.commands.command import CommandHooks
from hooks.commands.scripts import scripts_of
from hooks.permission.judge import Permission


class Around(Protocol):
    """What a sub-command finds around it."""

    @property
    def output(self) -> Output: ...

    @property
    def env(self) -> Mapping[str, str]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HookPlace:
    """A project, the hooks in force there, and the permission that judges after them."""

    project: Path
    commands: CommandHooks
    permission: Permission

    @classmethod
    def of(cls, around: Around, cwd: Path | None, *, is_trusting: bool) -> "HookPlace":
        """Read the settings; what of the project is off is said. Raises UserError."""
        flags = Flags(cwd=cwd, is_trusting=is_trusting)
        standing = standing_by(flags, around.env)
        for remark in standing.remarks:
            around.output.complain(remark)
        layers = layers_of(flags, standing)
        config = config_of(flags, layers, around.env)
        hooks, home = hooks_of(layers), user_home(around.env)
        scripts = scripts_of(hooks, config.project, home)
        permission = permission_of(rules_of(flags, layers), standing, home=home, scripts=scripts)
        permission.set_mode(config.mode or "ask")
        return cls(
            project=config.project, commands=CommandHooks(hooks, env=around.env), permission=permission
        )
