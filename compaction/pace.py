"""How fast the context grows, and how many turns that leaves until a compaction."""

from dataclasses import dataclass, replace

TURNS = 5
"""The mean is taken over so many of the newest turns."""
FIRST_TURN = 3
"""Before it there is nothing to go by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Growth of the context in the newest turns, in tokens by the meter."""

    turns: int = 0
    """How many have ended."""
    last: int | None = None
    """Size at the end of the last turn; None when something else than the turn changed it since."""
    growths: tuple[int, ...] = ()

    def ended(self, size: int) -> "Pace":
        """Return the pace after a turn that left a context of ``size``."""
        grown = () if self.last is None else (size - self.last,)
        return Pace(turns=self.turns + 1, last=size, growths=(*self.growths, *grown)[-TURNS:])

    def broken(self) -> "Pace":
        """Return the pace when the history was summarised or brought back: this turn's growth says nothing."""
        return replace(self, last=None)

    def turns_left(self, room: int) -> int | None:
        """Return how many turns fit into ``room`` tokens; None before the third turn, or when nothing grows."""
        if self.turns < FIRST_TURN - 1 or not self.growths:
            return None
        mean = sum(self.growths) / len(self.growths)
        return max(0, int(room / mean)) if mean > 0 else None
