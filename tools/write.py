"""The write tool: a whole file, new or in place of one the model knows whole."""

import hashlib

from tools import known as knowledge
from tools.base import (
    Facts,
    KnownFile,
    ResolvedPath,
    Tool,
    ToolContext,
    ToolInput,
    ToolResult,
    describe,
)
from tools.change import MAX_DIFF_LINES, decode_now, headline, read_now, spell_sizes
from tools.diffs import compare
from tools.files import replace, run_to_end
from tools.limits import count_lines
from tools.texts import Layout, clean, encode, is_all_crlf


class WriteInput(ToolInput):
    """Input of the write tool."""

    file_path: str
    content: str


async def _run(input: WriteInput, ctx: ToolContext) -> ToolResult:
    target = ctx.paths["file_path"]
    async with ctx.services.locks.of(target.path):
        known = ctx.facts.known.get(str(target.path))
        return await run_to_end(lambda: _write(clean(input.content), target, known))


def _write(content: str, target: ResolvedPath, known: KnownFile | None) -> ToolResult:
    old = read_now(target)
    if old is None:
        data = encode(content, Layout())
        remark = replace(target, data, old=None)
        return _result("created", content, data, target, remarks=[remark])
    text, layout = decode_now(old, target)
    content, remark = _like_before(content, text, layout)
    data = encode(content, layout)
    if data == old:
        return _result("unchanged", content, data, target, remarks=["it had this content already"])
    knowledge.require(known, hashlib.sha256(old).hexdigest(), shown=target.shown, whole=True)
    result = _result("wrote", content, data, target, remarks=[remark, replace(target, data, old=old)])
    diff = compare(text, content)
    result.facts["diff"] = diff.text(MAX_DIFF_LINES)
    result.facts["note"] = spell_sizes(diff)
    return result


def _like_before(content: str, text: str, layout: Layout) -> tuple[str, str]:
    r"""Return ``content`` in the convention of the file, and a remark where that changed it.

    A file whose lines all end in `\r\n` keeps that; a byte order mark stays and is not doubled.
    """
    if layout.mark:
        content = content.removeprefix("\ufeff")
    if not is_all_crlf(text):
        return content, ""
    kept = content.replace("\r\n", "\n").replace("\n", "\r\n")
    return kept, "CRLF line ends kept" if kept != content else ""


def _result(verb: str, content: str, data: bytes, target: ResolvedPath, *, remarks: list[str]) -> ToolResult:
    lines = count_lines(content)
    spelled = f"{lines:,} {'line' if lines == 1 else 'lines'}"
    entry: KnownFile = {
        "sha256": hashlib.sha256(data).hexdigest(),
        "ranges": [],
        "is_whole": True,
        "lines": lines,
    }
    return ToolResult(
        content=headline(verb, target, told=f"{spelled}, {len(data):,} bytes", remarks=remarks),
        facts=Facts(known={str(target.path): entry}, note=spelled),
    )


WRITE = Tool(
    name="write",
    description=describe("write"),
    input_model=WriteInput,
    run=_run,
    path_fields={"file_path": "write"},
)
