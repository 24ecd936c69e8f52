"""The strict server's own rules without its wire: says of each request whether the API would take it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agent.offline.catalog import MODELS, ModelFacts, catalog
from agent.offline.count import block_tokens
from agent.offline.ledger import Ledger
from agent.offline.rules import Situation, Verdict, check_request, check_shape
from agent.offline.rules.situation import NEW_VERSION
from compaction.messages import Block, as_blocks
from compaction.view import Count

UNKNOWN_MODEL = "somebodys-model"
_UNKNOWN = ModelFacts(id=UNKNOWN_MODEL, thinking=(), max_output=8_192)
# The window that counts is the session's own.
_FACTS = catalog(windows={facts.id: 10**12 for facts in (*MODELS, _UNKNOWN)}, extra=[_UNKNOWN])


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What a model, and the server in front of it, make of thinking."""

    model: str
    is_binding_refused: bool = False
    """The server knows no `block_binding`, and refuses thinking behind another conversation."""
    is_thinking: bool = True


KINDS = {
    "bound": Kind(model="claude-sonnet-5-5"),
    "refused": Kind(model="claude-sonnet-5-5", is_binding_refused=True),
    "manual": Kind(model="claude-haiku-4-5"),
    "adaptive": Kind(model="claude-opus-5"),
    "none": Kind(model=UNKNOWN_MODEL, is_thinking=False),
}


class TooLong(Exception):
    """The prompt does not fit the window; ``tokens`` is its size."""

    def __init__(self, tokens: int) -> None:
        super().__init__(f"prompt is too long: {tokens} tokens")
        self.tokens = tokens


def counter(density: float) -> Count:
    """Return an estimate that is never far from what the server counts."""
    facts = _FACTS[KINDS["bound"].model]
    return lambda block: math.ceil(block_tokens(block, facts) * density)


class StrictServer:
    """Checks requests, and remembers what it served.

    Args:  window: tokens; density: by how much its texts are denser than they look, to fill large windows fast.
    """

    def __init__(self, *, window: int, density: float) -> None:
        self.ledger = Ledger()
        self._window = window
        self._density = density

    def accept(self, body: dict[str, Any], betas: Iterable[str]) -> Verdict:
        """Return what the model sees.

        Raises:    RefusalError: a 400; TooLong: the one that a session has to expect.
        """
        headers = frozenset(betas)
        check_shape(body, version=NEW_VERSION, betas=headers, counting=False)
        facts = _FACTS[body["model"]]
        situation = Situation(facts=facts, version=NEW_VERSION, betas=headers, counting=False)
        verdict = check_request(body, situation, ledger=self.ledger)
        if (tokens := round(verdict.tokens * self._density)) > self._window:
            raise TooLong(tokens)
        return verdict

    def serve(self, reply: Sequence[dict[str, Any]], verdict: Verdict, model: str) -> list[Block]:
        """Sign the thinking of ``reply``, and remember behind which conversation it stands."""
        signed = [self._signed(block) for block in reply]
        calls = any(block["type"] == "tool_use" for block in signed)
        reason = "tool_use" if calls else "end_turn"
        self.ledger.record(signed, model=model, seen=verdict.units, stop_reason=reason)
        return as_blocks(signed)

    def usage(self, reply: Sequence[Block], verdict: Verdict, model: str) -> dict[str, int]:
        """Return what the server bills."""
        output = sum(block_tokens(block, _FACTS[model]) for block in reply)
        return {
            "input_tokens": round(verdict.tokens * self._density),
            "output_tokens": round(output * self._density),
        }

    def _signed(self, block: dict[str, Any]) -> dict[str, Any]:
        if block["type"] == "thinking":
            return {**block, "signature": self.ledger.sign()}
        return {**block, "data": self.ledger.sign()} if block["type"] == "redacted_thinking" else block
