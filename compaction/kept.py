"""Where a history may be cut so that its newest messages stay as they are."""

from collections.abc import Sequence

from compaction.view import Placed


def kept_from(placed: Sequence[Placed], messages: int) -> int:
    """Return the position from which the newest ``messages`` messages stand, calls and results together.

    At most as many stay as leave something to cut; the position is behind all blocks when none can stay.
    """
    starts = [index for index, one in enumerate(placed) if index == 0 or placed[index - 1].role != one.role]
    if messages <= 0 or len(starts) <= messages:
        return len(placed)
    start = starts[-messages]
    if _answers(placed, start):
        start = starts[starts.index(start) - 1]
    return start or len(placed)


def _answers(placed: Sequence[Placed], start: int) -> bool:
    """True if the message that begins at ``start`` holds results."""
    return placed[start].block["type"] == "tool_result"
