"""Records to state: the one way a session grows, live and on load alike."""

from collections.abc import Callable
from pathlib import Path

from agent.clock import seconds
from agent.models import EFFORTS
from agent.session.compacted import compaction, undo
from agent.session.file_state import place
from agent.session.going_back import mark, rewind, snapshot
from agent.session.kinds import name, name_message
from agent.session.measure import denser, left_out, overhead, pay, reader_of
from agent.session.records import Record
from agent.session.shells import output, shell
from agent.session.skills import given_skills
from agent.session.state import LOST_OUTPUT, Price, State
from agent.todos.clock import TodoClock
from compaction.messages import as_blocks, text, tool_uses
from compaction.pins import pinned
from compaction.timeline import Timeline
from compaction.tokens import Meter
from compaction.view import Count, Origin, head_sha
from tools.known import merge

CHANGERS = ("write", "edit")
"""Tools whose results say what they made of a file."""


def empty_state(project: Path, count: Count, price: Price) -> State:
    """Return the state of a session without records."""
    return State(project=project, count=count, price=price, timeline=Timeline(head_sha([], []), count))


def apply(state: State, record: Record) -> None:
    """Let ``record`` take its effect; unknown types have none."""
    mark(state, record)
    state.turn = max(state.turn, int(record.get("turn", 0)))
    state.step = max(state.step, int(record.get("step", 0)))
    state.last = record["id"]
    if (effect := EFFECTS.get(record["type"])) is not None:
        effect(state, record)


def _session(state: State, record: Record) -> None:
    if not state.head:
        state.timeline = Timeline(head_sha(record["system"], record["tools"]), state.count)
        state.meter = Meter(overhead=state.count(overhead(record)))
    state.head = record
    _model(state, record)
    state.mode = record.get("mode", "")
    _effort(state, record)


def _context(state: State, record: Record) -> None:
    state.timeline.append(record["id"], "user", as_blocks(record["content"]), step=state.step)
    name(state, record, ["context"] * len(record["content"]))
    state.context_files = {**(state.context_files or {}), **record["files"]}


def _message(state: State, record: Record) -> None:
    if record["role"] == "assistant":
        _reply(state, record)
        return
    blocks = state.blocks_of(record)
    state.timeline.append(record["id"], "user", blocks, step=state.step)
    name_message(state, record, blocks)
    for result in record.get("results", ()):
        del state.calls.results[result]
    for steering in record.get("steering", ()):
        state.waiting.pop(steering, None)
    state.notes += [state.shells.pop(shell, LOST_OUTPUT) for shell in record.get("shells", ())]
    content = record.get("content", [])
    said = record.get("said", ())
    state.prompts += [(state.turn, content[index]["text"]) for index in said]
    told = content
    if record.get("reminded"):
        state.todo_clock, told = state.todo_clock.after_reminder(), content[:-1]
    known = {*said, *given_skills(state, record, len(blocks) - len(content))}
    others = [block for index, block in enumerate(told) if index not in known]
    state.notes += [block["text"] for block in others if block["type"] == "text"]
    if not state.is_turn_open:
        state.is_turn_open, state.turn_at = True, seconds(record.get("at", ""))


def _reply(state: State, record: Record) -> None:
    state.last_request_at = seconds(record.get("at", ""))
    state.answered_by, state.notes = record["model"], []
    origin = Origin(model=record["model"], prefix_sha=record["prefix_sha"])
    blocks = as_blocks(record["content"])
    asked_with = state.view.tokens
    state.timeline.append(record["id"], "assistant", blocks, origin=origin, step=state.step)
    state.calls.used.update(call["id"] for call in tool_uses(blocks))
    state.todo_clock = state.todo_clock.after_reply()
    usage = record.get("usage") or {}
    state.meter = state.meter.measured(
        usage, state.view.tokens, asked_with=asked_with, left_out=left_out(state, record, blocks)
    )
    state.spent.add(usage, state.price(record["model"], usage))


def _call(state: State, record: Record) -> None:
    state.calls.started.add(record["call"])
    if said := record.get("told"):
        state.calls.told[record["call"]] = str(said)


def _result(state: State, record: Record) -> None:
    state.calls.results[record["id"]] = record
    state.calls.told.pop(record["call"], None)
    state.open_subagents.pop(record["call"], None)
    if spill := record.get("spill"):
        state.own_files[place(state.project, spill["path"])] = None
        state.spills[record["call"]] = spill["path"]
    facts = record.get("facts", {})
    if record.get("name") in CHANGERS and not record.get("is_error"):
        state.written.update({path: new["sha256"] for path, new in facts.get("known", {}).items()})
    for path, new in facts.get("known", {}).items():
        state.known[path] = merge(state.known.get(path), new)
    if job := facts.get("job"):
        state.job_logs[place(state.project, job["log"])] = None
    if (shown := facts.get("shown")) and "stub_of" not in facts:
        state.shown[shown["path"], shown["sha256"], shown["key"]] = record["call"]
    state.todos = facts.get("todos", state.todos)
    if record.get("name") == "todo_write":
        state.todo_clock = TodoClock()
    state.bash_cwd = facts.get("cwd", state.bash_cwd)
    state.marks.update(facts.get("marks", ()))
    state.compact_wish = facts.get("compact", state.compact_wish)


def _pin(state: State, record: Record) -> None:
    state.pins.append(record["text"])
    name(state, record, ["pins"])
    state.timeline.append(record["id"], "user", [text(pinned(record["text"]))], step=state.step)


def _title(state: State, record: Record) -> None:
    state.title = str(record["text"])


def _steering(state: State, record: Record) -> None:
    state.waiting[record["id"]] = record["text"]


def _note(state: State, record: Record) -> None:
    state.is_binding_refused = record.get("binding_refused", state.is_binding_refused)
    if tokens := record.get("corrected_tokens"):
        state.meter = state.meter.corrected(tokens, state.view.tokens)
    state.waiting.pop(record.get("refused", ""), None)
    if record.get("compact_refused"):
        state.compact_wish = None
    state.compact_wish = record.get("compact_wish", state.compact_wish)
    state.is_paused = record.get("compaction_paused", state.is_paused)
    state.failed_summaries += bool(record.get("summary_failed"))
    state.written.update(record.get("written", {}))
    pay(state, record.get("usage"))


def _model(state: State, record: Record) -> None:
    before, state.model = state.model or record["model"], record["model"]
    state.view.reader = reader_of(state.model)
    if before != state.model:
        state.meter = state.meter.rescaled(denser(state, before))


def _effort(state: State, record: Record) -> None:
    state.effort = next((effort for effort in EFFORTS if effort == record.get("effort")), None)


def _mode(state: State, record: Record) -> None:
    state.mode = record["mode"]


def _subagent(state: State, record: Record) -> None:
    state.subagents = max(state.subagents, int(record["number"]))
    if call := record.get("call"):
        state.open_subagents[str(call)] = record
    state.own_files.update(dict.fromkeys(place(state.project, path) for path in record.get("files", ())))
    state.written.update(record.get("written", {}))
    state.spent.take(record["spent"])
    state.delegated.take(record["spent"])


def _end(state: State, record: Record) -> None:
    if state.is_turn_open:
        state.worked_s += max(0.0, seconds(record.get("at", "")) - state.turn_at)
    state.is_turn_open = False
    if record.get("of") == "turn":
        state.pace = state.pace.ended(state.context_size)


EFFECTS: dict[str, Callable[[State, Record], None]] = {
    "session": _session,
    "context": _context,
    "message": _message,
    "call": _call,
    "result": _result,
    "compaction": compaction,
    "undo": undo,
    "pin": _pin,
    "title": _title,
    "snapshot": snapshot,
    "rewind": rewind,
    "steering": _steering,
    "shell": shell,
    "output": output,
    "note": _note,
    "model": _model,
    "mode": _mode,
    "effort": _effort,
    "subagent": _subagent,
    "end": _end,
}
