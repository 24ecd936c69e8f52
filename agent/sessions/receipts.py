"""What a compaction did, in words: how much, what left the view, and where it can be read."""

from collections import Counter
from typing import Any

from agent.session.glance import number_of
from agent.session.records import Record
from agent.sessions.story import Story
from agent.terminal.figures import dollars, times, tokens

MOST_PLACES = 4
STAND_IN = "stand-in"
"""A block that an earlier compaction had put."""


def headline(compaction: Record, story: Story) -> str:
    """Return layer, cause and sizes: `summary (manual) 6.3k → 4.8k`, and whether it still stands."""
    receipt = compaction["receipt"]
    why = " ".join(str(receipt[key]) for key in ("trigger", "cause") if receipt.get(key))
    sizes = " → ".join(_size(receipt.get(key)) for key in ("before", "after"))
    undone = " · undone" if story.is_undone(compaction["id"]) else ""
    left = story.left_with(compaction["id"])
    words = f" · {left.words}" if left else ""
    return f"{compaction.get('layer', '?')}{f' ({why})' if why else ''} {sizes}{undone}{words}"


def details(compaction: Record, story: Story) -> list[str]:
    """Return what left, where it is, and what a summary took."""
    receipt = compaction["receipt"]
    left = left_lines(compaction, story)
    lines = [f"changed: {left}"] if left else []
    lines += [f"kept in {place}" for place in places(receipt)]
    if by := receipt.get("summary_by"):
        written = number_of((receipt.get("usage") or {}).get("output_tokens"))
        lines.append(f"summary by {by}" + (f", {tokens(written)} tokens" if written else ""))
    return lines


def left_lines(compaction: Record, story: Story) -> str:
    """Return what kinds of blocks a compaction changed, the most frequent first: `3 bash results, 2 calls`."""
    ids = [str(id_) for change in compaction.get("changes", ()) for id_ in change["ids"]]
    kinds = Counter(story.kinds.get(id_, STAND_IN) for id_ in ids)
    return ", ".join(times(number, kind) for kind, number in kinds.most_common())


def places(receipt: dict[str, Any]) -> list[str]:
    """Return the files that lead to what left, each with how many blocks it holds where that is known."""
    found = Counter(str(path) for path in (receipt.get("where") or {}).values())
    lines = [f"{path} ({times(number, 'block')})" for path, number in found.most_common(MOST_PLACES)]
    if len(found) > MOST_PLACES:
        lines.append(f"{len(found) - MOST_PLACES} further files")
    archive = str(receipt.get("archive") or "")
    return lines if not archive or archive in found else [archive, *lines]


def cost(story: Story) -> str:
    """Return what the session cost."""
    return dollars(story.spent.usd, is_known=story.spent.is_known)


def _size(value: Any) -> str:
    return tokens(number_of(value)) if isinstance(value, int) else "?"
