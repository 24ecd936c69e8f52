"""Whole rounds that have become useless leave the view together; one marker says what they were."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from compaction.archive import archive, volume_lines
from compaction.digest import call_line
from compaction.history import Call
from compaction.messages import ToolUseBlock, is_thinking, result_text, text, text_of
from compaction.names import names_line, names_listed
from compaction.plan import PlannedFile
from compaction.quoted import harmless
from compaction.view import Change, Placed, View

SHORT_CHARS = 240
"""Words between two calls that are no longer leave with their round: the marker repeats them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What leaves the view: calls of one reply and their results, and what would be left alone of the reply."""

    blocks: tuple[Placed, ...]
    uses: tuple[ToolUseBlock, ...]
    words: tuple[str, ...] = ()
    """What the model said before them, for the marker."""

    @property
    def tokens(self) -> int:
        """What it takes in the view."""
        return sum(placed.tokens for placed in self.blocks)


def dead_rounds(
    view: View, blocks: Sequence[Placed], is_dead: Callable[[Placed], bool], held: Collection[str] = ()
) -> list[Round]:
    """Return what of each reply can leave: its last calls, as far back as they and their results are dead or shortened.

    A call before one that stays stays too: its result's place cannot be taken by a text, for results come first.

    Args:  blocks: the calls and results to choose from; held: ids of blocks that must stay.
    """
    results = {
        placed.block["tool_use_id"]: placed for placed in blocks if placed.block["type"] == "tool_result"
    }

    wanted = {placed.id for placed in blocks}

    def is_over(placed: Placed) -> bool:
        return view.is_changed(placed) or is_dead(placed)

    found: list[Round] = []
    for reply in _replies(view, blocks):
        pairs: list[tuple[Placed, Placed]] = []
        for placed in reversed(reply):
            if placed.block["type"] != "tool_use":
                continue
            result = results.get(placed.block["id"])
            if result is None or placed.id not in wanted or not (is_over(placed) and is_over(result)):
                break
            pairs.insert(0, (placed, result))
        if pairs and (one := _round(reply, pairs, held)) is not None:
            found.append(one)
    return found


def _round(
    reply: Sequence[Placed], pairs: Sequence[tuple[Placed, Placed]], held: Collection[str]
) -> Round | None:
    """Return what leaves with ``pairs``; None when what stays would end with thinking: no message may."""
    calls = [call for call, _ in pairs]
    rest = [placed for placed in reply if placed not in calls]
    words = [placed for placed in rest if placed.block["type"] == "text"]
    is_whole = not any(placed.block["type"] == "tool_use" for placed in rest)
    is_short = sum(len(text_of([placed.block])) for placed in words) <= SHORT_CHARS
    if is_whole and is_short and not any(placed.id in held for placed in rest):
        gone, said = rest, tuple(text_of([placed.block]) for placed in words)
    else:
        # Thinking goes from a reply whole.
        is_unfit = not rest or is_thinking(rest[-1].block)
        gone = [placed for placed in rest if is_unfit and is_thinking(placed.block) and placed.id not in held]
        said = ()
    left = [placed for placed in rest if placed not in gone]
    if left and is_thinking(left[-1].block):
        return None
    return Round(
        blocks=(*gone, *calls, *(result for _, result in pairs)),
        uses=tuple(call.block for call in calls if call.block["type"] == "tool_use"),
        words=said,
    )


def snipped(
    rounds: Sequence[Round],
    blocks: Sequence[Placed],
    archive_path: str,
    kept: Mapping[str, str],
    *,
    known: set[str],
    calls: Mapping[str, Call],
) -> tuple[list[Change], tuple[PlannedFile, ...]]:
    """Return the changes that take ``rounds`` out of the view, and the archive that keeps them.

    Rounds with nothing between them become one marker, where the first one's first result stood.

    Args:  known: names that need not be listed; those that are listed now are added; calls: of the history.
    """
    if not rounds:
        return [], ()
    archived = archive([placed for one in rounds for placed in one.blocks], archive_path, kept)
    changes: list[Change] = []
    for stretch in _stretches(rounds, blocks):
        # One path for the markers of a cut: it is the longest part of their first lines.
        where = f"in {_name(archive_path)}]]"
        if not changes:
            where = "\n".join([f"read {archive_path}]]", *volume_lines(archived)])
        changes.append(_marked(stretch, where, known, calls))
    return changes, archived.files


def _name(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


def _marked(stretch: Sequence[Round], where: str, known: set[str], calls: Mapping[str, Call]) -> Change:
    gone = [placed for one in stretch for placed in one.blocks]
    place = next(placed for placed in gone if placed.role == "user")
    results = {
        placed.block["tool_use_id"]: result_text(placed.block)
        for placed in gone
        if placed.block["type"] == "tool_result"
    }
    count = sum(len(one.uses) for one in stretch)
    lines = [f"[[archived: {gone[0].step}-{gone[-1].step} · {count} calls · {where}"]
    for one in stretch:
        lines += [f"you: {harmless(' '.join(words.split()))}" for words in one.words]
        for use in one.uses:
            lines.append(f"- {call_line(use)}{_ending(calls.get(use['id']))}")
            if names := names_line(results[use["id"]], known):
                lines.append(names)
                known.update(names_listed(names))
    ids = [place.id, *(placed.id for placed in gone if placed is not place)]
    return Change(ids=ids, role="user", blocks=[text("\n".join(lines))])


def _ending(call: Call | None) -> str:
    if call is None or call.exit_code is None:
        return " (failed)" if call is not None and call.is_failed else ""
    return f" → exit code {call.exit_code}"


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


def _replies(view: View, blocks: Sequence[Placed]) -> list[Sequence[Placed]]:
    """Return the assistant messages that the calls among ``blocks`` are part of, in order."""
    replies: dict[str, Sequence[Placed]] = {}
    for placed in blocks:
        if placed.block["type"] == "tool_use":
            reply = view.index.reply_of(placed)
            replies[reply[0].id] = reply
    return list(replies.values())
