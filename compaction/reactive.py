"""`reactive_compact`: what goes when a server refuses a request as too long, or as too large.

A summary is asked for with less and less of the history; the history itself gives up its images first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from compaction.budget import ResultBudget
from compaction.messages import Block, ImageBlock, is_thinking, text
from compaction.plan import Plan, PlannedFile
from compaction.receipts import Kind, settled
from compaction.shorten import image_file, mark, mark_id
from compaction.situation import Situation
from compaction.thinking import thinking_changes
from compaction.view import Change, Count, Placed, View

LEFT_OUT = "[The beginning of the conversation is left out here, for it was too long.]"
IMAGE_NOTE = "[an image, left out here]"
PREVIEW_NOTE = "characters are left out here]"
PREVIEW = ResultBudget()
"""Its head and tail are the preview of a result that is too long for a request about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lessening:
    """What a request about the history leaves out; each step keeps what the one before left out.

    Args:  fits: tokens of the blocks -> do they fit; None while nothing was refused as too long.
    """

    is_without_images: bool = False
    has_previews: bool = False
    fits: Callable[[int], bool] | None = None
    drops_thinking: bool = False
    """The newest reply's thinking may not stay behind a changed prefix either."""


def lessened(blocks: Sequence[Placed], less: Lessening, count: Count) -> list[Placed]:
    """Return the blocks of a request with less in it: still valid, its end unchanged but for images and previews."""
    placed = list(blocks)
    if less.is_without_images:
        placed = [_with(one, _without_images(one.block), count) for one in placed]
    if less.has_previews:
        start = _last_reply_end(placed)
        placed[start:] = [_with(one, _preview(one.block), count) for one in placed[start:]]
    if less.fits is not None:
        placed = _without_head(placed, less.fits, drops_thinking=less.drops_thinking)
    return placed


def has_images(blocks: Sequence[Placed]) -> bool:
    """True when one of the blocks is, or holds, an image."""
    return any(_images_in(placed.block) for placed in blocks)


def images_out(view: View, situation: Situation) -> Plan | None:
    """Return the plan that puts every image on disk, with a line in its place; None without images.

    All at once: whatever one image takes away from the cache, the next would take again.
    """
    changes: list[Change] = []
    files: list[PlannedFile] = []
    for placed in view:
        if _images_in(placed.block):
            block, kept = _images_kept(view, placed, situation.places.spills)
            changes.append(Change(ids=[placed.id], role=placed.role, blocks=[block]))
            files += kept
    if not changes:
        return None
    gone = {id_ for change in changes for id_ in change["ids"]}
    cut = next(index for index, placed in enumerate(view) if placed.id in gone)
    changes += thinking_changes(view, gone, cut=cut, drops_all=situation.drops_thinking)
    kind = Kind(layer="reactive", cause="refusal", trigger="reactive", may_grow=True)
    return settled(view, situation, changes, files, kind)


def _without_head(
    placed: Sequence[Placed], fits: Callable[[int], bool], *, drops_thinking: bool
) -> list[Placed]:
    """Leave out whole rounds from the head until the rest fits; the newest round stays whatever its size."""
    last = next((one.record for one in reversed(placed) if one.role == "assistant"), "")
    kept = [
        one for one in placed if not is_thinking(one.block) or (one.record == last and not drops_thinking)
    ]
    starts = [
        index
        for index, one in enumerate(kept)
        if one.role == "assistant" and (index == 0 or kept[index - 1].role == "user")
    ]
    left, first = sum(one.tokens for one in kept), 0
    for start in starts:
        if fits(left):
            break
        left -= sum(one.tokens for one in kept[first:start])
        first = start
    note = Placed(id="left-out.0", role="user", block=text(LEFT_OUT), tokens=0)
    return [note, *kept[first:]] if first else kept


def _last_reply_end(placed: Sequence[Placed]) -> int:
    """Position behind the newest reply: where what the model has not read begins."""
    index = len(placed)
    while index > 0 and placed[index - 1].role == "user":
        index -= 1
    return index


def _with(placed: Placed, block: Block, count: Count) -> Placed:
    return placed if block is placed.block else replace(placed, block=block, tokens=count(block))


def _images_in(block: Block) -> bool:
    if block["type"] == "tool_result" and not isinstance(block["content"], str):
        return any(part.get("type") == "image" for part in block["content"])
    return block["type"] == "image"


def _without_images(block: Block) -> Block:
    if not _images_in(block):
        return block
    if block["type"] != "tool_result" or isinstance(block["content"], str):
        return text(IMAGE_NOTE)
    parts = [text(IMAGE_NOTE) if part.get("type") == "image" else part for part in block["content"]]
    return {**block, "content": [dict(part) for part in parts]}


def _preview(block: Block) -> Block:
    if block["type"] != "tool_result" or not isinstance(block["content"], str):
        return block
    full, head, tail = block["content"], PREVIEW.head_chars, PREVIEW.tail_chars
    if len(full) <= 2 * (head + tail):
        return block
    note = f"[{len(full) - head - tail} {PREVIEW_NOTE}"
    return {**block, "content": f"{full[:head]}\n{note}\n{full[-tail:]}"}


def _images_kept(view: View, placed: Placed, folder: str) -> tuple[Block, list[PlannedFile]]:
    """Return a block with lines in place of its images, and the files that keep them."""
    block = placed.block
    if block["type"] == "image":
        file, line = _kept(block, f"{folder}/{placed.id}", placed.id)
        return text(line), [file]
    assert block["type"] == "tool_result"
    assert not isinstance(block["content"], str)
    call = view.history.calls.get(block["tool_use_id"])
    id_ = mark_id(call) if call else placed.id
    parts: list[dict[str, Any]] = []
    files: list[PlannedFile] = []
    for part in block["content"]:
        if part.get("type") != "image":
            parts.append(part)
            continue
        name = f"{id_}-{len(files)}"
        file, line = _kept({"type": "image", "source": part["source"]}, f"{folder}/{name}", name)
        files.append(file)
        parts.append(dict(text(line)))
    return {**block, "content": parts}, files


def _kept(image: ImageBlock, path: str, id_: str) -> tuple[PlannedFile, str]:
    data, suffix = image_file(image["source"])
    file = PlannedFile(path=f"{path}.{suffix}", data=data)
    return file, mark(id_, f"image · {len(data)} bytes", file.path)
