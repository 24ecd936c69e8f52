"""The head of a `SKILL.md`: name, description and what else the YAML between two `---` lines says."""

import json
import re
from dataclasses import dataclass
from typing import Any

import yaml

MAX_HEAD_CHARS = 16_384
_MAX_DEPTH = 20
_FENCE = re.compile(r"---[ \t]*")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_PLAIN_VALUE = re.compile(
    r"(?P<key>[A-Za-z][A-Za-z0-9_-]*):[ \t]+(?P<value>[^\s\"'|>\[\]{}&*!%@`#].*?)[ \t]*"
)
_TOOL = re.compile(r"[^\s,(]+(?:\([^)]*\))?")


class SkillError(Exception):
    """A skill that cannot be used; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """What a `SKILL.md` says of itself, and its body."""

    name: str
    description: str
    allowed_tools: tuple[str, ...]
    """As the author wrote them; information only, permissions decide."""
    body: str


def parse(data: bytes) -> FrontMatter:
    """Return the parts of a `SKILL.md`.

    Tolerates a byte order mark, CRLF, blanks after `---`, and plain values that hold a colon.

    Raises:    SkillError: no text, no front matter, or one without a usable name and description.
    """
    head, body = _split(data)
    fields = _load(head)
    return FrontMatter(
        name=_name(fields.get("name")),
        description=_description(fields.get("description")),
        allowed_tools=_tools(fields.get("allowed-tools")),
        body=body,
    )


def _split(data: bytes) -> tuple[str, str]:
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as problem:
        raise SkillError(f"is not UTF-8 text (byte {problem.start})") from problem
    if not text.strip():
        raise SkillError("is empty")
    lines = text.split("\n")
    if not _FENCE.fullmatch(lines[0]):
        raise SkillError("does not begin with a `---` line")
    end = next((at for at, line in enumerate(lines[1:], start=1) if _FENCE.fullmatch(line)), None)
    if end is None:
        raise SkillError("has no closing `---` line")
    head = "\n".join(lines[1:end])
    if len(head) > MAX_HEAD_CHARS:
        raise SkillError(f"has a front matter of more than {MAX_HEAD_CHARS:,} characters")
    return head, "\n".join(lines[end + 1 :]).strip("\n")


def _load(head: str) -> dict[Any, Any]:
    try:
        fields = _load_yaml(head)
    except (yaml.scanner.ScannerError, yaml.parser.ParserError) as problem:
        quoted = "\n".join(_quote(line) for line in head.split("\n"))
        try:
            fields = _load_yaml(quoted)
        except yaml.YAMLError:
            raise SkillError(f"has a front matter that is no YAML: {_words(problem)}") from problem
    except (yaml.YAMLError, ValueError) as problem:
        raise SkillError(f"has a front matter that cannot be used: {_words(problem)}") from problem
    if not isinstance(fields, dict):
        raise SkillError("has a front matter without `name:` and `description:`")
    return fields


def _load_yaml(head: str) -> object:
    # An alias can stand for a value that is exponentially larger than its text, and the time for nested lists
    # grows with the square of their depth; no skill needs either.
    depth = 0
    for event in yaml.parse(head, yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > _MAX_DEPTH:
            raise yaml.YAMLError("aliases (`*name`) and deep nesting are not accepted")
    return yaml.safe_load(head)


def _quote(line: str) -> str:
    """Quote the plain value of a line, as its author meant it: `description: Use when: asked`."""
    match = _PLAIN_VALUE.fullmatch(line)
    if match is None:
        return line
    return f"{match['key']}: {json.dumps(match['value'], ensure_ascii=False)}"


def _words(problem: Exception) -> str:
    if isinstance(problem, yaml.MarkedYAMLError):
        line = f" (line {problem.problem_mark.line + 2})" if problem.problem_mark else ""
        return f"{problem.problem}{line}"
    return str(problem)


def _name(value: object) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise SkillError("needs a `name` of letters, digits, `-`, `_` and `.`, at most 64")
    return value


def _description(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise SkillError("needs a `description` that is text")
    return " ".join(value.split())


def _tools(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    parts = value if isinstance(value, list) else [value]
    texts = [part for part in parts if isinstance(part, str)]
    if len(texts) < len(parts):
        raise SkillError("has `allowed-tools` that is neither text nor a list of texts")
    return tuple(tool for text in texts for tool in _TOOL.findall(text))
