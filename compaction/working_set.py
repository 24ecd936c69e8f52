"""Which files the work is at: judged by when they were last touched, and mentioned."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from compaction.history import History

LONGEST = 3.0
"""The smallest files stay warm so many times as long as usual ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Warmth:
    """How long a file stays warm; steps and tokens. Source: real sessions (idle files are not edited again)."""

    most: int = 12
    """Files that are warm at once."""
    idle: float = 30.0
    """Steps without a touch after which a file of ``usual`` tokens is cold."""
    usual: int = 3_000
    exponent: float = 0.1
    """Larger files cool faster: keeping them costs more."""
    scan: int = 4
    """So many files in a row, each read for the first time, are a scan."""
    scan_tokens: int = 20_000
    """Of files that were only read: what stays warm of them in a scan."""
    mention: int = 4
    """A mention counts as a touch so many steps earlier."""

    def limit(self, tokens: int, *, is_cold: bool) -> float:
        """Return after how many idle steps a file of ``tokens`` is cold; sooner when the cache is."""
        scale: float = min(LONGEST, max(0.25, (self.usual / max(tokens, 1)) ** self.exponent))
        return self.idle * scale * (0.5 if is_cold else 1.0)


def working_set(history: History, step: int, warmth: Warmth, *, is_cold: bool) -> dict[str, int]:
    """Return path -> idle steps of the files that are warm when step ``step`` has just finished."""
    since = step - warmth.idle * LONGEST
    recent = [*_since(history.touched, since), *_since(history.mentioned, since + warmth.mention)]
    seen = {
        path: max(history.touched[path], history.mentioned.get(path, 0) - warmth.mention) for path in recent
    }
    newest = sorted(seen, key=lambda path: (-seen[path], path))[: warmth.most]
    if _is_scan(history, warmth.scan):
        newest = _within(newest, history, warmth.scan_tokens)
    idle = {path: step - seen[path] for path in newest}
    return {
        path: steps
        for path, steps in idle.items()
        if steps <= warmth.limit(history.sizes.get(path, warmth.usual), is_cold=is_cold)
    }


def _since(steps: dict[str, int], since: float) -> Iterator[str]:
    """Yield the paths whose step is at or after ``since``; ``steps`` has the newest last."""
    for path in reversed(steps):
        if steps[path] < since:
            return
        yield path


def _is_scan(history: History, files: int) -> bool:
    """True while one new file after the other is read: most are looked at once, and never again."""
    newest = list(islice(reversed(history.touched), files))
    return len(newest) == files and all(
        history.first[path] == history.touched[path] and path not in history.edited for path in newest
    )


def _within(paths: Sequence[str], history: History, most: int) -> list[str]:
    """Keep the files that were changed, and the newest of the others that take ``most`` tokens, one in any case."""
    kept: list[str] = []
    tokens = 0
    for path in paths:
        if path not in history.edited:
            tokens += history.sizes.get(path, 0)
        if path in history.edited or tokens <= most or not kept:
            kept.append(path)
    return kept
