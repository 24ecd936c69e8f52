"""From changes to a plan: tried on a copy of the view, weighed, and given its receipt."""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from compaction.plan import Cause, Plan, PlannedFile, Receipt, Trigger
from compaction.situation import Situation
from compaction.view import Change, View

READ = re.compile(r" · read ((?:(?! · ).)+?)\]\]")
"""The path in a marker line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What a compaction is: by which layer, why, and who asked for it."""

    layer: str
    cause: Cause
    trigger: Trigger = "auto"
    archive: str = ""
    """Path of the archive; empty when the changes name where everything is."""
    may_grow: bool = False
    """True where the size in tokens is not what it is about."""


def settled(
    view: View, situation: Situation, changes: Sequence[Change], files: Sequence[PlannedFile], kind: Kind
) -> Plan | None:
    """Return the plan that makes ``changes``; None when there are none, or when the view would not shrink."""
    if not changes:
        return None
    after = view.copy()
    after.apply("trial", changes)
    if after.tokens >= view.tokens and not kind.may_grow:
        return None
    where = (
        {}
        if kind.cause == "edit"
        else _where(changes, kind.archive, _own_paths(situation, files), spills=f"{situation.places.spills}/")
    )
    receipt = Receipt(
        layer=kind.layer,
        trigger=kind.trigger,
        cause=kind.cause,
        before=situation.size(view.tokens),
        after=situation.size(after.tokens),
        dropped=len(where),
        where=where,
        archive=kind.archive,
        **_price(view, after, situation),
    )
    return Plan(
        layer=kind.layer,
        trigger=kind.trigger,
        changes=tuple(changes),
        files=tuple(files),
        receipt=receipt,
    )


def _price(view: View, after: View, situation: Situation) -> Receipt:
    """What a compaction costs now, in tokens written anew, and after how many steps it has paid for itself.

    Source: a change makes what is behind it a cache write instead of a read, once; what it removed saves its read
    in every later step. A cold cache would be written anyway.
    """
    unsent = {placed.id for placed in list(view)[view.sent :]}
    behind = [placed for placed in list(after)[after.sent :] if placed.id not in unsent]
    is_free = situation.is_cold or after.sent >= view.sent
    rewritten = 0 if is_free else sum(placed.tokens for placed in behind)
    removed = view.tokens - after.tokens
    prices = situation.prices
    if removed <= 0 or not prices.read:
        return Receipt(rewritten=rewritten)
    payback = (prices.write - prices.read) * rewritten / (prices.read * removed)
    return Receipt(rewritten=rewritten, payback_steps=round(payback, 1))


def _own_paths(situation: Situation, files: Sequence[PlannedFile]) -> Collection[str]:
    return {*(file.path for file in files), *situation.kept.values()}


def _where(changes: Sequence[Change], archive: str, own: Collection[str], *, spills: str) -> dict[str, str]:
    """Block id -> the path that stands in its place; thinking has none.

    A result's own text may hold a line that looks like a marker: only paths of ours count.
    """
    where: dict[str, str] = {}
    for change in changes:
        found = READ.findall(json.dumps(change["blocks"], ensure_ascii=False)) if change["blocks"] else []
        path = next((path for path in found if path in own or path.startswith(spills)), "")
        path = path or (archive if change["blocks"] else "")
        if path:
            where |= dict.fromkeys(change["ids"], path)
    return where
