"""All checks in the order in which the API makes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.offline.catalog import ModelFacts
from agent.offline.count import total_tokens
from agent.offline.ledger import Ledger
from agent.offline.prefix import Unit, units
from agent.offline.refusal import RefusalError
from agent.offline.rules.content import check_content, check_end, check_roles
from agent.offline.rules.images import check_images
from agent.offline.rules.marks import check_marks
from agent.offline.rules.pairs import check_pairs
from agent.offline.rules.params import check_params, check_tool_types
from agent.offline.rules.shape import request_shape
from agent.offline.rules.situation import BINDING_BETA, NEW_VERSION, Situation
from agent.offline.rules.thinking import check_thinking


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """An accepted request: the blocks that the model sees, their tokens, and the thinking that was dropped.

    ``transformations`` is None unless the request's beta header asks for the report.
    """

    units: Sequence[Unit]
    tokens: int
    transformations: Sequence[Mapping[str, str]] | None


def check_shape(body: Mapping[str, Any], *, version: str, betas: frozenset[str], counting: bool) -> None:
    """Refuse missing, wrong and unknown fields.

    Raises:    RefusalError 400, with the field's dotted path.
    """
    check_tool_types(body, str(body.get("model")))
    sampling, binding = version != NEW_VERSION, BINDING_BETA in betas
    request_shape(counting=counting, sampling=sampling, binding=binding)(body, "")


def check_request(body: Mapping[str, Any], situation: Situation, *, ledger: Ledger) -> Verdict:
    """Refuse a well-shaped request for any reason that lies in what it says.

    Raises:    RefusalError 400.
    """
    check_params(body, situation)
    flat = units(body)
    check_content(body, flat)
    check_roles(body, flat, situation=situation)
    check_end(flat, body, situation=situation, ledger=ledger)
    check_pairs(flat)
    check_marks(body, flat)
    check_images(flat, situation.facts)
    seen = check_thinking(body, flat, situation=situation, ledger=ledger)
    tokens = total_tokens(seen.units, situation.facts)
    _check_window(body, tokens, facts=situation.facts)
    reported = seen.transformations if BINDING_BETA in situation.betas else None
    return Verdict(units=seen.units, tokens=tokens, transformations=reported)


def _check_window(body: Mapping[str, Any], tokens: int, *, facts: ModelFacts) -> None:
    if tokens > facts.window:
        raise RefusalError(f"prompt is too long: {tokens} tokens > {facts.window} maximum")
    asked = body.get("max_tokens", 0)
    if facts.counts_output_in_window and tokens + asked > facts.window:
        raise RefusalError(
            f"input length and `max_tokens` exceed context limit: {tokens} + {asked} > {facts.window}, "
            "decrease input length or `max_tokens` and try again"
        )
