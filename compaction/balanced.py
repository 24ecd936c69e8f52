"""The default policy: the working set says what is dead, the price says when a cut pays.

Changing a block makes everything behind it a cache write instead of a cache read, once; the tokens removed save
their cache read in every later step. All dead blocks behind one cut are taken together, so that there is one cache
reset a compaction. Over the threshold the price is not asked: what is dead goes, then what is coldest.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from compaction.dead import Ages, Judge
from compaction.messages import is_thinking
from compaction.plan import Plan, PlannedFile, Receipt
from compaction.rounds import Round, dead_rounds, snipped
from compaction.shorten import Shortened, short_call, short_result
from compaction.situation import Situation
from compaction.view import Change, Placed, View
from compaction.working_set import Warmth

PLACEHOLDER_TOKENS = 40
"""Estimate; what a placeholder really takes is counted when it is made."""
CALL_TOKENS = 45
"""What a call keeps beside its placeholders."""
NAMES_TOKENS = 140
"""At most, of the names that stay of a result; a tenth of it when that is less."""
LINE_TOKENS = 20
"""Of a call in the marker of a snipped stretch."""
CHEAP_READ = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Balanced:
    """Constants of the policy; steps and tokens. Source: trials on real sessions, flat around these values."""

    horizon: int = 8
    """Steps over which a removal must pay."""
    horizon_cheap: int = 16
    """The same where a cache read costs 5 % of the input or less."""
    margin: int = 6_000
    min_saving: int = 40
    snip_age: int = 8
    ages: Ages = field(default_factory=Ages)
    warmth: Warmth = field(default_factory=Warmth)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Something that can leave the view: where it begins, what that frees, and what it is."""

    position: int
    saving: int
    what: Placed | Round


@dataclass(frozen=True, slots=True, kw_only=True)
class BalancedCut:
    """The layer: shortens dead results and inputs and snips dead rounds, when it pays or must."""

    constants: Balanced = field(default_factory=Balanced)

    def __call__(self, view: View, situation: Situation) -> Plan | None:
        """Return the plan of a cut; None when nothing is dead, or the cut would not pay."""
        if situation.is_waiting:
            return None
        blocks = list(view)
        judge = Judge(
            view,
            step=situation.step,
            ages=self.constants.ages,
            warmth=self.constants.warmth,
            is_cold=situation.is_cold,
        )
        units = self._units(view, blocks[: view.sent], judge, situation)
        chosen = self._paying(view, units, situation)
        if situation.size(view.tokens) > situation.sizes.threshold:
            chosen = needed(view, units, situation, judge.warm)
        return planned(view, blocks, chosen, situation) if chosen else None

    def _units(self, view: View, sent: Sequence[Placed], judge: Judge, situation: Situation) -> list[Unit]:
        """Return what could go, from the tail to the head."""
        position = {placed.id: index for index, placed in enumerate(sent)}
        step, held = situation.step, situation.held
        old = [
            placed
            for placed in sent
            if step - placed.step > self.constants.snip_age and placed.id not in held
        ]
        rounds = dead_rounds(view, old, judge.is_dead)
        units = [
            Unit(
                position=min(position[placed.id] for placed in one.blocks),
                saving=one.tokens - LINE_TOKENS * len(one.uses),
                what=one,
            )
            for one in rounds
        ]
        in_rounds = held | {placed.id for one in rounds for placed in one.blocks}
        for index, placed in enumerate(sent):
            if placed.id in in_rounds or view.is_changed(placed) or not judge.is_dead(placed):
                continue
            units.append(Unit(position=index, saving=placed.tokens - _rest(placed), what=placed))
        wanted = [unit for unit in units if unit.saving >= self.constants.min_saving]
        return sorted(wanted, key=lambda unit: -unit.position)

    def _paying(self, view: View, units: Sequence[Unit], situation: Situation) -> list[Unit]:
        """Return the units behind the cut with the largest profit, none when it is too small."""
        read, write = situation.prices.read, situation.prices.write
        horizon = self.constants.horizon_cheap if read <= CHEAP_READ else self.constants.horizon
        blocks = list(view)[: view.sent]
        behind = tokens_behind(blocks, lambda placed: placed.tokens)
        thinking = tokens_behind(blocks, lambda placed: placed.tokens if is_thinking(placed.block) else 0)
        best, most = 0.0 if situation.is_cold else float(self.constants.margin), 0
        removed = 0
        for number, unit in enumerate(units, 1):
            removed += unit.saving
            gain = removed + thinking[unit.position]
            rewritten = 0 if situation.is_cold else max(0, behind[unit.position] - gain)
            profit = horizon * read * gain - (write - read) * rewritten
            if profit > best:
                best, most = profit, number
        return list(units[:most])


def needed(view: View, units: Sequence[Unit], situation: Situation, warm: Collection[str]) -> list[Unit]:
    """Return what must go to get down to low-water: all that is dead, then the coldest and oldest, seen ones only.

    Args:  warm: the files that the work is at; what is about them goes last.
    """
    chosen = list(units)
    taken = situation.held | {placed.id for unit in chosen for placed in _placed_of(unit)}
    left = view.tokens - sum(unit.saving for unit in chosen)
    sent = list(enumerate(view))[: view.sent]
    for index, placed in sorted(sent, key=lambda entry: (_is_about(view, entry[1], warm), entry[0])):
        if situation.size(left) <= situation.sizes.low_water:
            break
        saving = placed.tokens - _rest(placed)
        is_open = placed.id in taken or view.is_changed(placed) or placed.block["type"] not in SHORTENED
        if not is_open and saving >= PLACEHOLDER_TOKENS:
            chosen.append(Unit(position=index, saving=saving, what=placed))
            left -= saving
    return chosen


def _is_about(view: View, placed: Placed, paths: Collection[str]) -> bool:
    block = placed.block
    id_ = block["id"] if block["type"] == "tool_use" else block.get("tool_use_id", "")
    call = view.history.calls.get(str(id_))
    return call is not None and call.path in paths


SHORTENED = ("tool_result", "tool_use")


def planned(
    view: View, blocks: Sequence[Placed], chosen: Sequence[Unit], situation: Situation
) -> Plan | None:
    """Return the plan that takes ``chosen`` out, with the thinking behind the cut; None when it frees nothing."""
    rounds = sorted((unit for unit in chosen if isinstance(unit.what, Round)), key=lambda unit: unit.position)
    changes, files = snipped(
        [unit.what for unit in rounds if isinstance(unit.what, Round)],
        blocks,
        situation.places.archive,
        situation.kept,
        known=view.history.said,
    )
    kept_files: list[PlannedFile] = list(files)
    for unit in chosen:
        if isinstance(unit.what, Placed) and (short := shortened(view, unit.what, situation)) is not None:
            changes.append(Change(ids=[unit.what.id], role=unit.what.role, blocks=[short.block]))
            kept_files += short.files
    gone = {id_ for change in changes for id_ in change["ids"]}
    cut = min(unit.position for unit in chosen)
    changes += thinking_changes(blocks, gone, after=cut, sent=view.sent)
    if not changes:
        return None
    after = view.copy()
    after.apply("trial", changes)
    if after.tokens >= view.tokens:
        return None
    receipt = Receipt(
        layer="micro" if not rounds else "snip",
        trigger="auto",
        before=situation.size(view.tokens),
        after=situation.size(after.tokens),
        dropped=len(gone),
        archive=situation.places.archive if rounds else "",
    )
    return Plan(
        layer="balanced", trigger="auto", changes=tuple(changes), files=tuple(kept_files), receipt=receipt
    )


def shortened(view: View, placed: Placed, situation: Situation) -> Shortened | None:
    """Return the smaller form of a call or result; None for other blocks and where nothing would be saved."""
    block = placed.block
    if block["type"] == "tool_result" and (call := view.history.calls.get(block["tool_use_id"])):
        kept = situation.kept.get(call.id)
        return short_result(block, call, situation.places.spills, kept, known=view.history.said)
    if block["type"] == "tool_use" and (call := view.history.calls.get(block["id"])):
        short = short_call(block, call, situation.places.spills)
        return short if short.files else None
    return None


def thinking_changes(blocks: Sequence[Placed], gone: set[str], *, after: int, sent: int) -> list[Change]:
    """Take out the thinking behind a cut, whole: bound to a prefix that is no more, or of no use. Not the newest."""
    last = next((placed.record for placed in reversed(blocks) if placed.role == "assistant"), "")
    return [
        Change(ids=[placed.id], role="assistant", blocks=[])
        for placed in blocks[after:sent]
        if is_thinking(placed.block) and placed.record != last and placed.id not in gone
    ]


def tokens_behind(blocks: Sequence[Placed], count: Callable[[Placed], int]) -> list[int]:
    """Tokens from each block to the end, as ``count`` has them."""
    totals = [0]
    for placed in reversed(blocks):
        totals.append(totals[-1] + count(placed))
    return totals[::-1]


def _rest(placed: Placed) -> int:
    """Tokens of a block's smaller form, estimated."""
    if placed.block["type"] == "tool_use":
        return PLACEHOLDER_TOKENS + CALL_TOKENS
    return PLACEHOLDER_TOKENS + min(NAMES_TOKENS, placed.tokens // 10)


def _placed_of(unit: Unit) -> tuple[Placed, ...]:
    return unit.what.blocks if isinstance(unit.what, Round) else (unit.what,)
