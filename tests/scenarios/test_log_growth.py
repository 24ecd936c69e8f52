"""The log grows with what happens, not with how often it was compacted: no record repeats the view."""

import json
from collections.abc import Iterator
from pathlib import Path

from agent.offline import Reply, Request, always, calls, last_text_starts, says, when
from agent.session.log import read_records
from agent.session.records import Record, encode
from agent.session.replay import apply, empty_state
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario

COMPACTIONS = 100
FIXED_BYTES = 4_000
"""What a compaction may take whatever it changes: its receipt, and the frame of a summary."""
SUMMARISED = when(last_text_starts(OPENING), always(says("<summary>1. Request and intent: fine</summary>")))


def answer(request: Request) -> Reply:
    """Look at something, then tell of it at length."""
    if request.results:
        return says(f"About {request.first_text[:10]}: " + "a word " * 1_200)
    return calls("bash", command="seq 300")


async def test_a_hundred_compactions(tmp_path: Path) -> None:
    """Each takes at most as many bytes as it changed, and a fixed sum; both halves of the log are about as long.

    What grows is the user's own words, which every summary repeats up to its budget: here they are short.
    """
    async with scenario(tmp_path, always(answer), routes=[SUMMARISED]) as harness:
        for number in range(COMPACTIONS):
            await harness.turn(f"Question {number}?")
            assert await harness.agent.compactor.compact("manual", "")
        sizes = [(record, len(encode(record)), changed) for record, changed in changes(harness)]
        assert len(sizes) == COMPACTIONS
        for record, size, changed in sizes:
            assert size <= FIXED_BYTES + changed, record["id"]
        halves = half_bytes(harness)
        assert halves[1] <= 1.25 * halves[0], halves


def changes(harness: Harness) -> Iterator[tuple[Record, int]]:
    """Yield each compaction, and how many bytes of the view it changed."""
    live = harness.state
    state = empty_state(live.project, live.count, live.price)
    for _, record in read_records(harness.agent.session.log.path):
        assert record is not None
        if record["type"] == "compaction":
            gone = {id_ for change in record["changes"] for id_ in change["ids"]}
            blocks = [placed.block for placed in state.view if placed.id in gone]
            yield record, sum(len(json.dumps(block)) for block in blocks)
        apply(state, record)


def half_bytes(harness: Harness) -> tuple[int, int]:
    """Bytes of the log up to the middle compaction, and behind it."""
    first = last = seen = 0
    for record in harness.log_records():
        size = len(encode(record))
        first, last = (first + size, last) if seen < COMPACTIONS // 2 else (first, last + size)
        seen += record["type"] == "compaction"
    return first, last
