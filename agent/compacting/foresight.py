"""What compactions would do now: the plans themselves, made on a copy of the state, and what they would take out."""

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, fields, replace
from typing import Any

from agent.compacting.block_names import BlockNames
from agent.compacting.carry_out import record_of
from agent.compacting.filling import filling
from agent.compacting.planner import MAX_REQUEST_BYTES, SHORTEST, Planner
from agent.compacting.reasons import reason
from agent.session.bridge import unanswered
from agent.session.records import Record, number_of
from agent.session.replay import apply
from agent.session.state import State
from compaction.pipeline import Layer
from compaction.plan import Plan
from compaction.policy import SummaryRule
from compaction.situation import Situation
from compaction.timeline import Timeline
from compaction.view import Placed


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaving:
    """A block that would leave the view; ``tokens`` by the meter, ``reason`` empty where nothing is known."""

    placed: Placed
    name: str
    tokens: int
    reason: str
    where: str
    """The file that would lead to it; empty for thinking, which is kept nowhere but in the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """One compaction that would be made."""

    record: Record
    """As it would stand in the log, less what every record has; the words of a summary are missing in it."""
    leaving: tuple[Leaving, ...]
    """The largest first."""
    rest: int
    """Context size after it, a summary's own words not counted."""

    @property
    def receipt(self) -> Mapping[str, Any]:
        """As `compaction.plan.Receipt`."""
        receipt: Mapping[str, Any] = self.record["receipt"]
        return receipt

    @property
    def is_summary(self) -> bool:
        """True where the words of a summary come on top of ``rest``."""
        return "summary" in self.receipt.get("parts", ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Foresight:
    """What would be made before the next step, by `/compact`, and once the context is at its threshold."""

    next: tuple[Foreseen, ...]
    by_hand: Foreseen | None
    at_threshold: tuple[Foreseen, ...]
    """What the layers would then do; empty where only a summary is left, or where they would act now."""
    rule: SummaryRule
    """When a summary comes by itself."""
    is_cold: bool
    """The cache of the server has expired: a request pays for all that it reads."""


def foreseen(planner: Planner, state: State, *, is_resting: bool) -> Foresight | None:
    """Return what would be made of ``state``; None while calls run, when nothing is decided.

    Args:  is_resting: a summary that size asks for waits for some steps.
    """
    if unanswered(state):
        return None
    coming = tuple(_coming(planner, _twin(state), is_resting=is_resting))
    plan = planner.summary(state, "manual", SHORTEST)[0]
    return Foresight(
        next=coming,
        by_hand=None if plan is None else _made(_twin(state), plan),
        at_threshold=() if coming else tuple(_at_threshold(planner, _twin(state))),
        rule=planner.preset.summary,
        is_cold=planner.situation(state).is_cold,
    )


def _coming(planner: Planner, twin: State, *, is_resting: bool) -> Iterator[Foreseen]:
    """Yield what the compactor would do before the next step, in its order."""
    is_due = not is_resting and planner.is_due(twin)
    pauses = planner.pauses(twin, is_due=is_due)
    if pauses != twin.is_paused:
        _append(twin, "note", compaction_paused=pauses)
    yield from _layers(planner.preset.layers, twin, lambda: planner.situation(twin))
    images = planner.images(twin) if twin.view.totals.bytes > MAX_REQUEST_BYTES else None
    if images is not None:
        yield _made(twin, images)
    is_wished = twin.compact_wish is not None
    if is_wished or (not is_resting and planner.is_due(twin) and not twin.is_paused):
        plan = planner.summary(twin, "manual" if is_wished else "auto", SHORTEST)[0]
        if plan is not None:
            yield _made(twin, plan)
    yield from _layers(planner.preset.guard, twin, lambda: planner.situation(twin))


def _at_threshold(planner: Planner, twin: State) -> Iterator[Foreseen]:
    """Yield what the layers would do if the context were just over its threshold now."""
    missing = max(0, planner.sizes.threshold + 1 - twin.context_size)

    def situation() -> Situation:
        now = planner.situation(twin)
        return replace(now, size=lambda tokens: now.size(tokens) + missing)

    yield from _layers(planner.preset.layers, twin, situation)


def _layers(layers: tuple[Layer, ...], twin: State, situation: Callable[[], Situation]) -> Iterator[Foreseen]:
    for layer in layers:
        plan = layer(twin.view, situation())
        if plan is not None:
            yield _made(twin, plan)


def _made(twin: State, plan: Plan) -> Foreseen:
    """Return what a plan would do, and let ``twin`` be as after it."""
    leaving = _leaving(twin, plan)
    record = record_of(plan, {})
    _append(twin, "compaction", **record)
    words = sum(
        placed.tokens
        for placed in twin.view
        if placed.record == twin.last and twin.kinds.get(placed.id) == "summary"
    )
    return Foreseen(record=record, leaving=leaving, rest=twin.meter.size(twin.view.tokens - words))


def _append(twin: State, type: str, **fields: Any) -> None:
    """Let a record take its effect, under the id that the log's next one would have."""
    number = number_of({"id": twin.last}) + 1
    apply(twin, {"id": f"r{number}", "type": type, **fields})


def _leaving(twin: State, plan: Plan) -> tuple[Leaving, ...]:
    where = plan.receipt.get("where", {})
    gone = {id_ for change in plan.changes for id_ in change["ids"]} if where else set()
    names = BlockNames(twin, twin.view)
    found = [
        Leaving(
            placed=share.placed,
            name=names.of(share.placed),
            tokens=share.tokens,
            reason=reason(twin, share.placed),
            where=where.get(share.placed.id, ""),
        )
        for share in filling(twin).shares
        if share.placed.id in gone
    ]
    return tuple(sorted(found, key=lambda one: -one.tokens))


def _twin(state: State) -> State:
    """Return an equal state that compactions may change; its past is not in it."""
    twin = copy(state)
    for field in fields(State):
        value = getattr(state, field.name)
        if isinstance(value, (dict, list, set)):
            setattr(twin, field.name, copy(value))
    twin.spent = replace(state.spent)
    redoable, held = state.timeline.redoable, state.timeline.held
    twin.timeline = Timeline.from_now(state.view.copy(), state.count, redoable=redoable, held=held)
    return twin
