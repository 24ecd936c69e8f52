"""Runs the layers and acts on their plans: files first, then the record, then the view."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from agent.circumstances import Folders, shown_path, situation_of
from agent.clock import Clock
from agent.errors import BadRequest, ContextTooLong, ModelError, RequestTooLarge
from agent.events import Compacted, Emit, Notice
from agent.preview_compaction import preview_lines
from agent.protocols import Opening
from agent.query import ModelQuerier
from agent.request import Options, summary_request
from agent.session.keep import keep_file
from agent.session.session import Session
from compaction.messages import Block, text_of
from compaction.pipeline import Layer, plans
from compaction.plan import Plan, Trigger
from compaction.policy import Sizes
from compaction.situation import Situation
from compaction.summary import Surroundings, accepted, plan_from_summary, plan_summary
from compaction.tokens import USAGE_FIELDS
from hooks.engine import HookEngine
from hooks.events import PostCompact, PreCompact

SUMMARY_DEADLINE_S = 180.0
SUMMARY_TRIES = 2
TOO_LARGE = (ContextTooLong, RequestTooLarge, BadRequest)
"""Refusals that another request over this history would meet too: here the digest must do."""
PIN_SHARE = 20
"""Pins may take one part in so many of the threshold."""
STEPS_BETWEEN = 3
"""After a threshold compaction that did not get below the threshold, wait so many steps: no thrash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactorParts:
    """What a compactor works with."""

    session: Session
    querier: ModelQuerier
    hooks: HookEngine
    opening: Opening
    emit: Emit
    clock: Clock
    folders: Folders


class SessionCompactor:
    """Keeps one session's view within its working window."""

    def __init__(
        self, parts: CompactorParts, *, layers: Sequence[Layer], sizes: Sizes, options: Options
    ) -> None:
        self._parts = parts
        self._layers = layers
        self._sizes = sizes
        self._options = options
        self._rest_until_step = 0

    @property
    def sizes(self) -> Sizes:
        """The sizes of the working window."""
        return self._sizes

    async def fit(self) -> None:
        """Run the layers, then the summary when it was asked for or the threshold is passed."""
        state = self._parts.session.state
        for plan in plans(state.view, self._layers, self._situation):
            self._act(plan, {})
        if state.compact_wish is not None:
            await self.compact("manual", state.compact_wish)
        elif state.context_size > self._sizes.threshold and state.step >= self._rest_until_step:
            await self.compact("auto", "")
            if state.context_size > self._sizes.threshold:
                self._rest_until_step = state.step + STEPS_BETWEEN

    def _situation(self) -> Situation:
        return situation_of(self._parts.session.state, self._sizes, self._parts.folders, self._parts.clock)

    async def shrink(self, error: ContextTooLong) -> bool:
        """Summarise a history that the server refused; its own figures correct the meter and the window."""
        session = self._parts.session
        if 0 < error.maximum < self._sizes.window:
            self._sizes = replace(self._sizes, window=error.maximum)
        session.append("note", text=str(error), corrected_tokens=error.tokens)
        return await self.compact("reactive", "")

    async def compact(self, trigger: Trigger, focus: str) -> bool:
        """Put a summary in place of the history; False when it stays as it is, which is said."""
        outcome = await self._parts.hooks.fire(PreCompact(trigger=trigger, focus=focus))
        if outcome.decision == "deny" and trigger != "reactive":
            return self._stay(f"a hook refused the compaction: {outcome.reason}")
        try:
            summary, usage = await self._summarise(focus)
        except TOO_LARGE as error:
            if trigger == "manual":
                return self._stay(f"the summary failed, the history stays as it is: {error}")
            summary, usage = None, {}
        except ModelError as error:
            return self._stay(f"the summary failed, the history stays as it is: {error}")
        context, files = self._parts.opening.blocks()
        around = self._around(trigger, context)
        plan = plan_from_summary(self._parts.session.state.view, self._sizes, around, summary)
        if plan is None:
            return self._stay("nothing to compact: a summary would not be smaller", usage)
        if usage:
            plan.receipt["usage"] = usage
        if not self._act(plan, files):
            return False
        await self._parts.hooks.fire(PostCompact(trigger=trigger, summary=summary or ""))
        return True

    def preview(self) -> list[str]:
        """Return what a compaction would do now, as lines; nothing is changed."""
        state = self._parts.session.state
        context, _ = self._parts.opening.blocks()
        summary = plan_from_summary(state.view, self._sizes, self._around("manual", context), None)
        return preview_lines(state, self._layers, self._situation(), summary)

    def pin(self, words: str) -> str:
        """Keep ``words`` in every request from now on; return what to tell the user."""
        session = self._parts.session
        count = session.state.count
        taken = sum(count({"type": "text", "text": pin}) for pin in [*session.state.pins, words])
        most = self._sizes.threshold // PIN_SHARE
        if session.state.meter.ratio * taken > most:
            return f"not pinned: pins may take {most:,} tokens of this window"
        session.append("pin", text=words)
        session.sync()
        return f"pinned, as number {len(session.state.pins)}: it stays word for word through every compaction"

    def undo(self) -> str:
        """Take the newest compaction back; return what to tell the user."""
        state = self._parts.session.state
        if not state.standing:
            return "no compaction to undo"
        target = state.standing[-1]
        try:
            size = state.meter.size(state.timeline.without(target).tokens)
        except ValueError:
            return "the newest compaction cannot be undone: a later one builds on it"
        if size > self._sizes.window:
            return f"not undone: the context would be {size:,} tokens, the window is {self._sizes.window:,}"
        self._parts.session.append("undo", target=target, is_redo=False)
        self._parts.session.sync()
        return f"undone: the context is {state.context_size:,} tokens again; /compact redo"

    def redo(self) -> str:
        """Make the compaction again that was undone last; return what to tell the user."""
        state = self._parts.session.state
        if not state.timeline.redoable:
            return "no compaction to redo"
        self._parts.session.append("undo", target=state.timeline.redoable[-1], is_redo=True)
        self._parts.session.sync()
        return f"redone: the context is {state.context_size:,} tokens"

    async def _summarise(self, focus: str) -> tuple[str | None, dict[str, Any]]:
        """Ask the model for a summary; None when it gave none that can be used."""
        asked = plan_summary(self._sizes, focus)
        spent: dict[str, Any] = {}
        try:
            async with asyncio.timeout(SUMMARY_DEADLINE_S):
                for _ in range(SUMMARY_TRIES):
                    reply = await self._parts.querier.ask(
                        lambda: summary_request(
                            self._parts.session.state, self._options, asked.instruction, asked.max_tokens
                        )
                    )
                    spent = _added(spent, reply.usage or {})
                    if summary := accepted(text_of(reply.content), reply.stop_reason):
                        return summary, spent
        except TimeoutError:
            self._parts.emit(Notice(text="the summary took too long", is_error=True))
        return None, spent

    def _around(self, trigger: Trigger, context: Sequence[Block]) -> Surroundings:
        state = self._parts.session.state
        return Surroundings(
            context=context,
            active=state.active,
            earlier=state.earlier,
            pins=state.pins,
            kept=state.spills,
            before=[shown_path(state, path) for path in sorted(state.own_files)],
            todos=_todo_lines(state.todos),
            archive_path=self._parts.folders.archive(state.archives + 1),
            trigger=trigger,
            size=state.meter.size,
        )

    def _act(self, plan: Plan, context_files: Mapping[str, str]) -> bool:
        """Write the plan's files, append its record; False when the disk refuses: then nothing changes."""
        session = self._parts.session
        try:
            for file in plan.files:
                keep_file(session.state.project / file.path, file.data)
        except OSError as error:
            archive = plan.files[0].path
            return self._stay(f"compaction paused: `{archive}` cannot be written: {error.strerror}")
        session.append(
            "compaction",
            layer=plan.layer,
            trigger=plan.trigger,
            changes=list(plan.changes),
            files=[
                {"path": file.path, "sha256": file.sha256, "bytes": len(file.data)} for file in plan.files
            ],
            receipt=plan.receipt,
            context_files=dict(context_files),
        )
        session.sync()
        if plan.layer != "restore":
            self._parts.emit(Compacted(receipt=cast("dict[str, Any]", plan.receipt)))
        return True

    def _stay(self, reason: str, usage: dict[str, Any] | None = None) -> bool:
        self._parts.session.append("note", text=reason, compact_refused=True, usage=usage or None)
        self._parts.emit(Notice(text=reason, is_error=True))
        return False


def _added(total: dict[str, Any], usage: dict[str, Any]) -> dict[str, Any]:
    return {field: int(total.get(field) or 0) + int(usage.get(field) or 0) for field in USAGE_FIELDS}


def _todo_lines(todos: Sequence[Any]) -> str:
    return "\n".join(f"- [{todo['status']}] {todo['content']}" for todo in todos)
