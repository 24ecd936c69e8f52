"""Records -> the conversation in the order in which it was appended, in a form that every export shares."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from agent.session.bridge import BROKEN
from agent.session.records import Record
from agent.sessions.receipts import details, headline
from agent.sessions.story import Story, read_story
from compaction.digest import target

Kind = Literal["prompt", "answer", "thinking", "call", "context", "note", "compaction", "subagent", "damage"]
IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
FOLDED = ("thinking", "call", "context", "subagent")
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
    inner: tuple["Entry", ...] = ()
    """The conversation of a subagent."""


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

    def entries(self) -> Iterator[Entry]:
        """Yield the conversation; a record that is not as it was written becomes a word on the damage."""
        for line, record in self.story.records:
            if record is None:
                yield Entry(kind="damage", title=f"line {line} of the log cannot be read")
                continue
            try:
                yield from TELLERS.get(record["type"], _other)(self, record)
            except BROKEN:
                yield Entry(kind="damage", title=f"line {line} of the log is not as it was written")


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
            return Entry(kind="answer", title="answer", parts=(Part(kind="prose", text=block["text"]),))
        case "thinking":
            words = block["thinking"] or "(its text was not sent)"
            return Entry(kind="thinking", title="thinking", parts=(Part(kind="prose", text=words),))
        case "tool_use":
            return _call(teller, block)
    return Entry(kind="thinking", title=str(block["type"]))


def _call(teller: Teller, block: Mapping[str, Any]) -> Entry:
    teller.shown.add(block["id"])
    given = Part(kind="code", text=json.dumps(block["input"], ensure_ascii=False, indent=2))
    result = teller.story.results.get(block["id"])
    title = f"{block['name']}: {target(block['input'])}"
    if result is None:
        return Entry(kind="call", title=f"{title} · no result", parts=(given,))
    failed = " · failed" if result.get("is_error") else ""
    return Entry(kind="call", title=f"{title}{failed}", parts=(given, *_contents(result["content"])))


def _result(teller: Teller, record: Record) -> Iterator[Entry]:
    if record["call"] not in teller.shown:
        title = f"{record['name']}: a result whose call is lost"
        yield Entry(kind="call", title=title, parts=tuple(_contents(record["content"])))


def _context(teller: Teller, record: Record) -> Iterator[Entry]:
    yield Entry(kind="context", title="about project and day", parts=tuple(_contents(record["content"])))


def _compaction(teller: Teller, record: Record) -> Iterator[Entry]:
    receipt = {**record, "receipt": dict(record["receipt"])}
    parts = [Part(kind="prose", text="\n".join(details(receipt, teller.story)))]
    for change in record["changes"]:
        parts += _contents(change["blocks"])
    title = headline(receipt, teller.story)
    yield Entry(kind="compaction", title=title, id=record["id"], parts=tuple(parts))


def _undo(teller: Teller, record: Record) -> Iterator[Entry]:
    done = "redone" if record["is_redo"] else "undone"
    yield Entry(kind="note", title=f"compaction {record['target']} {done}")


def _pin(teller: Teller, record: Record) -> Iterator[Entry]:
    yield Entry(kind="prompt", title="pinned", parts=(Part(kind="prose", text=record["text"]),))


def _note(teller: Teller, record: Record) -> Iterator[Entry]:
    yield Entry(kind="note", title=str(record["text"]), parts=tuple(_contents(record.get("content") or "")))


def _subagent(teller: Teller, record: Record) -> Iterator[Entry]:
    path = (teller.root / str(record["log"])).resolve()
    title = f"subagent {record['agent']}: {record.get('description', '')}"
    is_ours = path.is_relative_to(teller.folder.resolve()) and path.suffix == ".jsonl"
    if is_ours and teller.depth < MOST_NESTED and path.is_file():
        inner = Teller(read_story(path), teller.root, teller.folder, teller.depth + 1).entries()
        yield Entry(kind="subagent", title=title, inner=tuple(inner))
    else:
        yield Entry(kind="note", title=f"{title} (its log {record['log']} is not there)")


def _nothing(teller: Teller, record: Record) -> Iterator[Entry]:
    """Told elsewhere: a call with its reply, steering with the message that carried it, the head on top."""
    yield from ()


def _other(teller: Teller, record: Record) -> Iterator[Entry]:
    about = {key: value for key, value in record.items() if key not in _ENVELOPE}
    words = ", ".join(
        f"{key} {value}" for key, value in about.items() if isinstance(value, str | int) and value != ""
    )
    yield Entry(kind="note", title=f"{record['type']}: {words}" if words else record["type"])


_ENVELOPE = {"v", "id", "parent", "at", "turn", "step", "type"}
TELLERS: dict[str, Callable[[Teller, Record], Iterator[Entry]]] = {
    "session": _nothing,
    "message": _message,
    "result": _result,
    "context": _context,
    "compaction": _compaction,
    "undo": _undo,
    "pin": _pin,
    "note": _note,
    "subagent": _subagent,
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
            return Part(kind=kind, text=block["text"])
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
