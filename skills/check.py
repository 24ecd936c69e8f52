"""Checking skills: all that the standard forbids, and what makes a skill work less well than it could."""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from skills.discover import content
from skills.frontmatter import FrontMatterError, read, shortened
from skills.standard import breaches, oddities
from skills.walk import FILE_NAME, BrokenSkill, Walk, file_in

MAX_BODY_LINES = 500
MAX_BODY_TOKENS = 5_000
"""Both advised by the standard: all of it stands in the context once the skill is loaded."""
_FENCED = re.compile(r"^(?P<fence>```+|~~~+).*?^(?P=fence)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(<?(?P<target>[^()\s<>]+)>?(?:\s+\"[^\"]*\")?\)")
_MENTIONED = re.compile(r"`(?P<target>(?:scripts|references|assets)/[\w./-]*\w)`")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|[#/~$]|.*[{}*]", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something wrong with a skill."""

    path: Path
    text: str
    """The end of a sentence that begins with the path: what it is, and what to do."""
    is_error: bool = True
    """False for advice: the standard allows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """How it went."""

    skills: int
    """That were looked at."""
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> int:
        """How many of the problems are against the standard."""
        return sum(problem.is_error for problem in self.problems)


def check(path: Path, count: Callable[[str], int]) -> Checked:
    """Check a skill's folder, its `SKILL.md`, or every skill below a folder of many.

    Args:      path: exists. ``count``: tokens of a text.
    """
    if path.name.lower() == FILE_NAME.lower():
        path = path.parent
    path = Path.cwd() / os.path.normpath(path)  # its name counts as it was given, not where a link leads
    if (name := file_in(str(path))) is not None:
        return Checked(skills=1, problems=tuple(_of(path / name, count)))
    return _all_below(path, count)


def _all_below(root: Path, count: Callable[[str], int]) -> Checked:
    real = os.path.realpath(root)
    found, problems = 0, []
    for entry in Walk(real, is_inside=lambda path: path.startswith(f"{real}{os.sep}")).files():
        if isinstance(entry, BrokenSkill):
            problems.append(Problem(path=entry.path, text=entry.error))
        else:
            found += 1
            problems += _of(entry.path, count)
    if not found and not problems:
        problems.append(Problem(path=root, text=f"holds no skill: a skill is a folder with a `{FILE_NAME}`"))
    return Checked(skills=found, problems=tuple(problems))


def _of(path: Path, count: Callable[[str], int]) -> Iterator[Problem]:
    if path.name != FILE_NAME:
        yield _advice(path, f"is not called `{FILE_NAME}`: other agents do not find it")
    try:
        document = read(content(path))
    except FrontMatterError as problem:
        yield Problem(path=path, text=str(problem))
        return
    for text in (*document.remarks, *breaches(document.fields, path.parent.name)):
        yield Problem(path=path, text=text)
    for text in (
        *oddities(document.fields),
        *document.hidden,
        *_of_body(document.body, count),
        *_gone(document.body, path.parent),
    ):
        yield _advice(path, text)


def _advice(path: Path, text: str) -> Problem:
    return Problem(path=path, text=text, is_error=False)


def _of_body(body: str, count: Callable[[str], int]) -> Iterator[str]:
    if not body.strip():
        yield "has nothing below its front matter: say there what is to be done"
    if (lines := body.count("\n") + 1) > MAX_BODY_LINES:
        yield f"has {lines:,} lines below its front matter: move what is rarely needed to files beside it ({MAX_BODY_LINES} lines are advised)"
    elif (tokens := count(body)) > MAX_BODY_TOKENS:
        yield f"has about {tokens:,} tokens below its front matter: move what is rarely needed to files beside it ({MAX_BODY_TOKENS:,} are advised)"


def _gone(body: str, folder: Path) -> Iterator[str]:
    """Yield each file beside the skill that its body leads to and that is not there."""
    text = _FENCED.sub("", body)
    targets = [match["target"] for match in _LINK.finditer(_CODE.sub("", text))]
    mentioned = (match["target"] for match in _MENTIONED.finditer(text))
    targets += [target for target in mentioned if (folder / target.partition("/")[0]).is_dir()]
    for target in dict.fromkeys(targets):
        name = unquote(re.split("[#?]", target)[0])
        if name and not _ELSEWHERE.match(target) and not os.path.lexists(folder / name):
            yield f"leads to `{shortened(target)}`, which is not there"
