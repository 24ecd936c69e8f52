"""What a way back leaves behind: every branch can be gone to, under a number that stays."""

from pathlib import Path

from agent.offline import Reply, Request, always, calls, last_text_starts, says, when
from compaction.summary import OPENING
from tests.support.rewinding import now, rewind, turn
from tests.support.rig import Rig, rig

SUMMARISED = when(last_text_starts(OPENING), always(says("<summary>1. Request and intent: fine</summary>")))


def answer(request: Request) -> Reply:
    """Write the prompt into a file."""
    if request.results:
        return says("word " * 500)
    content = request.last_text
    return calls("read", file_path="a.txt") + calls("write", file_path="a.txt", content=content)


async def listed(made: Rig) -> list[str]:
    """Type /rewind; return the lines of what was left behind, blanks aside."""
    at = len(made.above)
    made.repl.submit("/rewind")
    await made.until(lambda: "rewind" in "".join(made.above[at + 1 :]) and not made.repl.is_busy)
    lines = "".join(made.above[at:]).split("\n")
    return [" ".join(line.split()) for line in lines if line.startswith("branch ")]


async def test_every_branch_can_be_gone_to(tmp_path: Path) -> None:
    """Conversation and files stand as they were left; the one that is left is listed in its place."""
    async with rig(tmp_path, always(answer)) as made:
        await turn(made, "one")
        await turn(made, "two")
        await turn(made, "two b")
        first = now(made)
        await rewind(made, "2")
        assert await listed(made) == ["branch 1 now 2 prompts from: two"]
        await turn(made, "three")
        second = now(made)
        await rewind(made, "2")
        await turn(made, "four")
        third = now(made)
        both = ["branch 1 now 2 prompts from: two", "branch 2 now 1 prompt from: three"]
        assert await listed(made) == both
        await rewind(made, "branch 1")
        assert now(made) == first
        assert await listed(made) == [both[1], "branch 3 now 1 prompt from: four"]
        await rewind(made, "branch 2")
        assert now(made) == second
        assert await listed(made) == ["branch 3 now 1 prompt from: four", "branch 4 now 2 prompts from: two"]
        await rewind(made, "branch 3")
        assert now(made) == third
        assert made.filled == ["two", "three"]


async def test_undo_goes_to_and_fro(tmp_path: Path) -> None:
    """It takes the newest /rewind back, also when that was an undo: nothing is lost by trying."""
    async with rig(tmp_path, always(answer)) as made:
        await turn(made, "one")
        await turn(made, "two")
        end = now(made)
        await rewind(made, "2")
        behind = now(made)
        for wanted in (end, behind, end, behind):
            await rewind(made, "undo")
            assert now(made) == wanted
        assert len(await listed(made)) == 1
        await turn(made, "three")
        await rewind(made, "undo")
        assert now(made) == end
        assert await listed(made) == ["branch 6 now 1 prompt from: three"]


async def test_a_branch_across_compactions_and_a_resume(tmp_path: Path) -> None:
    """Its compactions stand again and can be undone; its number is the same after a resume; files alone, too."""
    async with rig(tmp_path, always(answer), routes=[SUMMARISED]) as made:
        await turn(made, "one")
        await turn(made, "two")
        await made.says("/compact", "⟲ summary")
        left = now(made)
        await rewind(made, "1")
        await turn(made, "three")
        await rewind(made, "1 files")
        lines = ["branch 1 now 2 prompts from: one", "branch 2 now the files alone"]
        assert await listed(made) == lines
        session = made.desk.agent.session.state.session_id
        await made.says("/clear", "now in session")
        await made.says(f"/resume {session}", f"resumed {session}")
        assert await listed(made) == lines
        await rewind(made, "branch 2")
        assert made.harness.read("a.txt") == "three"
        await rewind(made, "branch 1 conversation")
        assert (now(made)[0], made.harness.read("a.txt")) == (left[0], "three")
        await rewind(made, "branch 1 files", "no such branch")
        await made.says("/compact undo", "undone")
        made.harness.breaks.append(len(made.harness.server.queries))
        await turn(made, "four")
        assert "two" in str(made.harness.server.queries[-1].body["messages"])
