"""From a session's state to the body of the next request."""

from collections.abc import Sequence
from typing import Any, cast

from agent.api.wire import Request
from agent.models import ModelRow, row, thinking_params
from agent.session.state import State
from compaction.messages import Block, Message, is_thinking, merged
from compaction.summary import THINKING_ROOM_TOKENS
from compaction.view import Placed, ThinkingRule

FIRST_MAX_TOKENS = 32_000
"""Room for a reply at first; a reply that is cut gets the model's whole maximum."""
MARK = {"type": "ephemeral"}


def build_request(state: State, *, is_limit_raised: bool = False) -> tuple[Request, tuple[str, ...]]:
    """Return the body of the next request and its beta headers.

    System and tools are those of the `session` record, so that they stay the same for the whole session. At most
    four cache marks: the end of the system prompt, the block before what the newest compaction changed, the
    last block of the previous request, the last block of this one.
    """
    return _request(state, sendable(state), is_limit_raised=is_limit_raised)


def summary_request(
    state: State,
    instruction: str,
    max_tokens: int,
    *,
    placed: Sequence[Placed] | None = None,
) -> tuple[Request, tuple[str, ...]]:
    """Return a request like the next one with ``instruction`` as its last block, so that it reads the cached prefix.

    The last cache mark stays on the block before it: nothing of the summary request is worth keeping.

    Args:  placed: the blocks of the history where that is not all of them.
    """
    request, betas = _request(state, sendable(state) if placed is None else placed)
    messages: list[Message] = request["messages"]
    block: Block = {"type": "text", "text": instruction}
    if messages and messages[-1]["role"] == "user":
        messages[-1]["content"].append(block)
    else:
        messages.append({"role": "user", "content": [block]})
    _limit(request, state, max_tokens)
    return request, betas


def text_request(state: State, words: str, max_tokens: int) -> tuple[Request, tuple[str, ...]]:
    """Return a request that says only ``words``: no history, no tools, nothing cached."""
    request, betas = _request(state, [])
    del request["tools"]
    request["system"] = state.head["system"]
    request["messages"] = [{"role": "user", "content": [{"type": "text", "text": words}]}]
    thinking_room = THINKING_ROOM_TOKENS if "thinking" in request else 0
    _limit(request, state, max_tokens + thinking_room)
    return request, betas


def sendable(state: State) -> list[Placed]:
    """Return the blocks of the next request: the view, less the thinking that may not go back to the model."""
    rule = thinking_rule(row(state.model))
    if rule == "bound" and state.is_binding_refused:
        rule = "proven"
    return state.view.sendable(rule, state.model)


def _request(
    state: State, placed: Sequence[Placed], *, is_limit_raised: bool = False
) -> tuple[Request, tuple[str, ...]]:
    model = row(state.model)
    max_tokens = model.max_output if is_limit_raised else min(FIRST_MAX_TOKENS, model.max_output)
    thinking, betas = thinking_params(
        model, effort=state.effort, max_tokens=max_tokens, is_binding_refused=state.is_binding_refused
    )
    request: Request = {
        "model": state.model,
        "max_tokens": max_tokens,
        "system": _marked_system(state.head["system"]),
        "tools": state.head["tools"],
        "messages": _marked(placed, cache_marks(placed, state.newest_change)),
        **thinking,
    }
    return request, betas


def _limit(request: Request, state: State, max_tokens: int) -> None:
    """Give the answer so much room; a thinking budget has to fit below it, and another would be another prefix."""
    budget = request.get("thinking", {}).get("budget_tokens", 0)
    request["max_tokens"] = min(budget + max_tokens, row(state.model).max_output)


def thinking_rule(model: ModelRow) -> ThinkingRule:
    """Return how thinking may go back to ``model``."""
    if model.is_bound:
        return "bound"
    if model.thinking == "none":
        return "none"
    return "manual" if model.thinking == "manual" else "kept"


def cache_marks(placed: Sequence[Placed], newest_change: str) -> set[int]:
    """Indices of the blocks that carry a cache mark; blocks of thinking may not."""
    last = len(placed) - 1
    wanted = {last, _end_of_previous(placed), _before(placed, newest_change)}
    return {_markable(placed, index) for index in wanted if index >= 0} - {-1}


def _end_of_previous(placed: Sequence[Placed]) -> int:
    """Index of the block that ended the request which made the last reply; -1 without a reply."""
    index = len(placed) - 1
    while index >= 0 and placed[index].role == "user":
        index -= 1
    while index >= 0 and placed[index].role == "assistant":
        index -= 1
    return index


def _before(placed: Sequence[Placed], record: str) -> int:
    for index, block in enumerate(placed):
        if block.record == record:
            return index - 1
    return -1


def _markable(placed: Sequence[Placed], index: int) -> int:
    while index >= 0 and is_thinking(placed[index].block):
        index -= 1
    return index


def _marked(placed: Sequence[Placed], marks: set[int]) -> list[Message]:
    parts = [
        (block.role, _with_mark(block.block) if index in marks else block.block)
        for index, block in enumerate(placed)
    ]
    return merged(parts)


def _with_mark(block: Block) -> Block:
    return cast("Block", {**block, "cache_control": MARK})


def _marked_system(system: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*system[:-1], {**system[-1], "cache_control": MARK}] if system else []
