"""`tool_result_budget`: the newest results, before their first send; too many go to disk, largest first.

Nothing cached changes, for they have not been sent. A large result must be on disk before any other layer may
shorten it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from compaction.messages import ToolResultBlock, result_text
from compaction.plan import Plan, PlannedFile
from compaction.receipts import Kind, settled
from compaction.shorten import mark, mark_id
from compaction.situation import Situation
from compaction.view import Change, Placed, View

CHARS_A_TOKEN = 3
LINE_CHARS = 150
"""Of the line between head and tail, about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultBudget:
    """The layer; sizes in characters. Source: the teaching course, scaled to the window."""

    batch_chars: int = 200_000
    window_share: float = 0.25
    large_chars: int = 30_000
    """Results over that go first."""
    spares_small: bool = False
    """A batch over its limit loses only results over ``large_chars``."""
    fits_window: bool = False
    """Not the batch's own limit counts, but that the request would pass the window."""
    head_chars: int = 1_500
    tail_chars: int = 500

    def __call__(self, view: View, situation: Situation) -> Plan | None:
        """Return the plan that shortens the newest batch to its limit; None when it is within."""
        batch = [
            placed
            for placed in view.unsent()
            if placed.id not in situation.held and self._is_open(view, placed)
        ]
        chosen = self._chosen(view, batch, situation)
        if not chosen:
            return None
        changes: list[Change] = []
        files: list[PlannedFile] = []
        for placed in chosen:
            change, file = self._shortened(view, placed, situation)
            changes.append(change)
            files += file
        return settled(view, situation, changes, files, Kind(layer="budget", cause="batch"))

    def _is_open(self, view: View, placed: Placed) -> bool:
        return (
            placed.block["type"] == "tool_result"
            and not view.is_changed(placed)
            and isinstance(placed.block["content"], str)  # an image is not shortened
            and placed.block["tool_use_id"] in view.history.calls
        )

    def _chosen(self, view: View, batch: Sequence[Placed], situation: Situation) -> list[Placed]:
        """Return what must go, the largest first; those over the single limit before all others."""
        limit = min(self.batch_chars, int(situation.sizes.window * self.window_share) * CHARS_A_TOKEN)
        sizes = {placed.id: _chars(placed) for placed in batch}
        order = sorted(batch, key=lambda placed: (sizes[placed.id] <= self.large_chars, -sizes[placed.id]))
        total, tokens = sum(sizes.values()), view.tokens
        room = situation.sizes.window - situation.sizes.reserve // 2 if self.fits_window else None
        chosen: list[Placed] = []
        shown = self.head_chars + self.tail_chars
        for placed in order:
            size = sizes[placed.id]
            is_open = size > self.large_chars or not self.spares_small
            is_over = total > limit and len(batch) > 1 and is_open
            if room is not None:
                is_over = situation.size(tokens) > room
            if size <= 2 * shown or not is_over:
                break
            chosen.append(placed)
            total -= size - shown - LINE_CHARS
            tokens -= placed.tokens * (size - shown - LINE_CHARS) // size
        return chosen

    def _shortened(
        self, view: View, placed: Placed, situation: Situation
    ) -> tuple[Change, tuple[PlannedFile, ...]]:
        block = placed.block
        assert block["type"] == "tool_result"
        call = view.history.calls[block["tool_use_id"]]
        full = result_text(block)
        kept = situation.kept.get(call.id)
        path = kept or f"{situation.places.spills}/{mark_id(call)}.txt"
        line = mark(mark_id(call), f"{len(full)} characters · {full.count(chr(10)) + 1} lines", path)
        short = f"{full[: self.head_chars]}\n{line}\n{full[len(full) - self.tail_chars :]}"
        new: ToolResultBlock = {**block, "content": short}
        files = () if kept else (PlannedFile(path=path, data=full.encode("utf-8")),)
        return Change(ids=[placed.id], role="user", blocks=[new]), files


def _chars(placed: Placed) -> int:
    return len(result_text(placed.block)) if placed.block["type"] == "tool_result" else 0
