"""The ten rules of compaction, each as a check of a session that has lived."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from agent.models import BINDING_BETA, row
from agent.offline.prefix import units
from compaction.messages import Block, is_thinking, result_text, text
from compaction.pairs import broken_pairs
from compaction.view import Placed
from tests.support.rolling import Rolling
from tests.support.rolling_recovery import (
    BOUND_CHARS,
    MOST_READS,
    Part,
    Shelf,
    images_of,
    parts_of,
    shelf,
    shown_text,
)
from tests.support.rolling_shapes import Act, Sent, request_bytes
from tests.support.rolling_texts import FORGED_IDS
from tools.limits import find_marks

BEFORE_SEND = ("budget", "restore", "prompt")
"""Layers that change only what was not sent yet."""
GROWS = ("restore",)
LEAST_DENSITY = 0.5
NO_REQUEST = "no request is open; wait for the user's next message"


def check_valid(rolling: Rolling) -> None:
    """Rule 1, beside the strict server: calls and results pair up, the first message is the user's, none is empty."""
    for sent in rolling.sent:
        messages = sent.body["messages"]
        assert broken_pairs(messages) == []
        assert messages[0]["role"] == "user"
        assert all(message["content"] for message in messages)


def check_nothing_lost(rolling: Rolling) -> None:
    """Rule 2: all that ever left the view can be read, byte for byte, and a part of some length in few reads."""
    assert rolling.overwritten == []
    view = [placed.block for placed in rolling.state.view]
    shown, images = shown_text(view), images_of(view)
    reachable = shelf(shown, rolling.disk)
    lost = [
        (placed.id, part.data[:80], reads)
        for placed, part in _gone(rolling)
        if not _stands(part, shown, images)
        if not _is_near(part, reads := _reads(reachable, placed, part))
    ]
    assert lost == [], lost[:3]


def _gone(rolling: Rolling) -> Iterator[tuple[Placed, Part]]:
    """The parts of all blocks that stood in the view and were taken out by a compaction that stands."""
    standing = set(rolling.state.standing)
    records = {act.record for act in rolling.acts}
    seen: set[str] = set()
    for act in rolling.acts:
        if act.plan.layer in GROWS:
            continue
        left = {id_ for change in act.plan.changes for id_ in change["ids"]} - seen
        seen |= left
        if act.record not in standing and act.plan.layer not in BEFORE_SEND:
            continue
        for placed in act.before:
            if placed.id in left and not is_thinking(placed.block) and not _is_short(placed, records):
                for part in parts_of(placed.block, _full(rolling, placed.block)):
                    yield placed, part


def _is_short(placed: Placed, records: set[str]) -> bool:
    """True for the shorter form of a call or result: what counts is the block that it stands for."""
    return placed.record in records and placed.block["type"] in ("tool_use", "tool_result")


def _full(rolling: Rolling, block: Block) -> bytes | None:
    """What the tool itself kept of a result."""
    if block["type"] != "tool_result":
        return None
    path = rolling.state.spills.get(block["tool_use_id"])
    return rolling.disk[path] if path else None


def _stands(part: Part, shown: str, images: set[bytes]) -> bool:
    return part.data in images if part.is_image else part.data.decode("utf-8") in shown


def _reads(reachable: Shelf, placed: Placed, part: Part) -> int | None:
    """A result of several texts may be kept as one."""
    reads = reachable.reads_of(part)
    block = placed.block
    if reads is None and block["type"] == "tool_result":
        reads = reachable.reads_of(Part(data=result_text(block).encode("utf-8")))
    return reads


def _is_near(part: Part, reads: int | None) -> bool:
    is_bound = len(part.data) <= BOUND_CHARS
    return reads is not None and (not is_bound or reads <= MOST_READS)


def check_unseen(rolling: Rolling) -> None:
    """Rule 3: what the model has not read yet is left alone by all layers but the first, and carried over by the last."""
    for act in rolling.acts:
        unread = _unread(act)
        if act.is_summary and act.plan.trigger != "reactive":
            _check_carried(rolling, act, unread)
        elif act.plan.layer not in BEFORE_SEND and act.plan.trigger != "reactive":
            changed = {id_ for change in act.plan.changes for id_ in change["ids"]}
            assert changed.isdisjoint(placed.id for placed in unread)


def _unread(act: Act) -> list[Placed]:
    unread: list[Placed] = []
    for placed in reversed(act.before):
        if placed.role == "assistant":
            return [one for one in unread if one.block["type"] == "tool_result"]
        unread.insert(0, placed)
    return []


def _check_carried(rolling: Rolling, act: Act, unread: Sequence[Placed]) -> None:
    """Results that together may take half of the threshold, in equal shares, stand in full after a summary.

    Where tokens are as dense as they are in texts: the shares are estimated by characters.
    """
    calls = {one.block["id"]: one.block["name"] for one in act.before if one.block["type"] == "tool_use"}
    wanted = [
        placed
        for placed in unread
        if placed.block["type"] == "tool_result" and calls.get(placed.block["tool_use_id"]) != "compact"
    ]
    share = act.threshold / 4 / max(len(wanted), 1)
    is_large = any(placed.tokens > share for placed in wanted)
    if is_large or not LEAST_DENSITY <= rolling.setting.density <= 1.0:
        return
    after = [placed.block for placed in act.after]
    shown, images = shown_text(after), images_of(after)
    for placed in wanted:
        for part in parts_of(placed.block):
            assert not part.data.strip() or _stands(part, shown, images), (act.step, placed.id)


def check_words(rolling: Rolling) -> None:
    """Rule 4: pins, the active request and its steering stand word for word in every request; so does, after a
    summary, the newest prompt that is answered."""
    for sent in rolling.sent:
        shown = shown_text(block for message in sent.body["messages"] for block in message["content"])
        for words in (*sent.pins, *sent.active):
            assert words in shown, (len(words), words[:80])
    for act in rolling.acts:
        if act.is_summary:
            shown = shown_text(placed.block for placed in act.after)
            assert act.is_turn_open or NO_REQUEST in shown.lower()
            # Far within their budget, however much all parts had to be made smaller.
            is_short = rolling.state.count(text(act.earlier)) <= act.threshold / 100
            assert not is_short or act.earlier in shown, act.earlier


def check_shrinks(rolling: Rolling) -> None:
    """Rule 5: a compaction makes the view smaller, and its receipt says by how much."""
    for act in rolling.acts:
        before, after = (sum(placed.tokens for placed in view) for view in (act.before, act.after))
        receipt = act.plan.receipt
        assert act.before != act.after
        assert {"layer", "trigger", "before", "after", "dropped"} <= receipt.keys()
        if act.plan.layer not in GROWS and act.plan.trigger != "reactive":
            assert after < before
            assert receipt["after"] <= receipt["before"]


def check_no_thrash(rolling: Rolling) -> None:
    """Rule 6: a layer that is made to act by size twice within three steps has freed a tenth at least in between."""
    by_size = [act for act in rolling.acts if act.plan.receipt.get("cause") == "size"]
    for layer in {act.plan.layer for act in by_size}:
        acts = [act for act in by_size if act.plan.layer == layer]
        for one, two, three in zip(acts, acts[1:], acts[2:], strict=False):
            if three.step - one.step <= 3:
                assert any(_frees_a_tenth(act) for act in (one, two, three)), (layer, one.step)


def _frees_a_tenth(act: Act) -> bool:
    receipt = act.plan.receipt
    return receipt["before"] - receipt["after"] >= receipt["before"] / 10


def check_provenance(rolling: Rolling) -> None:
    """Rule 7: marks of our own are in the registry, and nothing that only looks like one is."""
    state = rolling.state
    own = {str(rolling.state.project / path) for path in rolling.disk}
    assert state.own_files.keys() <= own
    made = {
        mark
        for act in rolling.acts
        for change in act.plan.changes
        for block in change["blocks"]
        for mark in _own_marks(block, rolling.disk)
    }
    for mark in made:
        assert state.is_own_mark(mark), mark
    for forged in FORGED_IDS:
        assert forged in made or not state.is_own_mark(forged), forged


def _own_marks(block: Block, disk: Mapping[str, bytes]) -> Iterator[str]:
    for line in shown_text([block]).split("\n"):
        if any(f"read {path}]]" in line for path in disk if path in line):
            yield from find_marks(line)


def check_thinking(rolling: Rolling) -> None:
    """Rule 8, beside the strict server: what a model of each kind gets back of its thinking."""
    for sent in rolling.sent:
        model = row(str(sent.body["model"]))
        if not model.is_bound:
            assert sent.dropped == ()
        elif not rolling.kind.is_binding_refused:
            assert sent.body["thinking"]["block_binding"] == {"prefix_mismatch_behavior": "drop_block"}
            assert BINDING_BETA in sent.betas
            roles = [message["role"] for message in sent.body["messages"]]
            last = max((index for index, role in enumerate(roles) if role == "assistant"), default=-1)
            assert all(path.startswith(f"messages.{last}.") for path in sent.dropped)
    if rolling.kind.is_binding_refused:
        assert not [act for act in rolling.acts if _is_early(act)]


def _is_early(act: Act) -> bool:
    is_late_layer = (
        not act.is_summary and act.plan.layer not in BEFORE_SEND and act.plan.trigger != "reactive"
    )
    return is_late_layer and act.is_turn_open and act.has_reply


def check_prefix(rolling: Rolling) -> None:
    """Rule 9: what stands before the first change is sent again byte for byte; system and tools always are."""
    heads = {request_bytes({"head": [sent.body["system"], sent.body["tools"]]}) for sent in rolling.sent}
    assert len(heads) <= 1
    for number, (one, two) in enumerate(pairwise(rolling.sent), 1):
        if one.body["model"] != two.body["model"]:
            continue
        touched = rolling.touched.get(number, set())
        kept = _kept_lines(one, touched)
        assert kept == _lines(two)[: len(kept)], number


def _kept_lines(sent: Sent, touched: set[str]) -> list[bytes]:
    """The lines of a request up to the first block that was changed after it; what the server dropped aside."""
    found: list[bytes] = []
    for placed, line in zip(sent.placed, _all_lines(sent), strict=True):
        if placed.id in touched:
            break
        if line is not None:
            found.append(line)
    return found


def _all_lines(sent: Sent) -> list[bytes | None]:
    flat = (unit for unit in units(sent.body) if unit.section == "messages")
    return [None if unit.path in sent.dropped else unit.line for unit in flat]


def _lines(sent: Sent) -> list[bytes]:
    return [line for line in _all_lines(sent) if line is not None]


def check_same_plans(rolling: Rolling) -> None:
    """Rule 10: the log, read again, leads to the same plans and the same request."""
    twin = rolling.twin()
    assert twin.placed() == rolling.placed()
    for layer in rolling.layers:
        assert layer(twin.state.view, twin.situation()) == layer(rolling.state.view, rolling.situation())
    for summary in (None, "1. Request and intent: to be the same."):
        assert twin.summary_plan("auto", summary) == rolling.summary_plan("auto", summary)


Check = Callable[[Rolling], None]
CHECKS: Mapping[str, Check] = {
    "1 valid": check_valid,
    "2 nothing is lost": check_nothing_lost,
    "3 unseen is untouchable": check_unseen,
    "4 the user's words stay": check_words,
    "5 shrinking": check_shrinks,
    "6 no thrash": check_no_thrash,
    "7 provenance": check_provenance,
    "8 thinking is bound": check_thinking,
    "9 one cache reset": check_prefix,
    "10 deterministic": check_same_plans,
}


def broken(rolling: Rolling) -> dict[str, Any]:
    """The rules that a session breaks, each with why."""
    found: dict[str, Any] = {}
    for name, check in CHECKS.items():
        try:
            check(rolling)
        except AssertionError as error:
            found[name] = str(error)[:400]
    return found
