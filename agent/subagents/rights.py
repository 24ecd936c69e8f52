"""Rights as the files of agent types spell them, ours and another agent's: lists of tools, patterns behind them, a mode."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from agent.subagents.agent_type import NO_TASKS, Rights
from agent.surrogates import repaired_text
from hooks.commands.spelling import tool_named
from hooks.permission.judge import Mode, stricter
from hooks.permission.rules import Rule, RuleError, parse_rule
from tools.registry import default_tools

_ENTRY = re.compile(r"([^\s,()]+)(?:\(([^)]*)\))?")
_OTHERS = {"notebookread": "read", "notebookedit": "edit"}
_SEARCHES = frozenset({"grep", "ls", "search"})
"""Another agent's tools for what is a command here: they stand for bash that only reads."""
_BRIEF_CHARS = 120
_MODES: Mapping[str, Mode] = {
    "plan": "plan",
    "ask": "ask",
    "default": "ask",
    "dontask": "ask",
    "acceptedits": "accept-edits",
    "accept-edits": "accept-edits",
    "auto": "bypass",
    "bypasspermissions": "bypass",
    "bypass": "bypass",
}
"""A mode, in lower case -> ours that lets no more through. The loosest narrow nothing, and give nothing."""


class RightsError(Exception):
    """Rights that cannot be read, so that nobody knows what may run; the text ends a sentence that begins with the file."""


@dataclass(slots=True)
class _Said:
    """What a list of tools comes to."""

    whole: set[str] = field(default_factory=set)
    """Tools without a pattern."""
    rules: dict[str, tuple[Rule, ...]] = field(default_factory=dict)
    """Tool -> the patterns behind it."""
    broken: set[str] = field(default_factory=set)
    """Tools with a pattern that cannot be read."""
    is_all: bool = False
    remarks: list[str] = field(default_factory=list)

    def limits(self) -> dict[str, tuple[Rule, ...]]:
        """Return the patterns that calls are held to: of a tool that stands there without one, none."""
        return (
            {}
            if self.is_all
            else {tool: rules for tool, rules in self.rules.items() if tool not in self.whole}
        )


def rights_of(fields: Mapping[str, object], origin: str) -> tuple[Rights, list[str]]:
    """Return the rights that front matter says, and what to know of them, a line each.

    Raises:    RightsError: a value of another kind, an unknown mode, or tools of which there is none here.
    """
    kept = _kept(fields, origin)
    lost = _said(_entries(fields, "disallowedTools"), origin, deny=True)
    mode, remarks = _mode(fields)
    names = [tool.name for tool in default_tools() if tool.name != NO_TASKS]
    gone = lost.whole | lost.broken
    tools = None if kept is None or kept.is_all else kept.whole | set(kept.rules)
    if gone or lost.is_all:
        tools = set() if lost.is_all else (set(names) if tools is None else tools) - gone
    rights = Rights(
        tools=None if tools is None else tuple(name for name in names if name in tools),
        limits={} if kept is None else kept.limits(),
        denied=tuple(rule for rules in lost.rules.values() for rule in rules),
        mode=mode,
    )
    return rights, [*(kept.remarks if kept else ()), *lost.remarks, *remarks]


def _kept(fields: Mapping[str, object], origin: str) -> _Said | None:
    """Return what `tools` says; None where it says nothing."""
    if "tools" not in fields:
        return None
    if fields["tools"] is None:
        said = _Said(is_all=True)
        said.remarks.append("`tools:` is empty: it has all tools; write `tools: []` for none")
        return said
    entries = _entries(fields, "tools")
    said = _said(entries, origin, deny=False)
    if entries and not (said.is_all or said.whole or said.rules):
        raise RightsError(f"has no `tools` that can be used here: {brief(', '.join(entries))}")
    return said


def _entries(fields: Mapping[str, object], key: str) -> list[str]:
    """Return the tools of a list or a text of them. Raises RightsError for anything else."""
    value = fields.get(key)
    parts = value if isinstance(value, list) else [] if value is None else [value]
    texts = [part for part in parts if isinstance(part, str)]
    if len(texts) < len(parts):
        raise RightsError(f"has `{key}` that is neither text nor a list of texts")
    return [match[0] for text in texts for match in _ENTRY.finditer(text)]


def _said(entries: Iterable[str], origin: str, *, deny: bool) -> _Said:
    said, lacking = _Said(), list[str]()
    names = [tool.name for tool in default_tools()]
    for entry in entries:
        match = _ENTRY.fullmatch(entry)
        name, spec = (match[1], match[2]) if match else (entry, None)
        tool = _OTHERS.get(name.casefold(), tool_named(name))
        if name == "*":
            said.is_all = True
        elif tool == NO_TASKS:
            continue  # no subagent has it
        elif name.casefold() in _SEARCHES and not deny:
            said.rules.setdefault("bash", ())
        elif tool not in names:
            lacking.append(name)
        elif spec is None or (tool == "bash" and spec in ("*", ":*")):
            said.whole.add(tool)
        else:
            _take_rule(said, tool, f"{tool}({spec})", origin, deny=deny)
    if lacking:
        said.remarks.append(f"tools that are not here: {brief(', '.join(dict.fromkeys(lacking)))}")
    return said


def _take_rule(said: _Said, tool: str, text: str, origin: str, *, deny: bool) -> None:
    try:
        rule = parse_rule(text, "deny" if deny else "allow", origin=origin)
    except RuleError as problem:
        said.broken.add(tool)
        effect = f"it has no `{tool}`" if deny else "left out"
        said.remarks.append(f"{problem}: {effect}")
        return
    said.rules[tool] = (*said.rules.get(tool, ()), rule)


def _mode(fields: Mapping[str, object]) -> tuple[Mode, list[str]]:
    mode: Mode = "plan" if fields.get("readonly") is True else "bypass"
    remarks: list[str] = []
    for key in ("permission_mode", "permissionMode"):
        if (value := fields.get(key)) is None:
            continue
        known = _MODES.get(value.casefold()) if isinstance(value, str) else None
        if known is None:
            raise RightsError(f"has `{key}: {brief(value)}`, which is none of plan, ask, accept-edits")
        if known == "bypass":
            remarks.append(
                f"`{key}: {brief(value)}` has no effect: a type can only be stricter than its parent"
            )
        mode = stricter(mode, known)
    return mode, remarks


def brief(value: object) -> str:
    """Return what a file says, as it can stand in a line."""
    text = repaired_text(" ".join(str(value).split()))
    return text if len(text) <= _BRIEF_CHARS else f"{text[: _BRIEF_CHARS - 1]}…"


def tools_in_words(rights: Rights) -> str:
    """Return the tools that a type keeps, for the user: `read, glob, bash (git log:*, and what only reads)`."""
    if rights.tools is None and not rights.limits:
        return "all but task"
    names: Sequence[str] = rights.tools if rights.tools is not None else ()
    return ", ".join(f"{name}{_limit(rights, name)}" for name in names) or "none"


def _limit(rights: Rights, tool: str) -> str:
    if tool not in rights.limits:
        return ""
    patterns = ", ".join(rule.text.partition("(")[2].removesuffix(")") for rule in rights.limits[tool])
    if tool != "bash":
        return f" ({patterns})"
    return f" ({patterns}, and what only reads)" if patterns else " (only what reads)"
