"""Compactions under attack: paths that are none, words that nobody has read yet, stops, undone ones, small windows."""

from pathlib import Path

import pytest

from agent.events import Compacted, Notice, SummaryStarted
from agent.offline import Reply, calls, error, last_text_starts, says, when
from agent.offline.script import always
from compaction.carried import NOTES
from compaction.summary import OPENING
from hooks.events import Outcome, Stop, UserPromptSubmit
from tests.support.agent import Harness, scenario
from tests.support.invariants import is_for_summary, main_requests
from tests.support.long_session import texts

GOOD = says("<summary>1. Request and intent: SUMMED UP</summary>")
SUMMARY = when(last_text_starts(OPENING), always(GOOD))
STORY = says("A long story. " * 300)
TOO_LONG = error(400, "prompt is too long: 210000 tokens > 200000 maximum")


def sent(harness: Harness) -> str:
    """The texts of the newest request of the main history."""
    return texts(main_requests(harness.server.queries)[-1].body)


@pytest.mark.parametrize("path", ["a\0b", "circle", "n" * 5_000])
async def test_a_path_that_leads_nowhere(tmp_path: Path, path: str) -> None:
    """The model makes up a path that no file can have, or links run in a circle: the summary comes all the same."""
    async with scenario(tmp_path, calls("read", file_path=path) + STORY, STORY, routes=[SUMMARY]) as harness:
        (harness.project / "circle").symlink_to("circle")
        await harness.turn("Go.")
        assert await harness.agent.compactor.compact("manual", "")


async def test_what_hooks_told_outlasts_a_summary(tmp_path: Path) -> None:
    """With the prompt, before its first send: a hook's words are unread, and carried over until the model replies."""

    def add(event: UserPromptSubmit) -> Outcome:
        return Outcome(contexts=(f"ticket of {event.prompt} is open",))

    turns = [STORY, STORY, says("Done.")]
    async with scenario(tmp_path, *turns, routes=[SUMMARY], hooks=[(UserPromptSubmit, add)]) as harness:
        await harness.turn("one")
        harness.agent.session.append("note", text="", compact_wish="")
        await harness.turn("two")
        assert f"{NOTES}\n\n<hook event=" in sent(harness)
        assert "\nticket of two is open\n</hook>" in sent(harness)
        assert "ticket of one" not in sent(harness)
        assert await harness.agent.compactor.compact("manual", "")
        await harness.turn("three")
        assert NOTES not in sent(harness)


async def test_a_stop_hooks_words_outlast_a_summary(tmp_path: Path) -> None:
    """It says that the work is not finished, and the context is full: the model is told why it goes on."""

    def unfinished(event: Stop) -> Outcome | None:
        if event.stop_hook_active:
            return None
        harness.agent.session.append("note", text="", compact_wish="")
        return Outcome(decision="deny", reason="the tests fail")

    hooks = [(Stop, unfinished)]
    async with scenario(tmp_path, STORY, says("Done."), routes=[SUMMARY], hooks=hooks) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert "SUMMED UP" in sent(harness)
        assert "\nthe tests fail\n</hook>" in sent(harness)


async def test_the_same_long_words_twice(tmp_path: Path) -> None:
    """Each time head, tail and a path stand in the view; no file is written over by what is said later."""
    same, other = "one two three " * 4_000, "four five six " * 4_000
    turns = [says("Done."), says("Done."), says("Done.")]
    async with scenario(tmp_path, *turns, routes=[SUMMARY], config={"window": 32_000}) as harness:
        for words in (same, same, other):
            await harness.turn(words)
        assert len(sent(harness)) < 60_000
        files = [
            record["files"] for record in harness.log_records("compaction") if record["layer"] == "prompt"
        ]
        assert [harness.read(one["path"]) for [one] in files] == [same, same, other]


async def test_instructions_after_an_undo(tmp_path: Path) -> None:
    """A summary told them anew: after its undo the next turn tells of the change, after a redo it does not."""
    turns, files = [STORY, says("Two."), says("Three.")], {"AGENTS.md": "OLD RULES"}
    async with scenario(tmp_path, *turns, files=files, routes=[SUMMARY], may_move=True) as harness:
        await harness.turn("one")
        (harness.project / "AGENTS.md").write_text("NEW RULES", "utf-8")
        assert await harness.agent.compactor.compact("manual", "")
        assert harness.undo().startswith("undone")
        assert harness.redo().startswith("redone")
        await harness.turn("two")
        assert "changed: AGENTS.md" not in sent(harness)
        assert harness.undo().startswith("undone")
        await harness.turn("three")
        assert "changed: AGENTS.md" in sent(harness)
        assert sent(harness).count("NEW RULES") == 1
        assert harness.state.summarised_at == 0


async def test_a_refused_history_shrinks_without_a_model(tmp_path: Path) -> None:
    """The server is out of reach for a summary: the digest takes its place, and the turn goes on."""
    broken = when(last_text_starts(OPENING), always(error(401, "no")))
    async with scenario(tmp_path, STORY, TOO_LONG, says("Done."), routes=[broken]) as harness:
        await harness.turn("Go.")
        assert (await harness.turn("Again.")).text == "Done."
        [compacted] = harness.of(Compacted)
        assert compacted.receipt["summary_by"] == "digest"


async def test_an_open_circuit_holds_for_a_refused_history(tmp_path: Path) -> None:
    """Three summaries failed in a row: nobody is asked for another until it is asked for by hand."""
    async with scenario(tmp_path, STORY, TOO_LONG, says("Done."), routes=[SUMMARY]) as harness:
        await harness.turn("Go.")
        for _ in range(3):
            harness.agent.session.append("note", text="", summary_failed=True)
        assert (await harness.turn("Again.")).text == "Done."
        assert not any(is_for_summary(request) for request in harness.server.queries)


async def test_an_edited_file_fills_no_small_window(tmp_path: Path) -> None:
    """Its content comes with the edit only while that leaves room: else each edit would cost a summary."""
    lines = "".join(f"value_{number} = {number}\n" for number in range(900))
    edits = [
        calls("edit", file_path="a.py", old_string=f"value_{n} = {n}\n", new_string=f"v_{n} = {n}\n")
        for n in range(5)
    ]
    small = calls("bash", command="cat a.py | head -3")
    turns = [calls("read", file_path="a.py", limit=5), small, *edits, says("Done.")]
    async with scenario(
        tmp_path, *turns, files={"a.py": lines}, routes=[SUMMARY], config={"window": 16_000}
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert harness.of(Compacted) == []
        assert harness.of(Notice) == []


@pytest.mark.parametrize("answer", [GOOD, says("no")], ids=["a summary", "none"])
async def test_a_wish_typed_during_a_summary(tmp_path: Path, answer: Reply) -> None:
    """What size set off is not what was asked for: the wish is met before the next step, with its focus."""
    turns = [says("A long story. " * 2_000) + calls("bash", command="true"), STORY, says("Done.")]
    failing = error(401, "no")
    asked = when(last_text_starts(OPENING), answer if answer is GOOD else failing, always(GOOD))
    how = {"routes": [asked], "config": {"window": 16_000}}
    async with scenario(tmp_path, *turns, **how) as harness:
        wish = {"text": "", "compact_wish": "the tests"}
        harness.once(SummaryStarted, lambda: harness.agent.session.append("note", **wish))
        await harness.turn("Go.")
        assert harness.state.compact_wish == "the tests"
        await harness.turn("Again.")
        assert [event.trigger for event in harness.of(SummaryStarted)] == ["auto", "manual"]
        summaries = [request for request in harness.server.queries if is_for_summary(request)]
        assert "what concerns: the tests" in texts(summaries[-1].body)
        assert harness.state.compact_wish is None


async def test_a_cache_is_cold_for_another_model(tmp_path: Path) -> None:
    """What its first request changes costs nothing: all would be written anew in any case."""
    async with scenario(tmp_path, STORY, STORY, routes=[SUMMARY], may_move=True) as harness:
        for model in ("", "claude-haiku-4-5"):
            await harness.turn("Go.")
            if model:
                harness.agent.session.append("model", model=model)
            assert await harness.agent.compactor.compact("manual", "")
        warm, cold = (event.receipt["rewritten"] for event in harness.of(Compacted))
        assert (warm > 0, cold) == (True, 0)
