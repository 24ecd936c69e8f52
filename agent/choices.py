"""What flags, settings files and environment come to: a configuration, rules, a way to the model."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from agent.assembly.shared import Config
from agent.errors import SettingsError, UsageError
from agent.flags import Flags
from agent.home import agent_home
from agent.loop import Limits
from agent.settings import Settings, check_preset, check_window, commands_of, read_settings, settings_of
from agent.trust import Standing, standing_of
from agent.trust.gathered import SETTINGS, is_own
from compaction.presets import DEFAULT_PRESET
from hooks.commands.config import CommandHook
from hooks.permission.rules import PermissionRules, RuleError
from tools.registry import default_tools
from tools.spelling import spelled

T = TypeVar("T")
VENDOR_URL = "https://api.anthropic.com"
NO_KEY = (
    "there is no API key: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL to a server that needs none\n"
    "`agent demo` needs none: it shows the agent at work with a scripted model"
)
PLACEHOLDER_KEY = "none"
"""For servers that need no key: the SDK sends nothing without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Where the model is and how we are let in."""

    base_url: str
    api_key: str | None
    auth_token: str | None = None

    @property
    def has_key(self) -> bool:
        """Is there a key or token of the user's own?"""
        return self.auth_token is not None or self.api_key != PLACEHOLDER_KEY


def project_of(flags: Flags) -> Path:
    """Return the project, resolved. Raises UsageError for one that is no folder."""
    try:
        project, _ = spelled((flags.cwd or Path.cwd()).resolve())
        if project.is_dir():
            return project
    except (OSError, RuntimeError, ValueError) as error:
        place = f"--cwd {flags.cwd}" if flags.cwd else "the current folder"
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{place} cannot be used ({reason}): name another with --cwd") from error
    what = "is not a folder" if project.exists() else "does not exist"
    raise UsageError(f"--cwd {flags.cwd} {what}: name the folder of the project")


def standing_by(flags: Flags, env: Mapping[str, str]) -> Standing:
    """Look at the project and whether it is trusted, by an earlier word of the user's or by --trust. Raises UsageError."""
    standing = standing_of(project_of(flags), agent_home(env))
    return standing.for_run() if flags.is_trusting else standing


def layers_of(flags: Flags, standing: Standing) -> list[tuple[str, Settings]]:
    """Return (origin, settings) of every file that counts, the weakest first; a project's own where it is trusted.

    Raises:    SettingsError: one of them cannot be used.
    """
    home = standing.home
    own = [home / "settings.json"]
    own += [home / "settings.local.json"] if is_own(standing.project, home) else []
    layers = [(str(path), read_settings(path, is_optional=True)) for path in own]
    for file in standing.in_force.named(*SETTINGS):
        if file.problem:
            raise SettingsError(f"settings file {file.name} of this project cannot be used: {file.problem}")
        layers.append((file.name, settings_of(file.data, file.name)))
    if flags.settings is not None:
        layers.append((str(flags.settings), read_settings(flags.settings)))
    return layers


def rules_of(flags: Flags, layers: list[tuple[str, Settings]]) -> PermissionRules:
    """Return all rules of files and flags. Raises UserError naming one that cannot be read."""
    names = [tool.name for tool in default_tools()]
    rules = PermissionRules()
    try:
        for origin, settings in layers:
            rules = rules.joined(
                PermissionRules.parse(settings.permissions.lists(), origin=origin, tools=names)
            )
    except RuleError as error:
        raise SettingsError(str(error)) from error
    try:
        for flag, key, texts in (("--allow", "allow", flags.allow), ("--deny", "deny", flags.deny)):
            rules = rules.joined(PermissionRules.parse({key: texts or []}, origin=flag, tools=names))
    except RuleError as error:
        raise UsageError(str(error)) from error
    return rules


def hooks_of(layers: list[tuple[str, Settings]]) -> tuple[CommandHook, ...]:
    """Return the hooks of all files, those of the weakest first. Raises SettingsError."""
    return tuple(hook for origin, settings in layers for hook in commands_of(settings, origin))


def config_of(flags: Flags, layers: list[tuple[str, Settings]], env: Mapping[str, str]) -> Config:
    """Return what files, environment and flags come to, the later before the earlier.

    A session that goes on keeps its own model, mode and effort unless a flag says otherwise.
    """
    check_window(flags.context_window, "--context-window")
    check_preset(flags.compaction, "--compaction")
    if flags.model is not None and not flags.model.strip():
        raise UsageError("--model needs the name of a model")
    said = [settings for _, settings in reversed(layers)]
    model, mode, effort = flags.model, flags.permission_mode, flags.effort
    if not is_resumed(flags):
        in_env = env.get("ANTHROPIC_MODEL", "").strip() or None
        model = _first(model, in_env, *(one.model for one in said))
        mode = _first(mode, *(one.permissions.mode for one in said))
        effort = _first(effort, *(one.effort for one in said))
    extra = _first(flags.append_system_prompt, *(one.append_system_prompt for one in said))
    return Config(
        project=project_of(flags),
        home=agent_home(env),
        model=model,
        mode=mode,
        effort=effort,
        window=_first(flags.context_window, *(one.context_window for one in said)),
        preset=_first(flags.compaction, *(one.compaction for one in said)) or DEFAULT_PRESET,
        bell=_first(*(one.bell for one in said)) is not False,
        append_system=as_text(extra or ""),
        limits=Limits(max_steps=flags.max_steps, max_cost_usd=flags.max_cost),
    )


def has_vi_keys(layers: list[tuple[str, Settings]]) -> bool:
    """Tell whether the input begins with vi keys."""
    return _first(*(settings.editing for _, settings in reversed(layers))) == "vi"


def access_of(env: Mapping[str, str]) -> Access:
    """Return how the model is reached. Raises UsageError where a key is needed and there is none."""
    url = env.get("ANTHROPIC_BASE_URL", "").strip() or VENDOR_URL
    key, token = (env.get(name, "").strip() or None for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"))
    if key is None and token is None:
        if "api.anthropic.com" in url:
            raise UsageError(NO_KEY)
        key = PLACEHOLDER_KEY
    return Access(base_url=url, api_key=key, auth_token=token)


def is_resumed(flags: Flags) -> bool:
    """Tell whether an earlier session goes on."""
    return flags.is_continue or flags.resume is not None


def as_text(argument: str) -> str:
    """Return an argument of the command line as text that can be sent: bytes that are not UTF-8 become U+FFFD."""
    return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _first(*values: T | None) -> T | None:
    """Return the first value that was said."""
    return next((value for value in values if value is not None), None)
