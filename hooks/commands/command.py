"""The command hooks of the settings: which of them an event is for, run side by side, each to one outcome."""

import asyncio
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hooks.commands.answer import outcome_of
from hooks.commands.config import CommandHook
from hooks.commands.payload import Scene, payload, subjects
from hooks.commands.process import Ended, Start, run
from hooks.events import HookEvent, Outcome

RUNNING = "AGENT_HOOKS_RUNNING"
"""Environment variable: the hooks inside of which a process runs, as their keys."""
_PLACEHOLDERS = ("${CLAUDE_PROJECT_DIR}", "${AGENT_PROJECT_DIR}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A hook that was run: how it ended, None when it could not be started or was not; and what that comes to."""

    hook: CommandHook
    outcome: Outcome
    problem: str = ""
    """What was wrong with it; empty: nothing."""
    ended: Ended | None = None
    duration_s: float = 0.0


class CommandHooks:
    """Runs the commands that settings name.

    A hook that runs the agent itself is not run again inside of that one, whatever happens there: it would never end.
    The others are.
    """

    def __init__(self, hooks: Sequence[CommandHook] = (), *, env: Mapping[str, str] | None = None) -> None:
        self.hooks = tuple(hooks)
        self._env = os.environ if env is None else env
        self._told: set[str] = set()

    def matching(self, event: HookEvent) -> list[CommandHook]:
        """Return the hooks that ``event`` is for, in the order of the settings, the same command once."""
        names = subjects(event)
        found = (
            hook
            for hook in self.hooks
            if hook.event == event.event_name and (not names or hook.matcher.matches(names))
        )
        unique: dict[tuple[str, tuple[str, ...] | None], CommandHook] = {}
        for hook in found:
            same = unique.setdefault((hook.command, hook.args), hook)
            if hook.is_strict and not same.is_strict:
                unique[hook.command, hook.args] = replace(same, is_strict=True)
        return list(unique.values())

    async def fire(self, event: HookEvent, scene: Scene) -> list[Outcome]:
        """Run the hooks of ``event`` side by side and return what each answers, in the order of the settings.

        Contract: never raises for a hook's fault; back within the longest timeout and a second.
        """
        return [ran.outcome for ran in await self.run(event, scene)]

    async def run(self, event: HookEvent, scene: Scene) -> list[Ran]:
        """As `fire`, with how each ended."""
        return await asyncio.gather(*(self._one(hook, event, scene) for hook in self.matching(event)))

    async def _one(self, hook: CommandHook, event: HookEvent, scene: Scene) -> Ran:
        key = _key(hook)
        if key in self._env.get(RUNNING, "").split(","):
            return Ran(hook=hook, outcome=self._not_again(hook, key))
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            ended = await run(self._start(hook, event, scene, key))
        except (OSError, ValueError) as error:
            return _judged(hook, event, Outcome(), f"it cannot be started: {error}")
        took = clock() - began
        outcome, problem = outcome_of(ended, event, name=hook.name)
        if ended.is_late:
            outcome, problem = Outcome(), f"no answer within {hook.timeout_s:g} s; it was ended"
        return replace(_judged(hook, event, outcome, problem), ended=ended, duration_s=took)

    def _start(self, hook: CommandHook, event: HookEvent, scene: Scene, key: str) -> Start:
        running = ",".join(filter(None, (self._env.get(RUNNING, ""), key)))
        places = {"CLAUDE_PROJECT_DIR": scene.project, "AGENT_PROJECT_DIR": scene.project}
        return Start(
            argv=_argv(hook, scene.project),
            cwd=Path(scene.project),
            env={**self._env, **places, RUNNING: running},
            stdin=json.dumps(payload(event, scene)).encode(),
            timeout_s=hook.timeout_s,
        )

    def _not_again(self, hook: CommandHook, key: str) -> Outcome:
        if key in self._told:
            return Outcome()
        self._told.add(key)
        return Outcome(notices=(f"hook `{hook.name}` started this agent: it is not run again inside of it",))


def _argv(hook: CommandHook, project: str) -> list[str]:
    if hook.args is None:
        return ["bash", "-c", hook.command]
    words = [hook.command, *hook.args]
    for placeholder in _PLACEHOLDERS:
        words = [word.replace(placeholder, project) for word in words]
    return words


def _judged(hook: CommandHook, event: HookEvent, outcome: Outcome, problem: str) -> Ran:
    """Return a run with its fault told to the user; of a strict hook it is a deny, whatever the hook itself said."""
    if not problem:
        return Ran(hook=hook, outcome=outcome)
    notice = f"hook `{hook.name}` failed on {event.event_name}: {problem}"
    told = replace(outcome, notices=(*outcome.notices, notice))
    if hook.is_strict and outcome.decision != "deny":
        told = replace(told, decision="deny", reason=f"hook `{hook.name}` is strict and failed: {problem}")
    return Ran(hook=hook, outcome=told, problem=problem)


def _key(hook: CommandHook) -> str:
    words = json.dumps([hook.event, hook.command, hook.args])
    return hashlib.sha256(words.encode()).hexdigest()[:12]
