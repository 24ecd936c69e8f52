"""What compactions did to the prefix of a session's requests, read off the log and held against the bytes sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from agent.offline import Recorded, prefix_bytes
from agent.offline.prefix import units
from agent.session.compacted import UNSENT
from agent.session.log import read_records
from agent.session.records import Record
from agent.session.replay import apply, empty_state
from tests.support.agent import Harness
from tests.support.invariants import is_for_summary, is_subagents


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One request of the main agent: the blocks it was made of, and the compactions since the request before."""

    ids: Sequence[str]
    compactions: Sequence[Record]
    request: Recorded

    @property
    def changes_sent(self) -> list[Record]:
        """Compactions that may change what was sent before."""
        return [record for record in self.compactions if record["layer"] not in UNSENT]


def steps_of(harness: Harness) -> list[Step]:
    """Return the answered requests of the main agent, with what the log says of each. Sessions without thinking."""
    live = harness.state
    state = empty_state(live.project, live.count, live.price)
    requests = iter(
        request
        for request in harness.server.queries
        if request.reply is not None and not is_for_summary(request) and not is_subagents(request)
    )
    steps: list[Step] = []
    compactions: list[Record] = []
    for _, record in read_records(harness.agent.session.log.path):
        assert record is not None
        if record["type"] == "message" and record["role"] == "assistant":
            ids = [placed.id for placed in state.view]
            steps.append(Step(ids=ids, compactions=compactions, request=next(requests)))
            compactions = []
        elif record["type"] == "compaction":
            compactions = [*compactions, record]
        apply(state, record)
    return steps


def check_resets(steps: Sequence[Step]) -> int:
    """Check that the prefix moves only where a compaction changed it, from the first changed block on; count moves."""
    resets = 0
    for before, now in pairwise(steps):
        same = common(before.ids, now.ids)
        old, new = lines(before.request.body), lines(now.request.body)
        assert old[0] == new[0], "system, tools and settings stay"
        assert old[1][:same] == new[1][:same], "the bytes before the first change are identical"
        if same == len(before.ids):
            assert prefix_bytes(now.request.body).startswith(prefix_bytes(before.request.body))
            continue
        resets += 1
        gone = {id_ for record in now.changes_sent for change in record["changes"] for id_ in change["ids"]}
        assert same == min(index for index, id_ in enumerate(before.ids) if id_ in gone)
    return resets


def reuse(harness: Harness) -> list[float]:
    """Return, for each request for a summary, the share of the bytes of the request before that it begins with."""
    shares, before = [], b""
    for request in harness.server.queries:
        if is_subagents(request) or request.reply is None:
            continue
        now = prefix_bytes(request.body)
        if is_for_summary(request):
            shares.append(common(before, now) / len(before))
        else:
            before = now
    return shares


def lines(body: Mapping[str, Any]) -> tuple[list[bytes], list[bytes]]:
    """Return a request as it is cached: a line a tool or system block, and a line a block of the messages."""
    flat = units(body)
    head = [unit.line for unit in flat if unit.section != "messages"]
    return head, [unit.line for unit in flat if unit.section == "messages"]


def common(one: Sequence[Any], other: Sequence[Any]) -> int:
    """Return how many items both begin with."""
    pairs = zip(one, other, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
