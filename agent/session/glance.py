"""What a session is, from the head and the tail of its log: quick for a thousand sessions, whatever their length.

Where a checkpoint stands beside the log, its first line tells of what it covers, and only what came after is looked at.
"""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from agent.session.keep import open_kept
from agent.session.records import Record, decode
from agent.surrogates import repaired_text

HEAD_BYTES = 1_000_000
"""So far the first prompt is looked for."""
TAIL_BYTES = (64_000, 1_000_000)
"""So much of the end is read, and so much when the newest reply does not stand in that."""
BUFFER_BYTES = 1 << 16
"""Most heads of logs fit in."""
CHECKPOINT = "checkpoint"
CHECKPOINT_BYTES = 4_096
"""Its first line is shorter."""
TITLE_CHARS = PROMPT_CHARS = 200
MOST = 10**12
"""A count above this is none of ours."""
_ENVELOPE = re.compile(
    rb'\{"v":1,"id":"[^"\\]*","parent":"[^"\\]*","at":"[^"\\]*","turn":(\d{1,9}),"step":\d+,"type":"([^"\\]*)"'
)
"""How each line begins that we write: what is not asked for need not be parsed."""
_ADDING = ("message", "result", "undo", "rewind", "pin")
"""Records that change the context without a measure of it."""
_OF_HEAD = frozenset((b"message", b"context", b"title"))
_OF_TAIL = frozenset((b"compaction", b"title", b"rewind"))
_UNTIL_MEASURED = _OF_TAIL | {b"message"}
"""Records of which more is asked than their type and turn; in the tail until a size is found, and then."""
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
    """The first one, on one line, cut; empty when there was none, or it stands too far from the head."""
    title: str = ""
    """The newest, cut; one that was given far from head, checkpoint and end of a long log is not seen."""
    branch: str = ""
    """The git branch as the model was first told of it."""
    tokens: int | None = None
    """Context size after the newest reply or compaction, or as of the checkpoint; None: unknown."""
    is_estimate: bool = True
    """Something was added since ``tokens`` was measured."""
    compactions: int | None = None
    """How many there were; None: unknown, for not all of the log was looked at."""

    @property
    def name(self) -> str:
        """Its title, else its first prompt."""
        return self.title or self.prompt


@dataclass(slots=True)
class _Tail:
    """What the end of a log tells, read backwards."""

    turns: int = 0
    title: str | None = None
    tokens: int | None = None
    is_added: bool = False
    compactions: int = 0
    is_rewound: bool = False
    """How many compactions stand is not known then."""


def glance(path: Path) -> Glance:
    """Look at a log. Raises OSError; what is damaged is passed over."""
    with path.open("rb", buffering=BUFFER_BYTES) as file:
        status = os.fstat(file.fileno())
        seen = Glance(id=path.stem, at=status.st_mtime, log_bytes=status.st_size)
        _look_at_head(seen, file)
        covered = _take_checkpoint(seen, path.with_suffix("") / CHECKPOINT)
        for wanted in TAIL_BYTES:
            start = max(covered, status.st_size - wanted)
            tail = _look_at_tail(file, start, status.st_size)
            if tail.tokens is not None or start == covered:
                break
    _take_tail(seen, tail, is_all=start == covered)
    return seen


def context_tokens(record: Record) -> int | None:
    """Return the context size that a record measures, in tokens: after a reply or a compaction; None for others."""
    if record["type"] == "compaction":
        after = _dict(record.get("receipt")).get("after")
        return number_of(after) if isinstance(after, int) else None
    usage = _dict(record.get("usage"))
    if record["type"] != "message" or not usage:
        return None
    parts = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    return sum(number_of(usage.get(part)) for part in parts)


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
    """Return the title that a record gives, on one line, cut; None when it gives none."""
    title = record.get("text")
    return _line(title, TITLE_CHARS) if record["type"] == "title" and isinstance(title, str) else None


def number_of(value: Any) -> int:
    """Return a count of a record; 0 for what is none."""
    return value if isinstance(value, int) and 0 <= value <= MOST else 0


def _look_at_head(seen: Glance, file: BinaryIO) -> None:
    left = HEAD_BYTES
    while left > 0 and not seen.prompt and (line := file.readline(left)):
        left -= len(line)
        for record in _told(line, _OF_HEAD):
            _take_head(seen, record)


def _told(line: bytes, wanted: frozenset[bytes]) -> list[Record]:
    """Return the records of a line; of one that is not ``wanted`` its type and turn, where it begins as ours do."""
    begin = _ENVELOPE.match(line)
    if begin is not None and begin[2] not in wanted:
        return [{"type": begin[2].decode("utf-8", "replace"), "turn": int(begin[1])}]
    try:
        # Of a healthy line only the few texts that are shown need be repaired.
        return [json.loads(line)] if begin is not None else decode(line)[0]
    except (ValueError, RecursionError):
        return decode(line)[0]


def _take_head(seen: Glance, record: Record) -> None:
    seen.title = title_of(record) or seen.title
    if record["type"] == "context":
        seen.branch = seen.branch or _branch(record)
    if is_prompt(record):
        seen.turns = number_of(record.get("turn"))
        seen.prompt = _line(" ".join(words_of(record)[:1]), PROMPT_CHARS)


def _take_checkpoint(seen: Glance, path: Path) -> int:
    """Take in what a checkpoint says; return how many bytes of the log it covers, 0 without one that makes sense."""
    head = _checkpoint_head(path)
    covered, title, prompt = head.get("bytes"), head.get("title"), head.get("prompt")
    counts = [head.get(name) for name in ("v", "bytes", "turns", "tokens", "compactions")]
    if not isinstance(title, str) or not isinstance(prompt, str) or not all(map(_is_count, counts)):
        return 0
    if head["v"] != 1 or not isinstance(covered, int) or covered > seen.log_bytes:
        return 0
    seen.title, seen.prompt = _line(title, TITLE_CHARS), _line(prompt, PROMPT_CHARS) or seen.prompt
    seen.turns, seen.tokens, seen.compactions = head["turns"], head["tokens"], head["compactions"]
    return covered


def _checkpoint_head(path: Path) -> dict[str, Any]:
    try:
        with open_kept(path) as file:
            line, end, _ = file.read(CHECKPOINT_BYTES).partition(b"\n")
        return _dict(json.loads(line)) if end else {}
    except (OSError, ValueError, RecursionError):
        return {}


def _look_at_tail(file: BinaryIO, start: int, end: int) -> _Tail:
    """Read the lines that begin at ``start`` or later."""
    before = max(0, start - 1)
    file.seek(before)
    lines = file.read(end - before).split(b"\n")
    tail = _Tail()
    # The first is the end of a line that began before, unless all is read.
    for line in reversed(lines[1:] if start else lines):
        wanted = _UNTIL_MEASURED if tail.tokens is None else _OF_TAIL
        for record in reversed(_told(line, wanted)):
            _take_record(tail, record)
    return tail


def _take_record(tail: _Tail, record: Record) -> None:
    type_ = record["type"]
    if tail.title is None:
        tail.title = title_of(record)
    tail.compactions += type_ == "compaction" and record.get("layer") != "restore"
    tail.is_rewound = tail.is_rewound or (type_ == "rewind" and record.get("what") != "files")
    if tail.tokens is None:
        tail.turns = max(tail.turns, number_of(record.get("turn")))
        tail.tokens = context_tokens(record)
        tail.is_added = tail.is_added or (type_ in _ADDING and tail.tokens is None)


def _take_tail(seen: Glance, tail: _Tail, *, is_all: bool) -> None:
    """``is_all``: nothing stands between what was known before and the tail."""
    seen.turns = max(seen.turns, tail.turns)
    seen.title = seen.title if tail.title is None else tail.title
    seen.is_estimate = tail.is_added or tail.tokens is None
    seen.tokens = seen.tokens if tail.tokens is None else tail.tokens
    is_counted = is_all and not tail.is_rewound
    seen.compactions = (seen.compactions or 0) + tail.compactions if is_counted else None


def _branch(record: Record) -> str:
    """The branch in what `git status --branch --short` said, where the block about the project holds it."""
    content = record.get("content")
    for block in content if isinstance(content, list) else []:
        _, found, rest = str(_dict(block).get("text", "")).partition(_STATUS)
        name = rest.split("\n", 1)[0].removeprefix(_UNBORN).split("...", 1)[0]
        if found and name and not name.startswith("HEAD "):
            return repaired_text(name)
    return ""


def _line(text: str, most_chars: int) -> str:
    """Return the first characters of a text on one line."""
    return " ".join(repaired_text(text[: 4 * most_chars]).split())[:most_chars]


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= MOST


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
