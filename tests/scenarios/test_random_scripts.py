"""Any script: nothing the model or the server does may spoil the history, the log or the order of events.

`PALIMPSEST_EXAMPLES=2000 pytest -n 0 tests/scenarios/test_random_scripts.py` tries more of them.
"""

import asyncio
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.events import Event
from agent.offline import (
    Fault,
    Reply,
    always,
    calls,
    empty,
    error,
    hangs_up,
    last_text_starts,
    raw_call,
    redacted,
    refuses,
    says,
    system_has,
    thinks,
    when,
)
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario
from tests.support.invariants import SUBAGENT
from tests.support.order import check_order

EXAMPLES = int(os.environ.get("PALIMPSEST_EXAMPLES", "25"))
FILES = {
    "a.txt": "one\ntwo\nthree\n",
    ".agent/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nDo it.\n",
}
ROUTES = (
    when(last_text_starts(OPENING), always(says("<summary>1. Pending work: none</summary>"))),
    when(system_has(SUBAGENT), always(says("Sub."))),
)
IDS = st.sampled_from([None, None, None, "call_0", "", "bad id!"])
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("read", {"file_path": "a.txt"}),
    ("read", {"file_path": "missing.txt"}),
    ("glob", {"pattern": "**/*"}),
    ("edit", {"file_path": "a.txt", "old_string": "two", "new_string": "2"}),
    ("write", {"file_path": "b.txt", "content": "b"}),
    ("bash", {"command": "echo out; exit 3"}),
    ("todo_write", {"todos": [{"content": "x", "status": "in_progress"}]}),
    ("task", {"description": "d", "prompt": "p"}),
    ("load_skill", {"name": "s"}),
    ("compact", {}),
    ("bash", {"command": "true", "extra": 1}),
    ("wrtie", {}),
    ("no such tool", {"x": None}),
)
BAD_JSON = ("", "{", '{"file_path": "a', "[]", '"x"', "null", '{"a": NaN}', '{"command": "\\ud83d"}', "{}")
STOP_REASONS = (
    "end_turn",
    "tool_use",
    "max_tokens",
    "stop_sequence",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
    "bored",
)


@st.composite
def bodies(draw: st.DrawFn) -> Reply:
    """Thinking, text and calls in the order in which models write them, each or none."""
    reply = empty()
    for thought in draw(st.lists(st.sampled_from(["", "Hm. ", "Größe"]), max_size=2)):
        reply += thinks(thought)
    if draw(st.booleans()):
        reply += says(draw(st.text(max_size=20)))
    if draw(st.integers(0, 9)) == 0:
        reply += redacted("x")
    for _ in range(draw(st.integers(0, 3))):
        name, arguments = draw(st.sampled_from(CALLS))
        reply += calls(name, draw(IDS), **arguments)
    if draw(st.integers(0, 4)) == 0:
        reply += raw_call(draw(st.sampled_from(["write", "bash", "read"])), draw(st.sampled_from(BAD_JSON)))
    return reply


@st.composite
def answers(draw: st.DrawFn) -> Reply | Fault:
    """A reply, whole, cut or broken, or none at all."""
    kind = draw(st.sampled_from(["whole"] * 6 + ["reason", "error", "cut", "inside", "fault", "refusal"]))
    if kind == "fault":
        status = draw(st.sampled_from([400, 401, 404, 413, 429, 500, 529, 0]))
        return error(status) if status else hangs_up()
    if kind == "refusal":
        return refuses("No.", category=draw(st.sampled_from(["cyber", None])))
    reply = draw(bodies())
    if kind == "reason":
        return reply.having(stop_reason=draw(st.sampled_from(STOP_REASONS)))
    if kind == "error":
        return reply.then_error(
            draw(st.sampled_from(["overloaded_error", "api_error", "invalid_request_error"]))
        )
    if kind == "cut":
        return reply.then_cut(clean=draw(st.booleans()))
    if kind == "inside":
        return reply.cut_after(draw(st.integers(0, 10)), clean=draw(st.booleans()))
    return replace(reply, chunk_chars=draw(st.sampled_from([1, 5, 12])))


async def play(script: list[Reply | Fault], *, interrupt_at: int, steer_at: int) -> None:
    """Play a script over two turns and a resume; the harness checks what must hold."""
    with tempfile.TemporaryDirectory() as folder:
        async with scenario(
            Path(folder), *script, always(says("End.")), files=FILES, routes=ROUTES, patience={"max_tries": 3}
        ) as harness:
            at_event(harness, interrupt_at, harness.interrupt)
            at_event(harness, steer_at, lambda: harness.steer("typed meanwhile"))
            await harness.turn("First.")
            await harness.turn("Second.")
            await harness.resume()
            ended = await harness.turn("Third.")
            for _ in range(len(script) + 2):  # it may have saved its worst for last
                if ended.reason != "done":
                    ended = await harness.turn("Again.")
            assert ended.reason == "done", (ended, harness.server.refusals)
            check_order(harness.events)
            assert harness.state.waiting == {}
            assert "Third." in str(harness.server.queries[-1].body["messages"])


def at_event(harness: Harness, number: int, act: Any) -> None:
    """Do something inside the emit of an event."""
    seen = 0

    def is_it(event: Event) -> bool:
        nonlocal seen
        seen += 1
        return seen == number

    harness.once(is_it, act)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(script=st.lists(answers(), max_size=8), interrupt_at=st.integers(0, 60), steer_at=st.integers(0, 60))
def test_any_script(script: list[Reply | Fault], interrupt_at: int, steer_at: int) -> None:
    """No request is refused, every call is answered, prefixes are extended, the log adds up, events are in order."""
    asyncio.run(play(script, interrupt_at=interrupt_at, steer_at=steer_at))
