"""Going back and forward while the process is killed or the disk refuses: a few moments of `python -m tests.faults.rewinds`."""

from pathlib import Path

from agent.offline import calls, says
from agent.session.rewind import files_at, prompts, rewind
from tests.faults.rewinds import loops
from tests.faults.test_full_disk import FullDisk
from tests.support.agent import scenario


async def test_harmed_at_some_writes(tmp_path: Path) -> None:
    """Each file and the conversation are as before or as after; halfway is said, and can be taken back."""
    tallies = await loops(tmp_path, 23)
    assert len(tallies) == 4
    assert all(sum(tally.values()) > 1 for tally in tallies.values()), tallies


async def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    """No file changes of which no record tells; that is said, and with room it can be done."""
    turns = [calls("write", file_path="a.txt", content="new\n"), says("Done."), says("Done.")]
    async with scenario(tmp_path, *turns, may_move=True) as harness:
        await harness.turn("Write.")
        session = harness.agent.session
        point, _ = prompts(session.state)[0]
        disk = FullDisk(harness)
        told = rewind(session, point, "both", files_at(session.state, point).ours)
        assert "the session's log cannot be written" in str(told)
        assert harness.read("a.txt") == "new\n"
        assert harness.log_records("rewind") == []
        disk.free()
        assert (await harness.turn("Go on.")).text == "Done."
        assert len(harness.log_records("rewind")) == 1
