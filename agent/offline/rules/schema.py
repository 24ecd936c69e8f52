"""Small checkers for the shape of a JSON value, with the words and dotted paths of the API's own validator."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from agent.offline.refusal import RefusalError

Check = Callable[[Any, str], None]
"""Looks at a value that stands at a dotted path; raises RefusalError."""


def refuse(path: str, text: str) -> NoReturn:
    """Refuse what stands at ``path``."""
    raise RefusalError(f"{path}: {text}" if path else text)


def anything(value: Any, path: str) -> None:
    """Accept every value."""


def string(value: Any, path: str) -> None:
    """Accept a string."""
    if not isinstance(value, str):
        refuse(path, "Input should be a valid string")


def integer(value: Any, path: str) -> None:
    """Accept a whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        refuse(path, "Input should be a valid integer")


def number(value: Any, path: str) -> None:
    """Accept a number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        refuse(path, "Input should be a valid number")


def boolean(value: Any, path: str) -> None:
    """Accept true and false."""
    if not isinstance(value, bool):
        refuse(path, "Input should be a valid boolean")


def mapping(value: Any, path: str) -> None:
    """Accept any object."""
    if not isinstance(value, dict):
        refuse(path, "Input should be a valid dictionary")


def literal(*allowed: str) -> Check:
    """Accept one of a few strings."""
    names = [f"'{name}'" for name in allowed]
    wanted = " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))

    def check(value: Any, path: str) -> None:
        if value not in allowed:
            refuse(path, f"Input should be {wanted}")

    return check


def pattern(regex: str) -> Check:
    """Accept a string that matches ``regex`` from end to end."""
    compiled = re.compile(regex.rstrip("$") + r"\Z")

    def check(value: Any, path: str) -> None:
        string(value, path)
        if not compiled.match(value):
            refuse(path, f"String should match pattern '{regex}'")

    return check


def nullable(check: Check) -> Check:
    """Accept null as well."""

    def check_unless_null(value: Any, path: str) -> None:
        if value is not None:
            check(value, path)

    return check_unless_null


def items(check: Check) -> Check:
    """Accept a list whose items all pass ``check``."""

    def check_items(value: Any, path: str) -> None:
        if not isinstance(value, list):
            refuse(path, "Input should be a valid list")
        for index, item in enumerate(value):
            check(item, f"{path}.{index}")

    return check_items


def string_or(check: Check) -> Check:
    """Accept a string as well."""

    def check_unless_string(value: Any, path: str) -> None:
        if not isinstance(value, str):
            check(value, path)

    return check_unless_string


def struct(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """Accept an object that has all ``required`` fields and no others than the ``optional`` ones."""
    fields = {**required, **(optional or {})}

    def check(value: Any, path: str) -> None:
        mapping(value, path)
        prefix = f"{path}." if path else ""
        for name, field in fields.items():
            if name in value:
                field(value[name], prefix + name)
            elif name in required:
                refuse(prefix + name, "Field required")
        for name in value:
            if name not in fields:
                refuse(prefix + name, "Extra inputs are not permitted")

    return check


def tagged(members: Mapping[str, Check], default: str | None = None) -> Check:
    """Accept an object by its `type`, which then stands in the path; ``default``: the type if it has none."""
    expected = ", ".join(f"'{name}'" for name in members)

    def check(value: Any, path: str) -> None:
        mapping(value, path)
        tag = value.get("type") or default
        if tag is None:
            refuse(path, "Unable to extract tag using discriminator 'type'")
        if not isinstance(tag, str) or tag not in members:
            text = f"Input tag '{tag}' found using 'type' does not match any of the expected tags: {expected}"
            refuse(path, text)
        members[tag](value, f"{path}.{tag}")

    return check
