"""The default policy: the working set says what is dead, the price says when a cut pays.

Changing a block makes everything behind it a cache write instead of a cache read, once; the tokens removed save
their cache read in every later step. All dead blocks behind one cut are taken together, so that there is one cache
reset a compaction. Over the threshold a cut that does not pay is made all the same: what is dead goes, then what is
coldest, unless what pays makes enough room.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from compaction.dead import Ages, Judge
from compaction.names import names_in
from compaction.plan import Plan, PlannedFile
from compaction.receipts import Kind, settled
from compaction.restore import without_file
from compaction.rounds import Round, dead_rounds, snipped
from compaction.shorten import Shortened, short_call, short_result
from compaction.situation import Situation
from compaction.thinking import thinking_changes
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
ENOUGH = 0.75
"""Of the threshold: a cut that pays and leaves no more makes enough room, and what is in use stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Balanced:
    """Constants of the policy; steps and tokens. Source: trials on real sessions, flat around these values."""

    horizon: int = 12
    """Steps over which a removal must pay."""
    horizon_cheap: int = 16
    """The same where a cache read costs 5 % of the input or less."""
    margin: int = 8_000
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
        judge = Judge(
            view,
            step=situation.step,
            ages=self.constants.ages,
            warmth=self.constants.warmth,
            is_cold=situation.is_cold,
        )
        units = self._units(view, judge, situation)
        chosen = self._paying(view, units, situation)
        if not situation.is_paused and _is_full(view, chosen, situation):
            chosen = needed(view, units, situation, judge.warm)
        return planned(view, chosen, situation) if chosen else None

    def _units(self, view: View, judge: Judge, situation: Situation) -> list[Unit]:
        """Return what could go, from the tail to the head."""
        sent = view.index.calls_before(view.sent)
        position = {placed.id: index for index, placed in sent}
        step, held = situation.step, situation.held
        old = [
            placed
            for _, placed in sent
            if step - placed.step > self.constants.snip_age and placed.id not in held
        ]
        rounds = dead_rounds(view, old, judge.is_dead, held)
        units = [
            Unit(
                position=min(position[placed.id] for placed in one.blocks if placed.id in position),
                saving=one.tokens - LINE_TOKENS * len(one.uses),
                what=one,
            )
            for one in rounds
        ]
        in_rounds = held | {placed.id for one in rounds for placed in one.blocks}
        for index, placed in sent:
            if placed.id in in_rounds or not judge.is_dead(placed):
                continue
            units.append(Unit(position=index, saving=placed.tokens - _rest(placed), what=placed))
        wanted = [unit for unit in units if unit.saving >= self.constants.min_saving]
        return sorted(wanted, key=lambda unit: -unit.position)

    def _paying(self, view: View, units: Sequence[Unit], situation: Situation) -> list[Unit]:
        """Return the units behind the cut with the largest profit, none when it is too small."""
        read, write = situation.prices.read, situation.prices.write
        horizon = self.constants.horizon_cheap if read <= CHEAP_READ else self.constants.horizon
        best, most = 0.0 if situation.is_cold else float(self.constants.margin), 0
        removed = 0
        for number, unit in enumerate(units, 1):
            removed += unit.saving
            gain = removed + view.index.thinking(unit.position, view.sent)
            behind = view.index.tokens(unit.position, view.sent)
            rewritten = 0 if situation.is_cold else max(0, behind - gain)
            profit = horizon * read * gain - (write - read) * rewritten
            if profit > best:
                best, most = profit, number
        return list(units[:most])


def _is_full(view: View, chosen: Sequence[Unit], situation: Situation) -> bool:
    """True over the threshold, unless taking ``chosen`` out makes enough room."""
    threshold = situation.sizes.threshold
    left = situation.size(view.tokens - sum(unit.saving for unit in chosen))
    return situation.size(view.tokens) > threshold and not (chosen and left <= ENOUGH * threshold)


def needed(view: View, units: Sequence[Unit], situation: Situation, warm: Collection[str]) -> list[Unit]:
    """Return what must go to get down to low-water: all that is dead, then the coldest and oldest, seen ones only.

    Args:  warm: the files that the work is at; what is about them goes after the others, and skills last of all.
    """
    chosen = list(units)
    taken = situation.held | {placed.id for unit in chosen for placed in _placed_of(unit)}
    left = view.tokens - sum(unit.saving for unit in chosen)
    sent = view.index.calls_before(view.sent)
    for index, placed in sorted(sent, key=lambda entry: (_worth(view, entry[1], warm), entry[0])):
        if situation.size(left) <= situation.sizes.low_water:
            break
        saving = placed.tokens - _rest(placed)
        if placed.id not in taken and not view.is_changed(placed) and saving >= PLACEHOLDER_TOKENS:
            chosen.append(Unit(position=index, saving=saving, what=placed))
            left -= saving
    return chosen


def _worth(view: View, placed: Placed, warm: Collection[str]) -> int:
    """Return 0 for what is cold, 1 for what is about a file in use, 2 for a skill."""
    block = placed.block
    id_ = block["id"] if block["type"] == "tool_use" else block.get("tool_use_id", "")
    call = view.history.calls.get(str(id_))
    if call is None:
        return 0
    return 2 if call.is_instruction else int(call.path in warm)


def planned(view: View, chosen: Sequence[Unit], situation: Situation) -> Plan | None:
    """Return the plan that takes ``chosen`` out, with the thinking behind the cut; None when it frees nothing."""
    known = _known(view)
    rounds = sorted((unit for unit in chosen if isinstance(unit.what, Round)), key=lambda unit: unit.position)
    changes, files = snipped(
        [unit.what for unit in rounds if isinstance(unit.what, Round)],
        list(view),
        situation.places.archive,
        situation.kept,
        known=known,
        calls=view.history.calls,
    )
    kept_files: list[PlannedFile] = list(files)
    for unit in chosen:
        if isinstance(unit.what, Placed) and (short := shortened(view, unit.what, situation, known)):
            changes.append(Change(ids=[unit.what.id], role=unit.what.role, blocks=[short.block]))
            kept_files += short.files
            known.update(names_in(short.block))
    gone = {id_ for change in changes for id_ in change["ids"]}
    cut = min(unit.position for unit in chosen)
    changes += thinking_changes(view, gone, cut=cut, drops_all=situation.drops_thinking)
    is_size = situation.size(view.tokens) > situation.sizes.threshold
    kind = Kind(
        layer="snip" if rounds else "micro",
        cause="size" if is_size else "price",
        archive=situation.places.archive if rounds else "",
    )
    return settled(view, situation, changes, kept_files, kind)


def _known(view: View) -> set[str]:
    """Names that need not be listed: they were said, or stand in a placeholder."""
    listed = {name for placed in view if view.is_changed(placed) for name in names_in(placed.block)}
    return view.history.said | listed


def shortened(view: View, placed: Placed, situation: Situation, known: Collection[str]) -> Shortened | None:
    """Return the smaller form of a call or result; None for other blocks and where nothing would be saved."""
    block = placed.block
    if block["type"] == "tool_result" and view.is_changed(placed):
        return without_file(block, view.history.calls[block["tool_use_id"]], situation.places.spills)
    if block["type"] == "tool_result" and (call := view.history.calls.get(block["tool_use_id"])):
        kept = situation.kept.get(call.id)
        return short_result(block, call, situation.places.spills, kept, known=known)
    if block["type"] == "tool_use" and (call := view.history.calls.get(block["id"])):
        short = short_call(block, call, situation.places.spills)
        return short if short.files else None
    return None


def _rest(placed: Placed) -> int:
    """Tokens of a block's smaller form, estimated."""
    if placed.block["type"] == "tool_use":
        return PLACEHOLDER_TOKENS + CALL_TOKENS
    return PLACEHOLDER_TOKENS + min(NAMES_TOKENS, placed.tokens // 10)


def _placed_of(unit: Unit) -> tuple[Placed, ...]:
    return unit.what.blocks if isinstance(unit.what, Round) else (unit.what,)
