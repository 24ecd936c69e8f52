"""The calls of one reply: cut into runs, each call through hooks and permission to exactly one result."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, cast

from agent.api.reply import Reply
from agent.calls.admission import Admission, BatchParts, Case, uses_of
from agent.events import CallFinished, CallProgress, CallStarted, Notice
from agent.journal import NOT_RUN
from agent.session.state import result_block
from compaction.messages import ToolResultBlock, ToolUseBlock, tool_uses
from hooks.events import PathUse, PostToolUse, PostToolUseFailure
from tools.base import Content, PreparedCall, ToolContext, ToolError, ToolResult

__all__ = ["BatchParts", "ToolBatch", "cut_into_runs"]
MAX_READS = 8
MAX_TASKS = 4
STOPPED = "Interrupted by the user while it ran; it may have taken effect. Check before you repeat it."
TURN_ENDED = "Not run: a hook ended the turn before this call started."
SHOWN_RAW_CHARS = 300


class ToolBatch:
    """Runs the calls of a reply for one agent."""

    def __init__(self, parts: BatchParts) -> None:
        self._parts = parts
        self._session = parts.session
        self._admission = Admission(parts)
        self.has_run = False
        """A call of the last reply was started, and could do something."""

    async def run(self, reply: Reply) -> list[str]:
        """Run the calls of ``reply``; return the ids of their result records, in call order."""
        self.has_run = False
        calls = tool_uses(reply.content)
        records: list[str] = []
        is_stopped = False
        for run in cut_into_runs(calls, self._parts.registry.is_read_only):
            if is_stopped or self._parts.words.is_stopped:
                records += [self._refuse(call, NOT_RUN if is_stopped else TURN_ENDED) for call in run]
                continue
            limit = asyncio.Semaphore(MAX_TASKS if run[0]["name"] == "task" else MAX_READS)
            works = [
                asyncio.ensure_future(self._one(call, calls.index(call), reply.malformed, limit))
                for call in run
            ]
            try:
                await asyncio.wait(works)
            except asyncio.CancelledError:
                is_stopped = True
                for work in works:
                    work.cancel()
                await asyncio.wait(works)
            records += [
                self._refuse(call, NOT_RUN) if work.cancelled() else work.result()
                for call, work in zip(run, works, strict=True)
            ]
        self._session.sync()
        return records

    def take_contexts(self) -> list[str]:
        """Return once what hooks had to add about the last batch."""
        return self._parts.words.take()

    def take_stop(self) -> str | None:
        """Return once why a hook wants the turn to end; None: none does."""
        return self._parts.words.take_stop()

    async def _one(
        self, call: ToolUseBlock, index: int, malformed: dict[str, str], limit: asyncio.Semaphore
    ) -> str:
        """Bring one call to its result record; cancelled, to one that says so."""
        stopped = NOT_RUN
        try:
            async with limit:
                if call["id"] in malformed:
                    return self._refuse(call, _malformed_text(malformed[call["id"]]))
                case = await self._admission.admit(call, index)
                stopped = STOPPED
                if change := case.change:
                    stopped = f"{change.head()}{STOPPED}"
                return await self._run(call, index, case)
        except ToolError as error:
            return self._refuse(call, str(error))
        except asyncio.CancelledError:
            return self._refuse(call, stopped)

    async def _run(self, call: ToolUseBlock, index: int, case: Case) -> str:
        session, prepared, given, change = self._session, case.prepared, case.input, case.change
        changed: dict[str, Any] = {"input": given} if given != call["input"] else {}
        if change:
            changed["told"] = change.head()
        session.append("call", call=call["id"], name=call["name"], **changed)
        session.sync()
        permitted = cast("ToolUseBlock", {**call, "input": given})
        self._parts.emit(CallStarted(call=permitted))
        await self._keep_files(prepared)
        ctx = ToolContext(
            facts=session.state,
            services=self._parts.services,
            call_id=call["id"],
            step=session.state.step,
            index=index,
            paths=prepared.paths,
            progress=lambda text: self._parts.emit(CallProgress(call_id=call["id"], text=text)),
        )
        began = time.monotonic()
        result = await self._parts.registry.run(prepared, ctx)
        took = time.monotonic() - began
        self.has_run = self.has_run or not result.facts.get("not_run", False)
        if change:
            result = change.told(result)
        record = self._record(permitted, result)
        # The result stands: an interrupt only cuts off what hooks would have said of it.
        with suppress(asyncio.CancelledError):
            await self._after(permitted, uses_of(prepared, self._parts.services.project), result, took)
        return record

    async def _keep_files(self, prepared: PreparedCall) -> None:
        """Keep what the call may change as it is."""
        for path in prepared.paths.values():
            if path.access == "write" and (remark := await self._parts.snapshots.before_change(path.path)):
                self._parts.emit(Notice(text=remark, is_error=True))

    async def _after(
        self, call: ToolUseBlock, paths: tuple[PathUse, ...], result: ToolResult, took_s: float
    ) -> None:
        about: dict[str, Any] = {
            "tool_name": call["name"],
            "tool_input": call["input"],
            "paths": paths,
            "duration_s": took_s,
            "agent": self._parts.agent,
            "agent_type": self._parts.agent_type,
            "call_id": call["id"],
        }
        text = _shown(result.content)
        event = (
            PostToolUseFailure(error=text, **about)
            if result.is_error
            else PostToolUse(tool_response=text, **about)
        )
        outcome = await self._parts.hooks.fire(event)
        if outcome.decision == "deny":
            outcome = replace(outcome, contexts=(*outcome.contexts, f"It objects: {outcome.reason}"))
        self._parts.words.hear(outcome, event.event_name, about=f"{call['name']} {call['id']}")

    def _refuse(self, call: ToolUseBlock, text: str) -> str:
        return self._record(call, ToolResult(content=text, is_error=True))

    def _record(self, call: ToolUseBlock, result: ToolResult) -> str:
        spill = {"spill": asdict(result.spill)} if result.spill else {}
        record = self._session.append(
            "result",
            call=call["id"],
            name=call["name"],
            content=result.content,
            is_error=result.is_error,
            facts=result.facts,
            **spill,
        )
        logged = self._session.state.calls.results[record]
        block = cast("ToolResultBlock", result_block(logged))
        self._parts.emit(CallFinished(call=call, result=block, facts=result.facts))
        return record


def cut_into_runs(
    calls: Sequence[ToolUseBlock], is_read_only: Callable[[str], bool]
) -> list[list[ToolUseBlock]]:
    """Cut calls into runs: adjacent reads together, adjacent tasks together, every other call alone."""
    runs: list[list[ToolUseBlock]] = []
    previous = ""
    for call in calls:
        kind = "task" if call["name"] == "task" else "read" if is_read_only(call["name"]) else ""
        if kind and kind == previous:
            runs[-1].append(call)
        else:
            runs.append([call])
        previous = kind
    return runs


def _malformed_text(raw: str) -> str:
    shown = raw if len(raw) <= SHOWN_RAW_CHARS else f"{raw[:SHOWN_RAW_CHARS]}…"
    return f"Not run: the arguments are no JSON object: {shown}\nSend the call again with valid arguments."


def _shown(content: Content) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in content if part.get("type") == "text")
