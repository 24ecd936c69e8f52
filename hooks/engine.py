"""Fires the hooks of an event side by side and settles what a call may do."""

import asyncio
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import get_args

from hooks.call import Hook, HookFailedError, call_within
from hooks.commands.command import CommandHooks
from hooks.commands.payload import Scene
from hooks.events import AnyEvent, BeforeSend, HookEvent, Outcome, PreToolUse, Verdict
from hooks.merge import merge, settle
from hooks.todo_reminder import remind
from hooks.watch import Watch

EventType = type[HookEvent]
_DEFAULT_TIMEOUT_S = 60.0


class HookError(Exception):
    """A hook that cannot be registered; the text names it and says what it must be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Registration:
    name: str
    hook: Hook
    is_strict: bool
    timeout_s: float


_firing: ContextVar[frozenset[tuple[int, EventType]]] = ContextVar("hooks_firing", default=frozenset())
"""(engine, event) that the running code stands inside of: a hook must not fire its own event."""


class HookEngine:
    """The hooks of a session, those in Python and those of the settings, and the judge that every call passes last.

    ``judge_call`` is permission: it gets the final input of a call and says what may happen. ``scene`` says how things
    stand in the session, which the commands are told.
    """

    def __init__(
        self,
        judge_call: Callable[[PreToolUse], Verdict],
        commands: CommandHooks | None = None,
        *,
        scene: Callable[[], Scene] = Scene,
        watch: Watch | None = None,
    ) -> None:
        self.commands = commands or CommandHooks()
        self._judge_call = judge_call
        self._scene = scene
        self._watch = watch or Watch(lambda _: None)
        self._registrations: dict[EventType, list[_Registration]] = {}
        self._aside: set[asyncio.Task[Outcome]] = set()

    def at(self, scene: Callable[[], Scene], watch: Watch) -> "HookEngine":
        """Return the same hooks, those registered later too, for the session that ``scene`` tells of; ``watch`` sees them work."""
        bound = HookEngine(self._judge_call, self.commands, scene=scene, watch=watch)
        bound._registrations = self._registrations
        return bound

    def narrowed(self, judge_call: Callable[[PreToolUse], Verdict], mode: Callable[[], str]) -> "HookEngine":
        """Return the same hooks for a subagent, whose calls ``judge_call`` judges and whose mode is ``mode``."""

        def scene() -> Scene:
            return replace(self._scene(), mode=mode())

        other = HookEngine(judge_call, self.commands, scene=scene, watch=self._watch)
        other._registrations, other._aside = self._registrations, self._aside
        return other

    def register(
        self,
        event_type: EventType,
        hook: Hook,
        *,
        name: str,
        strict: bool = False,
        timeout_s: float = _DEFAULT_TIMEOUT_S,
    ) -> None:
        """Add ``hook``, sync or async, to the hooks of ``event_type``.

        It is called with the payload and answers an Outcome or None. When it fails or takes longer than
        ``timeout_s`` seconds, that is reported and otherwise ignored; ``strict`` makes it a deny.

        Raises: HookError: not an event, or not a callable of exactly one positional parameter whose
        annotation, when given, takes that event.
        """
        if event_type not in get_args(HookEvent):
            raise HookError(f"hook `{name}`: `{event_type!r}` is not an event")
        if timeout_s <= 0:
            raise HookError(f"hook `{name}`: its timeout must be more than 0 s, not {timeout_s:g}")
        _check_signature(event_type, hook, name=name)
        registration = _Registration(name=name, hook=hook, is_strict=strict, timeout_s=timeout_s)
        self._registrations.setdefault(event_type, []).append(registration)

    def hears(self, event: HookEvent) -> bool:
        """Tell whether any hook would run on ``event``."""
        return bool(self._registrations.get(type(event)) or self.commands.matching(event))

    async def fire(self, event: HookEvent) -> Outcome:
        """Run the hooks of ``event`` side by side and return what they come to: in registration order, then the settings'.

        Contract: never raises for a hook's fault; ends within the longest timeout and a second; cancelled, it cancels
        the hooks. Fired from inside a hook of the same event it runs nothing and says so in a notice.
        """
        key = (id(self._registrations), type(event))
        if key in _firing.get():
            return Outcome(notices=(f"{event.event_name} was fired by one of its own hooks: not run again",))
        token = _firing.set(_firing.get() | {key})
        try:
            registrations = tuple(self._registrations.get(type(event), ()))
            registered = asyncio.gather(*(_run(registration, event) for registration in registrations))
            with self._watch.over(event.event_name):
                outcomes, commanded = await asyncio.gather(
                    registered, self.commands.fire(event, self._scene())
                )
        finally:
            _firing.reset(token)
        return merge([*outcomes, *commanded])

    def fire_aside(self, event: HookEvent, heard: Callable[[Outcome], None]) -> None:
        """Run the hooks of ``event`` while the caller goes on; ``heard`` is told what they come to."""
        task = asyncio.ensure_future(self.fire(event))
        self._aside.add(task)

        def end(done: asyncio.Task[Outcome]) -> None:
            self._aside.discard(done)
            if not done.cancelled():
                heard(done.result())

        task.add_done_callback(end)

    async def close(self) -> None:
        """End what still runs aside."""
        for task in (running := tuple(self._aside)):
            task.cancel()
        if running:
            await asyncio.wait(running)

    async def before_send(self, event: BeforeSend) -> Outcome:
        """Return what the program's own hook has to say at the end of a message that was never sent."""
        reminder = _Registration(
            name="todo reminder", hook=remind, is_strict=False, timeout_s=_DEFAULT_TIMEOUT_S
        )
        return await _run(reminder, event)

    async def judge(self, event: PreToolUse, earlier: Outcome) -> Outcome:
        """Return the final outcome of a call; its decision is never None.

        ``event`` holds the final input with its paths resolved again; ``earlier`` is what ``fire`` returned.
        deny (anyone) > ask by an explicit rule or a hook > a hook's allow > permission's default. A judge that
        fails denies.
        """

        async def permission(event: PreToolUse) -> Outcome:
            return settle(earlier, self._judge_call(event))

        last = _Registration(name="permission", hook=permission, is_strict=True, timeout_s=_DEFAULT_TIMEOUT_S)
        return await _run(last, event)


async def _run(registration: _Registration, event: AnyEvent) -> Outcome:
    try:
        answer = await call_within(registration.hook, event, timeout_s=registration.timeout_s)
    except HookFailedError as problem:
        return _failed(registration, event, str(problem))
    if answer is None:
        return Outcome()
    if answer.decision in ("deny", "ask") and not answer.reason:
        return replace(answer, reason=f"hook `{registration.name}` says {answer.decision}")
    return answer


def _failed(registration: _Registration, event: AnyEvent, problem: str) -> Outcome:
    notice = f"hook `{registration.name}` failed on {event.event_name}: {problem}"
    if not registration.is_strict:
        return Outcome(notices=(notice,))
    reason = f"denied: hook `{registration.name}` is strict and failed"
    return Outcome(decision="deny", reason=reason, notices=(notice,))


def _check_signature(event_type: EventType, hook: Hook, *, name: str) -> None:
    wanted = (
        f"hook `{name}` must be callable with exactly one positional parameter, the {event_type.__name__}"
    )
    if not callable(hook):
        raise HookError(wanted)
    try:
        parameters = inspect.signature(hook, eval_str=True).parameters.values()
    except (NameError, TypeError, ValueError) as problem:
        raise HookError(f"{wanted}; its signature cannot be read: {problem}") from problem
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    others = [p for p in parameters if p not in positional]
    if len(positional) != 1 or any(p.kind is not p.KEYWORD_ONLY or p.default is p.empty for p in others):
        raise HookError(wanted)
    annotation = positional[0].annotation
    if annotation not in (inspect.Parameter.empty, event_type) and event_type not in get_args(annotation):
        raise HookError(f"{wanted}; its parameter is annotated {annotation!r}")
