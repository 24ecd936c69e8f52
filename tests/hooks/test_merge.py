"""How answers become one."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from hooks.events import Decision, Outcome, Verdict
from hooks.merge import merge, settle

DECISIONS = st.sampled_from(["allow", "ask", "deny", None])
OUTCOMES = st.builds(
    Outcome,
    decision=DECISIONS,
    reason=st.sampled_from(["", "a", "b", "c"]),
    updated_input=st.none() | st.fixed_dictionaries({"command": st.text(max_size=3)}),
    contexts=st.lists(st.text(max_size=3), max_size=2).map(tuple),
    stop_reason=st.none() | st.text(max_size=3),
    notices=st.lists(st.text(max_size=3), max_size=2).map(tuple),
)
VERDICTS = st.builds(
    Verdict,
    decision=st.sampled_from(["allow", "ask", "deny"]),
    is_firm=st.booleans(),
    rule_to_add=st.just("edit"),
)


@given(st.lists(OUTCOMES, max_size=6), st.randoms(use_true_random=False))
def test_decision_does_not_depend_on_the_order(outcomes: list[Outcome], random: Random) -> None:
    """Deny wins, then ask, then allow, in whatever order the hooks are registered."""
    decisions = [outcome.decision for outcome in outcomes]
    order: list[Decision] = ["deny", "ask", "allow"]
    expected = next((decision for decision in order if decision in decisions), None)
    shuffled = random.sample(outcomes, len(outcomes))
    assert merge(outcomes).decision == merge(shuffled).decision == expected


@given(st.lists(OUTCOMES, max_size=6))
def test_nothing_said_is_lost(outcomes: list[Outcome]) -> None:
    """Contexts and notices are concatenated in order; the last rewrite stands; reasons are the winners'."""
    merged = merge(outcomes)
    rewrites = [outcome.updated_input for outcome in outcomes if outcome.updated_input is not None]
    winners = {o.reason for o in outcomes if o.decision == merged.decision and o.reason}
    assert merged.contexts == tuple(text for outcome in outcomes for text in outcome.contexts)
    assert merged.notices == tuple(text for outcome in outcomes for text in outcome.notices)
    assert merged.updated_input == (rewrites[-1] if rewrites else None)
    assert set(filter(None, merged.reason.split("\n"))) == winners
    assert (merged.stop_reason is None) == all(outcome.stop_reason is None for outcome in outcomes)


@given(OUTCOMES, VERDICTS)
def test_order_of_hooks_and_permission(earlier: Outcome, verdict: Verdict) -> None:
    """Deny (anyone), then a firm ask or a hook's ask, then a hook's allow, then permission's default."""
    final = settle(earlier, verdict)
    if "deny" in (earlier.decision, verdict.decision):
        expected = "deny"
    elif earlier.decision == "ask" or (verdict.decision == "ask" and verdict.is_firm):
        expected = "ask"
    else:
        expected = earlier.decision or verdict.decision
    assert final.decision == expected
    assert final.contexts == earlier.contexts
    assert final.notices == earlier.notices
    assert final.updated_input == earlier.updated_input


def test_a_rule_is_named_only_where_it_would_have_answered() -> None:
    """The rule to add goes with permission's own default ask, not with a hook's or a firm one."""
    default = Verdict(decision="ask", reason="why", rule_to_add="edit(a)")
    assert settle(Outcome(), default) == Outcome(decision="ask", reason="why", rule_to_add="edit(a)")
    by_hook = settle(Outcome(decision="ask", reason="hook"), default)
    assert by_hook == Outcome(decision="ask", reason="hook\nwhy", is_firm=True)
    firm = settle(Outcome(decision="allow"), Verdict(decision="ask", reason="sudo", is_firm=True))
    assert firm == Outcome(decision="ask", reason="sudo", is_firm=True)


def test_reasons_of_all_who_deny_are_said() -> None:
    """A hook's and permission's reason both reach the model; an overruled one does not."""
    denied = Verdict(decision="deny", reason="list")
    assert settle(Outcome(decision="deny", reason="hook"), denied).reason == "hook\nlist"
    assert settle(Outcome(decision="allow", reason="fine"), denied).reason == "list"
