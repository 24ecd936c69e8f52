"""Files between agents: what one knows of a file is its own, what one changed the others are told, all can be taken back."""

import resource
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from agent.events import CallStarted, FromSubagent, Notice
from agent.offline import MessagesServer, Reply, Script, calls, says
from agent.session.log import read_records
from tests.support.agent import scenario
from tests.support.command import Command
from tests.support.delegation import does, ordered
from tests.support.invariants import replayed
from tests.support.rewinding import rewind
from tests.support.rig import rig

FILES = {"a.txt": "one\ntwo\n", "big.txt": "".join(f"{number} of a long file\n" for number in range(2_000))}
READ = calls("read", file_path="a.txt")


def edits(old: str, new: str) -> Reply:
    """An edit of the file."""
    return calls("edit", file_path="a.txt", old_string=old, new_string=new)


async def test_the_parent_reads_again(tmp_path: Path) -> None:
    """What it knew of a file that its subagent changed is known no more: its edit is refused until it has read."""
    route = does("Mend it.", READ, edits("one", "1"), says("Mended."))
    turns = (READ, ordered("Mend it."), edits("two", "2"), READ + edits("two", "2"), says("Done."))
    async with scenario(tmp_path, *turns, routes=[route], files=FILES) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        results = {record["call"]: record for record in harness.log_records("result")}
        told = [results[record["call"]] for record in harness.log_records("result")]
        task = next(record for record in told if record["name"] == "task")
        assert "(it changed: a.txt)" in task["content"]
        refused, made = [record for record in told if record["name"] == "edit"]
        assert refused["is_error"]
        assert "read it again" in refused["content"]
        assert not made["is_error"]
        assert harness.read("a.txt") == "1\n2\n"


async def test_two_change_the_same_file(tmp_path: Path) -> None:
    """Both have read it; the second to write is told that it changed, reads, and neither change is lost."""
    first = does("Mend one.", READ, edits("one", "1"), calls("bash", command="touch done"), says("One."))
    wait = READ + calls("bash", command="while [ ! -e done ]; do sleep 0.05; done")
    second = does("Mend two.", wait, edits("two", "2"), READ + edits("two", "2"), says("Two."))
    async with scenario(
        tmp_path, ordered("Mend one.", "Mend two."), says("Done."), routes=[first, second], files=FILES
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert harness.read("a.txt") == "1\n2\n"
        log = harness.agent.session.log.path.with_suffix("") / "task-002.jsonl"
        records = [record for _, record in read_records(log) if record]
        tried = [record for record in records if record["type"] == "result" and record["name"] == "edit"]
        assert [record["is_error"] for record in tried] == [True, False]
        assert "a.txt" in tried[0]["content"]


async def test_a_rewind_takes_their_changes_back(tmp_path: Path) -> None:
    """Past a task its files are as they were; its cost and its log stay, and the next one has a number of its own."""
    mend = [READ, edits("one", "1"), calls("write", file_path="new.txt", content="x\n"), says("Mended.")]
    turns = (ordered("Mend it."), says("Done."), ordered("Mend it."), says("Again."))
    async with rig(
        tmp_path, *turns, routes=[does("Mend it.", *mend, *mend)], files=FILES, may_move=True
    ) as made:
        await made.says("go", "Done.")
        state = made.harness.state
        spent, size = state.spent_usd, state.context_size
        await rewind(made, "1 both")
        assert made.harness.read("a.txt") == FILES["a.txt"]
        assert not (made.harness.project / "new.txt").exists()
        assert state.spent_usd == spent
        assert state.context_size < size
        assert state.is_own_file(made.harness.agent.session.log.path.with_suffix("") / "task-001.jsonl")
        await made.says("again", "Again.")
        assert made.harness.read("a.txt") == "1\ntwo\n"
        assert [one["agent"] for one in made.harness.log_records("subagent")] == ["task-001"] * 2 + [
            "task-002"
        ] * 2


@contextmanager
def full_from(size: int) -> Generator[None]:
    """No file of this process grows past so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_disk_that_is_full_for_one(tmp_path: Path) -> None:
    """A subagent whose log cannot be written goes on; the user is told once, and its answer and cost are there."""
    route = does(
        "Read it.",
        *[calls("read", file_path="big.txt", offset=n, limit=900) for n in (1, 900)],
        says("Read."),
    )
    async with scenario(tmp_path, ordered("Read it."), says("Done."), routes=[route], files=FILES) as harness:
        limits = []

        def fill() -> None:
            limits.append(full_from(harness.agent.session.log.path.stat().st_size + 20_000))
            limits[0].__enter__()

        harness.once(
            lambda event: isinstance(event, FromSubagent) and isinstance(event.event, CallStarted), fill
        )
        try:
            ended = await harness.turn("Go.")
        finally:
            limits[0].__exit__(None, None, None)
        assert ended.text == "Done."
        told = [notice.text for notice in harness.of(Notice) if "cannot be written" in notice.text]
        assert len(told) == 1
        assert harness.log_records("result")[0]["content"].startswith("Read.")
        _, end = harness.log_records("subagent")
        assert end["steps"] == 3
        assert end["spent"]["usd"] > 0
        assert replayed(harness.agent.session.log.path, harness.state).spent == harness.state.spent


def test_without_a_screen_a_refusal_names_agent_and_rule(tmp_path: Path) -> None:
    """Nobody is asked: the subagent hears which rule would do, the user who wanted it, and the turn goes on."""
    route = does("Touch it.", calls("bash", command="touch it"), says("I could not."))
    with MessagesServer(Script(ordered("Touch it."), says("Done."), routes=[route])) as server:
        ran = Command(root=tmp_path, url=server.url).here("-p", "Go.")
        assert (ran.code, ran.text) == (0, "Done.\n")
        assert "refused task-001: bash touch it: " in ran.err
        assert "--allow 'bash(touch:*)'" in ran.err
        heard = str(server.queries[2].body["messages"][-1])
        assert "bash(touch:*)" in heard
