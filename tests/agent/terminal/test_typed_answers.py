"""Answers that are typed: a reason, a changed command; where they begin, how they are left, that nothing is lost."""

import asyncio
from dataclasses import replace

import pytest

from agent.calls.approval import Answer, Question
from agent.terminal.asked import QUIET_S
from tests.support.question_desk import SGR, Desk, about, started


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_a_refusal_with_a_reason(desk: Desk) -> None:
    """r opens a field for the reason, which goes to the model; an empty one is a plain no."""
    for words, reason in (("use the branch", "the user said no: use the branch"), ("  ", "the user said no")):
        asking = await started(desk, about())
        assert desk.press("r")
        assert desk.field.label == "why not? > "
        assert "why not? Enter sends it" in desk.shown()
        assert not desk.press("y")  # now it is a letter of the reason
        desk.field.enter(words)
        assert await asking == Answer(is_allowed=False, reason=reason)
        assert desk.field.label == ""


async def test_the_command_can_be_changed(desk: Desk) -> None:
    """e opens it, whole, in a field; Enter runs it as it stands there; other fields of the input stay."""
    asking = await started(desk, about("git push\necho done"))
    assert desk.press("e")
    assert (desk.field.label, desk.field.text) == ("edit > ", "git push\necho done")
    assert "Enter runs it as it stands below" in desk.shown()
    assert not desk.press("y")
    desk.field.enter("git push --dry-run ")
    assert await asking == Answer(is_allowed=True, input={"command": "git push --dry-run "})
    assert desk.field.label == ""
    assert desk.kept == []


async def test_the_rule_can_be_changed(desk: Desk) -> None:
    """c opens it in a field; Enter keeps it as it stands there and runs the call; what is no rule is said, and stays."""
    asking = await started(desk, about())
    assert desk.press("c")
    assert (desk.field.label, desk.field.text) == ("rule > ", "bash(git push:*)")
    assert "Enter keeps the rule as it stands below" in desk.shown()
    desk.field.enter("(nonsense")
    assert desk.rules == []
    assert SGR.sub("", desk.above[-1]) == "! a rule begins with a tool\n"
    assert desk.field.label == "rule > "
    desk.field.enter(" bash(git push origin main) ")
    assert await asking == Answer(is_allowed=True)
    assert desk.rules == ["bash(git push origin main)"]
    said = [SGR.sub("", line) for line in desk.above[-2:]]
    assert said == ["? bash  git push  allowed always: bash(git push origin main)\n", "  kept here\n"]


async def test_a_rule_of_which_nothing_is_left_is_none(desk: Desk) -> None:
    """Enter goes back to the question, and Esc: then nothing holds; without a rule there is none to change."""
    asking = await started(desk, about())
    desk.press("c")
    desk.field.enter("  ")
    assert "[y] once" in desk.shown()
    desk.press("c")
    desk.field.type("bash(x)")
    desk.field.leave()
    assert desk.press("y")
    assert await asking == Answer(is_allowed=True)
    assert desk.rules == []
    asking = await started(desk, about(rule=""))
    assert not desk.press("c")
    asking.cancel()


@pytest.mark.parametrize("key", ["c", "e", "r"])
async def test_esc_goes_back_to_the_question(desk: Desk, key: str) -> None:
    """Its keys are taken again; what was typed stands there when the key is pressed once more."""
    asking = await started(desk, about())
    assert desk.press(key)
    desk.field.type("git push --dry-run")
    desk.field.leave()
    assert desk.field.label == ""
    assert "[y] once" in desk.shown()
    assert desk.press(key)
    assert desk.field.text == "git push --dry-run"
    desk.field.leave()
    assert desk.press("y")
    assert await asking == Answer(is_allowed=True)
    assert desk.kept == []


async def test_a_blank_command_runs_nothing(desk: Desk) -> None:
    """It goes back to the question; a file may be emptied."""
    asking = await started(desk, about())
    desk.press("e")
    desk.field.enter("  \n")
    assert "[y] once" in desk.shown()
    asking.cancel()
    given = {"file_path": "a", "content": ""}
    call = {"type": "tool_use", "id": "t1", "name": "write", "input": {**given, "content": "x"}}
    asking = await started(desk, Question(call=call, reason="", rule="", agent=""))  # type: ignore[arg-type]
    desk.press("e")
    desk.field.enter("")
    assert await asking == Answer(is_allowed=True, input=given)


@pytest.mark.parametrize("key", ["e", "r"])
async def test_what_was_typed_comes_back_when_the_question_is_taken_back(desk: Desk, key: str) -> None:
    """Into the input, once; what was not changed does not. Until then it counts as unsent."""
    for typed in ("use the branch", None):
        asking = await started(desk, about())
        desk.press(key)
        if typed:
            desk.field.type(typed)
        assert desk.approver.unsent == (typed or "")
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert desk.approver.unsent == ""
        assert desk.field.label == ""
    assert desk.kept == ["use the branch"]


async def test_a_change_that_cannot_run(desk: Desk) -> None:
    """The question says why; e opens what was typed, n and y are about the call itself."""
    question = replace(about(), changed={"command": "rm -rf /"}, problem="refused in every mode")
    asking = await started(desk, question)
    assert "your change cannot run: refused in every mode" in " ".join(desk.shown().split())
    assert "    git push\n" in desk.shown()
    assert desk.approver.unsent == "rm -rf /"
    desk.press("e")
    assert desk.field.text == "rm -rf /"
    desk.field.leave()
    desk.press("y")
    assert await asking == Answer(is_allowed=True)


@pytest.mark.parametrize(("columns", "rows"), [(20, 6), (40, 8), (60, 24)])
async def test_why_a_change_cannot_run_is_seen_on_any_screen(columns: int, rows: int) -> None:
    """In the question or, where that is too low for it, above; the keys stay."""
    desk = Desk(columns=columns, rows=rows)
    problem = "refused in every mode: it would remove `/` or the home folder"
    asking = await started(desk, replace(about(), changed={"command": "rm -rf /"}, problem=problem))
    shown = desk.shown(columns)
    seen = " ".join(SGR.sub("", "\n".join([*desk.above, shown])).split())
    assert f"your change cannot run: {problem}" in seen
    assert "[y]" in shown
    asking.cancel()


async def test_only_texts_can_be_changed(desk: Desk) -> None:
    """A read has none: e is a letter for the prompt."""
    call = {"type": "tool_use", "id": "t1", "name": "read", "input": {"file_path": "/etc/x"}}
    asking = await started(desk, Question(call=call, reason="", rule="", agent=""))  # type: ignore[arg-type]
    assert "[e]" not in desk.shown()
    assert not desk.approver.takes("e")
    asking.cancel()


async def test_words_that_begin_with_e_go_to_the_prompt(desk: Desk) -> None:
    """A letter right behind it: somebody types, and has not meant to answer. Later ones are the answer's."""
    asking = await started(desk, about())
    assert desk.press("e")
    desk.field.type("git pushc")
    assert desk.inserted == ["ec"]
    assert desk.field.label == ""
    assert "[y] once" in desk.shown()
    assert desk.approver.unsent == ""
    assert desk.press("e")
    desk.clock.now += QUIET_S
    desk.field.type("git pushc")
    assert desk.field.text == "git pushc"
    assert desk.inserted == ["ec"]
    asking.cancel()
