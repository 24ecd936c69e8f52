"""A listener without a screen: what it has committed, and what stands below."""

import re
from typing import Any, cast

from agent import events as ev
from agent.terminal.show import Show
from compaction.messages import ToolResultBlock, ToolUseBlock
from tests.support.agent import FakeClock

SGR = re.compile("\x1b\\[[0-9;]*m")
COLUMNS = 60


class Seen:
    """A listener, what it committed, and what stands below."""

    def __init__(self) -> None:
        self.above: list[str] = []
        self.clock = FakeClock(step_s=0.0)
        self.show = Show(
            commit=self.above.append, refresh=lambda: None, width=lambda: COLUMNS, clock=self.clock
        )

    def __call__(self, *events: ev.Event) -> str:
        """Take events; return all that was committed so far, without colours."""
        for event in events:
            self.show(event)
        return SGR.sub("", "".join(self.above))

    def activity(self, width: int = COLUMNS) -> list[str]:
        """The lines of what runs, without colours."""
        return [SGR.sub("", line) for line in self.show.activity.lines(width)]

    def tail(self) -> list[str]:
        """The unfinished answer, without colours."""
        return [SGR.sub("", line) for line in self.show.tail(COLUMNS)]


def call(id_: str, name: str = "bash", **given: Any) -> ToolUseBlock:
    """A call."""
    return cast(
        "ToolUseBlock", {"type": "tool_use", "id": id_, "name": name, "input": given or {"command": id_}}
    )


def finished(id_: str, text: str = "ok") -> ev.CallFinished:
    """The end of a call of bash."""
    result = cast("ToolResultBlock", {"type": "tool_result", "tool_use_id": id_, "content": text})
    return ev.CallFinished(call=call(id_), result=result, facts={"note": "done"})


def reply(*content: Any) -> ev.ReplyReceived:
    """A reply that is in the history."""
    return ev.ReplyReceived(
        message_id="m", model="m", content=content, stop_reason="end_turn", usage={}, size=1
    )
