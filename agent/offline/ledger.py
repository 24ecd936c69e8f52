"""What the server has served: every thinking block, which conversation it is bound to, and paused replies."""

import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from agent.offline.prefix import ConversationHash, Unit, reply_units


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """A served thinking block: byte for byte, by which model, in which reply, behind which conversation.

    ``before``: the key of the thinking block that stood last before it, if one did; ``behind``: the lines of what
    the reply says behind it.
    """

    key: str
    block: Mapping[str, Any]
    model: str
    reply: int
    conversation: bytes
    before: str | None
    behind: frozenset[bytes]


class Ledger:
    """The memory of one server; safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._signed = 0
        self._replies = 0
        self._thoughts: dict[str, Thought] = {}
        self._by_call: dict[str, list[tuple[Thought, ...]]] = {}
        self._by_reply: dict[int, tuple[Thought, ...]] = {}
        self._paused: set[bytes] = set()

    def sign(self) -> str:
        """A new opaque signature, the same at the same place of every server's life."""
        with self._lock:
            self._signed += 1
            count = self._signed
        digests = [hmac.digest(b"offline", f"{count}.{part}".encode(), hashlib.sha256) for part in range(3)]
        return base64.b64encode(b"".join(digests)).decode()

    def find(self, block: Mapping[str, Any]) -> Thought | None:
        """The served block that ``block`` claims to be, by its signature or redacted data."""
        return self._thoughts.get(thought_key(block))

    def reply_of(self, key: str) -> tuple[Thought, ...]:
        """All thinking of the reply that held the block with this key, in order."""
        return self._by_reply[self._thoughts[key].reply]

    def thoughts_with(self, call_id: str) -> list[tuple[Thought, ...]]:
        """The thinking of each reply that held a call of this id, in order; an empty tuple: it had none."""
        return list(self._by_call.get(call_id, ()))

    def record(
        self, blocks: Sequence[Mapping[str, Any]], *, model: str, seen: Sequence[Unit], stop_reason: str
    ) -> None:
        """Remember a reply.

        Args:      seen: the blocks of the request as the model saw them.
        """
        reply = reply_units(blocks)
        running = ConversationHash(seen)
        before = next((thought_key(unit.block) for unit in reversed(seen) if unit.is_thinking), None)
        found = []
        for place, unit in enumerate(reply):
            if unit.is_thinking:
                behind = frozenset(other.line for other in reply[place:] if not other.is_thinking)
                found.append((unit.block, running.digest, before, behind))
                before = thought_key(unit.block)
            running.add(unit)
        with self._lock:
            self._replies += 1
            thoughts = tuple(
                Thought(
                    key=thought_key(block),
                    block=block,
                    model=model,
                    reply=self._replies,
                    conversation=conversation,
                    before=previous,
                    behind=behind,
                )
                for block, conversation, previous, behind in found
            )
            self._thoughts |= {thought.key: thought for thought in thoughts}
            self._by_reply[self._replies] = thoughts
            for call in (unit.block for unit in reply if unit.kind == "tool_use"):
                self._by_call.setdefault(call["id"], []).append(thoughts)
            if stop_reason == "pause_turn":
                self._paused.add(ConversationHash([*_messages(seen), *reply]).digest)

    def was_paused(self, flat: Sequence[Unit]) -> bool:
        """Do the messages end in a reply that was served with `pause_turn`, sent back as it was?"""
        return ConversationHash(_messages(flat)).digest in self._paused


def thought_key(block: Mapping[str, Any]) -> str:
    """What tells one thinking block from all others."""
    return str(block.get("signature") or block.get("data") or "")


def _messages(flat: Sequence[Unit]) -> list[Unit]:
    return [unit for unit in flat if unit.section == "messages"]
