"""Records -> the conversation in the order in which it was appended, in a form that every export shares."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from agent.session.bridge import BROKEN
from agent.session.records import Record
from agent.sessions.branches import Rewind, turns_named
from agent.sessions.lines import read_lines, record_at, records_of
from agent.sessions.receipts import details, headline
from agent.sessions.remarks import remark
from agent.sessions.story import Story, read_story
from compaction.digest import target

Kind = Literal[
    "prompt", "answer", "thinking", "call", "context", "note", "compaction", "subagent", "damage", "left"
]
IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
FOLDED = ("thinking", "call", "context", "subagent", "left")
MOST_NESTED = 2
"""Subagents have none of their own: deeper is no log of ours."""
_BASE64 = re.compile(r"[A-Za-z0-9+/=]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of an entry: prose, verbatim text (``code``), or an image as a data URL."""

    kind: Literal["prose", "code", "image"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing of the conversation; ``title``: what stands for it when it is folded."""

    kind: Kind
    title: str
    id: str = ""
    parts: tuple[Part, ...] = ()
    inner: Iterable["Entry"] = ()
    """The conversation of a subagent, or what was left behind. To be gone through once, before the next entry."""


@dataclass(slots=True)
class Teller:
    """Tells one log.

    Args:  folder: where logs of subagents stand, and nothing else is read; root: what their paths are relative to.
    """

    story: Story
    root: Path
    folder: Path
    depth: int = 0
    shown: set[str] = field(default_factory=set)
    """Ids of the calls that stood in a reply: their results stand with them."""
    named: set[str] = field(default_factory=set)
    """Ids that entries have: a record that stands twice in the log has its entry's name once."""
    subagents: set[str] = field(default_factory=set)
    """Names of those that have begun, where they are told of, and not ended."""
    own_commands: dict[str, str] = field(default_factory=dict)
    """Record id of each `!command` that has no output yet -> the command."""

    def entries(self) -> Iterator[Entry]:
        """Yield the conversation; a record that is not as it was written becomes a word on the damage.

        What a rewind left behind is one entry. Raises OSError.
        """
        numbered = self._numbered()
        told = 0
        for left in self.story.branches.left():
            if not left.is_told:
                continue
            yield from self._told(islice(numbered, left.start - told))
            group = self._told(islice(numbered, left.stop - left.start), left.by)
            about = turns_named(left.turns)
            yield Entry(kind="left", title=f"{left.by.words}{': ' if about else ''}{about}", inner=group)
            # Whoever passed over some of it goes on behind it all the same.
            for _ in group:
                pass
            told = left.stop
        yield from self._told(numbered)

    def _numbered(self) -> Iterator[tuple[int, Record | None]]:
        """Yield (line, record); None for one that is damaged."""
        number = 0
        with self.story.path.open("rb") as file:
            for line in read_lines(file, self.story.bytes):
                for record in records_of(line):
                    yield line.number, None if number in self.story.broken else record
                    number += 1

    def _told(
        self, records: Iterable[tuple[int, Record | None]], left_by: Rewind | None = None
    ) -> Iterator[Entry]:
        for line, record in records:
            if record is None:
                yield Entry(kind="damage", title=f"line {line} of the log cannot be read")
                continue
            try:
                for entry in TELLERS.get(record["type"], _remark)(self, record):
                    yield self._placed(entry, left_by)
            except BROKEN:
                yield Entry(kind="damage", title=f"line {line} of the log is not as it was written")

    def _placed(self, entry: Entry, left_by: Rewind | None) -> Entry:
        """Return an entry as it stands in its place.

        Ids are those of the session's own records: a subagent counts from 1, too, and is asked by the model. A prompt
        that was left behind says so itself: it is what a reader looks for.
        """
        if self.depth:
            title = "asked by the model" if entry.kind == "prompt" else entry.title
            entry = replace(entry, id="", title=title)
        if entry.id:
            entry = replace(entry, id="" if entry.id in self.named else entry.id)
            self.named.add(entry.id)
        if left_by is None or entry.kind != "prompt":
            return entry
        return replace(entry, title=f"{entry.title}, {left_by.words}")

    def result_of(self, call: str) -> Record | None:
        """Return the newest result of a call; None where there is none."""
        if call not in self.story.results:
            return None
        found = record_at(self.story.path, *self.story.results[call])
        return next((one for one in reversed(found) if one["type"] == "result" and one["call"] == call), None)


def _message(teller: Teller, record: Record) -> Iterator[Entry]:
    if record["role"] == "assistant":
        for block in record["content"]:
            yield _of_reply(teller, block)
        if record.get("cut") or record.get("stop_reason") == "interrupted":
            yield Entry(kind="note", title="the reply broke off here")
        return
    said = record.get("said") or ()
    for index, block in enumerate(record.get("content") or ()):
        if index in said or block["type"] == "image":
            title = f"turn {record.get('turn', '?')}"
            yield Entry(kind="prompt", title=title, id=record["id"], parts=(_part(block),))
        else:
            yield Entry(kind="context", title="added for the model", parts=(_part(block),))


def _of_reply(teller: Teller, block: Mapping[str, Any]) -> Entry:
    match block["type"]:
        case "text":
            return Entry(kind="answer", title="answer", parts=(Part(kind="prose", text=str(block["text"])),))
        case "thinking":
            words = str(block["thinking"]) or "(its text was not sent)"
            return Entry(kind="thinking", title="thinking", parts=(Part(kind="prose", text=words),))
        case "tool_use":
            return _call(teller, block)
    return Entry(kind="thinking", title=str(block["type"]))


def _call(teller: Teller, block: Mapping[str, Any]) -> Entry:
    teller.shown.add(block["id"])
    given = Part(kind="code", text=json.dumps(block["input"], ensure_ascii=False, indent=2))
    result = teller.result_of(block["id"])
    title = f"{block['name']}: {target(block['input'])}"
    if result is None:
        return Entry(kind="call", title=f"{title} · no result", parts=(given,))
    failed = " · failed" if result.get("is_error") else ""
    return Entry(kind="call", title=f"{title}{failed}", parts=(given, *_contents(result["content"])))


def _result(teller: Teller, record: Record) -> Iterator[Entry]:
    if record["call"] not in teller.shown:
        title = f"{record['name']}: a result whose call is lost"
        yield Entry(kind="call", title=title, parts=tuple(_contents(record["content"])))


def _shell(teller: Teller, record: Record) -> Iterator[Entry]:
    """Told with its output, which comes later, or never where the program ended."""
    teller.own_commands[record["id"]] = str(record["command"])
    yield from ()


def _output(teller: Teller, record: Record) -> Iterator[Entry]:
    command = teller.own_commands.pop(record["shell"], "a command whose line is lost")
    yield Entry(kind="call", title=f"your own command: {command}", parts=tuple(_contents(record["content"])))


def _context(teller: Teller, record: Record) -> Iterator[Entry]:
    yield Entry(kind="context", title="about project and day", parts=tuple(_contents(record["content"])))


def _compaction(teller: Teller, record: Record) -> Iterator[Entry]:
    receipt = {**record, "receipt": dict(record["receipt"])}
    parts = [Part(kind="prose", text="\n".join(details(receipt, teller.story)))]
    for change in record["changes"]:
        parts += _contents(change["blocks"])
    title = headline(receipt, teller.story)
    yield Entry(kind="compaction", title=title, id=record["id"], parts=tuple(parts))


def _pin(teller: Teller, record: Record) -> Iterator[Entry]:
    yield Entry(kind="prompt", title="pinned", parts=(Part(kind="prose", text=str(record["text"])),))


def _note(teller: Teller, record: Record) -> Iterator[Entry]:
    yield Entry(kind="note", title=str(record["text"]), parts=tuple(_contents(record.get("content") or "")))


def _subagent(teller: Teller, record: Record) -> Iterator[Entry]:
    """Tell a subagent where it began; old logs have only its end."""
    if record.get("is_open"):
        teller.subagents.add(record["agent"])
    elif record["agent"] in teller.subagents:
        teller.subagents.remove(record["agent"])
        return
    kind = f" ({record['agent_type']})" if record.get("agent_type") else ""
    title = f"subagent {record['agent']}{kind}: {record.get('description', '')}"
    path = (teller.root / str(record["log"])).resolve()
    is_ours = path.is_relative_to(teller.folder.resolve()) and path.suffix == ".jsonl"
    if not is_ours or teller.depth >= MOST_NESTED or not path.is_file():
        yield Entry(kind="note", title=f"{title} (its log {record['log']} is not there)")
        return
    try:
        story = read_story(path)
    except OSError as error:
        yield Entry(kind="note", title=f"{title} (its log {record['log']} cannot be read: {error.strerror})")
        return
    inner = Teller(story, teller.root, teller.folder, teller.depth + 1).entries()
    yield Entry(kind="subagent", title=title, inner=inner)


def _nothing(teller: Teller, record: Record) -> Iterator[Entry]:
    """Told elsewhere: a call with its reply, steering with the message that carried it, the head on top."""
    yield from ()


def _remark(teller: Teller, record: Record) -> Iterator[Entry]:
    if words := remark(record, teller.story, teller.root):
        yield Entry(kind="note", title=words, id=record["id"])


TELLERS: dict[str, Callable[[Teller, Record], Iterator[Entry]]] = {
    "session": _nothing,
    "message": _message,
    "result": _result,
    "context": _context,
    "compaction": _compaction,
    "pin": _pin,
    "note": _note,
    "subagent": _subagent,
    "shell": _shell,
    "output": _output,
    "call": _nothing,
    "steering": _nothing,
    "checkpoint": _nothing,
}


def _contents(content: Any) -> list[Part]:
    """The parts of a result: its text, or its texts and images."""
    if isinstance(content, str):
        return [Part(kind="code", text=content)] if content else []
    return [_part(block, kind="code") for block in content]


def _part(block: Mapping[str, Any], kind: Literal["prose", "code"] = "prose") -> Part:
    match block["type"]:
        case "text":
            return Part(kind=kind, text=str(block["text"]))
        case "image":
            return _image(block["source"])
        case "tool_result":
            return Part(kind="code", text="\n".join(part.text for part in _contents(block["content"])))
    return Part(kind="code", text=json.dumps(block, ensure_ascii=False, indent=2))


def _image(source: Mapping[str, Any]) -> Part:
    media, data = source.get("media_type"), str(source.get("data"))
    if media in IMAGE_TYPES and _BASE64.fullmatch(data):
        return Part(kind="image", text=f"data:{media};base64,{data}")
    return Part(kind="prose", text="(an image that cannot be shown)")
