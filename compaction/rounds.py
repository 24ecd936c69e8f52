"""Whole rounds that have become useless leave the view together; one marker says what they were."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from compaction.archive import archive
from compaction.digest import call_line
from compaction.messages import ToolUseBlock, is_thinking, result_text, text
from compaction.names import names_line
from compaction.plan import PlannedFile
from compaction.view import Change, Placed, View


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What leaves the view: calls of one reply and their results, and thinking that would be left alone."""

    blocks: tuple[Placed, ...]
    uses: tuple[ToolUseBlock, ...]

    @property
    def tokens(self) -> int:
        """What it takes in the view."""
        return sum(placed.tokens for placed in self.blocks)


def dead_rounds(view: View, blocks: Sequence[Placed], is_dead: Callable[[Placed], bool]) -> list[Round]:
    """Return the rounds of ``blocks`` all of whose calls and results are dead or shortened, oldest first."""
    results = {
        placed.block["tool_use_id"]: placed for placed in blocks if placed.block["type"] == "tool_result"
    }
    found: list[Round] = []
    for reply in _replies(blocks).values():
        uses = [placed.block for placed in reply if placed.block["type"] == "tool_use"]
        calls = [placed for placed in reply if placed.block["type"] == "tool_use"]
        if not uses or any(use["id"] not in results for use in uses):
            continue
        pairs = [*calls, *(results[use["id"]] for use in uses)]
        if all(view.is_changed(placed) or is_dead(placed) for placed in pairs):
            rest = [placed for placed in reply if placed not in calls]
            alone = rest if all(is_thinking(placed.block) for placed in rest) else []
            found.append(Round(blocks=(*alone, *pairs), uses=tuple(uses)))
    return found


def snipped(
    rounds: Sequence[Round],
    blocks: Sequence[Placed],
    archive_path: str,
    kept: Mapping[str, str],
    *,
    known: Collection[str] = (),
) -> tuple[list[Change], tuple[PlannedFile, ...]]:
    """Return the changes that take ``rounds`` out of the view, and the archive that keeps them.

    Rounds with nothing between them become one marker, where the first one's first result stood.

    Args:  known: names that need not be listed.
    """
    if not rounds:
        return [], ()
    files = archive([placed for one in rounds for placed in one.blocks], archive_path, kept)
    return [_marked(stretch, archive_path, known) for stretch in _stretches(rounds, blocks)], files


def _marked(stretch: Sequence[Round], archive_path: str, known: Collection[str]) -> Change:
    gone = [placed for one in stretch for placed in one.blocks]
    place = next(placed for placed in gone if placed.role == "user")
    uses = [use for one in stretch for use in one.uses]
    first, last = gone[0].step, gone[-1].step
    head = (
        f"[[archived: {first}-{last} · {len(uses)} calls of steps {first} to {last} · read {archive_path}]]"
    )
    results = {
        placed.block["tool_use_id"]: result_text(placed.block)
        for placed in gone
        if placed.block["type"] == "tool_result"
    }
    names = {use["id"]: names_line(results[use["id"]], known) for use in uses}
    lines = "\n".join(
        f"- {call_line(use)}" + (f"\n{names[use['id']]}" if names[use["id"]] else "") for use in uses
    )
    ids = [place.id, *(placed.id for placed in gone if placed is not place)]
    return Change(ids=ids, role="user", blocks=[text(f"{head}\n{lines}")])


def _stretches(rounds: Sequence[Round], blocks: Sequence[Placed]) -> list[list[Round]]:
    """Group rounds between which no other block stays."""
    position = {placed.id: index for index, placed in enumerate(blocks)}
    stretches: list[list[Round]] = []
    end = -1
    for one in rounds:
        places = [position[placed.id] for placed in one.blocks]
        if stretches and min(places) == end + 1:
            stretches[-1].append(one)
        else:
            stretches.append([one])
        end = max(places)
    return stretches


def _replies(blocks: Sequence[Placed]) -> dict[str, list[Placed]]:
    """Record id -> the blocks of an assistant message."""
    replies: dict[str, list[Placed]] = {}
    for placed in blocks:
        if placed.role == "assistant":
            replies.setdefault(placed.record, []).append(placed)
    return replies
