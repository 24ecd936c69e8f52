"""`snip_compact`: of too many messages the middle leaves the view, and one marker says what it was and where it is.

What the user said in the middle stays, in the marker's own message: the active request always, pins always, earlier
words newest first within their budget.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from compaction.archive import Archive, archive, volume_lines
from compaction.digest import call_line
from compaction.index import MARKER, is_marker
from compaction.messages import text
from compaction.pins import HEADING
from compaction.plan import Plan
from compaction.receipts import Kind, settled
from compaction.situation import Situation
from compaction.thinking import thinking_changes
from compaction.view import Change, Placed, View

ABOUT_CHARS = 1_500
"""Of the calls that a marker lists."""

Group = list[Placed]
"""Neighbouring blocks of one role; a marker is a group of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snip:
    """The layer; sizes in messages. Source of the default numbers: the teaching course."""

    most: int = 50
    """So many may stand; markers are not counted."""
    again: int = 20
    """Where a marker stands already, so many more must have come."""
    head: int = 3
    tail: int = 47

    def __call__(self, view: View, situation: Situation) -> Plan | None:
        """Return the plan that archives the middle; None while there are few messages or nothing could go."""
        most = self.most + (self.again if view.index.markers else 0)
        if situation.is_waiting or view.index.messages <= most:
            return None
        groups = grouped(view)
        marked = [_is_marker(view, group[0]) for group in groups]
        counted = [index for index, is_one in enumerate(marked) if not is_one]
        start, end = off_pairs(groups, counted[self.head - 1] + 1, counted[-self.tail])
        seen = {placed.id for placed in list(view)[: view.sent]}
        middle = _movable(groups[start:end], seen, situation.held)
        said = _staying(view, middle, situation)
        gone = [placed for placed in middle if placed.id not in said]
        if all(_is_marker(view, placed) for placed in gone):
            return None
        return self._planned(view, gone, situation)

    def _planned(self, view: View, gone: Sequence[Placed], situation: Situation) -> Plan | None:
        path = situation.places.archive
        archived = archive(gone, path, situation.kept)
        marker = text(_marker(view, gone, archived))
        changes = [Change(ids=[placed.id for placed in gone], role="user", blocks=[marker])]
        ids = {placed.id for placed in gone}
        cut = next(index for index, placed in enumerate(view) if placed.id in ids)
        changes += thinking_changes(view, ids, cut=cut, drops_all=situation.drops_thinking)
        return settled(
            view, situation, changes, archived.files, Kind(layer="snip", cause="age", archive=path)
        )


def grouped(view: View) -> list[Group]:
    """Return the messages of ``view``, each marker apart from the message that it stands in."""
    groups: list[Group] = []
    was_marker = False
    for placed in view:
        is_one = _is_marker(view, placed)
        if groups and groups[-1][0].role == placed.role and not is_one and not was_marker:
            groups[-1].append(placed)
        else:
            groups.append([placed])
        was_marker = is_one
    return groups


def off_pairs(groups: Sequence[Group], start: int, end: int) -> tuple[int, int]:
    """Return both cuts moved outwards as far as they stood between calls and their results."""
    while start < end and _answers(groups[start]):
        start += 1
    while end > start and _answers(groups[end]):
        end -= 1
    return start, end


def _answers(group: Group) -> bool:
    return any(placed.block["type"] == "tool_result" for placed in group)


def _movable(groups: Sequence[Group], seen: Collection[str], held: Collection[str]) -> list[Placed]:
    """Return the blocks of ``groups``, less the rounds in which one is held or was not seen yet."""
    rounds: list[Group] = []
    for group in groups:
        if rounds and group[0].role == "user":
            rounds[-1] += group
        else:
            rounds.append(list(group))
    return [
        placed
        for one in rounds
        if all(placed.id in seen and placed.id not in held for placed in one)
        for placed in one
    ]


def _staying(view: View, middle: Sequence[Placed], situation: Situation) -> set[str]:
    """Return the ids of what the user said and is kept word for word."""
    staying: set[str] = set()
    left = situation.sizes.earlier_prompts
    for placed in reversed(middle):
        block = placed.block
        if placed.role != "user" or block["type"] != "text" or _is_marker(view, placed):
            continue
        if placed.id in situation.passing:
            continue
        if not (block["text"] in situation.active or block["text"].startswith(HEADING)):
            left -= placed.tokens
            if left < 0:
                continue
        staying.add(placed.id)
    return staying


def _is_marker(view: View, placed: Placed) -> bool:
    return view.is_changed(placed) and is_marker(placed)


def _marker(view: View, gone: Sequence[Placed], archived: Archive) -> str:
    """Say how many messages left, what they were about, and where they are.

    The first lines of markers that go with them stay, one an archive: so no archive has to be found through another.
    """
    earlier: dict[str, str] = {}
    new = [placed for placed in gone if not _is_marker(view, placed)]
    for placed in gone:
        if placed not in new and placed.block["type"] == "text":
            lines = placed.block["text"].split("\n")
            earlier |= {found[1]: line for line in lines if (found := MARKER.fullmatch(line))}
    first, last = new[0].step, new[-1].step
    count = sum(one.role != other.role for one, other in pairwise(new)) + 1
    path = archived.volumes[0].path
    line = f"[[archived: {first}-{last} · {count} messages of steps {first} to {last} · read {path}]]"
    return "\n".join([line, *volume_lines(archived), *earlier.values(), *_about(new)])


def _about(gone: Sequence[Placed]) -> list[str]:
    """Return a line a call, repeated ones counted, the newest that have room."""
    lines = Counter(f"- {call_line(placed.block)}" for placed in gone if placed.block["type"] == "tool_use")
    kept: list[str] = []
    left = ABOUT_CHARS
    for line, times in reversed(lines.items()):
        left -= len(line) + 1
        if left < 0:
            return [f"- ({len(lines) - len(kept)} other calls, in the archive)", *kept]
        kept.insert(0, line if times == 1 else f"{line} ({times} times)")
    return kept
