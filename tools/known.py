"""Known content: merging what two results say of a file, and asking for it before a change."""

from collections.abc import Iterable

from tools.base import KnownFile, ToolError


def merge(old: KnownFile | None, new: KnownFile) -> KnownFile:
    """Return what is known of a file once ``new`` has been learnt after ``old``.

    Same hash: the union of both, whole when either was or when the ranges cover every line. Another hash:
    ``new`` alone. Idempotent; ranges and wholeness do not depend on the order.
    """
    is_same = old is not None and old["sha256"] == new["sha256"]
    earlier = old["ranges"] if old is not None and is_same else []
    was_whole = old is not None and is_same and old["is_whole"]
    ranges = union([*earlier, *new["ranges"]])
    merged: KnownFile = {
        "sha256": new["sha256"],
        "ranges": ranges,
        "is_whole": was_whole or new["is_whole"] or is_covered(ranges, new["lines"]),
        "lines": new["lines"],
    }
    if "cut_at" in new:
        merged["cut_at"] = new["cut_at"]
    return merged


def union(ranges: Iterable[list[int]]) -> list[list[int]]:
    """Return ``ranges`` sorted, with those that touch or overlap merged; empty ones fall away."""
    merged: list[list[int]] = []
    for first, last in sorted(pair for pair in ranges if pair[0] <= pair[1]):
        if merged and first <= merged[-1][1] + 1:
            merged[-1][1] = max(merged[-1][1], last)
        else:
            merged.append([first, last])
    return merged


def is_covered(ranges: list[list[int]], lines: int) -> bool:
    """Tell whether merged ``ranges`` hold every one of ``lines`` lines (never true of none)."""
    return lines > 0 and len(ranges) == 1 and ranges[0][0] <= 1 and ranges[0][1] >= lines


def shift(ranges: Iterable[list[int]], *, at: int, removed: int, added: int) -> list[list[int]]:
    """Return ``ranges`` after ``removed`` lines from line ``at`` on gave way to ``added`` lines, which are known."""
    end, moved_by = at + removed, added - removed
    moved = [[at, at + added - 1]]
    for first, last in ranges:
        moved.append([first, min(last, at - 1)])
        moved.append([max(first, end) + moved_by, last + moved_by])
    return union(moved)


def require(known: KnownFile | None, sha256: str, *, shown: str, whole: bool) -> KnownFile:
    """Return ``known`` if it allows a change of the file whose hash on disk is ``sha256``.

    The hash decides, never a time stamp.

    Raises:    ToolError: never read, changed since, or (with ``whole``) read in part only.
    """
    if known is None:
        ask = "read it to its end first, or change parts of it with edit" if whole else "read it first"
        raise ToolError(f"`{shown}` exists and was not read in this session; {ask}.")
    if known["sha256"] != sha256:
        raise ToolError(f"`{shown}` changed on disk since it was read; read it again.")
    if whole and not known["is_whole"]:
        raise ToolError(
            f"Of `{shown}` only {_spell(known)} were read; read the rest first, or change parts of it with edit."
        )
    return known


def _spell(known: KnownFile) -> str:
    listed = ", ".join(f"{first}-{last}" for first, last in known["ranges"])
    return f"lines {listed} of {known['lines']}" if listed else "parts"
