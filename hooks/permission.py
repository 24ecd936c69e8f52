"""Permission: judges every call by the built-in list, the rules and the mode."""

import os
import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hooks.denylist import examine
from hooks.events import Decision, PathUse, PreToolUse, Verdict
from hooks.rules import PermissionRules, Rule, parse_rule
from hooks.suggest import rule_for_command, rule_for_path

Mode = Literal["ask", "accept-edits", "plan", "bypass"]

_NEVER_ASKS = frozenset({"todo_write", "load_skill", "compact", "task"})
"""Tools that do nothing outside the session; the calls of a subagent are judged one by one."""
_PROTECTED = frozenset({".agent", ".git", ".transcripts", ".task_outputs"})
"""Folders, wherever they lie, whose change is asked about in every mode."""
_IN_PLAN = (
    "the session is in plan mode: nothing is changed and no command is run, only reading is possible. "
    "Write down what you would do; the user leaves plan mode when it should be done."
)
_SEVERITY: tuple[Decision, ...] = ("deny", "ask", "allow")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One call, or one path of it, ready to be decided."""

    tool_name: str
    matches: Callable[[Rule], bool]
    """Whether a rule about this tool matches."""
    question: str
    """Why the user is asked when nothing decides."""
    suggest: Callable[[], str]
    """The allow rule to name then."""
    always: str = ""
    """Why the user is asked whatever the rules and the mode say."""
    is_change: bool = True
    is_free: bool = False
    """Allowed in every mode unless a rule says otherwise."""
    is_edit_inside: bool = False


class Permission:
    """What a call may do, for the main agent and its subagents alike.

    ``home``: the user's home folder, which no command may remove; by default the one of this process.
    """

    def __init__(
        self, mode: Mode = "ask", rules: PermissionRules | None = None, *, home: Path | None = None
    ) -> None:
        self._mode: Mode = mode
        self._rules = rules or PermissionRules()
        folder = str(home or Path.home())
        self._homes = tuple({posixpath.normpath(folder), os.path.realpath(folder)})

    @property
    def mode(self) -> Mode:
        """The mode that calls are judged in now."""
        return self._mode

    @property
    def rules(self) -> PermissionRules:
        """All rules, those added in this session included."""
        return self._rules

    def set_mode(self, mode: Mode) -> None:
        """Judge all further calls in ``mode``."""
        self._mode = mode

    def allow_always(self, rule: str) -> None:
        """Add an allow rule for the rest of the session. Raises RuleError."""
        added = PermissionRules(rules=(parse_rule(rule, "allow", origin="session"),))
        self._rules = self._rules.joined(added)

    def judge(self, event: PreToolUse) -> Verdict:
        """Return what the call may do, by its final input and its resolved paths.

        Contract: the built-in list denies in every mode; then deny rules, what plan mode forbids, what is
        always asked about, ask rules, allow rules, and last the mode. Of several paths the worst decides.
        """
        if event.tool_name == "bash":
            return self._judge_command(event)
        uses = (*event.paths, *_pattern_escapes(event))
        if not uses:
            return self._judge_other(event)
        verdicts = [self._decide(_path_case(event.tool_name, use)) for use in uses]
        return min(verdicts, key=lambda verdict: (_SEVERITY.index(verdict.decision), not verdict.is_firm))

    def _judge_command(self, event: PreToolUse) -> Verdict:
        command = str(event.tool_input.get("command", ""))
        shell, found = examine(command, cwd=event.cwd, homes=self._homes)
        if found is not None and found.decision == "deny":
            return Verdict(decision="deny", reason=found.reason)

        def matches(rule: Rule) -> bool:
            if rule.decision == "allow":
                return rule.allows_command(command)
            return rule.touches_command(command, shell)

        case = _Case(
            tool_name="bash",
            matches=matches,
            question="no rule allows this command",
            suggest=lambda: rule_for_command(command),
            always=found.reason if found else "",
        )
        return self._decide(case)

    def _judge_other(self, event: PreToolUse) -> Verdict:
        is_free = event.is_read_only or event.tool_name in _NEVER_ASKS
        case = _Case(
            tool_name=event.tool_name,
            matches=lambda rule: rule.spec is None,
            question=f"no rule allows `{event.tool_name}`",
            suggest=lambda: event.tool_name,
            is_change=not is_free,
            is_free=is_free,
        )
        return self._decide(case)

    def _decide(self, case: _Case) -> Verdict:
        if rule := self._first("deny", case):
            return Verdict(decision="deny", reason=f"denied by the rule `{rule.text}` ({rule.origin})")
        if self._mode == "plan" and case.is_change:
            return Verdict(decision="deny", reason=_IN_PLAN)
        if case.always:
            return Verdict(decision="ask", reason=case.always, is_firm=True)
        if rule := self._first("ask", case):
            reason = f"the rule `{rule.text}` ({rule.origin}) asks"
            return Verdict(decision="ask", reason=reason, is_firm=True)
        if case.is_free or self._is_allowed_by_mode(case) or self._first("allow", case):
            return Verdict(decision="allow")
        return Verdict(decision="ask", reason=case.question, rule_to_add=case.suggest())

    def _is_allowed_by_mode(self, case: _Case) -> bool:
        return self._mode == "bypass" or (self._mode == "accept-edits" and case.is_edit_inside)

    def _first(self, decision: Decision, case: _Case) -> Rule | None:
        return next((rule for rule in self._rules.of(decision, case.tool_name) if case.matches(rule)), None)


def _path_case(tool_name: str, use: PathUse) -> _Case:
    is_write = use.access == "write"
    is_protected = is_write and (use.is_own or _is_protected(use))
    place = "inside" if use.is_inside else "outside"
    return _Case(
        tool_name=tool_name,
        matches=lambda rule: rule.covers_path(use),
        question=f"`{tool_name}` would {use.access} `{use.shown}`, {place} the project",
        suggest=lambda: rule_for_path(tool_name, use),
        always=f"`{use.shown}` is protected: a change to it is always asked about" if is_protected else "",
        is_change=is_write,
        is_free=not is_write and (use.is_inside or use.is_own),
        is_edit_inside=is_write and use.is_inside,
    )


def _is_protected(use: PathUse) -> bool:
    """Tell whether a part of the path is protected; a project that lies in such a folder itself is not."""
    return any(
        part.casefold() in _PROTECTED for part in (use.shown if use.is_inside else use.path).split("/")
    )


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
