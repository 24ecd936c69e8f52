"""A skill as its folder has it now: read anew each time it is loaded, so that what is followed is what is on disk."""

import hashlib
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from skills.discover import Skill, content
from skills.frontmatter import FrontMatterError
from skills.skill_file import FrontMatter, parse
from skills.walk import FILE_NAME

MAX_LISTED = 40
MAX_LOOKED_AT = 1_000
"""Entries of a skill's folder that are looked at: a skill may bring its `node_modules`."""
LEFT_OUT = frozenset(("__pycache__", "node_modules"))
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029`]")
_COMMAND = re.compile(r"(?:^|(?<=\s))!`[^`\n]+`", re.MULTILINE)
_ASKED = "$ARGUMENTS"
_FOLDER = re.compile(r"\$\{(?:CLAUDE_)?SKILL_DIR\}")


class SkillGone(LookupError):
    """A skill that was found at the start and cannot be read any more; the text says why, in a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was read of a skill."""

    front: FrontMatter
    path: Path
    """Its `SKILL.md`, absolute, resolved."""
    sha256: str
    files: tuple[str, ...]
    """What lies beside it, relative to its folder, sorted; at most `MAX_LISTED`."""
    has_more: bool

    @property
    def is_for_model(self) -> bool:
        """False where its author keeps it for the user's own `/name`."""
        return self.front.is_for_model

    @property
    def folder(self) -> str:
        """Its folder, on one line."""
        return _on_a_line(str(self.path.parent))

    @property
    def body(self) -> str:
        """Its body, in which its own folder is named where it asks for it."""
        return _FOLDER.sub(lambda _: self.folder, self.front.body)

    @property
    def text(self) -> str:
        """Where it lies, what lies beside it, and its body."""
        return "\n".join([f"Skill `{self.front.name}`.", *self.about(), *self.unfilled(), "", self.body])

    def unfilled(self) -> list[str]:
        """Return what its placeholders mean where the user gave no words for them; nothing where it has none."""
        return ["`$ARGUMENTS` in it stands for what the user asked for."] if _ASKED in self.front.body else []

    @property
    def names(self) -> tuple[str, ...]:
        """The names that its field `arguments` gives to the words behind its own, in their order."""
        names = self.front.others.get("arguments")
        listed = names.split() if isinstance(names, str) else names
        return tuple(map(str, listed)) if isinstance(listed, list) else ()

    def about(self) -> list[str]:
        """Return what there is to know before its body, a line each."""
        lines = [f"Its folder is `{self.folder}`: relative paths in it begin there; write them absolute."]
        if self.files:
            more = ", and more" if self.has_more else ""
            lines.append(f"Files in it: {', '.join(f'`{name}`' for name in self.files)}{more}.")
        if self.front.allowed_tools:
            tools = _on_a_line(", ".join(self.front.allowed_tools))
            lines.append(f"Tools it states: {tools} (permissions decide).")
        if found := _COMMAND.search(self.front.body):
            lines.append(
                f"It was written for commands such as {found[0]} to be replaced by their output: run them."
            )
        return lines


def read_again(skill: Skill, roots: Collection[Path]) -> Reading:
    """Return the skill as it is now, which must lie in one of ``roots``. Raises SkillGone."""
    path = Path(os.path.realpath(skill.path))
    if not any(path.is_relative_to(os.path.realpath(root)) for root in roots):
        raise SkillGone(f"`{skill.path}` leads out of its skills folder by a link since it was found")
    try:
        data = content(path)
        front = parse(data, skill.path.parent.name)
    except FrontMatterError as problem:
        raise SkillGone(f"`{skill.path}` {problem}") from problem
    listed = list(islice(_files(path.parent), MAX_LOOKED_AT))
    return Reading(
        front=front,
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        files=tuple(sorted(listed, key=_depth)[:MAX_LISTED]),
        has_more=len(listed) > MAX_LISTED,
    )


def _files(folder: Path) -> Iterator[str]:
    """Yield the files in a skill's folder, without what is hidden; links to folders are not followed."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in LEFT_OUT)
        for name in sorted(names):
            shown = (Path(place) / name).relative_to(folder).as_posix()
            if not name.startswith(".") and shown != FILE_NAME:
                yield _on_a_line(shown)


def _depth(name: str) -> tuple[int, str]:
    return name.count("/"), name


def _on_a_line(words: str) -> str:
    return _CONTROLS.sub("?", words)
