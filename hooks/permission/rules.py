"""Permission rules as users write them: `bash(git status:*)`, `edit(src/**)`, `read(/etc/hosts)`, `edit`."""

import difflib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hooks.commands.spelling import type_key
from hooks.events import Decision, PathUse
from hooks.permission.path_patterns import PathPattern, PatternError, patterns_of
from hooks.permission.possible import may_be, may_match, without_options
from hooks.shell.command import Command
from hooks.shell.reader import Shell
from hooks.shell.words import plain_words

_LISTS: tuple[Decision, ...] = ("deny", "ask", "allow")
_RULE = re.compile(r"\s*([A-Za-z_][\w*-]*|\*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_ALIASES = {
    "multiedit": "edit",
    "notebookedit": "edit",
    "notebookread": "read",
    "todowrite": "todo_write",
    "skill": "load_skill",
    "agent": "task",
}
"""Another agent's tool names, lower case."""
_NOT_HERE = {
    "grep": "searching is a command: write `bash(rg:*)`, and `read(PATH)` for what must not be read",
    "ls": "listing is a command: write `bash(ls:*)`, and `read(PATH)` for what must not be read",
    "webfetch": "remove the rule: nothing here fetches pages but commands such as `bash(curl:*)`",
    "websearch": "remove the rule: nothing here searches the web",
    "bashoutput": "remove the rule: the log of a background command is a file",
    "killshell": "write `bash(kill:*)`",
    "killbash": "write `bash(kill:*)`",
    "exitplanmode": "remove the rule: the user changes the mode",
}
"""Another agent's tools that have no like here, lower case -> what to write."""
_WHOLE_BY_STAR = frozenset({"bash", "task"})
_WITHOUT_PATTERN = frozenset({"*", "todo_write", "load_skill", "compact"})
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
    """bash, ask and deny: what the joined words must match."""
    patterns: tuple[PathPattern, ...] = ()
    """Paths: what one of them must match."""
    agent_type: str = ""
    """task: the type that is meant, as `type_key` has it."""

    def names_exactly(self, use: PathUse) -> bool:
        """Tell whether this rule names the path of ``use`` without any wildcard."""
        return any(
            pattern.is_exact and pattern.covers(use.path, use.shown, is_caseless=False)
            for pattern in self.patterns
        )

    def covers_tool(self, tool_name: str) -> bool:
        """Tell whether this rule is about ``tool_name`` at all: `read` covers glob too, `edit` write."""
        return self.tool == "*" or tool_name in _COVERED.get(self.tool, (self.tool,))

    def covers_type(self, agent_type: str) -> bool:
        """Tell whether this rule, about a tool without paths, is about the whole of it, or a subagent of ``agent_type``."""
        return self.spec is None or (bool(self.agent_type) and self.agent_type == type_key(agent_type))

    def covers_path(self, use: PathUse) -> bool:
        """Tell whether this rule matches ``use``: its resolved path, and as shown inside the project.

        An ask or a deny also matches the path as it was written, before links were followed, and where the disk takes
        names in any case, in any case.
        """
        if self.spec is None:
            return True
        names = [(use.path, use.shown)]
        is_strict = self.decision != "allow"
        if is_strict and use.written:
            names.append((use.written, use.written_shown))
        return any(
            pattern.covers(absolute, shown, is_caseless=is_strict and use.is_caseless)
            for pattern in self.patterns
            for absolute, shown in names
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
            whole = (program, *command.texts[1:])
            for texts in (whole, without_options(whole)):
                found = texts[: len(self.words)] if self.is_prefix else texts
                if found == self.words or (self.regex and self.regex.fullmatch(" ".join(texts))):
                    return True
        return False

    def may_touch(self, shell: Shell) -> bool:
        """Tell whether this rule, an ask or a deny, may match what ``shell`` runs: not all words of it are known."""
        if not self.words:
            return False
        if self.regex:
            return any(may_match(part, self.words[0]) for part in shell.proved or ())
        return any(may_be(part, self.words, is_prefix=self.is_prefix) for part in shell.proved or ())


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
    """Return the rule that ``text`` is. Raises RuleError naming it, and saying what to write."""
    match = _RULE.fullmatch(text)
    where = f"rule `{text}` in {origin}"
    if match is None:
        raise RuleError(f"{where} cannot be read; write `tool` or `tool(pattern)`")
    name = match[1]
    tool = _ALIASES.get(name.lower(), name.lower())
    if tools is not None and tool not in ("*", *tools):
        raise RuleError(f"{where}: there is no tool `{tool}`{_instead(tool, tools)}")
    spec = None if tool in _WHOLE_BY_STAR and match[2] in ("*", ":*") else match[2]
    rule = Rule(text=text, decision=decision, origin=origin, tool=tool, spec=spec)
    if spec is None:
        return rule
    if tool in _WITHOUT_PATTERN or not spec.strip():
        raise RuleError(f"{where}: `{tool}` takes no such pattern; write `{tool}` for all of it")
    try:
        if tool == "bash":
            return _bash_rule(rule, spec)
        if tool == "task":
            return replace(rule, agent_type=type_key(spec))
        return replace(rule, patterns=patterns_of(spec, tool=name, is_allow=decision == "allow"))
    except PatternError as error:
        raise RuleError(f"{where}: {error}") from error


def literal(command: str) -> str:
    """Return the pattern that is exactly ``command``."""
    return command.replace("*", "[*]")


def _instead(tool: str, tools: Collection[str]) -> str:
    """Return what to write in place of a tool that there is not."""
    if tool in _NOT_HERE:
        return f"; {_NOT_HERE[tool]}"
    if tool.startswith("mcp__"):
        return "; remove the rule: there are no MCP servers here"
    near = difflib.get_close_matches(tool, tools, n=1)
    return f": did you mean `{near[0]}`?" if near else f"; the tools are {', '.join(tools)}"


def _bash_rule(rule: Rule, spec: str) -> Rule:
    """Return the rule with what a command must be: `x:*` and `x *` are the same, `[*]` is the character itself."""
    if "\0" in spec:
        raise PatternError("no command holds a NUL character")
    wild = spec.replace("[*]", "\0")
    is_prefix = wild.endswith((":*", " *")) and "*" not in wild[:-2]
    body = (wild[:-2] if is_prefix else wild).strip(" \t\n")
    exact = body.replace("\0", "*")
    words = plain_words(exact)
    if rule.decision == "allow" and is_prefix and words is None:
        raise PatternError(f"before `{wild[-2:].strip()}` only plain words can stand")
    if rule.decision == "allow" and "*" in body:
        raise PatternError(
            "in an allow `*` can only stand at the end, after a blank, as in `bash(git log *)`; write `[*]` for the character"
        )
    regex = None
    if "*" in body:
        regex = re.compile(re.escape(body).replace(r"\*", ".*").replace("\0", r"\*"), re.DOTALL)
    return replace(
        rule,
        spec=exact,
        words=words or tuple(exact.split()),
        is_prefix=is_prefix,
        is_plain=words is not None,
        regex=regex,
    )


def _checked_list(texts: object, *, key: str, origin: str) -> Sequence[str]:
    if isinstance(texts, str) or not isinstance(texts, Sequence):
        raise RuleError(f"permissions in {origin}: `{key}` must be a list of rules")
    for text in texts:
        if not isinstance(text, str):
            raise RuleError(f"permissions in {origin}: `{text}` in `{key}` is not a text")
    return texts
