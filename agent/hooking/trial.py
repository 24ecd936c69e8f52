"""Trying hooks: those that match an event which did not happen are run, and what they come to is told."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from agent.hooking.lines import comes_to, reasons, told
from agent.hooking.trial_event import call_event
from hooks.commands.command import CommandHooks, Ran
from hooks.commands.payload import Scene
from hooks.engine import HookEngine
from hooks.events import HookEvent, Outcome, PreToolUse
from hooks.merge import merge
from hooks.permission.judge import Permission
from tools.base import ToolError

NOTHING = "/dev/null"
"""The transcript of a session that there is not."""
_BECOMES = {"allow": "it runs", "ask": "the user is asked", "deny": "it does not run"}


def tried(
    event: HookEvent, commands: CommandHooks, permission: Permission, project: Path
) -> tuple[list[str], bool]:
    """Run the hooks of ``event``; return lines that tell of it, and whether nothing refuses and none has failed.

    Of a call, permission says what becomes of it after them.
    """
    place = str(project)
    scene = Scene(session="trial", transcript=NOTHING, project=place, cwd=place, mode=permission.mode)
    return asyncio.run(_tried(event, scene, commands, permission))


async def _tried(
    event: HookEvent, scene: Scene, commands: CommandHooks, permission: Permission
) -> tuple[list[str], bool]:
    runs = await commands.run(event, scene)
    known = [hook for hook in commands.hooks if hook.event == event.event_name]
    lines = [f"{event.event_name}: {len(runs)} of {len(known)} hooks match"]
    lines += [line for ran in runs for line in told(ran)]
    said = merge([ran.outcome for ran in runs])
    if len(runs) > 1:
        lines += [f"together = {line}" for line in comes_to(said)]
    if isinstance(event, PreToolUse):
        said = await _judged(event, said, permission, Path(scene.project))
        lines.append(_final(said))
    return lines, _is_clear(said, runs)


async def _judged(event: PreToolUse, said: Outcome, permission: Permission, project: Path) -> Outcome:
    """Return what permission makes of the call as the hooks would have it run."""
    final: HookEvent = event
    if said.updated_input is not None and said.decision != "deny":
        try:
            final = call_event(event.event_name, event.tool_name, said.updated_input, project)
        except ToolError as problem:
            return Outcome(decision="deny", reason=f"the new input cannot be used: {problem}")
    assert isinstance(final, PreToolUse), "it is made as one"
    return await HookEngine(permission.judge).judge(final, said)


def _final(outcome: Outcome) -> str:
    decision = outcome.decision or "deny"
    reason = f": {reasons(outcome)}" if outcome.reason else ""
    return f"with permission = {decision}{reason} ({_BECOMES[decision]})"


def _is_clear(outcome: Outcome, runs: Sequence[Ran]) -> bool:
    return outcome.decision != "deny" and not any(ran.problem for ran in runs)
