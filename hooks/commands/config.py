"""`hooks` of a settings file: the schema of Claude Code, of which commands are run, and `strict`, which is ours."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from hooks.commands.match import Matcher, MatcherError
from hooks.events import HookEvent

EVENTS = tuple(event.event_name for event in get_args(HookEvent))
"""Names of all events, in the order of a session's life."""
DEFAULT_TIMEOUT_S = 600.0
TIMEOUTS_S: Mapping[str, float] = {"UserPromptSubmit": 30.0, "SessionEnd": 5.0}
"""Where a hook that hangs would hold the user longer than he waits."""
_NAME_CHARS = 60


class HookSettingsError(Exception):
    """`hooks` cannot be used; the text names the key and what it must be, in one line."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Handler(_Part):
    type: Literal["command"]
    command: str = Field(min_length=1)
    args: list[str] | None = None
    """Arguments of ``command`` as a program of its own, without a shell."""
    timeout: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    strict: bool = False
    shell: Literal["bash"] = "bash"
    status_message: str = Field(default="", alias="statusMessage")
    """Taken, and not shown."""


class _Group(_Part):
    matcher: str = ""
    hooks: list[_Handler]


_SCHEMA = TypeAdapter(dict[str, list[_Group]])


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandHook:
    """A command that the settings want run at an event."""

    event: str
    matcher: Matcher
    command: str
    args: tuple[str, ...] | None = None
    """None: ``command`` is for a shell; else its arguments, and there is no shell."""
    timeout_s: float
    is_strict: bool = False
    """When it fails, that is a deny."""
    origin: str
    """The settings file."""

    @property
    def name(self) -> str:
        """What it is called where it is spoken of: its command, in a line, and of a long one both ends."""
        line = " ".join(" ".join((self.command, *(self.args or ()))).split())
        half = _NAME_CHARS // 2
        return line if len(line) <= _NAME_CHARS else f"{line[: half - 1]}…{line[-half:]}"


def parse_hooks(value: Any, *, origin: str) -> tuple[CommandHook, ...]:
    """Return the hooks of ``value``, what a settings file has under `hooks`, in the order of that file.

    Raises: HookSettingsError: an unknown event or key, another type than `command`, a matcher that is no regular
    expression: what is meant to guard must not be passed over.
    """
    try:
        groups = _SCHEMA.validate_python(value)
    except ValidationError as problem:
        raise HookSettingsError(_complaint(problem)) from problem
    unknown = next((event for event in groups if event not in EVENTS), None)
    if unknown is not None:
        raise HookSettingsError(f"`hooks.{unknown}`: there is no such event; there are {', '.join(EVENTS)}")
    return tuple(
        _command(handler, event=event, matcher=_matcher(group, event, number), origin=origin)
        for event, found in groups.items()
        for number, group in enumerate(found)
        for handler in group.hooks
    )


def _matcher(group: _Group, event: str, number: int) -> Matcher:
    try:
        return Matcher(group.matcher)
    except MatcherError as problem:
        raise HookSettingsError(f"`hooks.{event}.{number}.matcher`: {problem}") from problem


def _command(handler: _Handler, *, event: str, matcher: Matcher, origin: str) -> CommandHook:
    return CommandHook(
        event=event,
        matcher=matcher,
        command=handler.command,
        args=None if handler.args is None else tuple(handler.args),
        timeout_s=handler.timeout or TIMEOUTS_S.get(event, DEFAULT_TIMEOUT_S),
        is_strict=handler.strict,
        origin=origin,
    )


def _complaint(problem: ValidationError) -> str:
    """Say in one line what is wrong with the first key that is."""
    error = problem.errors()[0]
    key = ".".join(str(part) for part in ("hooks", *error["loc"]))
    if error["type"] == "extra_forbidden":
        model = _Handler if "hooks" in error["loc"] else _Group
        known = ", ".join(field.alias or name for name, field in model.model_fields.items())
        return f"`{key}` is not supported; the keys here are {known}"
    if error["loc"][-1:] == ("type",):
        return f"`{key}` must be `command`: other kinds of hooks are not supported"
    return f"`{key}`: {error['msg'].replace('Input should', 'should')}"
