"""What a summary carries over as it is: the user's words, files, and results that the model has not read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from compaction.archive import INLINE_CHARS, image_part, part_path
from compaction.digest import NO_REQUEST, call_line
from compaction.messages import Block, ToolUseBlock, text, tool_uses
from compaction.plan import PlannedFile
from compaction.policy import Sizes
from compaction.quoted import as_data, ends
from compaction.shorten import mark
from compaction.view import Placed, View

CHARS_A_TOKEN = 3
"""Of prose and code. Digits, base64 and CJK take a third of it: then all parts are made smaller together."""
EARLIER = "The user's earlier requests, word for word, all answered:"
ACTIVE = "The user's current request, word for word:"
NOTES = "Told to you since your last reply, by hooks or by the program:"
OPEN_ROUND = "Results of your last calls:"
RESTORED = "as it is now, numbered as `read` shows it:"
RESTORED_TOKENS = 5_000
"""Of one file."""
PREVIEW_CHARS = 2_000
"""Head and tail of a result that is too long to be carried over whole."""
LEEWAY = 1.25
"""The meter may have learnt since a text was let through whole: over its limit by no more than that, it stays so."""
LONG_PROMPT_CHARS = 8_000
"""Head and tail of a text of the user's that is too long to stand whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much the parts may take: all of ``sizes`` stand for a window that is ``squeeze`` times smaller."""

    sizes: Sizes
    squeeze: int
    archive_path: str
    where: Mapping[str, str]
    """Block id -> path of the volume of the archive that it stands in."""
    tokens: Callable[[str], int]
    """Tokens of a text, by the meter."""

    def least(self, chars: int) -> int:
        """Return a limit, not below what is worth carrying over."""
        return max(chars, PREVIEW_CHARS // self.squeeze)


def earlier_split(prompts: Sequence[str], max_chars: int) -> tuple[list[str], list[str]]:
    """Return the earlier prompts that stand word for word, the newest first to be kept, and the others."""
    kept: list[int] = []
    for index in reversed(range(len(prompts))):
        if len(prompts[index]) + 3 <= max_chars:
            kept.insert(0, index)
            max_chars -= len(prompts[index]) + 3
    rest = [prompt for index, prompt in enumerate(prompts) if index not in set(kept)]
    return [prompts[index] for index in kept], rest


def earlier_blocks(kept: Sequence[str], missing: int) -> list[Block]:
    """Return the block of the earlier prompts; none without any."""
    if not kept:
        return []
    more = f"\n({missing} older ones are in the ledger)" if missing else ""
    return [text("\n".join([EARLIER, *(f"- {prompt}" for prompt in kept)]) + more)]


def restored_blocks(files: Sequence[tuple[str, str]], room: Room) -> list[Block]:
    """Return a block for each file that fits, whole lines from its beginning; the first ones first."""
    left = room.sizes.restored * CHARS_A_TOKEN
    blocks: list[Block] = []
    for path, lines in files:
        most = min(left, RESTORED_TOKENS * CHARS_A_TOKEN)
        shown = lines if len(lines) <= most else lines[: lines.rfind("\n", 0, most) + 1].rstrip("\n")
        if not shown.strip():
            continue
        left -= len(shown)
        more = "" if shown == lines else "\n(`read` shows the rest)"
        named = path.replace("\n", " ")
        blocks.append(text(f"{named} {RESTORED}\n{as_data('file', shown)}{more}"))
    return blocks


def active_block(active: Sequence[str], room: Room) -> tuple[Block, list[PlannedFile]]:
    """Return the block of the active request, and the files that keep what is too long to stand whole."""
    if not active:
        return text(NO_REQUEST), []
    most = room.least(room.sizes.words * CHARS_A_TOKEN)
    files: list[PlannedFile] = []
    said: list[str] = []
    for number, words in enumerate(active, 1):
        path = f"{room.archive_path.removesuffix('.md')}/request-{number}.txt"
        line = mark(f"request-{number}", f"{len(words)} characters", path)
        is_long = len(words) > most and room.tokens(words) > room.sizes.words * LEEWAY
        said.append(ends(words, min(most, LONG_PROMPT_CHARS), line) if is_long else words)
        if is_long:
            files.append(PlannedFile(path=path, data=words.encode("utf-8")))
    return text(f"{ACTIVE}\n" + "\n\n".join(said)), files


def picture_blocks(pictures: Sequence[Placed], gone: Sequence[Placed], room: Room) -> list[Block]:
    """Return those of the request's pictures that are ``gone``: they stand behind its words as they did."""
    ids = {placed.id for placed in gone}
    return _as_blocks([part for placed in pictures if placed.id in ids for part in _parts(placed)], room)


def note_blocks(notes: Sequence[str], room: Room) -> list[Block]:
    """Return the block of what the model was told by others than the user and has not read; none without any."""
    if not notes:
        return []
    most = room.least(room.sizes.words * CHARS_A_TOKEN // len(notes))
    shown = [ends(note, most, f"[shortened; `read` {room.archive_path}]") for note in notes]
    return [text("\n\n".join([NOTES, *shown]))]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A text, or an image, of the open round."""

    id: str
    number: int
    words: str = ""
    source: Mapping[str, Any] | None = None
    is_result: bool = False
    """Words of others; a result that was carried over before stands between its marks already."""


def open_round(view: View, gone: Sequence[Placed], room: Room) -> list[Block]:
    """Return the results that the model has not read, with the words and calls that asked for them."""
    start = max((index for index, placed in enumerate(gone) if placed.role == "assistant"), default=-1)
    if start < 0:
        return _as_blocks(_carried_before(view, gone), room)
    asking = [placed for placed in gone[: start + 1] if placed.record == gone[start].record]
    # The call that asked for this very compaction has its answer in what stands here.
    blocks = [placed.block for placed in asking]
    calls = {call["id"]: call for call in tool_uses(blocks) if call["name"] != "compact"}
    unread = [placed for placed in gone[start + 1 :] if _call_id(placed) in calls]
    if not unread:
        return []
    said = [part for placed in asking if placed.block["type"] == "text" for part in _parts(placed)]
    results = [replace(part, is_result=True) for placed in unread for part in _parts(placed)]
    shown = _as_blocks([*said, *results], room)
    return [*shown[: len(said)], text("\n".join([OPEN_ROUND, *_lines(calls)])), *shown[len(said) :]]


def _carried_before(view: View, gone: Sequence[Placed]) -> list[_Part]:
    """Return the open round that a summary carried over and that the model has still not read."""
    heads = [
        index
        for index, placed in enumerate(gone)
        if placed.block["type"] == "text"
        and view.is_changed(placed)
        and placed.block["text"].startswith(OPEN_ROUND)
    ]
    if not heads:
        return []
    carried = [placed for placed in gone[heads[0] :] if placed.record == gone[heads[0]].record]
    return [part for placed in carried for part in _parts(placed)]


def _parts(placed: Placed) -> list[_Part]:
    """Return the texts and images of a block, with their numbers in the archive; blank texts left out."""
    block = placed.block
    parts: Sequence[Any] = [block]
    if block["type"] == "tool_result":
        content = block["content"]
        parts = [text(content)] if isinstance(content, str) else content
    found: list[_Part] = []
    for number, part in enumerate(parts):
        if part.get("type") == "text" and str(part["text"]).strip():
            found.append(_Part(id=placed.id, number=number, words=str(part["text"])))
        elif part.get("type") == "image":
            found.append(_Part(id=placed.id, number=number, source=part["source"]))
    return found


def _as_blocks(parts: Sequence[_Part], room: Room) -> list[Block]:
    """Return a block for each part; the largest texts are shortened first, until all have their room."""
    limits = _limits([len(part.words) for part in parts], room)
    return [
        text(_shortened(part, most, room))
        if part.source is None
        else _image(part.source, room, part.id, part.number)
        for part, most in zip(parts, limits, strict=True)
    ]


def _limits(lengths: Sequence[int], room: Room) -> list[int]:
    """Return how many characters each text may take, whole or its preview: half of the threshold in all."""
    left = room.sizes.threshold // 2 * CHARS_A_TOKEN
    preview = min(PREVIEW_CHARS, room.least(left // max(len(lengths), 1)))
    limits = list(lengths)
    over = sum(lengths) - left
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        if over <= 0 or lengths[index] <= preview:
            break
        limits[index] = preview
        over -= lengths[index] - preview
    return limits


def _shortened(part: _Part, most: int, room: Room) -> str:
    words = part.words
    # Shorter parts stand in the archive itself.
    is_part = len(words.encode("utf-8")) > INLINE_CHARS
    inside = room.where.get(part.id, room.archive_path)
    path = part_path(room.archive_path, part.id, part.number) if is_part else inside
    shown = ends(words, most, f"[{len(words) - most} characters left out; `read` {path}]")
    return as_data("result", shown) if part.is_result else shown


def _image(source: Mapping[str, Any], room: Room, id_: str, number: int) -> Block:
    """An image stays one; where all has to be made smaller it is named."""
    if room.squeeze == 1:
        return {"type": "image", "source": dict(source)}
    _, data, suffix = image_part(source)
    return text(
        f"[an image of {len(data)} bytes: `read` {part_path(room.archive_path, id_, number, suffix)}]"
    )


def _call_id(placed: Placed) -> str:
    return placed.block["tool_use_id"] if placed.block["type"] == "tool_result" else ""


def _lines(calls: Mapping[str, ToolUseBlock]) -> list[str]:
    return [call_line(call) for call in calls.values()]
