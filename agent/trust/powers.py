"""What a project would bring into force, in words: one line for each hook, rule, setting and agent type."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.trust.gathered import AGENT_TYPES, SETTINGS, GatedFile, Gathered
from agent.trust.said import said_in
from hooks.commands.spelling import is_built_in
from skills.frontmatter import FrontMatterError, read
from tools.visible import escape_line, plain

KINDS = ("hook", "script", "rule", "setting", "agent type", "import", "unreadable file")
"""In the order in which they are told: what runs first."""
_MAX_NAME_CHARS = 64
_LISTS = ("allow", "ask", "deny")
_LONE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Halves of characters, as JSON can spell them; those between stand for bytes of file names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """One thing that would come into force; ``text`` is one line without control characters."""

    kind: str
    text: str
    file: str


def powers_of(gathered: Gathered) -> list[Power]:
    """Return all of it, what runs first. Contract: whatever a file holds, nothing of it is left out."""
    found: list[Power] = []
    for file in gathered.named(*SETTINGS):
        found += _of_settings(file)
    found += [_of_file("script", file, file.name) for file in gathered.scripts]
    found += [_of_file("agent type", file, _type(file)) for file in gathered.below(*AGENT_TYPES)]
    found += [_power("unreadable file", file.problem, file) for file in gathered.named(*AGENT_TYPES)]
    found += [Power(kind="import", text=_line(path), file=_line(path)) for path in gathered.imports]
    return sorted(found, key=lambda power: KINDS.index(power.kind))


def counted(powers: Sequence[Power]) -> str:
    """Return how many of each kind: `2 hooks, 3 rules, 1 setting`."""
    numbers = {kind: sum(power.kind == kind for power in powers) for kind in KINDS}
    return ", ".join(
        f"{number} {kind}" if number == 1 else f"{number:,} {kind}s"
        for kind, number in numbers.items()
        if number
    )


def _of_settings(file: GatedFile) -> list[Power]:
    problem = file.problem
    try:
        if not problem:
            return list(_said(said_in(file.data), file))
    except (TypeError, ValueError, RecursionError) as error:
        problem = str(error)
    return [_power("unreadable file", f"{file.name}: {problem}", file)]


def _said(value: Any, file: GatedFile) -> Iterator[Power]:
    if not isinstance(value, Mapping):
        raise TypeError("no JSON object")
    for key, said in value.items():
        if key == "hooks":
            yield from (_power("hook", text, file) for text in _hooks(said))
        elif key == "permissions" and isinstance(said, Mapping):
            yield from _permissions(said, file)
        else:
            yield _power("setting", f"{key}: {_shown(said)}", file)


def _permissions(said: Mapping[str, Any], file: GatedFile) -> Iterator[Power]:
    for key, value in said.items():
        if key in _LISTS and isinstance(value, list):
            yield from (_power("rule", f"{key} {_shown(rule)}", file) for rule in value)
        else:
            yield _power("rule", f"{key}: {_shown(value)}", file)


def _hooks(said: Any) -> Iterator[str]:
    """Yield a line for each hook; whatever has not the published shape is shown as it stands."""
    if not isinstance(said, Mapping):
        yield _shown(said)
        return
    for event, groups in said.items():
        if not groups:
            yield f"{event}: {_shown(groups)}"
        for group in groups if isinstance(groups, list) else [groups]:
            hooks = group.get("hooks") if isinstance(group, Mapping) else None
            if not isinstance(hooks, list):
                yield f"{event}: {_shown(group)}"
                continue
            matcher = group.get("matcher")
            where = f"{event} {_shown(matcher)}" if matcher else str(event)
            yield from (f"{where}: {_command(hook)}" for hook in hooks)


def _command(hook: Any) -> str:
    """Return the command of a hook, with whatever else is said of it."""
    command = hook.get("command") if isinstance(hook, Mapping) else None
    if not isinstance(command, str):
        return _shown(hook)
    rest = {key: value for key, value in hook.items() if key not in ("type", "command")}
    return f"{command}  {_shown(rest)}" if rest else command


def _of_file(kind: str, file: GatedFile, name: str) -> Power:
    """A file as a whole: by its name, and the beginning of its hash, so that a change shows."""
    if file.problem:
        return _power("unreadable file", f"{file.name}: {file.problem}", file)
    return _power(kind, f"{name} (sha256 {hashlib.sha256(file.data).hexdigest()[:8]})", file)


def _type(file: GatedFile) -> str:
    """Return the name that a type gives itself, which need not be that of its file, and whether it hides one of ours."""
    name = _named(file)
    short = name if len(name) <= _MAX_NAME_CHARS else f"{name[:_MAX_NAME_CHARS]}…"
    return f"{short}, in place of the one built in" if is_built_in(name) else short


def _named(file: GatedFile) -> str:
    stem = file.name.rpartition("/")[2].removesuffix(".md")
    try:
        name = read(file.data).fields.get("name")
    except FrontMatterError:
        return stem
    return name if isinstance(name, str) else stem


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _power(kind: str, text: str, file: GatedFile) -> Power:
    return Power(kind=kind, text=_line(text), file=_line(file.name))


def _line(text: str) -> str:
    return plain(escape_line(_LONE.sub("\ufffd", text)))
