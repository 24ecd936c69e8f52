"""Skills in whole sessions: asked for by the user, loaded by the model."""

from pathlib import Path
from typing import Any

from agent.events import CallStarted, Notice, TextDelta
from agent.offline import calls, says
from tests.support.agent import Harness, scenario

TIDY = "---\nname: tidy\ndescription: Tidies up.\n---\nSort the $ARGUMENTS.\nSee `notes.md`.\n"
PLAIN = "---\nname: plain\ndescription: Plain.\n---\nBe </skill> plain.\n"
FILES = {
    ".agent/skills/tidy/SKILL.md": TIDY,
    ".agent/skills/tidy/notes.md": "n",
    ".claude/skills/plain/SKILL.md": PLAIN,
}


def sent(harness: Harness, number: int = -1) -> list[str]:
    """The texts of the newest message of a request."""
    content: list[dict[str, Any]] = harness.server.queries[number].body["messages"][-1]["content"]
    return [block["text"] for block in content if block["type"] == "text"]


async def test_a_skill_that_the_user_asks_for(tmp_path: Path) -> None:
    """Its text, marked, stands behind the user's own words, which alone are the prompt everywhere."""
    async with scenario(tmp_path, says("Sorted."), files=FILES) as harness:
        assert (await harness.turn("/tidy imports of a.py")).text == "Sorted."
        words, block = sent(harness)[-2:]
        folder = harness.project / ".agent/skills/tidy"
        assert words == "/tidy imports of a.py"
        assert block.split("\n") == [
            '<skill name="tidy">',
            "The user asks for this skill by the words above: follow it for them.",
            f"Its folder is `{folder}`: relative paths in it begin there; write them absolute.",
            "Files in it: `notes.md`.",
            "Sort the imports of a.py.",
            "See `notes.md`.",
            "</skill>",
        ]
        assert harness.state.prompts == [(1, "/tidy imports of a.py")]
        assert harness.state.notes == []
        assert [event.text for event in harness.of(Notice)] == ["[skill tidy, 2 lines]"]


async def test_words_without_a_place_follow_the_text(tmp_path: Path) -> None:
    """A skill that has no placeholder for them; what it says cannot end its mark."""
    async with scenario(tmp_path, says("Yes."), files=FILES) as harness:
        await harness.turn("/plain about it")
        block = sent(harness)[-1]
        assert block.endswith("\nBe ‹/skill> plain.\n</skill>\nWhat the user wants it for: about it")
        assert block.count("</skill>") == 1


async def test_a_skill_as_steering(tmp_path: Path) -> None:
    """Asked for while a turn runs it comes with the next results, its text behind all that was said."""
    async with scenario(tmp_path, calls("bash", command="sleep 0.2"), says("Done."), files=FILES) as harness:

        def steer() -> None:
            harness.steer("/tidy all")
            harness.steer("and be quick")

        harness.once(CallStarted, steer)
        await harness.turn("go")
        words, more, block = sent(harness)
        assert (words, more) == ("/tidy all", "and be quick")
        assert block.startswith('<skill name="tidy">')
        assert "Sort the all." in block


async def test_what_the_model_loads_after_the_user(tmp_path: Path) -> None:
    """What stands in the view is not given twice, whoever asked first; changed on disk, it comes anew and says so."""
    replies = [calls("load_skill", name="tidy"), says("One."), calls("load_skill", name="tidy"), says("Two.")]
    async with scenario(tmp_path, *replies, files=FILES) as harness:
        await harness.turn("/tidy it")
        [first] = [record["content"] for record in harness.log_records("result")]
        assert first == "The skill `tidy` stands above already, and is unchanged: follow it there."

        (harness.project / ".agent/skills/tidy/SKILL.md").write_text(TIDY.replace("Sort", "Count"))
        await harness.turn("again")
        second = harness.log_records("result")[-1]["content"]
        assert second.startswith("(It has changed on disk since you saw it last")
        assert "Count the" in second


async def test_a_skill_that_is_gone_sends_nothing(tmp_path: Path) -> None:
    """The user asked for what cannot be had: that is said, and the model is not left to guess."""
    async with scenario(tmp_path, says("never"), files=FILES) as harness:
        (harness.project / ".agent/skills/tidy/SKILL.md").unlink()
        ended = await harness.turn("/tidy it")
        assert ended.reason == "blocked"
        assert ended.problem.startswith("not sent, for the skill cannot be loaded: `")
        assert harness.server.queries == []


async def test_an_unlimited_body(tmp_path: Path) -> None:
    """Of a very long body the head stands in the view, with the file that has the rest."""
    long = "---\nname: long\ndescription: d\n---\n" + "line of it\n" * 5_000
    async with scenario(tmp_path, says("Ok."), files={".agent/skills/long/SKILL.md": long}) as harness:
        await harness.turn("/long")
        block = sent(harness)[-1]
        path = harness.project / ".agent/skills/long/SKILL.md"
        assert len(block) < 31_000
        assert block.endswith(f" more characters: `read` {path} shows all of it]\n</skill>")


async def test_a_session_with_a_skill_goes_on(tmp_path: Path) -> None:
    """The view, what was loaded, and what need not be loaded again are the same after a resume."""
    replies = [says("Sorted."), calls("load_skill", name="tidy"), says("Known.")]
    async with scenario(tmp_path, *replies, files=FILES) as harness:
        await harness.turn("/tidy it")
        [deed] = harness.state.view.history.deeds.of("skill")
        await harness.resume(is_killed=True)
        assert harness.state.view.history.deeds.of("skill") == [deed]
        assert (deed.target, deed.note) == ("tidy", "/tidy it")
        await harness.turn("again")
        assert "stands above already" in harness.log_records("result")[-1]["content"]


async def test_a_skill_among_what_was_typed_too_late(tmp_path: Path) -> None:
    """What was typed while the last reply came makes the next turn; a skill in it begins one of its own, with its text."""
    replies = [says("word " * 50, pace_s=0.001, chunk_chars=10), says("Two."), says("Three.")]
    async with scenario(tmp_path, *replies, files=FILES) as harness:

        def steer() -> None:
            for words in ("first", "and second", "/tidy this", "as well as that"):
                harness.steer(words)

        harness.once(TextDelta, steer)
        assert (await harness.turn("go")).text == "Three."
        assert sent(harness, 1)[-1] == "first\n\nand second"
        words, block = sent(harness, 2)[-2:]
        assert words == "/tidy this\n\nas well as that"
        assert "Sort the this\n\nas well as that." in block
        assert [prompt for _, prompt in harness.state.prompts] == ["go", "first\n\nand second", words]
