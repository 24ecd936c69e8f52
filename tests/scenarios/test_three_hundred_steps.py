"""Whole sessions several times as long as their window: nothing refused, nothing said forgotten, nothing lost.

`PALIMPSEST_STEPS=300 pytest -n 0 tests/scenarios/test_three_hundred_steps.py` plays them in full length.
"""

import os
from pathlib import Path

import pytest

from agent.offline import Recorded
from tests.support.agent import Harness, scenario
from tests.support.invariants import is_for_summary, main_requests
from tests.support.long_session import PIN, PIN_STEP, WINDOW, Plan, play, setup, texts
from tests.support.prefixes import check_resets, reuse, steps_of
from tests.support.reachable import MOST_READS, Shelf, reachable, sha

STEPS = int(os.environ.get("PALIMPSEST_STEPS", "90"))
STEPS_A_SUMMARY = 60
"""What `window` makes of this script: five summaries in three hundred steps."""
END_CHARS = 300
"""So much of the head and the tail of a long prompt stands in the view at least."""


@pytest.mark.parametrize("preset", ["balanced", "window"])
async def test_a_session_longer_than_its_window(tmp_path: Path, preset: str) -> None:
    """No request refused, words kept, one cache reset a compaction, summaries that read the cache, all recoverable."""
    plan = Plan(steps=STEPS)
    async with scenario(tmp_path, *plan.script(), **setup(plan, preset)) as harness:
        ended = await play(harness, plan)

        assert [(one.reason, one.problem) for one in ended] == [("done", "")] * 3
        assert harness.state.step == STEPS
        answered = [request for request in harness.server.queries if request.reply is not None]
        check_words(main_requests(answered), plan)
        check_long_prompt(harness, main_requests(answered), plan)
        check_cache(harness)
        await check_recovery(harness)
        assert max(request.bill.total for request in answered if request.bill) <= WINDOW
        if preset == "window":
            assert sum(map(is_for_summary, answered)) >= STEPS // STEPS_A_SUMMARY


def check_words(requests: list[Recorded], plan: Plan) -> None:
    """Pins, steering and the active request stand word for word in every request after they were said."""
    first, second, third = plan.prompts
    ends = plan.turn_ends
    for step, request in enumerate(requests, 1):
        said = texts(request.body)
        assert step < PIN_STEP or PIN in said, step
        for typed, words in plan.steering.items():
            assert step <= typed or words in said, (step, words)
        assert step > ends[0] or first in said, step
        assert step <= ends[1] or third in said, step
        assert second not in said, "the long one is never sent whole"


def check_long_prompt(harness: Harness, requests: list[Recorded], plan: Plan) -> None:
    """It is on disk before it is sent for the first time; head, tail and path stand in each request of its turn."""
    prompt, (start, end, _) = plan.prompts[1], plan.turn_ends
    hashes = {file["sha256"]: file["path"] for file in kept_before(harness, start + 1)}
    path = hashes[sha(prompt.encode())]
    assert (harness.project / path).read_text("utf-8") == prompt
    for request in requests[start:end]:
        said = texts(request.body)
        assert prompt[:END_CHARS] in said
        assert prompt[-END_CHARS:].strip() in said
        assert path in said
    shelf = Shelf(harness)
    assert path in shelf.named | shelf.behind.keys()


def kept_before(harness: Harness, step: int) -> list[dict[str, str]]:
    """The files that the log names before the reply of a step."""
    files: list[dict[str, str]] = []
    for record in harness.log_records():
        if record["type"] == "message" and record["role"] == "assistant" and record["step"] >= step:
            return files
        files += record.get("files", []) if record["type"] != "context" else []
    return files


def check_cache(harness: Harness) -> None:
    """The prefix moves once a compaction, and what asks for a summary reads all of the request before."""
    steps = steps_of(harness)
    resets = check_resets(steps)
    assert resets == len([step for step in steps if step.changes_sent])
    assert resets > 0
    assert all(share >= 0.95 for share in reuse(harness)), reuse(harness)


async def check_recovery(harness: Harness) -> None:
    """Every byte of a result that left the view can be read again: two files and three reads away, hash-equal."""
    found = await reachable(harness)
    assert found.gone_bytes > WINDOW
    assert found.lost == []
    assert found.share == 1.0
    assert found.most_reads <= MOST_READS
