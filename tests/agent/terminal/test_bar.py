"""The bar's figures are the session's own, at every moment."""

from pathlib import Path

from agent import events as ev
from agent.offline import always, calls, last_text_starts, says, when
from agent.terminal.bar import Bar
from agent.terminal.pending import Pending
from compaction.summary import OPENING
from tests.support.rewinding import turn
from tests.support.rig import Rig, rig

SUMMARY = when(last_text_starts(OPENING), always(says("<summary>1. Request and intent: fine</summary>")))


def bar_of(made: Rig) -> Bar:
    return Bar(
        made.desk,
        made.show,
        lambda: "main",
        queued=lambda: len(made.repl.waiting()),
        questions=lambda: made.approver.open,
    )


async def test_the_number_moves_with_everything_that_happens(tmp_path: Path) -> None:
    """While text streams, when a tool finishes, before a step is sent, at a reply; an estimate says so."""
    async with rig(
        tmp_path,
        says("word " * 200) + calls("read", file_path="a.txt"),
        says("Done."),
        files={"a.txt": "x y z\n" * 500},
    ) as made:
        bar, sizes = bar_of(made), dict[str, list[tuple[int, bool]]]()

        def note(event: ev.Event) -> bool:
            status = bar.status()
            sizes.setdefault(type(event).__name__, []).append((status.size, status.is_estimate))
            return False

        made.harness.once(note, lambda: None)
        await made.says("go", "Done.")
        state = made.harness.state
        streaming = [size for size, _ in sizes["TextDelta"]]
        assert streaming == sorted(set(streaming))
        assert sizes["StepStarted"][0][0] < streaming[0]
        assert sizes["ReplyReceived"][0][0] < sizes["CallFinished"][0][0]
        (_, is_estimate), (second, is_second_estimate) = sizes["StepStarted"]
        assert is_estimate
        assert is_second_estimate
        assert second > sizes["ReplyReceived"][0][0] + 500
        assert [is_estimate for _, is_estimate in sizes["ReplyReceived"]] == [False, False]
        assert bar.status().size == state.context_size == made.harness.of(ev.ReplyReceived)[-1].size
        assert not bar.status().is_estimate


async def test_a_compaction_lowers_it_at_once(tmp_path: Path) -> None:
    """By what the receipt says; the bar tells layer, saving and age."""
    async with rig(tmp_path, says("word " * 3_000), routes=[SUMMARY]) as made:
        bar = bar_of(made)
        await made.says("go", "word")
        before = bar.status()
        assert (before.compactions, before.last_compaction, before.mode, before.branch) == (
            0,
            "",
            "bypass",
            "main",
        )
        await made.says("/compact", "⟲ summary")
        after = bar.status()
        assert after.size < before.size
        assert after.is_estimate
        assert after.compactions == 1
        assert after.last_compaction.startswith("summary −")
        assert after.last_compaction.endswith(" now")
        assert len(bar.lines(100)) == 1
        assert bar.lines(100) is bar.lines(100)
        await made.says("/compact undo", "undone")
        assert (bar.status().compactions, bar.status().last_compaction) == (0, "")
        await made.says("/compact redo", "redone")
        assert bar.status().compactions == 1
        await made.says("/clear", "back with")
        assert bar.status().last_compaction == ""


async def test_it_tells_what_is_to_come(tmp_path: Path) -> None:
    """From the third turn on how many fit before a compaction, and never where there is none."""
    async with rig(tmp_path, *(says("word " * 3_000) for _ in range(3))) as made:
        bar = bar_of(made)
        for number in range(3):
            assert (bar.status().turns_left is None) == (number < 2)
            await turn(made, f"part {number}")
        status = bar.status()
        assert status.turns_left == made.harness.state.turns_left(status.threshold)
        assert status.turns_left
        assert "turns to compaction" in bar.lines(200)[0]


async def test_the_time_of_a_step_and_what_waits(tmp_path: Path) -> None:
    """While a step runs its time is told, and how much of what was typed waits."""
    async with rig(
        tmp_path, says("word " * 40, pace_s=0.02, chunk_chars=5), says("Then."), says("Last.")
    ) as made:
        bar = bar_of(made)
        assert bar.status().step_s is None
        made.repl.submit("go")
        await made.until(lambda: bar.status().step_s is not None)
        made.repl.submit("and then")
        assert bar.status().queued == 1
        await made.until(lambda: bar.status().step_s is None and not made.repl.waiting())
        assert bar.status().queued == 0


def test_quiet_is_the_time_since_the_last_event() -> None:
    """While a step runs, whatever the event is; nothing between steps."""
    now = [100.0]
    pending = Pending(lambda: now[0])
    assert pending.quiet_s is None
    pending.take(ev.StepStarted(step=1, size=10, is_estimate=False))
    now[0] += 20.5
    assert [pending.quiet_s, pending.step_s] == [20.0, 20.0]
    pending.take(ev.CallProgress(call_id="1", text="line"))
    now[0] += 3
    assert [pending.quiet_s, pending.step_s] == [3.0, 23.0]
    pending.take(ev.TurnEnded(reason="done", text=""))
    assert pending.quiet_s is None


async def test_nothing_is_quiet_while_the_user_is_waited_for(tmp_path: Path) -> None:
    """A question stands: that nothing comes is no news."""
    async with rig(tmp_path, calls("bash", command="touch it"), says("Done."), mode="ask") as made:
        bar = bar_of(made)
        made.repl.submit("go")
        await made.until(lambda: made.approver.is_asking)
        status = bar.status()
        assert (status.step_s, status.quiet_s) == (0.0, None)
        made.repl.interrupt()


async def test_without_compaction_it_says_so(tmp_path: Path) -> None:
    """`--compaction off`: not how many turns are left, whatever is known of them."""
    async with rig(tmp_path, says("One."), config={"preset": "off"}) as made:
        assert "compaction off" in bar_of(made).lines(120)[0]
