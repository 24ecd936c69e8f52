"""A `SKILL.md`: what its front matter says of the skill, and its body."""

import re
from dataclasses import dataclass

from skills.frontmatter import FrontMatterError, read

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_TOOL = re.compile(r"[^\s,(]+(?:\([^)]*\))?")


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

    Raises:    FrontMatterError: see `read`; or no usable name and description.
    """
    document = read(data)
    fields = document.fields
    return FrontMatter(
        name=_name(fields.get("name")),
        description=_description(fields.get("description")),
        allowed_tools=_tools(fields.get("allowed-tools")),
        body=document.body,
    )


def _name(value: object) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise FrontMatterError("needs a `name` of letters, digits, `-`, `_` and `.`, at most 64")
    return value


def _description(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise FrontMatterError("needs a `description` that is text")
    return " ".join(value.split())


def _tools(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    parts = value if isinstance(value, list) else [value]
    texts = [part for part in parts if isinstance(part, str)]
    if len(texts) < len(parts):
        raise FrontMatterError("has `allowed-tools` that is neither text nor a list of texts")
    return tuple(tool for text in texts for tool in _TOOL.findall(text))
