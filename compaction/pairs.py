"""Calls and their results: what must stand together, and what stands open."""

from collections.abc import Sequence

from compaction.messages import Message, ToolResultBlock, ToolUseBlock, tool_uses


def tool_results(message: Message) -> list[ToolResultBlock]:
    """Return the results of a message, in order."""
    return [block for block in message["content"] if block["type"] == "tool_result"]


def open_calls(messages: Sequence[Message]) -> list[ToolUseBlock]:
    """Return the calls of the last assistant message that no later message answers."""
    answered: set[str] = set()
    for message in reversed(messages):
        if message["role"] == "assistant":
            return [call for call in tool_uses(message["content"]) if call["id"] not in answered]
        answered.update(result["tool_use_id"] for result in tool_results(message))
    return []


def broken_pairs(messages: Sequence[Message]) -> list[str]:
    """Return what breaks the pairing of calls and results, a line a fault; empty for a valid history.

    The rule (Messages API): every tool_use is answered exactly once, in the next user message, whose results
    stand first; no result without its call.
    """
    faults: list[str] = []
    waiting: list[str] = []
    for index, message in enumerate(messages):
        if message["role"] == "assistant":
            faults += [f"{index}: call {call} is not answered" for call in waiting]
            waiting = [call["id"] for call in tool_uses(message["content"])]
            continue
        faults += _faults_of_answers(index, message, waiting)
        waiting = []
    return faults + [f"{len(messages)}: call {call} is not answered" for call in waiting]


def _faults_of_answers(index: int, message: Message, waiting: Sequence[str]) -> list[str]:
    found = [result["tool_use_id"] for result in tool_results(message)]
    faults = [f"{index}: call {call} is not answered" for call in waiting if call not in found]
    faults += [f"{index}: result {result} has no call" for result in found if result not in waiting]
    faults += [
        f"{index}: call {result} is answered twice"
        for result in dict.fromkeys(found)
        if found.count(result) > 1
    ]
    types = [block["type"] for block in message["content"]]
    if "tool_result" in types[len(found) :]:
        faults.append(f"{index}: results do not stand first")
    return faults
