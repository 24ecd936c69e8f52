"""Whether a call may run, and as what: through hooks and permission to the user, who may change it first."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from agent.calls.approval import Answer, Approver, Asking, Question
from agent.calls.changed import Change
from agent.events import Emit
from agent.hooking.words import HookWords
from agent.session.session import Session
from agent.session.snapshots import Snapshots
from compaction.changed_input import By
from compaction.messages import ToolUseBlock
from hooks.commands.spelling import name_there
from hooks.engine import HookEngine
from hooks.events import Notification, Outcome, PathUse, PreToolUse
from tools.base import PreparedCall, ResolvedPath, Services, ToolError
from tools.paths import show
from tools.registry import ToolRegistry

SHOWN_CHARS = 200
"""Of a field that a hook changed, as it was."""
REFUSED = "Refused: "
"""How the result of a call begins that does not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchParts:
    """What a batch works with."""

    session: Session
    registry: ToolRegistry
    services: Services
    hooks: HookEngine
    words: HookWords
    """Takes what the hooks of this agent say."""
    approver: Approver
    emit: Emit
    snapshots: Snapshots
    asking: Asking
    """Held while the user is asked: one question at a time, whichever agent asks."""
    agent: str = ""
    agent_type: str = ""
    about: str = ""
    """What the agent is for; empty for the main one, as is ``agent_type``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A call as it would run, and what is said of it."""

    prepared: PreparedCall
    said: Outcome
    """By the hooks."""
    verdict: Outcome
    """By permission, after them."""
    sent: Mapping[str, Any]
    """The input as the model sent it, validated."""
    by: By | None = None
    """Who changed it since; None: nobody."""

    @property
    def input(self) -> dict[str, Any]:
        """What would run, as JSON."""
        return as_json(self.prepared)

    @property
    def change(self) -> Change | None:
        """What the model is to be told of a change; None: there is none."""
        if self.by is None:
            return None
        return Change(name=self.prepared.tool.name, sent=self.sent, given=self.input, by=self.by)


class Admission:
    """Settles for one agent which of its calls run."""

    def __init__(self, parts: BatchParts) -> None:
        self._parts = parts

    async def admit(self, call: ToolUseBlock, index: int) -> Case:
        """Return the call, the one at ``index`` of its reply, as hooks, permission and user let it run. Raises ToolError when they do not."""
        case = _not_denied(await self._examined(call, call["input"]))
        if case.verdict.decision == "ask":
            async with self._parts.asking.turn(self._parts.agent, index):
                # An answer given meanwhile may have made a rule that settles this one too.
                case = _not_denied(await self._judged(call, case))
                if case.verdict.decision == "ask":
                    case = await self._settled(call, case)
        return case

    async def _settled(self, call: ToolUseBlock, case: Case) -> Case:
        """Ask the user about ``case``, and about what he makes of it, where that is not his own word already.

        What he wrote is judged as any call. It is asked about again only for a reason that he was not told yet, or if
        a hook has made something else of it. Raises ToolError when he says no.
        """
        changed: Mapping[str, Any] | None = None
        problem = ""
        while True:
            answer = await self._asked(call, case, changed, problem)
            if answer.input is None or answer.input == case.input:
                return case
            changed = answer.input
            try:
                new = _not_denied(await self._examined(call, changed))
                new = replace(new, by="the user", sent=case.sent)
            except ToolError as error:
                problem = str(error).removeprefix(REFUSED)
                continue
            is_new_reason = new.verdict.is_firm and new.verdict.reason != case.verdict.reason
            if new.verdict.decision == "allow" or (new.input == answer.input and not is_new_reason):
                return new
            case, changed, problem = new, None, ""

    async def _asked(
        self, call: ToolUseBlock, case: Case, changed: Mapping[str, Any] | None, problem: str
    ) -> Answer:
        question = Question(
            call=cast("ToolUseBlock", {**call, "input": case.input}),
            reason=_reason(case),
            rule=case.verdict.rule_to_add,
            agent=self._parts.agent,
            agent_type=self._parts.agent_type,
            about=self._parts.about,
            waiting=self._parts.asking.waiting,
            changed=changed,
            problem=problem,
        )
        self._parts.hooks.fire_aside(_told_aside(question), lambda said: self._parts.words.show(said.notices))
        answer = await self._parts.approver.ask(question)
        if not answer.is_allowed:
            raise ToolError(f"{REFUSED}{answer.reason or 'the user said no'}")
        return answer

    async def _examined(self, call: ToolUseBlock, input: Mapping[str, Any]) -> Case:
        """Return what hooks and permission make of a call with ``input``. Raises ToolError where it is invalid."""
        prepared = self._prepare(call, dict(input))
        sent = as_json(prepared)
        said = await self._parts.hooks.fire(self._payload(call, prepared))
        self._parts.words.hear(said, "PreToolUse", about=_named(call))
        if said.stop_reason is not None:
            raise ToolError(f"{REFUSED}a hook ended the turn: {said.stop_reason}")
        if said.updated_input is not None and said.decision != "deny":
            prepared = self._prepare(call, dict(said.updated_input))
        by: By | None = "a hook" if as_json(prepared) != sent else None
        return await self._judged(call, Case(prepared=prepared, said=said, verdict=said, sent=sent, by=by))

    async def _judged(self, call: ToolUseBlock, case: Case) -> Case:
        """Return the case with what permission says of it after the hooks."""
        verdict = await self._parts.hooks.judge(self._payload(call, case.prepared), case.said)
        news = tuple(notice for notice in verdict.notices if notice not in case.said.notices)
        self._parts.words.show(news)
        return replace(case, verdict=verdict)

    def _prepare(self, call: ToolUseBlock, input: dict[str, Any]) -> PreparedCall:
        return self._parts.registry.prepare(
            call["name"], input, facts=self._parts.session.state, project=self._parts.services.project
        )

    def _payload(self, call: ToolUseBlock, prepared: PreparedCall) -> PreToolUse:
        return PreToolUse(
            tool_name=call["name"],
            tool_input=as_json(prepared),
            paths=uses_of(prepared, self._parts.services.project),
            cwd=str(self._parts.session.state.cwd),
            is_read_only=prepared.tool.is_read_only,
            agent=self._parts.agent,
            agent_type=self._parts.agent_type,
            call_id=call["id"],
        )


def uses_of(prepared: PreparedCall, project: Path) -> tuple[PathUse, ...]:
    """Return the paths of a call, as hooks and permission see them."""
    return tuple(as_use(path, project) for path in prepared.paths.values())


def as_json(prepared: PreparedCall) -> dict[str, Any]:
    """Return the input of a call as what would run, in the fields of its schema."""
    return prepared.input.model_dump(mode="json", exclude_none=True, by_alias=True)


def _named(call: ToolUseBlock) -> str:
    return f"{call['name']} {call['id']}"


def _told_aside(question: Question) -> Notification:
    """Return what hooks are told of a question, while it is open."""
    who = f"{question.agent}: " if question.agent else ""
    words = f"{who}permission is needed to use {name_there(question.call['name'])}"
    return Notification(message=words, title="Permission needed")


def _reason(case: Case) -> str:
    """Return why the user is asked; of what a hook made of the call he must know that it did."""
    change = case.change
    if change is None or change.by != "a hook":
        return case.verdict.reason
    fields = [key for key in change.changed if key in change.sent]
    was = "; ".join(f"`{key}` was {str(change.sent[key])[:SHOWN_CHARS]}" for key in fields)
    return f"{case.verdict.reason}\na hook changed it" + (f": {was}" if was else "")


def _not_denied(case: Case) -> Case:
    """Return ``case``. Raises ToolError where it is denied."""
    if case.verdict.decision == "deny":
        raise ToolError(f"{REFUSED}{case.verdict.reason}")
    return case


def as_use(path: ResolvedPath, project: Path) -> PathUse:
    """Return a resolved path as permission sees it."""
    written = path.written
    return PathUse(
        path=str(path.path),
        shown=path.shown,
        access=path.access,
        is_inside=path.is_inside,
        is_own=path.is_own,
        written=str(written or ""),
        written_shown=show(written, project=project) if written else "",
        is_shared=path.is_shared,
        is_caseless=path.is_caseless,
    )
