"""A call that the user changes before it runs: judged anew, told to the model, kept by log, ledger and placeholders."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agent.calls.approval import Answer
from agent.events import CallFinished, CallProgress, CallStarted
from agent.offline import calls, last_text_starts, says, when
from agent.offline.script import always
from agent.session.closing import LOST
from compaction.changed_input import OUTPUT
from compaction.messages import result_text
from compaction.summary import OPENING
from hooks.events import Outcome, PreToolUse
from tests.support.agent import FakeApprover, Harness, scenario

HEAD = "[the user changed the command to:]"
SUMMARY = "<summary>1. Request and intent: fine</summary>"
NO = Answer(is_allowed=False, reason="the user said no")


def to(**input: Any) -> Answer:
    """Run that instead."""
    return Answer(is_allowed=True, input=input)


def results(harness: Harness) -> list[str]:
    """Return the texts of all results, as the model was told them."""
    return [
        result_text(block)
        for message in harness.server.queries[-1].body["messages"]
        for block in message["content"]
        if block["type"] == "tool_result"
    ]


def command(text: str) -> dict[str, Any]:
    """Return the input of a bash call as it is shown to the approver."""
    return {"command": text, "run_in_background": False}


async def test_the_changed_command_runs_and_the_model_is_told(tmp_path: Path) -> None:
    """Result, `call` record and card name what ran; the reply stays as it came."""
    approver = FakeApprover(to(**command("expr two\nexpr three")))
    turns = calls("bash", command="expr one"), says("Done.")
    async with scenario(tmp_path, *turns, mode="ask", approver=approver) as harness:
        await harness.turn("go")
        [result] = results(harness)
        assert result.startswith(f"{HEAD}\nexpr two\nexpr three\n{OUTPUT}\ntwo\nthree\n")
        [record] = harness.log_records("call")
        assert record["input"]["command"] == "expr two\nexpr three"
        assert [event.call["input"]["command"] for event in harness.of(CallStarted)] == [
            "expr two\nexpr three"
        ]
        assert harness.of(CallFinished)[0].call["input"]["command"] == "expr two\nexpr three"
        sent = harness.server.queries[-1].body["messages"][-2]["content"][-1]
        assert sent["input"] == {"command": "expr one"}
        assert len(approver.questions) == 1


async def test_unchanged_is_a_plain_yes(tmp_path: Path) -> None:
    """Enter on the command as it stood: nothing is said of a change."""
    approver = FakeApprover(to(**command("expr one")))
    turns = calls("bash", command="expr one"), says("Done.")
    async with scenario(tmp_path, *turns, mode="ask", approver=approver) as harness:
        await harness.turn("go")
        assert results(harness)[0].startswith("one\n")
        assert "told" not in harness.log_records("call")[0]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("git push", "denied by the rule `bash(git push:*)` (settings)"),
        ("echo a; git push", "denied by the rule `bash(git push:*)` (settings)"),
        ("rm -rf /", "refused in every mode"),
        ("echo \0", "without NUL characters"),
    ],
)
async def test_what_may_not_run_is_asked_about_again(tmp_path: Path, text: str, problem: str) -> None:
    """The deny rules, the built-in list and the tool's own checks bind the user's text too; he is told why."""
    approver = FakeApprover(to(**command(text)), NO)
    turns = calls("bash", command="expr one"), says("Done.")
    rules = {"deny": ["bash(git push:*)"]}
    async with scenario(tmp_path, *turns, mode="ask", rules=rules, approver=approver) as harness:
        await harness.turn("go")
        first, second = approver.questions
        assert (first.changed, first.problem) == (None, "")
        assert second.changed == command(text)
        assert problem in second.problem
        assert second.call["input"]["command"] == "expr one"
        assert results(harness) == ["Refused: the user said no"]
        assert not harness.log_records("call")


async def test_a_new_reason_is_asked_about_once(tmp_path: Path) -> None:
    """An ask rule that the change comes under asks; its yes is the end of it, whatever is changed under that rule."""
    approver = FakeApprover(to(**command("touch a")), to(**command("touch b")))
    turns = calls("bash", command="expr one"), says("Done.")
    rules = {"ask": ["bash(touch:*)"]}
    async with scenario(tmp_path, *turns, mode="ask", rules=rules, approver=approver) as harness:
        await harness.turn("go")
        assert [one.reason for one in approver.questions] == [
            "no rule allows this command",
            "the rule `bash(touch:*)` (settings) asks",
        ]
        assert approver.questions[1].call["input"]["command"] == "touch a"
        assert [path.name for path in sorted(harness.project.glob("?"))] == ["b"]
        assert results(harness)[0].startswith(f"{HEAD}\ntouch b\n{OUTPUT}\n")


async def test_a_yes_to_a_change_of_the_users_runs_it(tmp_path: Path) -> None:
    """`y` to the second question runs what was asked about: the model is told of the change."""
    approver = FakeApprover(to(**command("touch a")), True)
    turns = calls("bash", command="expr one"), says("Done.")
    rules = {"ask": ["bash(touch:*)"]}
    async with scenario(tmp_path, *turns, mode="ask", rules=rules, approver=approver) as harness:
        await harness.turn("go")
        assert results(harness)[0].startswith(f"{HEAD}\ntouch a\n{OUTPUT}\n")


async def test_hooks_see_what_was_changed(tmp_path: Path) -> None:
    """PreToolUse fires for it; what a hook makes of it is asked about, for the user has not seen that."""
    seen: list[str] = []

    def rewrite(event: PreToolUse) -> Outcome | None:
        seen.append(event.tool_input["command"])
        if event.tool_input["command"] != "expr two":
            return None
        return Outcome(updated_input={"command": "expr two | cat"})

    approver = FakeApprover(to(**command("expr two")), True)
    turns = calls("bash", command="expr one"), says("Done.")
    hooks = [(PreToolUse, rewrite)]
    async with scenario(tmp_path, *turns, mode="ask", hooks=hooks, approver=approver) as harness:
        await harness.turn("go")
        assert seen == ["expr one", "expr two"]
        assert approver.questions[1].call["input"]["command"] == "expr two | cat"
        assert results(harness)[0].startswith(f"{HEAD}\nexpr two | cat\n{OUTPUT}\ntwo\n")


async def test_a_hook_denies_what_was_changed(tmp_path: Path) -> None:
    """Its reason is the problem."""

    def deny(event: PreToolUse) -> Outcome | None:
        is_bad = event.tool_input["command"] == "expr two"
        return Outcome(decision="deny", reason="not two") if is_bad else None

    approver = FakeApprover(to(**command("expr two")), True)
    turns = calls("bash", command="expr one"), says("Done.")
    async with scenario(
        tmp_path, *turns, mode="ask", hooks=[(PreToolUse, deny)], approver=approver
    ) as harness:
        await harness.turn("go")
        assert approver.questions[1].problem == "not two"
        assert results(harness)[0].startswith("one\n")


async def test_a_changed_write(tmp_path: Path) -> None:
    """The model is told the difference, and knows the file by it: it can change it at once."""
    approver = FakeApprover(to(file_path="a.py", content="x = 1\ny = 3\n"), True)
    turns = (
        calls("write", file_path="a.py", content="x = 1\ny = 2\n"),
        calls("edit", file_path="a.py", old_string="y = 3", new_string="y = 4"),
        says("Done."),
    )
    async with scenario(tmp_path, *turns, mode="ask", approver=approver) as harness:
        await harness.turn("go")
        first = results(harness)[0]
        assert first.startswith("[the user changed `content` before this ran; ")
        assert "    2 - y = 2\n    2 + y = 3\ncreated a.py" in first
        assert harness.read("a.py") == "x = 1\ny = 4\n"


async def test_a_long_change_of_a_write_must_be_read(tmp_path: Path) -> None:
    """What the model was not told of a file it does not know: it reads it before it writes it again."""
    approver = FakeApprover(to(file_path="a.py", content="line\n" * 500), True)
    turns = (
        calls("write", file_path="a.py", content="x = 1\n"),
        calls("write", file_path="a.py", content="y = 1\n"),
        says("Done."),
    )
    async with scenario(tmp_path, *turns, mode="ask", approver=approver) as harness:
        await harness.turn("go")
        first, second = results(harness)
        assert "more lines" in first
        assert "Read the file before you change it again." in first
        assert "read the rest first" in second
        assert harness.read("a.py") == "line\n" * 500


async def test_a_changed_edit(tmp_path: Path) -> None:
    """The diff of the result is what was really put in place."""
    approver = FakeApprover(to(file_path="a.py", old_string="x = 1", new_string="x = 3", replace_all=False))
    turns = (
        calls("read", file_path="a.py"),
        calls("edit", file_path="a.py", old_string="x = 1", new_string="x = 2"),
        says("Done."),
    )
    files = {"a.py": "x = 1\n"}
    async with scenario(tmp_path, *turns, mode="ask", files=files, approver=approver) as harness:
        await harness.turn("go")
        assert results(harness)[1].startswith("[the user changed `new_string` before this ran]\nedited a.py")
        assert "    1 + x = 3" in results(harness)[1]
        assert harness.read("a.py") == "x = 3\n"


async def test_an_interrupt_while_it_runs(tmp_path: Path) -> None:
    """The result says what it was that may have taken effect."""
    approver = FakeApprover(to(**command("echo begun; sleep 60")))
    turns = calls("bash", command="expr one"), says("Done.")
    async with scenario(tmp_path, *turns, mode="ask", approver=approver) as harness:
        harness.once(CallProgress, harness.interrupt)
        await harness.turn("go")
        await harness.turn("on")
        assert results(harness)[0].startswith(f"{HEAD}\necho begun; sleep 60\n{OUTPUT}\n")
        assert "interrupted by the user" in results(harness)[0]


async def test_a_crash_while_it_runs(tmp_path: Path) -> None:
    """On load the call is answered with what may have taken effect."""
    approver = FakeApprover(to(**command("expr two")))
    turns = calls("bash", command="expr one"), says("Done."), says("On.")
    async with scenario(tmp_path, *turns, mode="ask", approver=approver, may_move=True) as harness:
        await harness.turn("go")
        lines = harness.agent.session.log.path.read_bytes().splitlines(keepends=True)
        at = next(index for index, line in enumerate(lines) if b'"type":"call"' in line)
        await harness.resume(log=b"".join(lines[: at + 1]))
        await harness.turn("on")
        assert results(harness) == [f"{HEAD}\nexpr two\n{OUTPUT}\n{LOST}"]


async def test_the_ledger_names_what_ran(tmp_path: Path) -> None:
    """After a summary, and after a resume behind it: the user's command with its outcome, not the model's."""
    approver = FakeApprover(to(**command("exit 7")))
    turns = calls("bash", command="pytest -q"), says("word " * 3_000), says("On."), says("On.")
    answers = when(last_text_starts(OPENING), always(says(SUMMARY)))
    async with scenario(tmp_path, *turns, mode="ask", approver=approver, routes=[answers]) as harness:
        await harness.turn("go")
        assert await harness.agent.compactor.compact("manual", "")
        await harness.turn("on")
        told = harness.server.queries[-1].body["messages"][0]["content"]
        ledger = "\n".join(block["text"] for block in told if block["type"] == "text")
        assert "- ran exit 7: exit code 7" in ledger
        assert "pytest -q" not in ledger
        await harness.resume()
        await harness.turn("on")
        [deed] = harness.state.view.history.deeds.of("ran")
        assert (deed.target, deed.outcome.exit_code, deed.outcome.is_test) == ("exit 7", 7, False)


async def test_two_at_once_are_asked_one_after_the_other(tmp_path: Path) -> None:
    """A question that is asked again keeps its turn: the next one waits until the first call is settled."""
    approver = FakeApprover(to(**command("rm -rf /")), NO, True)
    turns = calls("bash", command="expr one") + calls("bash", command="expr two"), says("Done.")
    async with scenario(tmp_path, *turns, mode="ask", approver=approver) as harness:
        await asyncio.wait_for(harness.turn("go"), 20)
        asked = [question.call["input"]["command"] for question in approver.questions]
        assert asked == ["expr one", "expr one", "expr two"]
