"""The hooks around a turn, as the loop sees them."""

from typing import Any

import pytest

from agent.events import Event, Notice
from agent.hooking.turn_hooks import EngineTurnHooks, SubagentTurnHooks
from agent.hooking.words import HookWords, marked
from agent.pictures import NoPictures
from agent.protocols import Heard
from agent.skilled.given import AskedSkills
from hooks.engine import HookEngine
from hooks.events import Outcome, Stop, SubagentStop, UserPromptSubmit, Verdict
from skills.catalog import Catalog
from skills.discover import discover

SUBMIT = "UserPromptSubmit"
UNFINISHED = "A hook says that the work is not finished."


def turn_hooks(event_type: Any, outcome: Outcome | None) -> tuple[EngineTurnHooks, list[Event]]:
    """Hooks of one event that all answer the same, and what they say to the user."""
    engine = HookEngine(lambda _: Verdict(decision="allow"))

    def answer(event: Stop | UserPromptSubmit) -> Outcome | None:
        return outcome

    engine.register(event_type, answer, name="hook")
    said: list[Event] = []
    words, skills = HookWords(said.append), AskedSkills(Catalog(discover([])))
    return EngineTurnHooks(engine, words, NoPictures(), skills), said


@pytest.mark.parametrize(
    ("outcome", "heard"),
    [
        (None, Heard()),
        (Outcome(contexts=("a", "b")), Heard(contexts=(marked("a", SUBMIT), marked("b", SUBMIT)))),
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
        (Outcome(contexts=("a",)), marked("a", "Stop")),
        (Outcome(decision="deny", reason="test it"), f"{UNFINISHED}\n{marked('test it', 'Stop')}"),
        (
            Outcome(decision="deny", reason="test it", contexts=("a",)),
            f"{UNFINISHED}\n{marked('test it', 'Stop')}\n\n{marked('a', 'Stop')}",
        ),
        (Outcome(contexts=("a",), stop_reason="enough"), ""),
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


@pytest.mark.parametrize(
    ("outcome", "words"),
    [(None, ""), (Outcome(decision="deny", reason="x"), f"{UNFINISHED}\n{marked('x', 'SubagentStop')}")],
)
async def test_a_subagent_s_end_is_its_own_event(outcome: Outcome | None, words: str) -> None:
    """Its prompt stands unasked; SubagentStop tells who ends and may send it back to work."""
    engine = HookEngine(lambda _: Verdict(decision="allow"))
    seen: list[SubagentStop] = []

    def answer(event: SubagentStop) -> Outcome | None:
        seen.append(event)
        return outcome

    engine.register(SubagentStop, answer, name="hook")
    said = HookWords(list[Event]().append)
    hooks = SubagentTurnHooks(engine=engine, words=said, name="task-001", type="explore", log="/log")
    assert (await hooks.hear("Go.")).refusal == ""
    assert await hooks.stop("Done.", is_again=True) == words
    assert seen == [
        SubagentStop(
            agent="task-001", agent_type="explore", log="/log", last_text="Done.", stop_hook_active=True
        )
    ]
