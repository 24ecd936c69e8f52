"""What happened, read off the blocks as they were appended: calls, their results, the files they touched.

It only grows, follows the log and not the view, and is the same after a resume: a layer asks it what a block that
stands in the view is about, and which files the work is at.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from compaction.messages import Block, ToolResultBlock, ToolUseBlock, result_text
from compaction.names import names_said

NUMBERED = re.compile(r"^(\d+)\t", re.MULTILINE)
"""Line numbers as the read tool shows them."""
NAME = re.compile(r"[\w./-]+")
"""What may be a file name in a text or a command; no alternatives, so that a long run costs no more than its length."""
PATH_TOOLS = ("read", "edit", "write")
EVERYTHING = (1, 10**9)


@dataclass(slots=True, kw_only=True)
class Call:
    """A call and what is known of its outcome."""

    id: str
    name: str
    path: str
    """The file it is about; empty for other calls."""
    step: int
    index: int
    """Position among the calls of its reply."""
    is_partial: bool
    """A read that asked for a part of the file."""
    is_failed: bool = False
    lines: tuple[int, int] = (0, 0)
    """First and last line that a read showed."""


@dataclass(slots=True)
class History:
    """Calls by id, and files by when they were last touched and mentioned; steps count from 1."""

    calls: dict[str, Call] = field(default_factory=dict)
    touched: dict[str, int] = field(default_factory=dict)
    mentioned: dict[str, int] = field(default_factory=dict)
    edited: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    """Path -> tokens of the file as last shown or written whole; of its largest part before that."""
    said: set[str] = field(default_factory=set)
    """Names in words and in inputs of calls."""

    def see(self, blocks: Iterable[Block], step: int, tokens: Iterable[int]) -> None:
        """Take in the blocks of one message."""
        index = 0
        for block, count in zip(blocks, tokens, strict=True):
            self.said |= names_said(block)
            if block["type"] == "tool_use":
                self._called(block, step, index, count)
                index += 1
            elif block["type"] == "tool_result":
                self._answered(block, count)
            elif block["type"] == "text":
                self._mention(block["text"], step)

    def _called(self, block: ToolUseBlock, step: int, index: int, tokens: int) -> None:
        given, name = block["input"], block["name"]
        path = given.get("file_path") if name in PATH_TOOLS else None
        call = Call(
            id=block["id"],
            name=name,
            path=path if isinstance(path, str) else "",
            step=step,
            index=index,
            is_partial=bool(given.get("offset") or given.get("limit")),
        )
        self.calls[call.id] = call
        if call.path:
            self.touched[call.path] = step
        if name == "write" and call.path:
            self.sizes[call.path] = tokens
        if isinstance(command := given.get("command"), str):
            self._mention(command, step)

    def _answered(self, block: ToolResultBlock, tokens: int) -> None:
        call = self.calls.get(block["tool_use_id"])
        if call is None:
            return
        call.is_failed = bool(block.get("is_error"))
        if call.is_failed:
            return
        if call.name in ("edit", "write"):
            self.edited[call.path] = call.step
        if call.name == "read":
            numbers = NUMBERED.findall(result_text(block))
            if numbers:
                call.lines = (int(numbers[0]), int(numbers[-1]))
            self.sizes[call.path] = max(tokens, self.sizes.get(call.path, 0) if call.is_partial else 0)

    def _mention(self, text: str, step: int) -> None:
        if not self.touched:
            return
        names = {name.strip("./") for name in NAME.findall(text)}
        for path in self.touched:
            if path.strip("./") in names or path.rpartition("/")[2] in names:
                self.mentioned[path] = step
