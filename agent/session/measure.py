"""What the meter must be told beside a reply's usage: what does not go back, how another model counts, what else was paid for."""

from typing import Any

from agent.api.request import thinking_rule
from agent.models import row
from agent.session.records import Record
from agent.session.state import State
from agent.token_counter import Counter
from compaction.messages import Block, is_thinking, text
from compaction.tokens import thinking_total
from compaction.view import Reader


def reader_of(model: str) -> Reader:
    """Return who the view is sent to when ``model`` answers: what decides which thinking counts."""
    return Reader(rule=thinking_rule(row(model)), model=model)


def left_out(state: State, record: Record, blocks: list[Block]) -> int:
    """Return the tokens of a reply that were paid for and do not go back: a cut call, thinking nobody may see again."""
    usage = record.get("usage") or {}
    factor = state.meter.factor
    if record.get("cut"):
        kept = sum(state.count(block) for block in blocks)
        return max(0, int(usage.get("output_tokens") or 0) - round(factor * kept))
    if thinking_rule(row(state.model)) != "none" and record["model"] == state.model:
        return 0
    thoughts = [block for block in blocks if is_thinking(block)]
    if not thoughts:
        return 0
    told = thinking_total(usage)
    return told if told is not None else round(factor * sum(map(state.count, thoughts)))


def denser(state: State, before: str) -> float:
    """Return how many times as many tokens the context is for the model as it was for the one ``before``."""
    old, new = row(before).family, row(state.model).family
    if old == new:
        return 1.0
    blocks = [overhead(state.head), *(placed.block for placed in state.view)]
    sums = [sum(map(Counter(family).block_tokens, blocks)) for family in (old, new)]
    return sums[1] / sums[0] if sums[0] else 1.0


def overhead(head: Record) -> Block:
    """Return system prompt and tools as a block to count."""
    return text(str(head["system"]) + str(head["tools"]))


def pay(state: State, usage: dict[str, Any] | None) -> None:
    """Add what a request cost that no reply in the view tells of."""
    if usage:
        state.spent.add(usage, state.price(state.model, usage))
