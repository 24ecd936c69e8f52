"""Settings files: JSON, comments allowed, every key known.

A key that is not known is refused, not skipped: it is a slip of the pen, or it belongs to another version, and what
it was meant to guard (`hooks`, a mistyped `deny`) would silently not be guarded.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import json5
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from agent.errors import SettingsError
from agent.models import Effort
from compaction.policy import MIN_WINDOW_TOKENS
from compaction.presets import PRESETS, nearest
from hooks.commands.config import CommandHook, HookSettingsError, parse_hooks
from hooks.permission.judge import Mode

MAX_FILE_BYTES = 1_000_000
WINDOW_REASON = f"{MIN_WINDOW_TOKENS:,} tokens is the least: below, the tools, a summary and a reply leave no room for the work"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PermissionSettings(_Part):
    """`permissions`: the mode for new sessions, and lists of rules."""

    mode: Mode | None = None
    allow: list[str] = Field(default_factory=list)
    ask: list[str] = Field(default_factory=list)
    deny: list[str] = Field(default_factory=list)

    def lists(self) -> dict[str, list[str]]:
        """Return the rules as `PermissionRules.parse` reads them."""
        return {"allow": self.allow, "ask": self.ask, "deny": self.deny}


class SandboxSettings(_Part):
    """`sandbox`: whether the model's commands are confined, and what they may do all the same."""

    mode: Literal["on", "off"]
    network: bool = False
    write: list[str] = Field(default_factory=list)
    """Further files and folders to write to; `~/` is the home folder, what is relative lies in the project."""


class Settings(_Part):
    """One settings file; whatever is None was not said."""

    model: str | None = Field(default=None, min_length=1)
    effort: Effort | None = None
    permissions: PermissionSettings = Field(default_factory=PermissionSettings)
    context_window: int | None = None
    """Working window in tokens."""
    compaction: str | None = None
    """Name of a preset."""
    append_system_prompt: str | None = None
    sandbox: SandboxSettings | None = None
    """Also just `on` or `off`."""
    bell: bool | None = None
    """Whether a question rings the terminal's bell."""
    editing: Literal["emacs", "vi"] | None = None
    """The keys of the input."""
    hooks: dict[str, Any] = Field(default_factory=dict)
    """Commands to run at events, as `hooks.config.parse_hooks` reads them."""

    @field_validator("sandbox", mode="before")
    @classmethod
    def _with_mode(cls, value: object) -> object:
        return {"mode": value} if isinstance(value, str) else value


_PARTS: Mapping[str, type[_Part]] = {"permissions": PermissionSettings, "sandbox": SandboxSettings}


def read_settings(path: Path, *, is_optional: bool = False) -> Settings:
    """Read one file; ``is_optional``: none at all is as good as an empty one.

    Raises:    SettingsError: one line that names the file, the key, and what is expected.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError) as error:
        if is_optional:
            return Settings()
        raise SettingsError(f"settings file {path} does not exist") from error
    except OSError as error:
        raise SettingsError(f"settings file {path} cannot be read: {error.strerror}") from error
    if len(data) > MAX_FILE_BYTES:
        raise SettingsError(f"settings file {path} is larger than {MAX_FILE_BYTES:,} bytes")
    return settings_of(data, path)


def settings_of(data: bytes, path: Path | str) -> Settings:
    """Return what a file holds. Raises SettingsError: as `read_settings`."""
    return _checked(_parsed(data, path), path)


def check_window(tokens: int | None, origin: str) -> None:
    """Raise SettingsError for a working window that is too small; ``origin`` says where it was asked for."""
    if tokens is not None and tokens < MIN_WINDOW_TOKENS:
        raise SettingsError(f"{origin}: a working window of {tokens:,} is too small; {WINDOW_REASON}")


def check_preset(name: str | None, origin: str) -> None:
    """Raise SettingsError for a name that no preset has; ``origin`` says where it stands."""
    if name is not None and name not in PRESETS:
        known = ", ".join(PRESETS)
        raise SettingsError(
            f"{origin}: no preset `{name}`: did you mean `{nearest(name)}`? There are {known}"
        )


def from_json(text: str) -> Any:
    """Read JSON; only what that cannot read goes to the slow reader that takes comments. Raises ValueError, RecursionError."""
    try:
        return json.loads(text)
    except ValueError:
        return json5.loads(text)


def _parsed(data: bytes, path: Path | str) -> Mapping[str, Any]:
    try:
        text = data.decode("utf-8-sig")
        value = from_json(text) if text.strip() else {}
    except UnicodeDecodeError as error:
        raise SettingsError(f"settings file {path} is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).replace("<string>:", "line ").split())
        raise SettingsError(f"settings file {path} is no JSON: {reason}") from error
    if not isinstance(value, Mapping):
        raise SettingsError(f"settings file {path} must hold one JSON object")
    return {key: said for key, said in value.items() if key != "$schema"}  # for editors only


def _checked(value: Mapping[str, Any], path: Path | str) -> Settings:
    try:
        settings = Settings.model_validate(value)
    except ValidationError as problem:
        raise SettingsError(f"settings file {path}: {_complaint(problem)}") from problem
    check_window(settings.context_window, f"settings file {path}, `context_window`")
    check_preset(settings.compaction, f"settings file {path}, `compaction`")
    commands_of(settings, str(path))
    return settings


def commands_of(settings: Settings, origin: str) -> tuple[CommandHook, ...]:
    """Return the hooks of one file. Raises SettingsError."""
    try:
        return parse_hooks(settings.hooks, origin=origin)
    except HookSettingsError as problem:
        raise SettingsError(f"settings file {origin}: {problem}") from problem


def _complaint(problem: ValidationError) -> str:
    """Say what is wrong with the first key that is."""
    error = problem.errors()[0]
    key = ".".join(str(part) for part in error["loc"])
    if error["type"] != "extra_forbidden":
        return f"`{key}`: {error['msg'].replace('Input should', 'should')}"
    model = _PARTS.get(key.partition(".")[0], Settings) if "." in key else Settings
    return f"there is no key `{key}`; the keys here are {', '.join(model.model_fields)}"
