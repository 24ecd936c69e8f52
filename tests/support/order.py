"""The order of events as the docstring of `agent.events` draws it, as a machine that takes one event after another."""

from collections.abc import Iterable, Mapping

from agent.events import (
    CallDelta,
    CallFinished,
    CallProgress,
    CallStarted,
    Compacted,
    Event,
    FromSubagent,
    HooksRunning,
    Notice,
    ReplyDiscarded,
    ReplyReceived,
    ResultsSent,
    RetryWaiting,
    StepStarted,
    SummaryStarted,
    TextDelta,
    ThinkingDelta,
    TurnEnded,
    TurnStarted,
)
from compaction.messages import tool_uses

ANYWHERE = (HooksRunning, Notice, FromSubagent)
FORCED = ("interrupted", "error", "limit", "stopped")
NEXT: Mapping[str, Mapping[type, str]] = {
    "idle": {TurnStarted: "between", TurnEnded: "idle"},
    "between": {
        Compacted: "between",
        SummaryStarted: "summing",
        StepStarted: "asking",
        TurnEnded: "idle",
    },
    "summing": {
        RetryWaiting: "summing",
        Compacted: "between",
        StepStarted: "asking",
        TurnEnded: "idle",
    },
    "asking": {
        TextDelta: "asking",
        ThinkingDelta: "asking",
        CallDelta: "asking",
        ReplyDiscarded: "discarded",
        ReplyReceived: "answering",
        Compacted: "between",
        SummaryStarted: "summing",
        RetryWaiting: "asking",
        TurnEnded: "idle",
    },
    "discarded": {RetryWaiting: "asking", TurnEnded: "idle"},
    "answering": {
        CallStarted: "answering",
        CallProgress: "answering",
        CallFinished: "answering",
        ResultsSent: "between",
        Compacted: "between",
        SummaryStarted: "summing",
        StepStarted: "asking",
        TurnEnded: "idle",
    },
}


def check_order(events: Iterable[Event]) -> None:
    """Check the events of whole turns, one after another; those of a subagent by themselves."""
    own: dict[str, list[Event]] = {}
    place, reply = "idle", _Calls()
    for event in events:
        if isinstance(event, FromSubagent):
            own.setdefault(event.agent, []).append(event.event)
        if isinstance(event, ANYWHERE):
            continue
        allowed = NEXT[place]
        assert type(event) in allowed, f"{type(event).__name__} in `{place}`"
        if place == "answering":
            reply.take(event)
        if isinstance(event, ReplyReceived):
            reply = _Calls(event)
        place = allowed[type(event)]
    assert place == "idle", f"a turn stays open in `{place}`"
    for list_ in own.values():
        check_order(list_)


class _Calls:
    """The calls of one reply and how far each is."""

    def __init__(self, reply: ReplyReceived | None = None) -> None:
        is_run = reply is not None and reply.stop_reason != "refusal"
        calls = tool_uses(reply.content) if reply is not None and is_run else []
        self._at = {call["id"]: "" for call in calls}

    def take(self, event: Event) -> None:
        """Take an event behind the reply."""
        match event:
            case CallStarted(call=call):
                self._move(call["id"], ("",), "runs")
            case CallProgress(call_id=id_):
                self._move(id_, ("runs",), "runs")
            case CallFinished(call=call, result=result):
                assert result["tool_use_id"] == call["id"]
                self._move(call["id"], ("", "runs"), "finished")
            case TurnEnded(reason=reason) if reason in FORCED:
                return
            case _:
                assert set(self._at.values()) <= {"finished"}, f"{event} while a call is open: {self._at}"

    def _move(self, id_: str, allowed: tuple[str, ...], now: str) -> None:
        assert self._at[id_] in allowed, f"call {id_}: `{self._at[id_]}` -> `{now}`"
        self._at[id_] = now
