"""A `SKILL.md`: what its front matter says of the skill, and its body."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from skills.frontmatter import FrontMatterError, read
from skills.standard import FIELDS, breaches, normal, oddities

MAX_NAME_CHARS = 255
"""What is longer is no name of a folder either."""
_NAME = re.compile(r"[^\W_][\w.-]*")
_TOOL = re.compile(r"[^\s,(]+(?:\([^)]*\))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """What a `SKILL.md` says of itself, and its body."""

    name: str
    description: str
    """On one line."""
    allowed_tools: tuple[str, ...]
    """As the author wrote them; information only, permissions decide."""
    body: str
    license: str = ""
    compatibility: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, object] = field(default_factory=dict)
    """Fields that the standard does not have, as they are."""
    remarks: tuple[str, ...] = ()
    """What is against the standard and was put up with, each the end of a sentence that begins with the path."""

    @property
    def about(self) -> str:
        """What the model is told of it: the description and, where other agents have a field for it, when to use it."""
        when = self.others.get("when_to_use")
        return f"{self.description} {_on_a_line(when)}" if isinstance(when, str) else self.description

    @property
    def is_for_model(self) -> bool:
        """False where its author keeps it for the user's own `/name` (`disable-model-invocation`)."""
        return self.others.get("disable-model-invocation") is not True

    @property
    def is_for_user(self) -> bool:
        """False where its author keeps it out of the user's commands (`user-invocable`)."""
        return self.others.get("user-invocable") is not False


def parse(data: bytes, folder: str) -> FrontMatter:
    """Return the parts of a `SKILL.md` that lies in the folder named ``folder``.

    A skill whose name is missing, or could be no word of a command, has that of its folder.

    Raises:    FrontMatterError: see `read`; or no usable name and description.
    """
    document = read(data)
    fields = document.fields
    return FrontMatter(
        name=_name(fields, folder),
        description=_description(fields.get("description")),
        allowed_tools=_tools(fields.get("allowed-tools")),
        body=document.body,
        license=_text(fields.get("license")),
        compatibility=_text(fields.get("compatibility")),
        metadata=_metadata(fields.get("metadata")),
        others={name: value for name, value in fields.items() if name not in FIELDS},
        remarks=(*document.remarks, *breaches(fields, folder), *oddities(fields), *document.hidden),
    )


def _name(fields: Mapping[str, object], folder: str) -> str:
    value = fields.get("name", folder)
    if not isinstance(value, str) or not value.strip():
        raise FrontMatterError("needs a `name` that is text (quote a number)")
    for name in (normal(value), normal(folder)):
        if len(name) <= MAX_NAME_CHARS and _NAME.fullmatch(name):
            return name
    raise FrontMatterError("needs a `name` of lower case letters, digits and single hyphens")


def _description(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise FrontMatterError("needs a `description` that is text: what it does and when to use it")
    return _on_a_line(value)


def _on_a_line(text: str) -> str:
    return " ".join(text.split())


def _tools(value: object) -> tuple[str, ...]:
    parts = value if isinstance(value, list) else [value]
    return tuple(tool for part in parts if isinstance(part, str) for tool in _TOOL.findall(part))


def _metadata(value: object) -> Mapping[str, str]:
    return {str(key): _text(one) for key, one in value.items()} if isinstance(value, dict) else {}


def _text(value: object) -> str:
    """Return a value as its author wrote it, nearly: a nested one, a truth and nothing as JSON has them."""
    if isinstance(value, list | dict | bool):
        return json.dumps(value, ensure_ascii=False, default=str)
    return "" if value is None else str(value).strip()
