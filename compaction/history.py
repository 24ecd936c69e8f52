"""What happened, read off the blocks as they were appended: calls, their results, the files they touched.

It only grows, follows the log and not the view, and is the same after a resume: a layer asks it what a block that
stands in the view is about, and which files the work is at.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from compaction.changed_input import changed_by, ran
from compaction.deeds import Deeds
from compaction.messages import Block, ToolResultBlock, ToolUseBlock, result_text
from compaction.names import names_said
from compaction.outcomes import exit_code_of
from compaction.seen import Seen

NUMBERED = re.compile(r"^(\d+)\t", re.MULTILINE)
"""Line numbers as the read tool shows them."""
NAME = re.compile(r"[\w./-]+")
"""What may be a file name in a text or a command; no alternatives, so that a long run costs no more than its length."""
PATH_TOOLS = ("read", "edit", "write")
ABOUT: Mapping[str, str] = {"bash": "command", "task": "description", "load_skill": "name"}
"""Field of an input that says what a call was about, where that is no file."""


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
    exit_code: int | None = None
    """Of a command that ended."""
    about: str = ""
    """The command that ran, the name or description that was given; empty for calls about a file."""
    changed_by: str = ""
    """Who changed its input before it ran; empty: nobody."""
    lines: tuple[int, int] = (0, 0)
    """First and last line that a read showed."""

    @property
    def is_instruction(self) -> bool:
        """It gave the text of a skill, which holds until the work is done: age says nothing of its use."""
        return self.name == "load_skill" and not self.is_failed


@dataclass(slots=True)
class History:
    """Calls by id, and files by when they were last touched and mentioned; steps count from 1.

    The newest of each stand last, so that what is asked at every step is found without a look at what is old.
    """

    calls: dict[str, Call] = field(default_factory=dict)
    touched: dict[str, int] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)
    """Path -> step of its first touch."""
    mentioned: dict[str, int] = field(default_factory=dict)
    edited: dict[str, int] = field(default_factory=dict)
    written: dict[str, int] = field(default_factory=dict)
    """Path -> step of its last whole write."""
    sizes: dict[str, int] = field(default_factory=dict)
    """Path -> tokens of the file as last shown or written whole; of its largest part before that."""
    said: set[str] = field(default_factory=set)
    """Names in words and in inputs of calls."""
    named: dict[str, set[str]] = field(default_factory=dict)
    """Name as it is written in texts -> the paths it may stand for."""
    deeds: Deeds = field(default_factory=Deeds)
    """What was done: the source of the ledger."""
    seen: Seen = field(default_factory=Seen)
    """Files and commits that were named anywhere."""

    def see(self, blocks: Iterable[Block], step: int, tokens: Iterable[int]) -> None:
        """Take in the blocks of one message."""
        index = 0
        for block, count in zip(blocks, tokens, strict=True):
            self.said |= names_said(block)
            self.seen.see(block)
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
            about=str(given.get(ABOUT.get(name, ""), "")),
        )
        self.calls[call.id] = call
        if call.path:
            self._touch(call.path, step)
        if name == "write" and call.path:
            self.sizes[call.path] = tokens
        if isinstance(command := given.get("command"), str):
            self._mention(command, step)

    def _answered(self, block: ToolResultBlock, tokens: int) -> None:
        call = self.calls.get(block["tool_use_id"])
        if call is None:
            return
        call.is_failed = bool(block.get("is_error"))
        answer = result_text(block)
        call.changed_by = changed_by(answer)
        if call.name == "bash":
            call.exit_code = exit_code_of(answer)
            call.about, answer = ran(call.about, answer)
        self.deeds.see(
            call.name,
            call.path or call.about,
            answer,
            step=call.step,
            is_failed=call.is_failed,
        )
        if call.is_failed:
            return
        if call.name in ("edit", "write"):
            self.edited[call.path] = call.step
        if call.name == "write":
            self.written[call.path] = max(call.step, self.written.get(call.path, 0))
        if call.name == "read":
            numbers = NUMBERED.findall(result_text(block))
            if numbers:
                call.lines = (int(numbers[0]), int(numbers[-1]))
            self.sizes[call.path] = max(tokens, self.sizes.get(call.path, 0) if call.is_partial else 0)
            self.deeds.read(call.path, call.lines, call.step)

    def _touch(self, path: str, step: int) -> None:
        self.first.setdefault(path, step)
        self.touched.pop(path, None)
        self.touched[path] = step
        for name in (path.strip("./"), path.rpartition("/")[2]):
            self.named.setdefault(name, set()).add(path)

    def _mention(self, text: str, step: int) -> None:
        if not self.touched:
            return
        found = {path for name in NAME.findall(text) for path in self.named.get(name.strip("./"), ())}
        for path in sorted(found):
            self.mentioned.pop(path, None)
            self.mentioned[path] = step
