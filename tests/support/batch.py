"""A batch of calls over tools that tell who runs beside whom."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agent.api.reply import Reply
from agent.calls.batch import BatchParts, ToolBatch
from agent.calls.locks import PathLocks
from agent.hooking.words import HookWords
from agent.journal import append_reply
from agent.session.snapshots import Snapshots
from compaction.messages import ToolUseBlock
from tests.support.agent import Harness, scenario
from tools.base import Services, Tool, ToolContext, ToolError, ToolInput, ToolResult
from tools.registry import ToolRegistry
from tools.running import Jobs


def call(name: str, number: int = 0, **input: Any) -> ToolUseBlock:
    """A call."""
    return {"type": "tool_use", "id": f"call_{number}", "name": name, "input": input}


def reply_of(*calls: ToolUseBlock, malformed: dict[str, str] | None = None) -> Reply:
    """A reply with these calls."""
    return Reply(
        id="msg",
        model="claude-sonnet-5-5",
        content=list(calls),
        stop_reason="tool_use",
        stop_details=None,
        usage=None,
        malformed=malformed or {},
        cut=[],
        input_transformations=[],
    )


def _services(harness: Harness) -> Services:
    return Services(
        project=harness.project,
        spill_folder=harness.project / "spills",
        locks=PathLocks(),
        jobs=Jobs(),
        skills=harness.shared.skills,
        spawn=None,
    )


class SlowInput(ToolInput):
    """How long, as turns of the event loop."""

    turns: int = 1
    fails: bool = False


class Bench:
    """A batch over tools that tell who runs beside whom."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.session = harness.agent.session
        self.running: list[str] = []
        self.most_running = 0
        self.beside: dict[str, set[str]] = {}
        self.ended: list[str] = []
        tools = [
            Tool(
                name=name, description=name, input_model=SlowInput, run=self._run, is_read_only=name == "look"
            )
            for name in ("look", "task", "change")
        ]
        self.batch = ToolBatch(
            BatchParts(
                session=self.session,
                registry=ToolRegistry(tools),
                services=_services(harness),
                words=HookWords(harness.shared.emit),
                hooks=harness.shared.hooks,
                approver=harness.shared.approver,
                emit=harness.listen,
                snapshots=Snapshots(self.session),
                asking=harness.shared.asking,
            )
        )

    async def run(
        self, *calls: ToolUseBlock, malformed: dict[str, str] | None = None
    ) -> list[dict[str, Any]]:
        """Run the calls; return their result records in the order of the answer."""
        reply = reply_of(*calls, malformed=malformed)
        append_reply(self.session, reply)
        records = await self.batch.run(reply)
        results = [self.session.state.calls.results[record] for record in records]
        self.session.answer(records)
        return results

    async def _run(self, input: SlowInput, ctx: ToolContext) -> ToolResult:
        name = ctx.call_id
        self.running.append(name)
        self.most_running = max(self.most_running, len(self.running))
        ctx.progress(f"{name} runs")
        try:
            for _ in range(input.turns):
                await asyncio.sleep(0.001)
                self.beside.setdefault(name, set()).update(self.running)
        finally:
            self.running.remove(name)
        self.ended.append(name)
        if input.fails:
            raise ToolError("it failed; try another way")
        return ToolResult(content=f"{name} done")


@asynccontextmanager
async def bench(folder: Path, **how: Any) -> AsyncGenerator[Bench, None]:
    """A bench in ``folder``."""
    async with scenario(folder, **how) as harness:
        yield Bench(harness)
