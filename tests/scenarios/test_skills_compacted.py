"""Skills through a summary: they stand again, for reference, with what was done since; nothing is begun anew."""

from pathlib import Path

import pytest

from agent.compacting.block_names import BlockNames
from agent.compacting.filling import filling
from agent.offline import Reply, always, calls, last_text_starts, says, when
from compaction.loaded import BEGUN, FRESH, LOADED, NAMED
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario

TIDY = "---\nname: tidy\ndescription: Tidies up.\n---\nSort the $ARGUMENTS.\nThen say so.\n"
FILES = {".agent/skills/tidy/SKILL.md": TIDY, "a.py": "x = 1\n"}
SUMMARY = when(last_text_starts(OPENING), always(says("<summary>1. Pending work: none</summary>")))
STORY = says("A long story. " * 600)


def texts(harness: Harness, number: int = -1) -> list[str]:
    """All texts of the messages of a request."""
    messages = harness.server.queries[number].body["messages"]
    return [block["text"] for message in messages for block in message["content"] if block["type"] == "text"]


def of_skills(harness: Harness, number: int = -1) -> list[str]:
    """The texts of a request that a summary has put for skills."""
    return [one for one in texts(harness, number) if one.startswith((LOADED, NAMED))]


async def compacted(harness: Harness) -> None:
    """Have the history summarised by hand."""
    assert await harness.agent.compactor.compact("manual", "")


async def test_a_skill_stands_again_after_a_summary(tmp_path: Path) -> None:
    """Its present text, with the words it was asked for by, and what was done since: as reference, not to be begun anew."""
    work = calls("bash", command="touch done") + calls(
        "edit", file_path="a.py", old_string="1", new_string="2"
    )
    replies = [calls("read", file_path="a.py"), work, STORY, says("Next.")]
    async with scenario(tmp_path, *replies, files=FILES, routes=[SUMMARY]) as harness:
        await harness.turn("/tidy imports")
        await compacted(harness)
        await harness.turn("go on")
        [block] = of_skills(harness)
        assert block.split("\n") == [
            f"{LOADED} `tidy`, asked for by `/tidy imports`, loaded in step 1, as it is on disk now.",
            BEGUN,
            "Done since:",
            "- read a.py 1 (step 1)",
            "- ran touch done: exit code 0 (step 2)",
            "- edited a.py 1 (step 2)",
            '<skill name="tidy">',
            f"Its folder is `{harness.project}/.agent/skills/tidy`: relative paths in it begin there; write them absolute.",
            "Sort the imports.",
            "Then say so.",
            "</skill>",
        ]
        [ledger] = [one for one in texts(harness) if one.startswith("Ledger of the session")]
        assert "- loaded the skill tidy for `/tidy imports` (step 1)" in ledger


@pytest.mark.parametrize("preset", ["balanced", "window", "off", "classic", "early"])
async def test_every_preset_names_it(tmp_path: Path, preset: str) -> None:
    """Those that bring files back bring skills back; the others' ledger says which was loaded."""
    replies = [calls("load_skill", name="tidy"), STORY, says("Next.")]
    how = {"files": FILES, "routes": [SUMMARY], "config": {"preset": preset}, "may_move": True}
    async with scenario(tmp_path, *replies, **how) as harness:
        await harness.turn("tidy up")
        await compacted(harness)
        await harness.turn("go on")
        assert len(of_skills(harness)) == (preset not in ("classic", "early"))
        assert any("- loaded the skill tidy (step 1)" in one for one in texts(harness))


async def test_what_stands_again_is_not_loaded_twice(tmp_path: Path) -> None:
    """The model that asks for it all the same is told that it stands above; that is so again after a second summary."""
    again = calls("load_skill", name="tidy")
    replies = [again, STORY, again, STORY, again, says("Last.")]
    async with scenario(tmp_path, *replies, files=FILES, routes=[SUMMARY]) as harness:
        await harness.turn("tidy up")
        for words in ("more", "still more"):
            await compacted(harness)
            await harness.turn(words)
            assert harness.log_records("result")[-1]["content"].startswith("The skill `tidy` stands above")
            assert len(of_skills(harness)) == 1


@pytest.mark.parametrize("what", ["changed", "removed"])
async def test_a_skill_that_is_not_what_it_was(tmp_path: Path, what: str) -> None:
    """Changed meanwhile, its new text stands there and that is said; removed, it is named with the reason."""
    async with scenario(
        tmp_path, calls("load_skill", name="tidy"), STORY, says("Next."), files=FILES, routes=[SUMMARY]
    ) as harness:
        await harness.turn("tidy up")
        file = harness.project / ".agent/skills/tidy/SKILL.md"
        if what == "changed":
            file.write_text(TIDY.replace("Sort", "Count"))
        else:
            file.unlink()
        await compacted(harness)
        await harness.turn("go on")
        [block] = of_skills(harness)
        if what == "changed":
            assert "as it is on disk now, changed since it was loaded." in block
            assert "\nCount the" in block
        else:
            assert block == f"{NAMED}\n- `tidy` (step 1): there is no such skill any more"


async def test_a_result_that_is_not_read_yet_is_not_doubled(tmp_path: Path) -> None:
    """Loaded in the very reply that asks for a summary, it is carried over as a result."""
    both = calls("load_skill", name="tidy") + calls("compact")
    async with scenario(tmp_path, STORY, both, says("Next."), files=FILES, routes=[SUMMARY]) as harness:
        await harness.turn("tell me")
        await harness.turn("tidy up")
        assert of_skills(harness) == []
        assert sum(one.count("Sort the $ARGUMENTS.") for one in texts(harness)) == 1


async def test_a_summary_before_the_first_answer(tmp_path: Path) -> None:
    """What the user has just asked for was not begun: it is to be followed."""
    async with scenario(tmp_path, STORY, says("Sorted."), files=FILES, routes=[SUMMARY]) as harness:
        await harness.turn("tell me")
        harness.agent.session.append("note", text="asked for", compact_wish="")
        await harness.turn("/tidy imports")
        [block] = of_skills(harness)
        assert block.split("\n")[1] == FRESH
        assert "\nSort the imports." in block
        assert "Done since" not in block
        assert texts(harness)[-1].endswith("word for word:\n/tidy imports")


async def test_undo_redo_and_resume(tmp_path: Path) -> None:
    """The views are those that were: before the summary, after it, and when the session is opened again."""
    async with scenario(
        tmp_path, STORY, calls("load_skill", name="tidy"), says("Read."), files=FILES, routes=[SUMMARY]
    ) as harness:
        await harness.turn("/tidy imports")
        before = harness.state.view.messages("kept", "")
        await compacted(harness)
        after = harness.state.view.messages("kept", "")
        await harness.resume()
        assert harness.state.view.messages("kept", "") == after
        harness.undo()
        assert harness.state.view.messages("kept", "") == before
        harness.redo()
        assert harness.state.view.messages("kept", "") == after
        await harness.turn("again")
        assert "stands above" in harness.log_records("result")[-1]["content"]


async def test_a_stub_is_never_taken_for_the_whole(tmp_path: Path) -> None:
    """Once the first result has left the view, the second, which only points to it, shows nothing: all comes again."""
    read = calls("read", file_path="a.txt")
    others: list[Reply] = [calls("bash", command=f"seq {number} 400") for number in range(4)]
    files = {"a.txt": "line\n" * 400}
    config = {"preset": "early"}
    async with scenario(
        tmp_path, read, read, *others, read, says("Done."), files=files, config=config
    ) as harness:
        await harness.turn("go")
        contents = [record["content"] for record in harness.log_records("result") if record["name"] == "read"]
        assert "is unchanged since it was read above" in contents[1]
        assert contents[2] == contents[0]


async def test_what_it_is_called_in_lists(tmp_path: Path) -> None:
    """In /context and previews a skill has its name, as the user asked for it and as a summary put it."""
    async with scenario(tmp_path, STORY, says("Next."), files=FILES, routes=[SUMMARY]) as harness:
        await harness.turn("/tidy imports")
        for _ in range(2):
            names = BlockNames(harness.state, harness.state.view)
            assert "skill tidy" in {names.of(placed) for placed in harness.state.view}
            assert filling(harness.state).categories["skills"] > 0
            if not harness.state.compactions:
                await compacted(harness)
