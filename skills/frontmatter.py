"""Markdown files with front matter: the YAML between two `---` lines, and the text below it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

import yaml

MAX_HEAD_CHARS = 16_384
_MAX_DEPTH = 20
_FENCE = re.compile(r"---[ \t]*")
_PLAIN_VALUE = re.compile(
    r"(?P<key>[A-Za-z][A-Za-z0-9_-]*):[ \t]+(?P<value>[^\s\"'|>\[\]{}&*!%@`#].*?)[ \t]*"
)
_INNER_COLON = re.compile(r":(?:[ \t]|$)")


class FrontMatterError(Exception):
    """A file that cannot be used; the text says why, as the end of a sentence that begins with its path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A Markdown file in its two parts."""

    fields: Mapping[str, object]
    """What the front matter says, in its order: of any type that YAML has, and nothing of it is checked."""
    body: str
    """All below the front matter, without the empty lines around it."""


def read(data: bytes) -> Document:
    """Return the parts of a Markdown file that begins with front matter.

    Tolerates a byte order mark, CRLF, blanks after `---`, plain values that hold a colon, and no fields at all.

    Raises:    FrontMatterError: no text, no front matter, or YAML that is broken, not a mapping, or made to explode.
    """
    head, body = _split(data)
    return Document(fields=_load(head), body=body)


def _split(data: bytes) -> tuple[str, str]:
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as problem:
        raise FrontMatterError(f"is not UTF-8 text (byte {problem.start})") from problem
    if not text.strip():
        raise FrontMatterError("is empty")
    lines = text.split("\n")
    if not _FENCE.fullmatch(lines[0]):
        raise FrontMatterError("does not begin with a `---` line")
    end = next((at for at, line in enumerate(lines[1:], start=1) if _FENCE.fullmatch(line)), None)
    if end is None:
        raise FrontMatterError("has no closing `---` line")
    head = "\n".join(lines[1:end])
    if len(head) > MAX_HEAD_CHARS:
        raise FrontMatterError(f"has a front matter of more than {MAX_HEAD_CHARS:,} characters")
    return head, "\n".join(lines[end + 1 :]).strip("\n")


def _load(head: str) -> Mapping[str, object]:
    try:
        fields = _load_yaml(head)
    except (yaml.scanner.ScannerError, yaml.parser.ParserError) as problem:
        quoted = "\n".join(_quote(line) for line in head.split("\n"))
        try:
            fields = _load_yaml(quoted)
        except yaml.YAMLError:
            raise FrontMatterError(f"has a front matter that is no YAML: {_words(problem)}") from problem
    except (yaml.YAMLError, ValueError) as problem:
        raise FrontMatterError(f"has a front matter that cannot be used: {_words(problem)}") from problem
    if not isinstance(fields, dict | None):
        raise FrontMatterError("has a front matter that is no list of `key: value` lines")
    return {str(key): value for key, value in (fields or {}).items()}


def _load_yaml(head: str) -> object:
    # An alias can stand for a value that is exponentially larger than its text, and the time for nested lists
    # grows with the square of their depth; no front matter needs either.
    depth = 0
    for event in yaml.parse(head, yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > _MAX_DEPTH:
            raise yaml.YAMLError("aliases (`*name`) and deep nesting are not accepted")
    return yaml.safe_load(head)


def _quote(line: str) -> str:
    """Quote the plain value of a line that holds a colon, as its author meant it: `description: Use when: asked`."""
    match = _PLAIN_VALUE.fullmatch(line)
    if match is None or not _INNER_COLON.search(match["value"]):
        return line
    return f"{match['key']}: {json.dumps(match['value'], ensure_ascii=False)}"


def _words(problem: Exception) -> str:
    if isinstance(problem, yaml.MarkedYAMLError):
        line = f" (line {problem.problem_mark.line + 2})" if problem.problem_mark else ""
        return f"{problem.problem}{line}"
    return str(problem)
