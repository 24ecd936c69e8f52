"""Output that stands in the view already, word for word: before its first send a line takes its place, and says where.

Nothing cached changes, and the model learns the one thing that is new about it: that nothing has changed.
"""

import re
from collections.abc import Mapping

from compaction.digest import target
from compaction.history import Call
from compaction.messages import Block, ToolResultBlock, ToolUseBlock, result_text
from compaction.plan import Plan, PlannedFile
from compaction.quoted import harmless
from compaction.receipts import Kind, settled
from compaction.shorten import mark, mark_id
from compaction.situation import Situation
from compaction.view import Change, Placed, View

MIN_CHARS = 2_000
"""Shorter output is sent again: to look for it above would cost the model more than it saves."""
TOOLS = ("bash", "glob")
"""The read tool says itself that a file is unchanged, and a copy of a file is not that file."""
SAME = re.compile(r"\[\[kept: \S+ · same as (\d+)-(\d+)-\w+ · ")
"""Beginning of the line; believed only where a compaction put the block."""


def repeated_output(view: View, situation: Situation) -> Plan | None:
    """Return the plan that shortens the newest results whose text stands whole in what was sent; None without any.

    Over the threshold nothing is shortened: what stands now may leave before the model has looked.
    """
    new = [placed for placed in view.unsent() if placed.id not in situation.held and _is_long(view, placed)]
    if not new or situation.size(view.tokens) > situation.sizes.threshold:
        return None
    standing = _standing(view)
    changes: list[Change] = []
    files: list[PlannedFile] = []
    for placed in new:
        call, before = _call_of(view, placed), standing.get(_key(placed.block))
        if before is not None and call.id not in situation.kept:
            change, file = _shortened(placed, call, before, situation.places.spills)
            changes.append(change)
            files.append(file)
    return settled(view, situation, changes, files, Kind(layer="budget", cause="repeat"))


def repetitions(view: View) -> dict[tuple[int, int], int]:
    """Return (step, position in its reply) of each call whose output came again -> the step when it last did."""
    found: dict[tuple[int, int], int] = {}
    for _, placed in view.index.calls:
        if placed.block["type"] != "tool_result" or not view.is_changed(placed):
            continue
        if match := SAME.match(result_text(placed.block)):
            found[int(match[1]), int(match[2])] = placed.step
    return found


def _shortened(
    placed: Placed, call: Call, before: tuple[Call, ToolUseBlock], folder: str
) -> tuple[Change, PlannedFile]:
    assert placed.block["type"] == "tool_result"
    full, path = result_text(placed.block), f"{folder}/{mark_id(call)}.txt"
    first, use = before
    about = f"same as {mark_id(first)} · {len(full)} characters · {full.count(chr(10)) + 1} lines"
    ending = "" if call.exit_code is None else f"; exit code {call.exit_code}"
    said = f"The same output as `{harmless(target(use['input']))}` gave above, at step {first.step}{ending}."
    new: ToolResultBlock = {**placed.block, "content": f"{mark(mark_id(call), about, path)}\n{said}"}
    file = PlannedFile(path=path, data=full.encode("utf-8"))
    return Change(ids=[placed.id], role="user", blocks=[new]), file


def _standing(view: View) -> Mapping[tuple[str, bool], tuple[Call, ToolUseBlock]]:
    """The long output that was sent and stands whole -> the call that gave it first."""
    found: dict[tuple[str, bool], tuple[Call, ToolUseBlock]] = {}
    uses: dict[str, ToolUseBlock] = {}
    for _, placed in view.index.calls_before(view.sent):
        block = placed.block
        if block["type"] == "tool_use":
            uses[block["id"]] = block
        elif _is_long(view, placed) and (call := _call_of(view, placed)).id in uses:
            found.setdefault(_key(block), (call, uses[call.id]))
    return found


def _is_long(view: View, placed: Placed) -> bool:
    block = placed.block
    if block["type"] != "tool_result" or view.is_changed(placed) or not isinstance(block["content"], str):
        return False
    call = view.history.calls.get(block["tool_use_id"])
    return call is not None and call.name in TOOLS and len(block["content"]) >= MIN_CHARS


def _call_of(view: View, placed: Placed) -> Call:
    assert placed.block["type"] == "tool_result"
    return view.history.calls[placed.block["tool_use_id"]]


def _key(block: Block) -> tuple[str, bool]:
    assert block["type"] == "tool_result"
    return result_text(block), bool(block.get("is_error"))
