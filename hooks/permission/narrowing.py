"""What an agent of a type may do less than its parent: it can lose rights by this, and gain none."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hooks.events import PreToolUse, Verdict
from hooks.permission.denylist import examine
from hooks.permission.grants import Grants
from hooks.permission.judge import Mode, Permission
from hooks.permission.places import Places
from hooks.permission.rules import PermissionRules, Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """The bounds of one type; those of the defaults take nothing away.

    ``whose``: how the model is told of the type, such as "the agent type `explore`".
    """

    whose: str = "this agent type"
    mode: Mode = "bypass"
    """Its calls are judged in no looser mode."""
    tools: frozenset[str] | None = None
    """The only tools that it has; None: all."""
    limits: Mapping[str, tuple[Rule, ...]] = field(default_factory=dict)
    """Tool -> rules of which one must cover each call of it; bash may, beside that, run what only reads, unless `read`
    itself stands here."""
    denied: PermissionRules = field(default_factory=PermissionRules)
    """Further rules that deny."""

    def judge(self, permission: Permission, event: PreToolUse) -> Verdict:
        """Return what a call may do: what ``permission`` says, or less."""
        if problem := self._beyond(permission, event):
            return Verdict(decision="deny", reason=problem)
        told = f"{self.whose} changes nothing: files can be read, and commands run that only read"
        narrowed = permission.narrowed(mode=self.mode, denied=self.denied, told=told)
        verdict = narrowed.judge(event)
        if verdict.decision == "ask" and narrowed.mode != permission.mode:
            return replace(verdict, reason=f"{self.whose} asks: {verdict.reason}")
        return verdict

    def _beyond(self, permission: Permission, event: PreToolUse) -> str:
        """Return why the call is not one of this type's; empty when it is."""
        if self.tools is not None and event.tool_name not in self.tools:
            return f"{self.whose} has no tool `{event.tool_name}`"
        limits = self.limits.get(event.tool_name)
        if limits is None:
            return ""
        if event.tool_name == "bash":
            return self._command_beyond(permission, event, limits)
        is_within = all(any(rule.covers_path(use) for rule in limits) for use in event.paths)
        return "" if event.paths and is_within else f"{self.whose} has only {_named(limits)}"

    def _command_beyond(self, permission: Permission, event: PreToolUse, limits: tuple[Rule, ...]) -> str:
        command = str(event.tool_input.get("command", ""))
        if any(rule.allows_text(command) for rule in limits):
            return ""
        places = Places.starting(project=str(permission.project or event.cwd), cwd=event.cwd)
        shell, _ = examine(command, cwd=event.cwd, protection=permission.protection, project=places.project)
        may_read = "read" not in self.limits
        grants = Grants(limits, places, may_read=may_read)
        problem = grants.objection(shell) if shell else "the command cannot be read"
        runs = [*(["commands that read"] if may_read else []), *([_named(limits)] if limits else [])]
        return f"{self.whose} runs only {', and '.join(runs) or 'nothing'}: {problem}" if problem else ""


def _named(limits: tuple[Rule, ...]) -> str:
    return ", ".join(f"`{rule.text}`" for rule in limits)
