"""Permission rules as users write them: `bash(git status:*)`, `edit(src/**)`, `read(/etc/hosts)`, `edit`."""

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hooks.events import Decision, PathUse
from hooks.globs import escaped, path_regex
from hooks.shell import Shell
from hooks.shell_command import Command
from hooks.words import plain_words

_LISTS: tuple[Decision, ...] = ("deny", "ask", "allow")
_RULE = re.compile(r"\s*([A-Za-z_]\w*|\*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_ALIASES = {
    "multiedit": "edit",
    "notebookedit": "edit",
    "todowrite": "todo_write",
    "skill": "load_skill",
    "agent": "task",
}
"""Another agent's tool names, lower case."""
_WITHOUT_PATTERN = frozenset({"*", "todo_write", "load_skill", "task", "compact"})
_COVERED = {"read": ("read", "glob"), "edit": ("edit", "write")}
"""Tools that a rule's name stands for beside itself."""


class RuleError(Exception):
    """A rule, or a list of rules, that cannot be read; the text names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule; made by `parse_rule`."""

    text: str
    """As the user wrote it."""
    decision: Decision
    origin: str
    """Where it stands: the name of a settings file, `--allow`, `session`."""
    tool: str
    """A tool's name, or `*` for all of them."""
    spec: str | None = None
    """What stood in the parentheses; None for the whole tool."""
    words: tuple[str, ...] = ()
    """bash: the words that a command begins with, or consists of."""
    is_prefix: bool = False
    is_plain: bool = False
    """bash: the pattern is one simple command of literal words."""
    regex: re.Pattern[str] | None = None
    """Paths: what the path must match. bash, ask and deny: what the joined words must match."""
    is_absolute: bool = False
    """Paths: the pattern is about resolved paths, else about paths as shown inside the project."""
    is_exact: bool = False
    """Paths: the pattern has no wildcard: it names one file, or one folder."""

    def covers_tool(self, tool_name: str) -> bool:
        """Tell whether this rule is about ``tool_name`` at all: `read` covers glob too, `edit` write."""
        return self.tool == "*" or tool_name in _COVERED.get(self.tool, (self.tool,))

    def covers_path(self, use: PathUse) -> bool:
        """Tell whether this rule matches ``use``: its resolved path, and as shown inside the project.

        An ask or a deny also matches the path as it was written, before links were followed, and where the disk takes
        names in any case, in any case.
        """
        if self.spec is None:
            return True
        if self.regex is None:
            return False
        names = [(use.path, use.shown)]
        regex = self.regex
        if self.decision != "allow":
            names += [(use.written, use.written_shown)] if use.written else []
            regex = re.compile(regex.pattern, regex.flags | re.IGNORECASE) if use.is_caseless else regex
        return any(
            regex.fullmatch(absolute if self.is_absolute else shown)
            for absolute, shown in names
            if self.is_absolute or not shown.startswith("/")
        )

    def allows_command(self, command: str) -> bool:
        """Tell whether this rule allows ``command``: exactly it, or one provably simple command of the prefix."""
        if self.allows_text(command):
            return True
        words = plain_words(command) if self.is_prefix else None
        return words is not None and words[: len(self.words)] == self.words

    def allows_text(self, command: str) -> bool:
        """Tell whether this rule allows the whole tool, or exactly the text ``command``."""
        return self.spec is None or (not self.is_prefix and command.strip(" \t\n") == self.spec)

    def touches_command(self, command: str, shell: Shell | None) -> bool:
        """Tell whether this rule, an ask or a deny, matches anything that ``command`` may run."""
        if self.spec is None or command.strip(" \t\n") == self.spec:
            return True
        return shell is not None and any(
            self._touches(part) for part in (*shell.commands, *(shell.proved or ()))
        )

    def _touches(self, command: Command) -> bool:
        for program in {command.program, *command.texts[:1]}:
            texts = (program, *command.texts[1:])
            found = texts[: len(self.words)] if self.is_prefix else texts
            if found == self.words or (self.regex and self.regex.fullmatch(" ".join(texts))):
                return True
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionRules:
    """All rules, each with its origin; later ones do not outweigh earlier ones."""

    rules: tuple[Rule, ...] = ()

    @classmethod
    def parse(
        cls, lists: Mapping[str, Any], *, origin: str = "settings", tools: Collection[str] | None = None
    ) -> "PermissionRules":
        """Read `{"allow": [...], "ask": [...], "deny": [...]}`.

        ``tools``: the names that exist, to refuse a rule that could never apply.
        Raises: RuleError: naming the rule, or the entry that is not a list of rules.
        """
        rules: list[Rule] = []
        for key, texts in lists.items():
            if key not in _LISTS:
                raise RuleError(f"permissions in {origin}: unknown list `{key}`; use allow, ask, deny")
            decision = _LISTS[_LISTS.index(key)]
            checked = _checked_list(texts, key=key, origin=origin)
            rules += [parse_rule(text, decision, origin=origin, tools=tools) for text in checked]
        return cls(rules=tuple(rules))

    def joined(self, other: "PermissionRules") -> "PermissionRules":
        """Return these rules and those of ``other``."""
        return PermissionRules(rules=self.rules + other.rules)

    def of(self, decision: Decision, tool_name: str) -> Iterator[Rule]:
        """Yield the rules of one list that are about ``tool_name``, in order."""
        return (rule for rule in self.rules if rule.decision == decision and rule.covers_tool(tool_name))


def parse_rule(text: str, decision: Decision, *, origin: str, tools: Collection[str] | None = None) -> Rule:
    """Return the rule that ``text`` is. Raises RuleError naming it."""
    match = _RULE.fullmatch(text)
    if match is None:
        raise RuleError(f"rule `{text}` in {origin} cannot be read; write `tool` or `tool(pattern)`")
    tool = _ALIASES.get(match[1].lower(), match[1].lower())
    if tools is not None and tool not in ("*", *tools):
        raise RuleError(f"rule `{text}` in {origin}: there is no tool `{tool}`")
    spec = None if tool == "bash" and match[2] in ("*", ":*") else match[2]
    rule = Rule(text=text, decision=decision, origin=origin, tool=tool, spec=spec)
    if spec is None:
        return rule
    if tool in _WITHOUT_PATTERN or not spec.strip():
        raise RuleError(f"rule `{text}` in {origin}: `{tool}` takes no such pattern")
    return _bash_rule(rule, spec) if tool == "bash" else _path_rule(rule, spec)


def _bash_rule(rule: Rule, spec: str) -> Rule:
    is_prefix = spec.endswith(":*")
    body = (spec.removesuffix(":*") if is_prefix else spec).strip(" \t\n")
    words = plain_words(body)
    if words is None and is_prefix and rule.decision == "allow":
        raise RuleError(f"rule `{rule.text}` in {rule.origin}: before `:*` only plain words can stand")
    has_glob = "*" in body and not is_prefix and rule.decision != "allow"
    regex = re.compile(re.escape(body).replace(r"\*", ".*"), re.DOTALL) if has_glob else None
    return replace(
        rule,
        spec=body,
        words=words or tuple(body.split()),
        is_prefix=is_prefix,
        is_plain=words is not None,
        regex=regex,
    )


def _path_rule(rule: Rule, spec: str) -> Rule:
    pattern = re.sub(r"^~(?=/|$)", lambda _: escaped(str(Path.home())), spec)
    pattern = re.sub(r"^(\./)+", "", re.sub(r"^/+", "/", pattern))
    pattern += "**" if pattern.endswith("/") else ""
    if ".." in pattern.split("/"):
        raise RuleError(f"rule `{rule.text}` in {rule.origin}: a resolved path never holds `..`")
    is_absolute = pattern.startswith("/")
    regex = path_regex(_resolved(pattern) if is_absolute else pattern)
    is_exact = not re.search(r"(?<!\\)(?:\\\\)*[*?]", pattern)
    return replace(rule, regex=regex, is_absolute=is_absolute, is_exact=is_exact)


def _resolved(pattern: str) -> str:
    """Follow the symlinks in the literal folders that ``pattern`` starts with: only real paths are judged."""
    segments = pattern.split("/")
    literal = next((i for i, segment in enumerate(segments) if re.search(r"[*?\\]", segment)), len(segments))
    folder = escaped(os.path.realpath("/".join(segments[:literal]) or "/")).rstrip("/")
    return "/".join([folder, *segments[literal:]])


def _checked_list(texts: object, *, key: str, origin: str) -> Sequence[str]:
    if isinstance(texts, str) or not isinstance(texts, Sequence):
        raise RuleError(f"permissions in {origin}: `{key}` must be a list of rules")
    for text in texts:
        if not isinstance(text, str):
            raise RuleError(f"permissions in {origin}: `{text}` in `{key}` is not a text")
    return texts
