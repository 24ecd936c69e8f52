"""Which files the work is at: judged by when they were last touched, and mentioned."""

from dataclasses import dataclass

from compaction.history import History


@dataclass(frozen=True, slots=True, kw_only=True)
class Warmth:
    """How long a file stays warm; steps and tokens. Source: real sessions (idle files are not edited again)."""

    most: int = 12
    """Files that are warm at once."""
    idle: float = 25.0
    """Steps without a touch after which a file of ``usual`` tokens is cold."""
    usual: int = 3_000
    exponent: float = 0.3
    """Larger files cool faster: keeping them costs more."""
    mention: int = 4
    """A mention counts as a touch so many steps earlier."""

    def limit(self, tokens: int, *, is_cold: bool) -> float:
        """Return after how many idle steps a file of ``tokens`` is cold; sooner when the cache is."""
        scale: float = min(3.0, max(0.25, (self.usual / max(tokens, 1)) ** self.exponent))
        return self.idle * scale * (0.5 if is_cold else 1.0)


def working_set(history: History, step: int, warmth: Warmth, *, is_cold: bool) -> dict[str, int]:
    """Return path -> idle steps of the files that are warm when step ``step`` has just finished."""
    seen = {
        path: max(touched, history.mentioned.get(path, 0) - warmth.mention)
        for path, touched in history.touched.items()
    }
    newest = sorted(seen, key=lambda path: (-seen[path], path))[: warmth.most]
    idle = {path: step - seen[path] for path in newest}
    return {
        path: steps
        for path, steps in idle.items()
        if steps <= warmth.limit(history.sizes.get(path, warmth.usual), is_cold=is_cold)
    }
