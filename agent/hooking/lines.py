"""The hooks of the settings in words: a list of them, and what one did when it was tried."""

from collections.abc import Sequence

from hooks.commands.command import Ran
from hooks.commands.config import CommandHook
from hooks.events import Outcome

NONE = "no hooks: name commands under `hooks` in ~/.agent/settings.json, as Claude Code has them"
_SHOWN_CHARS = 2_000
"""Of what a hook wrote."""


def listed(hooks: Sequence[CommandHook]) -> list[str]:
    """Return two lines for each hook: when it runs and whose it is, and its command."""
    return [line for hook in hooks for line in (_head(hook), f"    {_command(hook)}")] or [NONE]


def told(ran: Ran) -> list[str]:
    """Return what a hook did that was run: how it ended, what it wrote, what that comes to."""
    lines = [_command(ran.hook)]
    if (ended := ran.ended) is not None:
        how = f"killed by signal {-ended.code}" if ended.code < 0 else f"exit code {ended.code}"
        lines.append(f"    {how} after {ran.duration_s:.2f} s")
        for name, text in (("stdout", ended.stdout), ("stderr", ended.stderr)):
            lines += _wrote(name, text)
    lines += [f"    {notice}" for notice in ran.outcome.notices]
    return [*lines, *(f"    = {line}" for line in comes_to(ran.outcome))]


def comes_to(outcome: Outcome) -> list[str]:
    """Return what an outcome says, a line for each thing."""
    lines = [f"{outcome.decision}: {reasons(outcome)}"] if outcome.decision else []
    if outcome.stop_reason is not None:
        lines.append(f"ends the turn: {_line(outcome.stop_reason)}")
    if outcome.updated_input is not None:
        lines.append(f"new input: {_line(str(dict(outcome.updated_input)))}")
    lines += [f"tells the model: {_line(text)}" for text in outcome.contexts]
    return lines or ["nothing"]


def reasons(outcome: Outcome) -> str:
    """Return the reasons for a decision, one after the other."""
    return "; ".join(_line(line) for line in outcome.reason.splitlines() if line.strip())


def _head(hook: CommandHook) -> str:
    strict = ", strict" if hook.is_strict else ""
    matcher = f"  {hook.matcher.text}" if hook.matcher.text else ""
    return f"{hook.event}{matcher}  (within {hook.timeout_s:g} s{strict})  {hook.origin}"


def _command(hook: CommandHook) -> str:
    return _line(" ".join((hook.command, *(hook.args or ()))))


def _wrote(name: str, text: str) -> list[str]:
    lines = text[:_SHOWN_CHARS].rstrip("\n").splitlines()
    cut = [f"… {len(text) - _SHOWN_CHARS:,} characters more"] if len(text) > _SHOWN_CHARS else []
    return [f"    {name}: {line}" for line in (*lines, *cut)]


def _line(text: str) -> str:
    return " ".join(text.split())
