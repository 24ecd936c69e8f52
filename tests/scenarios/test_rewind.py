"""Going back and forward again: conversation and files stand exactly as they stood."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from agent.offline import Reply, always, calls, last_text_starts, says, when
from compaction.summary import OPENING
from tests.support.rewinding import Standing, now, rewind, turn
from tests.support.rig import Rig, rig

SUMMARY = "<summary>1. Request and intent: fine</summary>"
SUMMARISED = when(last_text_starts(OPENING), always(says(SUMMARY)))
TODOS = [{"content": "look", "status": "in_progress"}]
LONG = "word " * 2_000


def write(path: str, content: str) -> Reply:
    return calls("write", file_path=path, content=content)


async def compact(made: Rig) -> None:
    done = made.desk.agent.session.state.compactions + 1
    made.repl.submit("/compact")
    await made.until(lambda: made.desk.agent.session.state.compactions == done and not made.repl.is_busy)


async def reopen(made: Rig) -> None:
    """Leave the session and go on with it."""
    old, at = made.desk.agent.session.state.session_id, len(made.above)
    made.repl.submit("/clear")
    made.repl.submit(f"/resume {old}")
    await made.until(
        lambda: (
            any(f"resumed {old}" in line for line in made.above[at:])
            and not made.repl.is_busy
            and not made.repl.waiting()
        )
    )


async def undo(made: Rig) -> None:
    """Take the newest compaction back."""
    left = len(made.desk.agent.session.state.standing) - 1
    made.repl.submit("/compact undo")
    await made.until(lambda: len(made.desk.agent.session.state.standing) == left and not made.repl.is_busy)
    made.harness.breaks.append(len(made.harness.server.queries))


@asynccontextmanager
async def three_turns(folder: Path) -> AsyncGenerator[tuple[Rig, list[Standing]]]:
    """A session of three turns, summarised after the first two, and how all stood before each and at the end."""
    async with rig(
        folder,
        write("a.py", "one\n") + calls("todo_write", todos=TODOS),
        says(LONG),
        write("a.py", "two\n") + write("sub/b.py", "b\n") + calls("bash", command="cd sub"),
        says(LONG),
        write("a.py", "three\n") + calls("read", file_path="c.py"),
        says("Third."),
        write("a.py", "four\n"),
        says("Fourth."),
        routes=[SUMMARISED],
        files={"sub/c.py": "c = 1\n"},
    ) as made:
        stood = [now(made)]
        await turn(made, "first")
        await compact(made)
        stood.append(now(made))
        await turn(made, "second")
        await compact(made)
        await made.says("/pin this", "pinned")
        stood.append(now(made))
        await turn(made, "third")
        yield made, [*stood, now(made)]


async def test_across_two_compactions(tmp_path: Path) -> None:
    """Back behind both, forward to the end, back to the beginning; step numbers go on."""
    async with three_turns(tmp_path) as (made, (start, behind_one, behind_two, end)):
        step = made.desk.agent.session.state.step
        assert len(end[1]) == 3
        await rewind(made, "2")
        assert now(made) == behind_one
        assert made.filled == ["second"]
        await rewind(made, "undo")
        assert now(made) == end
        await rewind(made, "3")
        assert now(made) == behind_two
        await rewind(made, "1")
        assert now(made) == start
        await rewind(made, "undo")
        assert now(made) == behind_two
        assert made.desk.agent.session.state.step == step


async def test_after_a_resume(tmp_path: Path) -> None:
    """What was gone back to stands after a resume, other places can still be gone back to, and it goes on from there."""
    async with three_turns(tmp_path) as (made, (_, behind_one, behind_two, end)):
        step = made.desk.agent.session.state.step
        await rewind(made, "3")
        await reopen(made)
        assert now(made) == behind_two
        await rewind(made, "2")
        await reopen(made)
        assert now(made) == behind_one
        await turn(made, "again")
        state, sent = made.desk.agent.session.state, str(made.harness.server.queries[-1].body["messages"])
        assert (state.turn, state.step > step) == (4, True)
        assert ("again" in sent, "second" in sent) == (True, False)
        await rewind(made, "2")
        assert now(made) == behind_one
        assert now(made) != end


async def test_a_compaction_undone_before_and_after(tmp_path: Path) -> None:
    """What was undone since stands again; what had been undone before stays so."""
    async with three_turns(tmp_path) as (made, (_, _, behind_two, _)):
        await undo(made)
        await rewind(made, "3")
        assert now(made) == behind_two
        await undo(made)
        undone = now(made)
        assert undone != behind_two
        await turn(made, "again")
        await rewind(made, "3")
        assert now(made) == undone
