"""What the files held, as far as the session itself proves it."""

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from agent.compacting.circumstances import RESTORE_TOKENS
from agent.replay.prices import text_tokens
from compaction.messages import Block, ToolUseBlock, result_text, tool_uses

NUMBERED = re.compile(r"(\d+)\t(.*)", re.DOTALL)


class ProvenFiles:
    """Contents by path: the newest whole read or write, with all later edits; none once an edit does not fit."""

    def __init__(self) -> None:
        self._contents: dict[str, str] = {}
        self._calls: dict[str, ToolUseBlock] = {}

    def see(self, assistant: Iterable[Block], user: Iterable[Block]) -> Mapping[str, str]:
        """Take in a step; return path -> numbered lines of the files that it edited, of those small enough."""
        self._calls |= {call["id"]: call for call in tool_uses(assistant)}
        edited: dict[str, str] = {}
        for block in user:
            if block["type"] != "tool_result" or block.get("is_error"):
                continue
            call = self._calls.get(block["tool_use_id"])
            path = call["input"].get("file_path") if call else None
            if call is None or not isinstance(path, str):
                continue
            self._take(call, path, result_text(block))
            if call["name"] == "edit":
                edited[path] = self._numbered(path)
        return {
            path: lines for path, lines in edited.items() if lines and text_tokens(lines) <= RESTORE_TOKENS
        }

    def newest(self, paths: Iterable[str], most: int) -> list[tuple[str, str]]:
        """Return (path, numbered lines) of the first ``most`` of ``paths`` whose content is proven."""
        proven = ((path, self._numbered(path)) for path in paths)
        return list(islice((one for one in proven if one[1]), most))

    def _take(self, call: ToolUseBlock, path: str, shown: str) -> None:
        given = call["input"]
        if call["name"] == "write":
            self._contents[path] = str(given.get("content", ""))
        elif call["name"] == "read" and not given.get("offset") and not given.get("limit"):
            whole = whole_text(shown)
            if whole is not None:
                self._contents[path] = whole
        elif call["name"] == "edit" and path in self._contents:
            for edit in edits_of(given):
                self._edit(path, edit)

    def _edit(self, path: str, edit: Mapping[str, Any]) -> None:
        old, new = str(edit.get("old_string", "")), str(edit.get("new_string", ""))
        before = self._contents.get(path, "")
        if not old or old not in before:
            self._contents.pop(path, None)
            return
        self._contents[path] = before.replace(old, new, -1 if edit.get("replace_all") else 1)

    def _numbered(self, path: str) -> str:
        lines = self._contents.get(path, "").split("\n")
        return "\n".join(
            f"{number}\t{line}" for number, line in enumerate(lines, 1) if line or number < len(lines)
        )


def edits_of(given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the single edits of an edit's input: itself, or those in its list."""
    several = given.get("edits")
    return [edit for edit in several if isinstance(edit, dict)] if isinstance(several, list) else [given]


def whole_text(shown: str) -> str | None:
    """Return the text behind numbered lines that begin at 1; None when there is anything else."""
    lines = [NUMBERED.fullmatch(line) for line in shown.split("\n")]
    if not lines or lines[0] is None or lines[0][1] != "1":
        return None
    texts = [line[2] for line in lines if line is not None]
    return "\n".join(texts) if len(texts) == len(lines) else None
