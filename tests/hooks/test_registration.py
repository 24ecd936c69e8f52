"""What may be registered as a hook."""

from typing import Any

import pytest

from hooks.engine import HookEngine, HookError
from hooks.events import HookEvent, Outcome, PreToolUse, Stop, UserPromptSubmit, Verdict


def allow_all(_event: PreToolUse) -> Verdict:
    return Verdict(decision="allow")


async def fired(hook: Any) -> Outcome:
    engine = HookEngine(allow_all)
    engine.register(UserPromptSubmit, hook, name="fit")
    return await engine.fire(UserPromptSubmit(prompt="hello"))


def no_parameter() -> None: ...
def two(_a: object, _b: object) -> None: ...
def many(*_events: object) -> None: ...
def needs_keyword(_event: HookEvent, *, key: str) -> None: ...
def other_event(_event: Stop) -> None: ...
def a_text(_event: str) -> None: ...
def exact(_event: UserPromptSubmit) -> None: ...
def quoted(_event: "UserPromptSubmit") -> None: ...
def any_event(_event: HookEvent) -> None: ...
def some_events(_event: Stop | UserPromptSubmit, *, key: str = "") -> None: ...


def nowhere(_event: HookEvent) -> None: ...


nowhere.__annotations__["_event"] = "Nowhere"


class Listener:
    def __call__(self, _event: UserPromptSubmit) -> None: ...
    async def method(self, _event: UserPromptSubmit) -> None: ...


@pytest.mark.parametrize(
    "hook", [no_parameter, two, many, needs_keyword, other_event, a_text, nowhere, "text", None]
)
def test_an_unfit_hook_is_refused_at_registration(hook: Any) -> None:
    """What could not be called with the payload is a HookError naming the hook, before any event."""
    with pytest.raises(HookError, match="`odd`"):
        HookEngine(allow_all).register(UserPromptSubmit, hook, name="odd")


@pytest.mark.parametrize(
    "hook", [exact, quoted, any_event, some_events, Listener(), Listener().method, lambda _e: None]
)
async def test_a_fit_hook_is_taken(hook: Any) -> None:
    """Functions, lambdas, methods and callable objects, with or without the annotation."""
    assert await fired(hook) == Outcome()


def test_unknown_event_and_senseless_timeout_are_refused() -> None:
    """An event type is one of the payloads; a timeout is positive."""
    engine = HookEngine(allow_all)
    not_an_event: Any = Outcome
    with pytest.raises(HookError, match="is not an event"):
        engine.register(not_an_event, exact, name="x")
    with pytest.raises(HookError, match="timeout"):
        engine.register(Stop, exact, name="x", timeout_s=0)
