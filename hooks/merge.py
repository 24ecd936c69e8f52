"""How several answers become one: deny before ask before allow."""

from collections.abc import Sequence
from dataclasses import replace

from hooks.events import Decision, Outcome, Verdict

_ORDER: tuple[Decision, ...] = ("deny", "ask", "allow")


def merge(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the one outcome that ``outcomes``, in registration order, come to.

    Contract: deny > ask > allow whatever the order; the reasons of the winning decision are joined;
    the last rewrite stands (each hook saw the original input); contexts and notices are concatenated.
    """
    decision = next((d for d in _ORDER if any(o.decision == d for o in outcomes)), None)
    rewrites = [o.updated_input for o in outcomes if o.updated_input is not None]
    stops = [o.stop_reason for o in outcomes if o.stop_reason is not None]
    return Outcome(
        decision=decision,
        reason=_joined([o.reason for o in outcomes if o.decision == decision]),
        updated_input=rewrites[-1] if rewrites else None,
        contexts=tuple(text for o in outcomes for text in o.contexts),
        stop_reason=_joined(stops) if stops else None,
        notices=tuple(text for o in outcomes for text in o.notices),
    )


def settle(earlier: Outcome, verdict: Verdict) -> Outcome:
    """Return the final outcome of a call: what the hooks said, and what permission says.

    Contract: deny (anyone) > ask by an explicit rule or a hook > a hook's allow > permission's default.
    The decision is never None. A rule to add is named only where that rule would have answered.
    """
    if "deny" in (earlier.decision, verdict.decision):
        reasons = [source.reason for source in (earlier, verdict) if source.decision == "deny"]
        return replace(earlier, decision="deny", reason=_joined(reasons), rule_to_add="")
    is_firm_ask = verdict.decision == "ask" and verdict.is_firm
    if earlier.decision == "ask" or is_firm_ask:
        reasons = [earlier.reason] if earlier.decision == "ask" else []
        reasons += [verdict.reason] if verdict.decision == "ask" else []
        return replace(earlier, decision="ask", reason=_joined(reasons), rule_to_add="", is_firm=True)
    if earlier.decision == "allow":
        return earlier
    return replace(
        earlier,
        decision=verdict.decision,
        reason=verdict.reason,
        rule_to_add=verdict.rule_to_add,
        is_firm=False,
    )


def _joined(reasons: Sequence[str]) -> str:
    return "\n".join(dict.fromkeys(reason for reason in reasons if reason))
