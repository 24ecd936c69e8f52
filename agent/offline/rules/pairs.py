"""Every call has exactly one result, first thing in the next message, and every result has its call."""

from collections.abc import Mapping, Sequence
from itertools import takewhile

from agent.offline.prefix import Unit, turns
from agent.offline.refusal import RefusalError
from agent.offline.rules.schema import refuse


def check_pairs(flat: Sequence[Unit]) -> None:
    """Refuse calls without results, results without calls, and doubles of either."""
    _check_unique(flat)
    merged = turns(flat)
    for index, (role, blocks) in enumerate(merged):
        before = merged[index - 1][1] if index else []
        after = merged[index + 1][1] if index + 1 < len(merged) else []
        if role == "assistant":
            _check_answered(blocks, after)
            _check_server_tools(blocks, after)
        _check_results(blocks, _calls(before) if role == "user" else {})


def _calls(blocks: Sequence[Unit]) -> Mapping[str, Unit]:
    return {unit.block["id"]: unit for unit in blocks if unit.kind == "tool_use"}


def _check_unique(flat: Sequence[Unit]) -> None:
    seen: set[str] = set()
    for unit in flat:
        if unit.section != "messages" or unit.kind not in ("tool_use", "server_tool_use"):
            continue
        if unit.block["id"] in seen:
            refuse(unit.path, "`tool_use` ids must be unique")
        seen.add(unit.block["id"])


def _check_answered(blocks: Sequence[Unit], after: Sequence[Unit]) -> None:
    calls = _calls(blocks)
    # A result behind a text does not count: this is the text that the API has for it, too.
    leading = takewhile(lambda unit: unit.kind == "tool_result", after)
    answered = {unit.block["tool_use_id"] for unit in leading}
    missing = [call_id for call_id in calls if call_id not in answered]
    if missing:
        refuse(
            f"messages.{calls[missing[0]].message}",
            f"`tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(missing)}. "
            "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        )


def _check_results(blocks: Sequence[Unit], calls: Mapping[str, Unit]) -> None:
    seen: set[str] = set()
    for unit in blocks:
        if unit.kind != "tool_result":
            continue
        call_id = unit.block["tool_use_id"]
        if call_id not in calls:
            text = (
                f"unexpected `tool_use_id` found in `tool_result` blocks: {call_id}. "
                "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
            )
            refuse(unit.path, text)
        if call_id in seen:
            text = f"each tool_use must have a single result. Found multiple `tool_result` blocks with id: {call_id}"
            refuse(unit.path, text)
        seen.add(call_id)


def _check_server_tools(blocks: Sequence[Unit], after: Sequence[Unit]) -> None:
    done = {unit.block["tool_use_id"] for unit in blocks if unit.kind.endswith("_tool_result")}
    pending = [
        unit.block for unit in blocks if unit.kind == "server_tool_use" and unit.block["id"] not in done
    ]
    if pending and any(unit.kind != "tool_result" for unit in after):
        name, call_id = pending[0]["name"], pending[0]["id"]
        raise RefusalError(
            f"`{name}` tool use with id `{call_id}` was found without a corresponding `{name}_tool_result` block"
        )
