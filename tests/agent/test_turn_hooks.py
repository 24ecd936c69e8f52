"""The hooks around a turn, as the loop sees them."""

from typing import Any

import pytest

from agent.events import Event, Notice
from agent.pictures import NoPictures
from agent.protocols import Heard
from agent.turn_hooks import EngineTurnHooks, SubagentTurnHooks
from hooks.engine import HookEngine
from hooks.events import Outcome, Stop, UserPromptSubmit, Verdict


def turn_hooks(event_type: Any, outcome: Outcome | None) -> tuple[EngineTurnHooks, list[Event]]:
    """Hooks of one event that all answer the same, and what they say to the user."""
    engine = HookEngine(lambda _: Verdict(decision="allow"))

    def answer(event: Stop | UserPromptSubmit) -> Outcome | None:
        return outcome

    engine.register(event_type, answer, name="hook")
    said: list[Event] = []
    return EngineTurnHooks(engine, said.append, NoPictures()), said


@pytest.mark.parametrize(
    ("outcome", "heard"),
    [
        (None, Heard()),
        (Outcome(contexts=("a", "b")), Heard(contexts=("a", "b"))),
        (Outcome(decision="deny", reason="no"), Heard(refusal="no")),
        (Outcome(decision="deny"), Heard(refusal="hook `hook` says deny")),
        (Outcome(stop_reason="enough"), Heard(refusal="enough")),
        (Outcome(stop_reason=""), Heard(refusal="a hook refused the prompt")),
    ],
)
async def test_hear(outcome: Outcome | None, heard: Heard) -> None:
    """A deny or a stop refuses the words; else what hooks add comes with them."""
    hooks, _ = turn_hooks(UserPromptSubmit, outcome)
    result = await hooks.hear("Go.")
    assert (result.refusal, tuple(result.contexts)) == (heard.refusal, tuple(heard.contexts))


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (None, ""),
        (Outcome(contexts=("a",)), ""),
        (Outcome(decision="deny", reason="test it"), "[A hook says the work is not finished] test it"),
        (Outcome(decision="deny", reason="test it", stop_reason="enough"), ""),
    ],
)
async def test_stop(outcome: Outcome | None, words: str) -> None:
    """A deny sends the turn back to work, unless the hook says that all must end here."""
    hooks, _ = turn_hooks(Stop, outcome)
    assert await hooks.stop("Done.", is_again=False) == words


async def test_notices_are_shown() -> None:
    """Lines of hooks reach the user."""
    hooks, said = turn_hooks(Stop, Outcome(notices=("a line",)))
    await hooks.stop("Done.", is_again=True)
    assert said == [Notice(text="a line", is_error=True)]


async def test_a_subagent_has_none() -> None:
    """Its prompt stands and its turn ends."""
    hooks = SubagentTurnHooks()
    assert await hooks.hear("Go.") == Heard()
    assert await hooks.stop("Done.", is_again=False) == ""
