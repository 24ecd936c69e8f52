"""Thinking blocks come back byte for byte, in order, and behind the conversation that produced them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.offline.ledger import Ledger, Thought, thought_key
from agent.offline.prefix import ConversationHash, Unit, turns
from agent.offline.rules.params import thinking_type
from agent.offline.rules.schema import refuse
from agent.offline.rules.situation import Situation

_CHANGED = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
    "These blocks must remain as they were in the original response."
)
_BOUND = (
    "The block is bound to a different conversation. Remove the block, or set "
    '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)
_EXPECTED = (
    "Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, a final `assistant` "
    "message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). "
    "We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the model gets to see: the blocks that are left, and a report of the thinking that was dropped."""

    units: Sequence[Unit]
    transformations: Sequence[Mapping[str, str]]


def check_thinking(
    body: Mapping[str, Any], flat: Sequence[Unit], *, situation: Situation, ledger: Ledger
) -> Seen:
    """Refuse thinking that is not as served; drop what another model thought, and what no longer fits if asked to."""
    merged = turns(flat)
    latest = max((index for index, (role, _) in enumerate(merged) if role == "assistant"), default=None)
    _check_served(flat, [] if latest is None else merged[latest][1], ledger=ledger)
    if latest is not None:
        is_open = any(blocks[0].kind == "tool_result" for _, blocks in merged[latest + 1 :])
        _check_latest(merged[latest][1], body, is_open=is_open, model=situation.facts.id, ledger=ledger)
    return _Replay(body=body, situation=situation, ledger=ledger).run(flat)


def _check_served(flat: Sequence[Unit], latest: Sequence[Unit], *, ledger: Ledger) -> None:
    paths = {unit.path for unit in latest}
    for unit in flat:
        if not unit.is_thinking:
            continue
        thought = ledger.find(unit.block)
        if thought is None:
            refuse(unit.path, _invalid(unit))
        if thought.block != unit.block:
            refuse(unit.path, _CHANGED if unit.path in paths else _invalid(unit))


def _invalid(unit: Unit) -> str:
    name = "signature" if unit.kind == "thinking" else "data"
    return f"Invalid `{name}` in `{unit.kind}` block"


def _check_latest(
    latest: Sequence[Unit], body: Mapping[str, Any], *, is_open: bool, model: str, ledger: Ledger
) -> None:
    """All of a reply's thinking or, outside an open round, none; always in its order.

    Of a reply that is cut off, as of one that was interrupted, as much as stands before the cut.
    """
    sent = [thought_key(unit.block) for unit in latest if unit.is_thinking]
    lines = frozenset(unit.line for unit in latest)
    calls = [unit.block["id"] for unit in latest if unit.kind == "tool_use"]
    if is_open and calls:
        replies = [_of_model(reply, model) for reply in ledger.thoughts_with(calls[-1])]
        if replies and not any(_stands(reply, sent, lines) for reply in replies):
            if thinking_type(body) == "enabled" and not sent:
                refuse(f"{latest[0].path}.type", _EXPECTED.format(found=latest[0].kind))
            refuse(latest[0].path, _CHANGED)
    if not _are_whole(sent, lines, ledger):
        refuse(latest[0].path, _CHANGED)


def _of_model(reply: Sequence[Thought], model: str) -> list[Thought]:
    return [thought for thought in reply if thought.model == model]


def _are_whole(sent: Sequence[str], lines: frozenset[bytes], ledger: Ledger) -> bool:
    """Are these the thoughts of one or more replies, each with all of its own in order, and none twice?"""
    rest = list(sent)
    while rest:
        reply = ledger.reply_of(rest[0])
        if not _begins(reply, rest, lines):
            return False
        rest = rest[len(reply) :]
    return len(set(sent)) == len(sent)


def _stands(reply: Sequence[Thought], sent: Sequence[str], lines: frozenset[bytes]) -> bool:
    return any(_begins(reply, sent[start:], lines) for start in range(len(sent) + 1))


def _begins(reply: Sequence[Thought], sent: Sequence[str], lines: frozenset[bytes]) -> bool:
    """Does ``sent`` begin with all thoughts of a reply, or end where nothing stands that came behind the next one?"""
    keys = [thought.key for thought in reply]
    if list(sent[: len(keys)]) == keys:
        return True
    is_cut = list(sent) == keys[: len(sent)]
    return is_cut and lines.isdisjoint(reply[len(sent)].behind)


@dataclass(slots=True, kw_only=True)
class _Replay:
    """One walk over a request, with the hash of the conversation so far."""

    body: Mapping[str, Any]
    situation: Situation
    ledger: Ledger
    so_far: ConversationHash = field(default_factory=ConversationHash)
    last_kept: str | None = None
    dropping: bool = False

    def run(self, flat: Sequence[Unit]) -> Seen:
        """Walk over the request, once."""
        kept: list[Unit] = []
        report: list[Mapping[str, str]] = []
        for unit in flat:
            reason = self._reason(unit) if unit.is_thinking else None
            if reason:
                report.append({"type": "thinking_dropped", "path": unit.path, "reason": reason})
                continue
            kept.append(unit)
            self.so_far.add(unit)
        return Seen(units=kept, transformations=report)

    def _reason(self, unit: Unit) -> str | None:
        """Why this thinking block is dropped; None: it is kept."""
        thought = self.ledger.find(unit.block)
        assert thought is not None, "checked before"
        if thought.model != self.situation.facts.id:
            return "model_binding_mismatch"
        if self.situation.facts.bound_thinking and not self.dropping and not self._fits(thought):
            if not self._may_drop():
                refuse(unit.path, f"{_invalid(unit)}. {_BOUND}")
            self.dropping = True
        if self.dropping:
            return "prefix_binding_mismatch"
        self.last_kept = thought.key
        return None

    def _fits(self, thought: Thought) -> bool:
        # Thinking may be missing at the head of a conversation, but not between two blocks that are there.
        in_order = self.last_kept is None or thought.before == self.last_kept
        return in_order and thought.conversation == self.so_far.digest

    def _may_drop(self) -> bool:
        binding = (self.body.get("thinking") or {}).get("block_binding") or {}
        return binding.get("prefix_mismatch_behavior") == "drop_block"
