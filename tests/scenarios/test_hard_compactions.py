"""Compactions that are hard to make: dense text that hardly shrinks, a disk that takes no archive."""

import shutil
from pathlib import Path

import pytest

from agent.events import Notice
from agent.offline import Reply, calls, last_text_starts, says, when
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario

SUMMARY = when(last_text_starts(OPENING), says("<summary>1. Pending work: none</summary>"))
MODEL = "claude-sonnet-5-5"


@pytest.mark.parametrize(
    "read",
    [calls("read", file_path="dense.txt"), calls("read", file_path="dense.txt", limit=600)],
    ids=["larger than the window", "just below it"],
)
async def test_a_dense_result_ends_no_session(tmp_path: Path, read: Reply) -> None:
    """A page of CJK has more tokens than the window: it is carried over as far as the window allows."""
    files = {"dense.txt": f"{'漢字仮名交じり文' * 8}\n" * 4_000}
    how = {"files": files, "windows": {MODEL: 60_000}, "config": {"window": 60_000}, "may_refuse": True}
    async with scenario(tmp_path, read, read, says("Done."), routes=[SUMMARY], **how) as harness:
        assert (await harness.turn("Go.")).text == "Done."


async def test_a_disk_that_takes_no_archive(tmp_path: Path) -> None:
    """The history stays as it is, which is said with the file that could not be written; the turn goes on."""
    story = says("A long story. " * 300)
    async with scenario(
        tmp_path, story, calls("compact"), says("Done."), routes=[SUMMARY], may_move=True
    ) as harness:
        await harness.turn("Tell me.")
        in_the_way(harness)
        assert (await harness.turn("Go.")).text == "Done."
        [notice] = harness.of(Notice)
        assert notice.text.startswith("compaction paused: `.transcripts/")
        assert notice.text.endswith("/archive-001.md` cannot be written: Is a directory")
        assert "A long story" in str(harness.server.queries[-1].body["messages"])


def in_the_way(harness: Harness) -> None:
    """Put a folder where the first archive would be."""
    log = harness.agent.session.log.path
    place = log.with_suffix("") / "archive-001.md"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
