"""What is typed: turns, steering, commands, and how one leaves."""

import asyncio
from pathlib import Path

from agent.events import CallStarted, StepStarted, TextDelta, TurnEnded
from agent.exits import Exit
from agent.offline import Request, always, calls, last_text_starts, says, when
from agent.terminal.repl import LEAVE_S, SWALLOW_S
from compaction.summary import OPENING
from tests.support.agent import FakeClock
from tests.support.rig import Rig, rig

SUMMARY = when(last_text_starts(OPENING), always(says("<summary>1. Request and intent: fine</summary>")))


def clock_of(made: Rig) -> FakeClock:
    """Return the clock of a rig, which a test may put forward."""
    clock = made.desk.now
    assert isinstance(clock, FakeClock)
    return clock


def last_words(made: Rig) -> list[str]:
    """Return the last text of each query."""
    return [
        Request(body=query.body, headers=query.headers).last_text for query in made.harness.server.queries
    ]


async def test_a_line_is_a_turn(tmp_path: Path) -> None:
    """It is shown, sent, answered; blanks are nothing; a path is no command."""
    async with rig(tmp_path, says("Hello."), says("Odd.")) as made:
        await made.says("  ", "")
        await made.says("hi", "> hi\n\nHello.\n")
        await made.says("/etc/hosts is odd", "Odd.")
        assert last_words(made) == ["hi", "/etc/hosts is odd"]


async def test_steering_reaches_the_next_message(tmp_path: Path) -> None:
    """What is typed while a turn runs waits visibly, goes with the results, and is gone from the queue then."""
    async with rig(tmp_path, calls("bash", command="sleep 0.3"), says("Heard.")) as made:
        made.harness.once(CallStarted, lambda: made.repl.submit("faster"))
        made.repl.submit("go")
        await made.until(lambda: made.repl.waiting() == ["faster"])
        await made.until(lambda: "Heard." in made.text)
        assert made.repl.waiting() == []
        assert last_words(made) == ["go", "faster"]


async def test_commands_that_only_look_run_at_once(tmp_path: Path) -> None:
    """Also while a turn runs; those that change the session wait for its end, and are shown as queued."""
    async with rig(tmp_path, calls("bash", command="sleep 0.5"), says("Done.")) as made:

        def type_three_lines() -> None:
            for line in ("/cost", "!echo mine", "/model"):
                made.repl.submit(line)

        made.harness.once(CallStarted, type_three_lines)
        made.repl.submit("go")
        await made.until(lambda: "tokens in (" in made.text and "mine" in made.text)
        assert "Done." not in made.text
        assert made.repl.waiting() == ["/model"]
        await made.until(lambda: "model claude-sonnet-5-5 · window" in made.text)
        assert made.text.index("Done.") < made.text.index("model claude-sonnet-5-5 · window")


async def test_compact_while_a_turn_runs_comes_before_the_next_step(tmp_path: Path) -> None:
    """With its focus; it waits visibly until then."""
    story = says("word " * 2_000)
    async with rig(
        tmp_path, story, calls("bash", command="sleep 0.2"), says("Done."), routes=[SUMMARY], files={"a": "x"}
    ) as made:
        await made.says("tell me", "word")
        made.harness.once(CallStarted, lambda: made.repl.submit("/compact the names"))
        made.repl.submit("go")
        await made.until(lambda: made.repl.waiting() == ["/compact the names"])
        await made.until(lambda: "Done." in made.text)
        assert made.repl.waiting() == []
        compactions = [query for query in last_words(made) if query.startswith(OPENING)]
        assert len(compactions) == 1
        assert "the names" in compactions[0]
        assert made.text.rindex("Done.") > made.text.index("summary")


async def test_compact_in_the_last_step_of_a_turn_comes_after_it(tmp_path: Path) -> None:
    """There is no next step to wait for."""
    story = says("word " * 2_000, pace_s=0.001, chunk_chars=500)
    async with rig(tmp_path, story, routes=[SUMMARY]) as made:
        made.harness.once(TextDelta, lambda: made.repl.submit("/compact"))
        made.repl.submit("go")
        await made.until(lambda: any(words.startswith(OPENING) for words in last_words(made)))
        await made.until(lambda: not made.repl.is_busy)
        assert made.repl.waiting() == []


async def test_an_interrupt_gives_the_prompt_back(tmp_path: Path) -> None:
    """The first stops the turn; more within a second are the same; what waits is given back, nothing is sent."""
    async with rig(tmp_path, calls("bash", command="sleep 60"), says("Back."), says("Later.")) as made:
        made.repl.submit("go")
        await made.until(lambda: made.harness.of(CallStarted))
        made.repl.submit("later")
        made.repl.interrupt()
        made.repl.interrupt()
        await made.until(lambda: "interrupted" in made.text and not made.repl.is_busy)
        assert made.repl.waiting() == []
        assert made.filled == ["later"]
        await made.says("hi", "Back.")
        assert last_words(made) == ["go", "hi"]


async def test_ctrl_c_when_idle(tmp_path: Path) -> None:
    """The first says how to leave, a second within two seconds leaves with 130; right after an interrupt it is swallowed."""
    async with rig(tmp_path) as made:
        made.repl.interrupt()
        made.repl.ask_to_leave()
        assert made.text == ""
        clock_of(made).now += SWALLOW_S
        made.repl.ask_to_leave()
        assert made.text == "Ctrl-C again to leave\n"
        clock_of(made).now += LEAVE_S
        made.repl.ask_to_leave()
        assert not made.left.done()
        made.repl.ask_to_leave()
        assert made.left.result() == Exit.INTERRUPTED


async def test_quit_asks_while_a_turn_runs(tmp_path: Path) -> None:
    """n stays; an interrupt takes the question back; y leaves, and the call that ran is answered."""
    async with rig(tmp_path, *[calls("bash", command="sleep 60")] * 2) as made:
        made.repl.submit("go")
        await made.until(lambda: made.harness.of(CallStarted))
        await confirmed(made, "n")
        assert not made.left.done()
        made.repl.submit("/quit")
        made.repl.submit("/quit")
        made.repl.interrupt()
        await made.until(lambda: "interrupted" in made.text and not made.repl.is_busy)
        await made.until(lambda: made.approver.lines(80) == ())
        assert not made.left.done()
        made.repl.submit("again")
        await made.until(lambda: len(made.harness.of(CallStarted)) == 2)
        await confirmed(made, "y")
        assert await made.left == Exit.DONE


async def test_quit_leaves_when_what_runs_has_ended(tmp_path: Path) -> None:
    """The question whether to leave all the same stands: once nothing runs it is answered, and the turn is whole."""
    async with rig(tmp_path, calls("bash", command="sleep 0.6"), says("Done.")) as made:
        made.repl.submit("go")
        await made.until(lambda: made.harness.of(CallStarted))
        made.repl.submit("/quit")
        await made.until(lambda: "leave all the same?" in "".join(made.approver.lines(80)))
        assert await made.left == Exit.DONE
        assert "Done." in made.text
        assert "interrupted" not in made.text


async def confirmed(made: Rig, key: str) -> None:
    """Answer the question whether to leave."""
    made.repl.submit("/quit")
    await made.until(lambda: "leave all the same?" in "".join(made.approver.lines(80)))
    clock_of(made).now += 1
    assert made.approver.takes(key)
    made.approver.answer(key)
    await asyncio.sleep(0)


async def test_quit_leaves_when_idle(tmp_path: Path) -> None:
    """At once."""
    async with rig(tmp_path) as made:
        made.repl.submit("/quit")
        assert await made.left == Exit.DONE


async def test_a_reason_is_no_line_of_the_input(tmp_path: Path) -> None:
    """What is typed as one is the reason and nothing else, `/quit` too."""
    async with rig(
        tmp_path, calls("bash", command="ls"), says("Fine."), mode="ask", rules={"ask": ["bash"]}
    ) as made:
        made.repl.submit("go")
        await made.until(lambda: made.approver.lines(80))
        clock_of(made).now += 1
        made.approver.answer("r")
        made.answers.enter("/quit it")
        await made.until(lambda: "Fine." in made.text)
        assert "Refused: the user said no: /quit it" in made.text


async def test_errors_are_told(tmp_path: Path) -> None:
    """A session that there is not, a broken shell command."""
    async with rig(tmp_path) as made:
        await made.says("/resume nonsense", "no session `nonsense`")
        await made.says("!exit 3", "exit 3")


async def test_esc_ends_every_command_of_the_user(tmp_path: Path) -> None:
    """Several beside a turn, and one that goes on after it; each says that it was stopped."""
    async with rig(tmp_path, calls("bash", command="sleep 0.3"), says("Done.")) as made:

        def type_two_lines() -> None:
            made.repl.submit("!sleep 60")
            made.repl.submit("!sleep 61")

        made.harness.once(CallStarted, type_two_lines)
        made.repl.submit("go")
        await made.until(lambda: "Done." in made.text and made.harness.of(TurnEnded))
        assert made.repl.is_busy
        made.repl.interrupt()
        await made.until(lambda: not made.repl.is_busy)
        assert made.text.count("stopped") == 2
        await made.says("!echo again", "again")


async def test_a_command_that_runs_is_seen(tmp_path: Path) -> None:
    """What it is, while it runs and nothing else does."""
    async with rig(tmp_path) as made:
        made.repl.submit("!sleep 60")
        await made.until(lambda: "running sleep 60" in "".join(made.show.activity.lines(80)))
        made.repl.interrupt()
        await made.until(lambda: "stopped" in made.text and not made.show.activity.lines(80))


async def test_a_disk_that_fails_costs_the_line(tmp_path: Path) -> None:
    """The project's folder for sessions is a file now: the command says so, the next one works."""
    async with rig(tmp_path) as made:
        folder = made.desk.store.transcripts
        folder.rename(folder.with_name("away"))
        folder.touch()
        await made.says("/clear", "this did not work: ")
        folder.unlink()
        folder.with_name("away").rename(folder)
        await made.says("!echo still here", "still here")


async def test_the_first_prompt_of_the_command_line(tmp_path: Path) -> None:
    """It is sent at the start."""
    async with rig(tmp_path, says("Hello."), is_running=False) as made:
        running = asyncio.ensure_future(made.repl.run("hi"))
        await made.until(lambda: "Hello." in made.text)
        made.repl.leave()
        assert await running == Exit.DONE


async def test_leaving_interrupts_what_runs(tmp_path: Path) -> None:
    """A shell command of the user's too."""
    async with rig(tmp_path, is_running=False) as made:
        running = asyncio.ensure_future(made.repl.run("!sleep 60"))
        await made.until(lambda: made.repl.is_busy)
        await asyncio.sleep(0.1)
        made.repl.leave(Exit.TERMINATED)
        assert await asyncio.wait_for(running, 10) == Exit.TERMINATED
        assert not made.harness.of(StepStarted)
