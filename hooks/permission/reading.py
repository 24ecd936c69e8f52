"""Whether a simple command only reads what lies inside the project, and what is against it."""

import re
from collections.abc import Sequence

from hooks.permission.places import Places, is_plain_pattern
from hooks.permission.reads_only import paths_read
from hooks.permission.repository import program_named
from hooks.shell.lexer import Token
from hooks.shell.word_nodes import shown

_NUMBERS = re.compile(r"(?:\\.|[^\\*?\[{~`$]|\$\{[?#$]\})*", re.DOTALL)
"""Words in which only a number is not known: how the last command ended, how many arguments there are, the process."""
_AT_FOLDER = len(("git", "-C", "folder"))


def objection_to_reading(words: Sequence[Token], places: Places | None) -> str | None:
    """Return why the command ``words`` may do more than read inside the project, in one line; empty if it may not.

    None: it is not in the read-only list at all.
    """
    if places and [word.text for word in words[:2]] == ["git", "-C"] and len(words) > _AT_FOLDER:
        target = words[2]
        inside = places.inside(target.text) if target.is_literal else None
        return objection_to_reading((words[0], *words[_AT_FOLDER:]), inside)
    unknown = [word for word in words if not (word.is_literal or _NUMBERS.fullmatch(word.pattern))]
    paths = paths_read([word.text for word in words], patterns={word.text for word in unknown})
    if paths is None:
        return None
    if places is None or not places.folders:
        return "it runs outside the project"
    for word in unknown:
        if not is_plain_pattern(word):
            return f"`{shown(word.text)}` is known only when it runs"
        if not places.holds_matches(word):
            return f"`{shown(word.text)}` may be more than files of the project"
    if words[0].text == "git" and (problem := _of_repository(places)):
        return problem
    patterns = {word.text for word in unknown}
    literal = {word.text for word in words if word.is_literal}
    numbers = {word.text for word in words} - literal - patterns
    outside = next(
        (path for path in paths if path in numbers or not (path in patterns or places.holds(path))), None
    )
    return "" if outside is None else f"`{shown(outside)}` may lie outside the project"


def _of_repository(places: Places) -> str:
    """Return why git, which only reads, may run something that a repository names."""
    if not places.is_own_repository():
        return "a repository inside the project has settings of its own"
    problem = program_named(places.project)
    return f"git may run something by itself: {problem}" if problem else ""
