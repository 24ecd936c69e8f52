"""What a cut means for thinking: it is bound to the conversation before it, and goes whole or stays whole."""

from collections.abc import Collection, Sequence

from compaction.messages import is_thinking
from compaction.view import Change, Placed, View


def thinking_changes(view: View, gone: Collection[str], *, cut: int, drops_all: bool = False) -> list[Change]:
    """Return the changes that take out the sent thinking behind position ``cut``, but for the newest reply's.

    It would be refused, its prefix being no more, or is of no use to the model.

    Args:  gone: ids that leave anyway; drops_all: all thinking has to go, also what is before the cut.
    """
    blocks: Sequence[Placed] = list(view)[: view.sent]
    last = next((placed.record for placed in reversed(list(view)) if placed.role == "assistant"), "")
    wanted = blocks if drops_all else [placed for placed in blocks[cut:] if placed.record != last]
    return [
        Change(ids=[placed.id], role="assistant", blocks=[])
        for placed in wanted
        if is_thinking(placed.block) and placed.id not in gone
    ]
