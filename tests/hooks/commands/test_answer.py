"""What hooks may answer: every field that the other agent documents, at the events where it says something."""

import json
from typing import Any

import pytest

from hooks.commands.answer import outcome_of
from hooks.commands.process import Ended
from hooks.events import (
    Decision,
    HookEvent,
    Notification,
    Outcome,
    PostCompact,
    PostToolUse,
    PreCompact,
    SessionEnd,
    SessionStart,
    Stop,
    SubagentStop,
    UserPromptSubmit,
)
from tests.support.calls import bash_call

CALL = bash_call("ls")
PROMPT = UserPromptSubmit(prompt="Go.")
AFTER = PostToolUse(tool_name="bash", tool_input={}, tool_response="", call_id="c")
BLOCKABLE: list[HookEvent] = [
    CALL,
    AFTER,
    PROMPT,
    Stop(last_text=""),
    SubagentStop(agent="task-001", agent_type="general", last_text=""),
    PreCompact(trigger="auto"),
]
OTHERS: list[HookEvent] = [
    SessionStart(source="startup"),
    SessionEnd(reason="exit"),
    Notification(message="x"),
    PostCompact(trigger="auto", summary=""),
]


def said(event: HookEvent, stdout: Any = "", *, code: int = 0, stderr: str = "") -> tuple[Outcome, str]:
    """What a hook comes to that ended so."""
    text = stdout if isinstance(stdout, str) else json.dumps(stdout)
    return outcome_of(Ended(code=code, stdout=text, stderr=stderr), event, name="h")


def specific(event: HookEvent, **fields: Any) -> dict[str, Any]:
    """An answer with these fields of the event's own."""
    return {"hookSpecificOutput": {"hookEventName": event.event_name, **fields}}


@pytest.mark.parametrize("decision", ["allow", "deny", "ask"])
def test_permission_decision(decision: Decision) -> None:
    """`permissionDecision` with its reason decides about a call."""
    answer = specific(CALL, permissionDecision=decision, permissionDecisionReason="why")
    assert said(CALL, answer) == (Outcome(decision=decision, reason="why"), "")


def test_a_word_of_its_own_decides_at_its_event_only() -> None:
    """`permissionDecision` says nothing at an event that is no call."""
    assert (
        said(Stop(last_text=""), specific(Stop(last_text=""), permissionDecision="deny"))[0].decision is None
    )


@pytest.mark.parametrize(("word", "decision"), [("approve", "allow"), ("block", "deny")])
def test_the_old_decision_of_a_call(word: str, decision: Decision) -> None:
    """`decision` and `reason` still decide about a call; `block` is not overruled by the newer field."""
    assert said(CALL, {"decision": word, "reason": "why"}) == (Outcome(decision=decision, reason="why"), "")
    both = {"decision": "block", "reason": "why", **specific(CALL, permissionDecision="allow")}
    assert said(CALL, both)[0].decision == "deny"


@pytest.mark.parametrize("event", BLOCKABLE, ids=lambda event: event.event_name)
def test_block(event: HookEvent) -> None:
    """`decision: block` with a reason refuses, objects, or sends back to work; so does exit code 2 with stderr."""
    refused = Outcome(decision="deny", reason="why")
    assert said(event, {"decision": "block", "reason": "why"}) == (refused, "")
    assert said(event, code=2, stderr=" why\n") == (refused, "")
    assert said(event, {"decision": "block", "reason": "why"}, code=2, stderr="not this") == (refused, "")
    assert "gives no reason" in said(event, code=2)[0].reason


@pytest.mark.parametrize("event", OTHERS, ids=lambda event: event.event_name)
def test_where_nothing_can_be_blocked(event: HookEvent) -> None:
    """Exit code 2 is shown to the user, a decision says nothing."""
    assert said(event, code=2, stderr="why") == (Outcome(notices=("hook `h`: why",)), "")
    assert said(event, {"decision": "block", "reason": "why"}) == (Outcome(), "")


@pytest.mark.parametrize("event", [*BLOCKABLE, *OTHERS], ids=lambda event: event.event_name)
def test_fields_of_every_event(event: HookEvent) -> None:
    """`continue: false` with `stopReason`, `systemMessage`, `suppressOutput`; and `additionalContext`."""
    answer = {"continue": False, "stopReason": "enough", "systemMessage": "look", "suppressOutput": True}
    outcome, problem = said(event, {**answer, **specific(event, additionalContext="fact")})
    assert problem == ""
    assert (outcome.stop_reason, outcome.notices, outcome.contexts) == (
        "enough",
        ("hook `h`: look",),
        ("fact",),
    )
    assert said(event, {"continue": True})[0].stop_reason is None
    assert said(event, {"continue": False})[0].stop_reason == "hook `h` ended the turn"


def test_updated_input() -> None:
    """It is the whole new input, in the spelling there, brought back to ours; a decision may go with it."""
    answer = specific(CALL, permissionDecision="ask", updatedInput={"command": "ls -l", "timeout": 5000})
    outcome, problem = said(CALL, answer)
    assert (outcome.decision, outcome.updated_input, problem) == (
        "ask",
        {"command": "ls -l", "timeout": 5},
        "",
    )
    assert said(AFTER, specific(AFTER, updatedInput={"command": "x"}))[0].updated_input is None


@pytest.mark.parametrize(
    "event", [SessionStart(source="startup"), PROMPT], ids=lambda event: event.event_name
)
@pytest.mark.parametrize(
    "text", ["on branch main\n", "[1, 2]", '"x"', "{ not json", '{"name": "package"}', "é\n" * 5]
)
def test_plain_output_is_context(event: HookEvent, text: str) -> None:
    """At two events what a hook prints is for the model; not when it fails."""
    assert said(event, text) == (Outcome(contexts=(text.strip(),)), "")
    failed, problem = said(event, text, code=1)
    assert failed.contexts == ()
    assert "exit code 1" in problem


@pytest.mark.parametrize("event", [CALL, AFTER, Stop(last_text="")], ids=lambda event: event.event_name)
def test_plain_output_elsewhere_says_nothing(event: HookEvent) -> None:
    """It is nobody's."""
    assert said(event, "all is well\n") == (Outcome(), "")


def test_json_behind_other_output_is_an_answer_only_if_it_says_something() -> None:
    """A greeting before a refusal does not hide it; an object among plain text stays text."""
    assert said(PROMPT, 'hello\n{"decision": "block", "reason": "x"}')[0].decision == "deny"
    assert said(PROMPT, 'hello\n{"name": "x"}')[0].contexts == ('hello\n{"name": "x"}',)
    assert said(CALL, 'hello\n{"decision": "block"}\nbye')[0].decision == "deny"
    assert said(CALL, '{"decision": "block"}\nbye')[0].decision == "deny"
    assert said(CALL, '{"x": 1}\n{"y": 2}\n  {"decision": "block"}')[0].decision == "deny"
    nested = '{"found": [\n{"decision": "block"}\n]}'
    assert said(CALL, nested) == (Outcome(), "its JSON has no field that is known, but `found`")


def test_an_answer_counts_whatever_the_exit_code() -> None:
    """A hook that fails after it has answered has answered."""
    assert said(CALL, {"decision": "block", "reason": "why"}, code=1) == (
        Outcome(decision="deny", reason="why"),
        "",
    )


UNSUPPORTED = {
    "updatedToolOutput": "the result stays as it is",
    "updatedMCPToolOutput": "the result stays as it is",
    "sessionTitle": "the session keeps its title",
    "initialUserMessage": "no prompt is sent",
    "watchPaths": "no file is watched",
    "reloadSkills": "skills are read once",
    "terminalSequence": "nothing but ours is sent to the terminal",
}


@pytest.mark.parametrize(("field", "instead"), UNSUPPORTED.items())
def test_a_wish_that_is_not_met_is_told(field: str, instead: str) -> None:
    """A documented field that does nothing here never does so silently, wherever it stands."""
    wanted = f"`{field}` is not supported: {instead}"
    assert wanted in said(AFTER, specific(AFTER, **{field: "x"}))[1]
    assert wanted in said(AFTER, {"systemMessage": "hi", field: "x"})[1]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"continue": "no"}, '`continue` is "no", no true or false'),
        ({"systemMessage": 1}, "`systemMessage` is 1, no text"),
        ({"hookSpecificOutput": []}, "`hookSpecificOutput` is [], no object"),
        (
            {"hookSpecificOutput": {"additionalContext": ["x"]}},
            '`hookSpecificOutput.additionalContext` is ["x"]',
        ),
        ({"hookSpecificOutput": {"permissionDecision": "block"}}, "`block`; it may be allow or ask or deny"),
    ],
)
def test_fields_of_another_type(answer: Any, problem: str) -> None:
    """Are named, and nothing is made of them."""
    outcome, found = said(CALL, answer)
    assert outcome == Outcome()
    assert problem in found


def test_fields_for_another_event() -> None:
    """Of these only a refusal counts; the rest is named and left out."""
    for decision, counts in (("allow", None), ("deny", "deny")):
        other = {"hookEventName": "Stop", "permissionDecision": decision, "updatedInput": {"command": "x"}}
        outcome, problem = said(CALL, {"hookSpecificOutput": other})
        assert outcome.decision == counts
        assert "`hookSpecificOutput` is for Stop, and this is PreToolUse" in problem


def test_a_bad_field_does_not_hide_a_refusal() -> None:
    """What can be read of a refusal counts."""
    outcome, problem = said(CALL, {"decision": "block", "reason": "why", "systemMessage": 3})
    assert (outcome.decision, outcome.reason) == ("deny", "why")
    assert "systemMessage" in problem


@pytest.mark.parametrize("line", ['{"a":', '{"a":[', '{"a":"', "{x", "{}", '{"x":1}'])
def test_a_flood_that_only_begins_as_json(line: str) -> None:
    """It is given up before it holds the program up; the complaint says so, and exit code 2 refuses as ever."""
    flood = f"{line}\n" * 200_000
    outcome, problem = outcome_of(Ended(code=0, stdout=flood, stderr=""), CALL, name="h")
    assert (outcome.decision, "too much" in problem) == (None, True)
    outcome, _ = outcome_of(Ended(code=2, stdout=flood, stderr="no"), CALL, name="h")
    assert outcome.decision == "deny"


def test_a_refusal_behind_some_rubbish() -> None:
    """Lines that only begin as JSON, a few hundred of them, do not hide it."""
    said = "{x\n" * 300 + '{"a":\n' * 300 + '{"decision": "block", "reason": "no"}'
    assert outcome_of(Ended(code=0, stdout=said, stderr=""), CALL, name="h")[0].decision == "deny"
