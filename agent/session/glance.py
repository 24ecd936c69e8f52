"""What a session is, from the head and the tail of its log: quick for a thousand sessions, whatever their length."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from agent.session.records import Record, decode

HEAD_BYTES = 1_000_000
"""So far the first prompt is looked for."""
TAIL_BYTES = (64_000, 1_000_000)
"""So much of the end is read, and so much when the newest reply does not stand in that."""
_SAID = b'"said":[0'
_TITLE = b'"type":"title"'
_WANTED = (_SAID, _TITLE, b'"type":"context"')
"""What a line of the head holds that tells anything; others are not even parsed."""
_ADDING = ("message", "result", "undo", "rewind", "pin")
"""Records that change the context without a measure of it."""
_STATUS = "\ngit status:\n## "
_UNBORN = "No commits yet on "


@dataclass(slots=True)
class Glance:
    """What is seen of a session without reading its log."""

    id: str
    at: float
    """When it was written last, seconds since the epoch."""
    log_bytes: int
    turns: int = 0
    prompt: str = ""
    """The first one, on one line; empty when there was none, or it stands too far from the head."""
    title: str = ""
    """The newest; one that was given in the middle of a long log is not seen."""
    branch: str = ""
    """The git branch as the model was first told of it."""
    tokens: int | None = None
    """Context size after the newest reply or compaction; None: unknown."""
    is_estimate: bool = True
    """Something was added since ``tokens`` was measured."""

    @property
    def name(self) -> str:
        """Its title, else its first prompt."""
        return self.title or self.prompt


def glance(path: Path) -> Glance:
    """Look at a log. Raises OSError; what is damaged is passed over."""
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        seen = Glance(id=path.stem, at=status.st_mtime, log_bytes=status.st_size)
        _look_at_head(seen, file)
        for wanted in TAIL_BYTES:
            _look_at_tail(seen, file, wanted)
            if seen.tokens is not None or wanted >= status.st_size:
                break
    return seen


def context_tokens(record: Record) -> int | None:
    """Return the context size that a record measures, in tokens: after a reply or a compaction; None for others."""
    if record["type"] == "compaction":
        after = _dict(record.get("receipt")).get("after")
        return after if isinstance(after, int) else None
    usage = _dict(record.get("usage"))
    if record["type"] != "message" or not usage:
        return None
    parts = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    return sum(number for part in parts if isinstance(number := usage.get(part), int))


def is_prompt(record: Record) -> bool:
    """True for a message with words of the user."""
    return record["type"] == "message" and record.get("role") == "user" and bool(record.get("said"))


def words_of(record: Record) -> list[str]:
    """Return the texts of a message that are the user's own."""
    content, said = record.get("content"), record.get("said")
    if not isinstance(content, list) or not isinstance(said, list):
        return []
    blocks = [content[index] for index in said if isinstance(index, int) and 0 <= index < len(content)]
    return [str(block["text"]) for block in blocks if isinstance(block, dict) and "text" in block]


def title_of(record: Record) -> str | None:
    """Return the title that a record gives, on one line; None when it gives none."""
    title = record.get("text")
    return " ".join(title.split()) if record["type"] == "title" and isinstance(title, str) else None


def number_of(value: Any) -> int:
    """Return a count of a record; 0 for what is none."""
    return value if isinstance(value, int) else 0


def _look_at_head(seen: Glance, file: BinaryIO) -> None:
    left = HEAD_BYTES
    while left > 0 and not seen.prompt and (line := file.readline(left)):
        left -= len(line)
        if any(mark in line for mark in _WANTED):
            for record in decode(line)[0]:
                _take_head(seen, record)


def _take_head(seen: Glance, record: Record) -> None:
    seen.title = title_of(record) or seen.title
    if record["type"] == "context":
        seen.branch = seen.branch or _branch(record)
    if is_prompt(record):
        seen.turns = number_of(record.get("turn"))
        seen.prompt = " ".join(" ".join(words_of(record)[:1]).split())


def _look_at_tail(seen: Glance, file: BinaryIO, wanted: int) -> None:
    """Read the end backwards: until the size is known every line, and then those with a title alone."""
    start = max(0, seen.log_bytes - wanted)
    file.seek(start)
    lines = file.read(wanted).splitlines(keepends=True)
    is_added, is_titled = False, False
    # The first is the end of a line, unless all was read.
    for line in reversed(lines[1:] if start else lines):
        if seen.tokens is not None and (is_titled or _TITLE not in line):
            continue
        for record in reversed(decode(line)[0]):
            if not is_titled and (title := title_of(record)) is not None:
                seen.title, is_titled = title, True
            if seen.tokens is None:
                seen.turns = max(seen.turns, number_of(record.get("turn")))
                is_added = is_added or (record["type"] in _ADDING and context_tokens(record) is None)
                seen.tokens = context_tokens(record)
    seen.is_estimate = is_added or seen.tokens is None


def _branch(record: Record) -> str:
    """The branch in what `git status --branch --short` said, where the block about the project holds it."""
    content = record.get("content")
    for block in content if isinstance(content, list) else []:
        _, found, rest = str(_dict(block).get("text", "")).partition(_STATUS)
        name = rest.split("\n", 1)[0].removeprefix(_UNBORN).split("...", 1)[0]
        if found and name and not name.startswith("HEAD "):
            return name
    return ""


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
