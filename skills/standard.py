"""What agentskills.io asks of the front matter of a `SKILL.md`, and what of it is not kept."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping

from skills.frontmatter import named, shortened

MAX_NAME_CHARS = 64
MAX_DESCRIPTION_CHARS = 1_024
MAX_COMPATIBILITY_CHARS = 500
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")


def breaches(fields: Mapping[str, object], folder: str) -> Iterator[str]:
    """Yield what is against the standard, each the end of a sentence that begins with the path: what, and what to do.

    ``folder``: the name of the skill's folder.
    """
    yield from _name(fields, folder)
    for field, judge in _JUDGES.items():
        if field in fields:
            yield from judge(fields[field])
    if "description" not in fields:
        yield "has no `description`: say what it does and when to use it"
    if unknown := [field for field in fields if field not in FIELDS]:
        yield f"has fields beside the standard: {named(unknown)}; its place for them is `metadata`"


def normal(name: str) -> str:
    """Return a name as names are compared: NFKC, without blanks around it."""
    return unicodedata.normalize("NFKC", name.strip())


def _name(fields: Mapping[str, object], folder: str) -> Iterator[str]:
    if "name" not in fields:
        yield f"has no `name`: write `name: {_slug(folder) or 'my-skill'}`"
        return
    if not isinstance(value := fields["name"], str) or not value.strip():
        yield "needs a `name` that is text (quote a number)"
        return
    name = normal(value)
    if len(name) > MAX_NAME_CHARS:
        yield f"has a `name` of {len(name)} characters: {MAX_NAME_CHARS} are allowed"
    if not _is_name(name):
        hint = f", as `{better}`" if (better := _slug(name)) else ""
        yield f"has the name `{shortened(name)}`: lower case letters, digits and single hyphens between them are allowed{hint}"
    if normal(folder) != name:
        yield f"has the name `{shortened(name)}`, its folder `{shortened(folder)}`: both must be the same"


def _is_name(name: str) -> bool:
    parts = name.split("-")
    return name == name.lower() and all(part and all(map(str.isalnum, part)) for part in parts)


def _slug(name: str) -> str:
    words = re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name))
    return "-".join(words).lower()[:MAX_NAME_CHARS].strip("-")


def _description(value: object) -> Iterator[str]:
    if not isinstance(value, str) or not value.strip():
        yield "needs a `description` that is text"
    elif len(value) > MAX_DESCRIPTION_CHARS:
        yield f"has a `description` of {len(value):,} characters: {MAX_DESCRIPTION_CHARS:,} are allowed"


def _compatibility(value: object) -> Iterator[str]:
    if not isinstance(value, str):
        yield "needs text in `compatibility`"
    elif len(value) > MAX_COMPATIBILITY_CHARS:
        yield f"has a `compatibility` of {len(value)} characters: {MAX_COMPATIBILITY_CHARS} are allowed"


def _tools(value: object) -> Iterator[str]:
    parts = value if isinstance(value, list) else [value]
    if not all(isinstance(part, str) for part in parts):
        yield "has `allowed-tools` that are neither text nor a list of texts: they are not known"


_JUDGES: Mapping[str, Callable[[object], Iterator[str]]] = {
    "description": _description,
    "compatibility": _compatibility,
    "allowed-tools": _tools,
}


def oddities(fields: Mapping[str, object]) -> Iterator[str]:
    """Yield what the standard says otherwise and its reference validator lets pass, as `breaches` does."""
    if "compatibility" in fields and not str(fields["compatibility"]).strip():
        yield "has an empty `compatibility`: leave it out"
    if isinstance(fields.get("license", ""), list | dict | None):
        yield "has a `license` that is no text: name a license, or its file"
    metadata = fields.get("metadata", {})
    if not isinstance(metadata, dict):
        yield "has a `metadata` that is not made of `key: value` lines"
    elif nested := [str(key) for key, one in metadata.items() if isinstance(one, list | dict)]:
        yield f"has lists or maps in `metadata` ({named(nested)}): its values are text"
