"""A call, or one path of it, ready to be decided: what rules are asked about it, and what holds without any."""

import os
import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hooks.events import PathUse, PreToolUse
from hooks.permission.open_folders import is_open
from hooks.permission.protected import Protection, project_of
from hooks.permission.rules import Rule
from hooks.permission.suggest import rule_for_path


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One call, or one path of it."""

    tool_name: str
    matches: Callable[[Rule], bool]
    """Whether a rule about this tool matches."""
    question: str
    """Why the user is asked when nothing decides."""
    suggest: Callable[[], str]
    """The allow rule to name then."""
    always: str = ""
    """Why the user is asked whatever the mode says, and the rules that do not name exactly this."""
    names_exactly: Callable[[Rule], bool] = lambda _: False
    """Whether a rule that matches was written for exactly this."""
    is_change: bool = True
    change: str = ""
    """What of it may be a change, in a few words; empty where that is plain."""
    is_free: bool = False
    """Allowed in every mode unless a rule says otherwise."""
    is_edit_inside: bool = False


def path_cases(event: PreToolUse, protection: Protection, readable: tuple[str, ...]) -> list[Case]:
    """Return a case for each path that ``event`` uses; none for a tool without paths.

    Args:  readable: folders outside the project that are read unasked.
    """
    uses = (*event.paths, *_pattern_escapes(event))
    return [_path_case(event.tool_name, use, protection, readable) for use in uses]


def _path_case(tool_name: str, use: PathUse, protection: Protection, readable: tuple[str, ...]) -> Case:
    is_write = use.access == "write"
    why = _why_protected(use, protection) if is_write else ""
    has_more_names = is_write and use.is_shared
    place = f"{'inside' if use.is_inside else 'outside'} the project"

    def matches(rule: Rule) -> bool:
        if has_more_names and rule.decision == "allow":
            return rule.names_exactly(use)
        return rule.covers_path(use)

    return Case(
        tool_name=tool_name,
        matches=matches,
        question=f"`{tool_name}` would {use.access} `{use.shown}`, {place}"
        + ("; it has other names (hard links), which would change too" if has_more_names else ""),
        suggest=lambda: rule_for_path(tool_name, use),
        always=f"`{use.shown}` is protected: {why}; a change to it is always asked about" if why else "",
        names_exactly=lambda rule: rule.names_exactly(use),
        is_change=is_write,
        is_free=not is_write and (use.is_inside or use.is_own or is_open(use.path, readable)),
        is_edit_inside=is_write and use.is_inside and not has_more_names,
    )


def _why_protected(use: PathUse, protection: Protection) -> str:
    project = project_of(use.path, use.shown, is_inside=use.is_inside)
    if use.is_own:
        return "it is the session's own memory"
    found = protection.why(use.path, project=project)
    if not found and use.is_shared:
        found = protection.why_by_other_name(use.path, project=project)
    return found


def _pattern_escapes(event: PreToolUse) -> Iterator[PathUse]:
    """Yield where a glob pattern leaves the folder that was resolved for it."""
    pattern = event.tool_input.get("pattern")
    if event.tool_name != "glob" or not isinstance(pattern, str) or not event.paths:
        return
    if "\0" in pattern:  # no file has such a name: the tool says so
        return
    base = event.paths[0].path
    literal = re.split(r"[*?\[{]", pattern, maxsplit=1)[0]
    is_unknown = pattern.startswith("~") or ".." in re.split(r"[/{},]", pattern[len(literal) :])
    folder = literal if literal == pattern else literal[: literal.rfind("/") + 1]
    path = "/" if is_unknown else os.path.realpath(posixpath.join(base, folder))
    if not f"{path}/".startswith(base.rstrip("/") + "/"):
        yield PathUse(path=path, shown=path, access="read", is_inside=False)
