"""Markdown files with front matter: the YAML between two `---` lines, and the text below it."""

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import yaml

from skills.hidden import all_seen, left_out, seen
from skills.yaml_values import Repeated, value_of

MAX_HEAD_CHARS = 16_384
_FENCE = re.compile(r"---[ \t]*")
_CLOSING = re.compile(r"^---[ \t]*$", re.MULTILINE)
_FIELD = re.compile(r"(?P<key>[A-Za-z_][A-Za-z0-9_-]*):(?:[ \t]+(?P<value>.*))?")
_SHOWN_NAMES, _SHOWN_CHARS = 8, 80
_CLOSERS = {"[": "]", "{": "}", '"': '"', "'": "'"}
_SYNTAX = (yaml.scanner.ScannerError, yaml.parser.ParserError)


class FrontMatterError(Exception):
    """A file that cannot be used; the text says why, as the end of a sentence that begins with its path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A Markdown file in its two parts."""

    fields: Mapping[str, object]
    """What the front matter says, in its order: of any type that YAML has, and nothing of it is checked."""
    body: str
    """All below the front matter, without the empty lines around it."""
    remarks: tuple[str, ...] = ()
    """What was put up with and other readers may refuse, each the end of a sentence that begins with the path."""
    hidden: tuple[str, ...] = ()
    """That something of it was left out, as it cannot be seen: such a sentence, or none."""


def read(data: bytes) -> Document:
    """Return the parts of a Markdown file that begins with front matter.

    Tolerates a byte order mark, CRLF, blanks after `---`, values that are text and no YAML, and no fields at all. What
    cannot be seen in it is left out: it is told to a model.

    Raises:    FrontMatterError: no text, no front matter, or YAML that is broken, not a mapping, or made to explode.
    """
    head, body = _split(data)
    fields, remarks = _fields(head)
    if data.startswith(codecs.BOM_UTF8):
        remarks = ("begins with a byte order mark: save it as UTF-8 without one", *remarks)
    body, in_body = seen(body)
    values = {key: all_seen(value) for key, value in fields.items()}
    return Document(
        fields={key: value for key, (value, _) in values.items()},
        body=body,
        remarks=remarks,
        hidden=left_out(in_body + sum(count for _, count in values.values())),
    )


def _fields(head: str) -> tuple[Mapping[str, object], tuple[str, ...]]:
    """Return the fields of a front matter, and what was put up with. Raises FrontMatterError."""
    try:
        try:
            loaded = value_of(head)
        except _SYNTAX as problem:
            return _field_by_field(head, problem)
        return _mapping(loaded), _repeated(loaded)
    except (yaml.YAMLError, ValueError) as problem:
        what = "is no YAML" if isinstance(problem, _SYNTAX) else "cannot be used"
        raise FrontMatterError(f"has a front matter that {what}: {_words(problem)}") from problem


def named(names: Sequence[str]) -> str:
    """Return names from a file as part of a sentence of ours, however many and long they are."""
    more = f" and {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else ""
    return ", ".join(f"`{shortened(name)}`" for name in names[:_SHOWN_NAMES]) + more


def shortened(text: str) -> str:
    """Return text from a file as part of a sentence of ours."""
    return text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…"


def _split(data: bytes) -> tuple[str, str]:
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as problem:
        raise FrontMatterError(f"is not UTF-8 text (byte {problem.start})") from problem
    if not text or text.isspace():
        raise FrontMatterError("is empty")
    first, _, rest = text.partition("\n")
    if not _FENCE.fullmatch(first):
        raise FrontMatterError("does not begin with a `---` line")
    end = _CLOSING.search(rest)
    if end is None:
        raise FrontMatterError("has no closing `---` line")
    if end.start() > MAX_HEAD_CHARS:
        raise FrontMatterError(f"has a front matter of more than {MAX_HEAD_CHARS:,} characters")
    return rest[: end.start()], rest[end.end() :].strip("\n")


def _mapping(loaded: object) -> dict[str, object]:
    if not isinstance(loaded, dict | None):
        raise FrontMatterError("has a front matter that is no list of `key: value` lines")
    return {str(key): value for key, value in (loaded or {}).items()}


def _repeated(loaded: object) -> tuple[str, ...]:
    if not isinstance(loaded, Repeated):
        return ()
    return (f"has {named(loaded.keys_twice)} more than once: the last one counts",)


def _field_by_field(head: str, problem: Exception) -> tuple[Mapping[str, object], tuple[str, ...]]:
    """Read each field alone; what is no YAML was meant as text: `description: Use when: asked`."""
    fields: dict[str, object] = {}
    taken: list[str] = []
    for lines in _groups(head):
        try:
            fields |= _mapping(value_of("\n".join(lines)))
        except _SYNTAX:
            if (text := _meant(lines)) is None:
                raise problem from None
            key = lines[0].partition(":")[0]
            fields[key] = text
            taken.append(key)
    if not taken:  # what is wrong lies between the fields
        raise problem
    return fields, (f"is no YAML ({_words(problem)}): put {named(taken)} in quotes; taken as text",)


def _groups(head: str) -> Iterator[list[str]]:
    """Yield the lines of each field; what stands before the first is a group of its own."""
    group: list[str] = []
    for line in head.split("\n"):
        if _FIELD.fullmatch(line) and group:
            yield group
            group = []
        group.append(line)
    yield group


def _meant(lines: list[str]) -> str | None:
    """Return the text of a field's lines; None where more than text was meant, or where it would end is not to be seen."""
    match = _FIELD.fullmatch(lines[0])
    value = (match["value"] or "").strip() if match else ""
    text = " ".join([value, *(line.strip() for line in lines[1:])]).strip()
    if not value or value[0] in "|>&" or _CLOSERS.get(value[0], "") not in text[1:]:
        return None
    return text


def _words(problem: Exception) -> str:
    if isinstance(problem, yaml.MarkedYAMLError):
        line = f" (line {problem.problem_mark.line + 2})" if problem.problem_mark else ""
        return f"{shortened(str(problem.problem))}{line}"
    return shortened(str(problem))
