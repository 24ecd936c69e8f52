"""Permission: judges every call by the built-in list, the rules and the mode."""

import os
import posixpath
from pathlib import Path
from typing import Literal

from hooks.events import Decision, PreToolUse, Verdict
from hooks.permission.case import Case, path_cases
from hooks.permission.denylist import examine
from hooks.permission.grants import Grants
from hooks.permission.named import about_named
from hooks.permission.places import Places
from hooks.permission.protected import Protection
from hooks.permission.rules import PermissionRules, Rule, parse_rule
from hooks.permission.suggest import rule_for_command, rule_for_part
from hooks.shell.reader import Shell

Mode = Literal["ask", "accept-edits", "plan", "bypass"]
STRICTEST_FIRST: tuple[Mode, ...] = ("plan", "ask", "accept-edits", "bypass")

_NEVER_ASKS = frozenset({"todo_write", "load_skill", "compact", "task"})
"""Tools that do nothing outside the session; the calls of a subagent are judged one by one."""
_IN_PLAN = (
    "the session is in plan mode: nothing is changed; files can be read, and commands run that only read. "
    "Write down what you would do; the user leaves plan mode when it should be done."
)
_SEVERITY: tuple[Decision, ...] = ("deny", "ask", "allow")


class Permission:
    """What a call may do, for the main agent and its subagents alike.

    ``home``: the user's home folder, which no command may remove; by default the one of this process. ``protected``:
    further files and folders whose change is asked about in every mode, absolute, resolved. ``project``: the folder
    that commands may read unasked; by default the one that bash starts in. ``readable``: folders outside it whose files
    tools may read unasked, absolute, resolved.
    """

    def __init__(
        self,
        mode: Mode = "ask",
        rules: PermissionRules | None = None,
        *,
        home: Path | None = None,
        protected: tuple[str, ...] = (),
        project: Path | None = None,
        readable: tuple[str, ...] = (),
    ) -> None:
        self._mode: Mode = mode
        self._rules = rules or PermissionRules()
        self.project = project
        self._readable = readable
        self._in_plan = _IN_PLAN
        folder = str(home or Path.home())
        self._homes = tuple({posixpath.normpath(folder), os.path.realpath(folder)})
        self.protection = Protection(homes=self._homes, more=protected)

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

    def narrowed(self, *, mode: Mode, denied: PermissionRules, told: str) -> "Permission":
        """Return what judges as this one does now, by further rules that deny, and in ``mode`` if that is stricter.

        ``told``: why nothing may be changed, where that is by ``mode`` and not by the session's.
        """
        other = Permission(stricter(self._mode, mode), self._rules.joined(denied), project=self.project)
        other._homes, other.protection = self._homes, self.protection
        other._readable = self._readable
        other._in_plan = self._in_plan if self._mode == "plan" else told
        return other

    def allow_always(self, rule: str, *, origin: str = "session") -> None:
        """Add an allow rule; ``origin``: where it is kept, by default nowhere. Raises RuleError."""
        added = PermissionRules(rules=(parse_rule(rule, "allow", origin=origin),))
        if added.rules[0] not in self._rules.rules:
            self._rules = self._rules.joined(added)

    def forget(self, rule: Rule) -> None:
        """Judge all further calls without ``rule``."""
        self._rules = PermissionRules(rules=tuple(one for one in self._rules.rules if one != rule))

    def judge(self, event: PreToolUse) -> Verdict:
        """Return what the call may do, by its final input and its resolved paths.

        Contract: the built-in list denies in every mode; then deny rules, what plan mode forbids, what is always
        asked about unless an allow rule names exactly that, ask rules, allow rules, and last the mode. Of several
        paths the worst decides.
        """
        if event.tool_name == "bash":
            return self._judge_command(event)
        cases = path_cases(event, self.protection, self._readable)
        if not cases:
            return self._judge_other(event)
        verdicts = [self._decide(case) for case in cases]
        return min(verdicts, key=lambda verdict: (_SEVERITY.index(verdict.decision), not verdict.is_firm))

    def _judge_command(self, event: PreToolUse) -> Verdict:
        command = str(event.tool_input.get("command", ""))
        places = Places.starting(project=str(self.project or event.cwd), cwd=event.cwd)
        shell, found = examine(command, cwd=event.cwd, protection=self.protection, project=places.project)
        if found is not None and found.decision == "deny":
            return Verdict(decision="deny", reason=found.reason)
        kept = about_named(self._rules, shell, event.cwd, places.project) if shell else None
        if kept is not None and kept.decision == "deny":
            return kept
        asked = found or kept
        change = Grants((), places).objection(shell) if shell else "the command cannot be read"
        reads_only = not change
        grants = Grants(self._rules.of("allow", "bash"), places)
        objection = grants.objection(shell) if shell and not reads_only else ""
        is_alone = shell is not None and len(shell.commands) == 1 and objection.startswith("no rule")

        def matches(rule: Rule) -> bool:
            if rule.decision == "allow":
                return rule.allows_text(command)
            return rule.touches_command(command, shell)

        case = Case(
            tool_name="bash",
            matches=matches,
            question="no rule allows this command" if is_alone or not objection else objection,
            suggest=lambda: _missing_rule(shell, grants, places) or rule_for_command(command),
            always=asked.reason if asked else self._uncertainty(command, shell),
            is_change=not reads_only,
            change=_as_change(change),
            is_free=shell is not None and not objection,
        )
        return self._decide(case)

    def _uncertainty(self, command: str, shell: Shell | None) -> str:
        """Return why nobody can tell whether a rule that denies or asks is about ``command``; empty if it is clear."""
        for rule in (*self._rules.of("deny", "bash"), *self._rules.of("ask", "bash")):
            if shell and rule.may_touch(shell) and not rule.touches_command(command, shell):
                return (
                    f"it may be what the rule `{rule.text}` ({rule.origin}) is about; only running it tells"
                )
        return ""

    def _judge_other(self, event: PreToolUse) -> Verdict:
        is_free = event.is_read_only or event.tool_name in _NEVER_ASKS
        case = Case(
            tool_name=event.tool_name,
            matches=lambda rule: rule.covers_type(str(event.tool_input.get("agent_type") or "general")),
            question=f"no rule allows `{event.tool_name}`",
            suggest=lambda: event.tool_name,
            is_change=not is_free,
            is_free=is_free,
        )
        return self._decide(case)

    def _decide(self, case: Case) -> Verdict:
        if rule := self._first("deny", case):
            return Verdict(decision="deny", reason=f"denied by the rule `{rule.text}` ({rule.origin})")
        if self._mode == "plan" and case.is_change:
            return Verdict(decision="deny", reason=f"{self._in_plan}{case.change and f' ({case.change})'}")
        if case.always and not self._is_named_exactly(case):
            return Verdict(decision="ask", reason=case.always, is_firm=True)
        if rule := self._first("ask", case):
            reason = f"the rule `{rule.text}` ({rule.origin}) asks"
            return Verdict(decision="ask", reason=reason, is_firm=True)
        if case.is_free or self._is_allowed_by_mode(case) or self._first("allow", case):
            return Verdict(decision="allow")
        return Verdict(decision="ask", reason=case.question, rule_to_add=case.suggest())

    def _is_named_exactly(self, case: Case) -> bool:
        rules = self._rules.of("allow", case.tool_name)
        return any(case.names_exactly(rule) and case.matches(rule) for rule in rules)

    def _is_allowed_by_mode(self, case: Case) -> bool:
        return self._mode == "bypass" or (self._mode == "accept-edits" and case.is_edit_inside)

    def _first(self, decision: Decision, case: Case) -> Rule | None:
        return next((rule for rule in self._rules.of(decision, case.tool_name) if case.matches(rule)), None)


def stricter(one: Mode, other: Mode) -> Mode:
    """Return the mode that lets less through."""
    return min(one, other, key=STRICTEST_FIRST.index)


def _as_change(objection: str) -> str:
    """Return what is against a command as one that only reads, where rules are of no use."""
    unknown = objection.removeprefix("no rule allows ")
    return objection if unknown == objection else f"{unknown} is not known to only read"


def _missing_rule(shell: Shell | None, grants: Grants, places: Places) -> str:
    """Return the rule for a part of ``shell`` that would allow the whole; empty when one alone does not."""
    text = rule_for_part(grants.missing) if shell and len(shell.commands) > 1 else ""
    if shell is None or not text:
        return ""
    added = parse_rule(text, "allow", origin="session")
    return "" if Grants((*grants.rules, added), places).objection(shell) else text
