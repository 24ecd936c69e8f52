"""The edit tool: one text for another in a file the model has read."""

import hashlib

from tools import known as knowledge
from tools.base import (
    Facts,
    KnownFile,
    ResolvedPath,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    ToolResult,
    describe,
)
from tools.change import MAX_DIFF_LINES, decode_now, headline, read_now, spell_sizes
from tools.diffs import Diff, compare
from tools.files import replace, run_to_end
from tools.limits import count_lines
from tools.match import MAX_COUNTED, FoldedText, Match, apply, find
from tools.miss import explain_miss
from tools.texts import clean, encode

_SENT_DIFF_LINES = 60
_NAMED_LINES = 10


class EditInput(ToolInput):
    """Input of the edit tool."""

    file_path: str
    old_string: str
    new_string: str
    replace_all: bool = False


async def _run(input: EditInput, ctx: ToolContext) -> ToolResult:
    target = ctx.paths["file_path"]
    async with ctx.services.locks.of(target.path):
        known = ctx.facts.known.get(str(target.path))
        return await run_to_end(lambda: _edit(input, target, known))


def _edit(input: EditInput, target: ResolvedPath, known: KnownFile | None) -> ToolResult:
    old, new = clean(input.old_string), clean(input.new_string)
    _refuse_empty(old, new, target)
    data = _read(target, known)
    known = knowledge.require(known, hashlib.sha256(data).hexdigest(), shown=target.shown, whole=False)
    text, layout = decode_now(data, target)
    folded = FoldedText(text)
    match = _find(folded, old, new, everywhere=input.replace_all)
    changed, count = apply(folded, match, everywhere=input.replace_all)
    changed_data = encode(changed, layout)
    if changed_data == data:
        raise ToolError(
            f"Nothing to change in `{target.shown}`: old and new text differ only in what edit keeps (line ends,"
            " lookalike characters). Use bash to change those."
        )
    remarks = [_lookalike(folded, match), replace(target, changed_data, old=data)]
    diff = compare(text, changed)
    told = (f"{count:,} replacements, " if count > 1 else "") + spell_sizes(diff)
    return ToolResult(
        content="\n".join(
            [headline("edited", target, told=told, remarks=remarks), diff.text(_SENT_DIFF_LINES)]
        ),
        facts=Facts(
            known={str(target.path): _known_after(known, diff, changed, changed_data)},
            diff=diff.text(MAX_DIFF_LINES),
            note=spell_sizes(diff),
        ),
    )


def _refuse_empty(old: str, new: str, target: ResolvedPath) -> None:
    if not old:
        raise ToolError(
            f"`old_string` is empty; `{target.shown}` was not changed. To make or fill a file use write; to insert, "
            "give the text beside the place and repeat it in `new_string`."
        )
    if old == new:
        raise ToolError(
            f"`old_string` and `new_string` are the same; `{target.shown}` was not changed. If it is right already, go on."
        )


def _read(target: ResolvedPath, known: KnownFile | None) -> bytes:
    data = read_now(target)
    if data is None:
        since = " any more; it was deleted since it was read" if known else ""
        raise ToolError(f"`{target.shown}` does not exist{since}. To make it use write.")
    return data


def _find(folded: FoldedText, old: str, new: str, *, everywhere: bool) -> Match:
    match = find(folded, old, new, everywhere=everywhere)
    if match is None:
        reasons = explain_miss(folded.text, old.replace("\r\n", "\n"), new.replace("\r\n", "\n"))
        raise ToolError(f"`old_string` was not found; nothing was changed.\n{reasons}")
    is_unique = len(match.places) == 1
    if not is_unique and (match.is_lookalike or not everywhere):
        raise ToolError(_ambiguous(match))
    return match


def _ambiguous(match: Match) -> str:
    count = len(match.places)
    lines = [str(line) for line in dict.fromkeys(place.line for place in match.places)]
    listed = ", ".join(lines[:_NAMED_LINES]) + (", …" if len(lines) > _NAMED_LINES else "")
    total = f"{count:,} or more" if count == MAX_COUNTED else f"{count:,}"
    if match.is_lookalike:
        return (
            f"`old_string` is not in the file, but {total} lookalikes are (lines {listed}), with other quotes, dashes or"
            " spaces. Nothing was changed; add text around the one you mean."
        )
    return (
        f"`old_string` occurs {total} times (lines {listed}); nothing was changed. Add lines around the one you mean"
        " until it is unique, or set `replace_all`."
    )


def _lookalike(folded: FoldedText, match: Match) -> str:
    if not match.is_lookalike:
        return ""
    place = match.places[0]
    there = folded.text[place.start : place.end]
    pairs = dict.fromkeys((a, b) for a, b in zip(there, match.needle, strict=True) if a != b)
    listed = ", ".join(f"U+{ord(a):04X} for U+{ord(b):04X}" for a, b in pairs)
    return f"the file has lookalike characters there ({listed}); those outside the change were kept"


def _known_after(known: KnownFile, diff: Diff, text: str, data: bytes) -> KnownFile:
    ranges = known["ranges"]
    for start, end, new_start, new_end in reversed(diff.changes):
        ranges = knowledge.shift(ranges, at=start + 1, removed=end - start, added=new_end - new_start)
    return {
        "sha256": hashlib.sha256(data).hexdigest(),
        "ranges": ranges,
        "is_whole": known["is_whole"],
        "lines": count_lines(text),
    }


EDIT = Tool(
    name="edit",
    description=describe("edit"),
    input_model=EditInput,
    run=_run,
    path_fields={"file_path": "write"},
)
