"""The paths that a rule is about: patterns in our spelling, and in that of the agent whose settings people have.

In ours `/etc/x` is absolute, `src/**` and `x` are in the project, and a pattern means what it matches as a whole. In
the other one, told by the spelling of the tool (`Read`, `Edit`), it is as in a `.gitignore`: `//etc/x` is absolute,
`/src` and `./src` lie in the project, a name without a slash lies at any depth, and a folder stands for all in it.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hooks.permission.globs import escaped, path_regex

FOREIGN = frozenset({"Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "NotebookRead", "Glob"})
"""Tools in the other agent's spelling whose rules hold paths."""


class PatternError(Exception):
    """A pattern that cannot be one; the text says why, and what to write."""


@dataclass(frozen=True, slots=True)
class PathPattern:
    """One pattern: about resolved paths when it is absolute, else about paths as shown inside the project."""

    regex: re.Pattern[str]
    is_absolute: bool
    is_exact: bool
    """It has no wildcard: it names one file, or one folder."""

    def covers(self, absolute: str, shown: str, *, is_caseless: bool) -> bool:
        """Tell whether it matches a path, known as ``absolute`` and as ``shown``."""
        if not self.is_absolute and shown.startswith("/"):
            return False
        regex = (
            re.compile(self.regex.pattern, self.regex.flags | re.IGNORECASE) if is_caseless else self.regex
        )
        return bool(regex.fullmatch(absolute if self.is_absolute else shown))


def patterns_of(spec: str, *, tool: str, is_allow: bool) -> tuple[PathPattern, ...]:
    """Return the patterns that ``spec`` stands for in a rule that calls its tool ``tool``.

    Where a spelling can be meant in two ways an allow means the narrower one, an ask or deny both. Raises PatternError.
    """
    texts = list(_foreign(spec, is_allow=is_allow)) if tool in FOREIGN else [spec]
    if not is_allow:
        texts += [re.sub(r"^/+", "", spec)] if re.match(r"/[^/]", spec) else []
    found = [_pattern(text) for text in texts]
    if tool in FOREIGN and not is_allow and "[" in spec:
        found += [_pattern(text, has_classes=True) for text in texts]
    return tuple(found)


def _foreign(spec: str, *, is_allow: bool) -> Iterator[str]:
    """Yield what ``spec`` means in our spelling."""
    if spec.startswith("!"):
        raise PatternError("`!` takes nothing out here; write a rule for what is meant")
    text = spec.strip()
    if text.startswith("//"):
        text = f"/{text.lstrip('/')}"
    elif text.startswith("/"):
        if not is_allow:
            yield from _with_content(text)
        text = text.lstrip("/") or "**"
    elif "/" not in text.rstrip("/") and not text.startswith("~"):
        text = f"**/{text}"
    yield from _with_content(text)


def _with_content(text: str) -> Iterator[str]:
    yield text
    if not text.endswith(("/", "**")):
        yield f"{text}/**"


def _pattern(text: str, *, has_classes: bool = False) -> PathPattern:
    pattern = re.sub(r"^~(?=/|$)", lambda _: escaped(str(Path.home())), text)
    pattern = re.sub(r"^(\./)+", "", re.sub(r"^/+", "/", pattern))
    pattern += "**" if pattern.endswith("/") else ""
    if ".." in pattern.split("/"):
        raise PatternError("a resolved path never holds `..`: write where it leads")
    is_absolute = pattern.startswith("/")
    regex = path_regex(_resolved(pattern) if is_absolute else pattern, has_classes=has_classes)
    is_exact = not re.search(r"(?<!\\)(?:\\\\)*[*?]", pattern)
    return PathPattern(regex, is_absolute, is_exact)


def _resolved(pattern: str) -> str:
    """Follow the symlinks in the literal folders that ``pattern`` starts with: only real paths are judged."""
    segments = pattern.split("/")
    literal = next((i for i, segment in enumerate(segments) if re.search(r"[*?\\]", segment)), len(segments))
    folder = escaped(os.path.realpath("/".join(segments[:literal]) or "/")).rstrip("/")
    return "/".join([folder, *segments[literal:]])
