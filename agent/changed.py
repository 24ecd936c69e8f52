"""What the model is told of a call that the user changed before it ran: it goes by what it is told, not by what it sent."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from compaction.by_user import CHANGED, changed_to
from compaction.messages import ToolUseBlock
from tools.base import Facts, KnownFile, ToolResult
from tools.diffs import compare

TOLD_LINES = 60
"""Lines of a change of text that are told; of a longer one the model is told to read the file."""
CUT_CHARS = 280
"""A longer line of a diff may have been cut."""
READ_IT = "Read the file before you change it again.\n"


def head_of(call: ToolUseBlock, given: Mapping[str, Any]) -> str:
    """Return how the result of ``call`` begins, which ran with the input ``given`` in place of its own."""
    sent, more = call["input"], "" if _is_told_whole(call, given) else READ_IT
    match call["name"]:
        case "bash":
            return changed_to(str(given["command"]))
        case "write":
            lines = compare(str(sent.get("content", "")), str(given["content"])).text(TOLD_LINES)
            return f"{CHANGED}`content` before this ran; from yours to the user's:]\n{lines}\n{more}"
        case "edit":  # its diff follows
            return f"{CHANGED}`new_string` before this ran]\n{more}"
    return f"{CHANGED}the input before this ran, to: {dict(given)}]\n"


def told(call: ToolUseBlock, given: Mapping[str, Any], result: ToolResult) -> ToolResult:
    """Return the result with that head; what of a file the model was not told, it does not know."""
    content, head = result.content, head_of(call, given)
    with_head = f"{head}{content}" if isinstance(content, str) else [{"type": "text", "text": head}, *content]
    facts = Facts(**result.facts)
    if "known" in facts and not _is_told_whole(call, given):
        facts["known"] = {path: _unknown(new) for path, new in facts["known"].items()}
    return replace(result, content=with_head, facts=facts)


def _unknown(file: KnownFile) -> KnownFile:
    return {**file, "ranges": [], "is_whole": False}


def _is_told_whole(call: ToolUseBlock, given: Mapping[str, Any]) -> bool:
    """True when the model can tell what stands in the file: from the diff that it is shown."""
    field = "content" if call["name"] == "write" else "new_string"
    lines = compare(str(call["input"].get(field, "")), str(given.get(field, ""))).lines
    return len(lines) <= TOLD_LINES and max(map(len, lines), default=0) <= CUT_CHARS
