"""Which blocks are dead: superseded, or about what the work has left behind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from compaction.history import Call, History
from compaction.repeated import repetitions
from compaction.restore import is_restored
from compaction.view import Placed, View
from compaction.working_set import Warmth, working_set

CHANGING = ("write", "edit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ages:
    """After how many steps a block outside of the working set is dead. Source: trials on real sessions."""

    young: int = 2
    """Nothing is dead before that: the model is still at it."""
    read: int = 2
    change: int = 8
    """The input of a write or edit."""
    others: Mapping[str, int] = field(default_factory=lambda: {"bash": 3, "glob": 3, "task": 10})
    unknown: int = 3
    """Results of tools that are not named."""


class Judge:
    """Says of the blocks of one view, at one step, which are dead."""

    def __init__(self, view: View, *, step: int, ages: Ages, warmth: Warmth, is_cold: bool) -> None:
        self._view = view
        self._history: History = view.history
        self._step = step
        self._ages = ages
        self.warm = working_set(view.history, step - 1, warmth, is_cold=is_cold)
        self._reads = _standing_reads(view)
        self._shown = _shown_whole(view)
        self._repeated = repetitions(view)

    def is_dead(self, placed: Placed) -> bool:
        """True for a call or result that may be shortened now; never for words, nor for what is young."""
        call = self._call(placed)
        if call is None or call.is_instruction:
            return False
        age = self._step - max(placed.step, self._repeated.get((call.step, call.index), 0))
        if age < self._ages.young:
            return False
        if self._view.is_changed(placed):
            return is_restored(placed.block) and self._is_outlived(call, age)
        if self._is_superseded(placed, call):
            return True
        if placed.block["type"] == "tool_use":
            return (
                self._is_cold(call, age, self._ages.change)
                if call.name in CHANGING
                else self._is_old(call, age)
            )
        if call.name == "read":
            return self._is_cold(call, age, self._ages.read)
        return self._is_old(call, age)

    def _call(self, placed: Placed) -> Call | None:
        block = placed.block
        if block["type"] == "tool_use":
            return self._history.calls.get(block["id"])
        if block["type"] == "tool_result":
            return self._history.calls.get(block["tool_use_id"])
        return None

    def _is_cold(self, call: Call, age: int, limit: int) -> bool:
        return call.path not in self.warm and age >= limit

    def _is_old(self, call: Call, age: int) -> bool:
        return age >= self._ages.others.get(call.name, self._ages.unknown)

    def _is_outlived(self, call: Call, age: int) -> bool:
        """The file that was added to the result of an edit is shown whole later, or the work has left it."""
        later = max(self._shown.get(call.path, 0), self._history.written.get(call.path, 0))
        return later > call.step or self._is_cold(call, age, self._ages.change)

    def _is_superseded(self, placed: Placed, call: Call) -> bool:
        """A later read covers it, or a later write of the file made it wrong."""
        if not call.path:
            return False
        if self._history.written.get(call.path, 0) > call.step and (
            call.name in CHANGING or placed.role == "user"
        ):
            return True
        later = [read for read in self._reads.get(call.path, ()) if read.step > call.step]
        if placed.block["type"] == "tool_use":
            return call.name in CHANGING and any(not read.is_partial for read in later)
        if call.name != "read" or not call.lines[1]:
            return False
        return any(read.lines[0] <= call.lines[0] and read.lines[1] >= call.lines[1] for read in later)


def _standing_reads(view: View) -> dict[str, Sequence[Call]]:
    """Path -> the reads whose results stand as they were appended."""
    reads: dict[str, list[Call]] = {}
    for _, placed in view.index.calls:
        if placed.block["type"] == "tool_result" and not view.is_changed(placed):
            call = view.history.calls.get(placed.block["tool_use_id"])
            if call is not None and call.name == "read" and not call.is_failed:
                reads.setdefault(call.path, []).append(call)
    return {path: tuple(calls) for path, calls in reads.items()}


def _shown_whole(view: View) -> dict[str, int]:
    """Path -> the last step of which a whole view of the file stands: a read, or one added to an edit."""
    shown: dict[str, int] = {}
    for _, placed in view.index.calls:
        block = placed.block
        call = view.history.calls.get(block["tool_use_id"]) if block["type"] == "tool_result" else None
        if call is None:
            continue
        is_read = call.name == "read" and not (call.is_partial or call.is_failed or view.is_changed(placed))
        if is_read or (view.is_changed(placed) and is_restored(block)):
            shown[call.path] = max(call.step, shown.get(call.path, 0))
    return shown
