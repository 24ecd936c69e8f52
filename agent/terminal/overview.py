"""What /cost, /status and /todos say of a session, as plain lines."""

from collections.abc import Mapping

from agent.session.state import State
from agent.terminal.figures import dollars, times, tokens


def cost_lines(state: State) -> list[str]:
    """Return what the session's requests cost, each counted once, subagents and summaries included."""
    spent = state.spent
    cached = f"{spent.cached_tokens / spent.input_tokens:.0%}" if spent.input_tokens else "0%"
    parts = [
        dollars(spent.usd, is_known=spent.is_known),
        f"{tokens(spent.input_tokens)} tokens in ({cached} from cache)",
        f"{tokens(spent.output_tokens)} out",
        *([times(state.subagents, "subagent")] if state.subagents else []),
        *([times(state.compactions, "compaction")] if state.compactions else []),
    ]
    return [" · ".join(parts)]


def status_lines(state: State, jobs: Mapping[int, str], *, preset: str, sandbox: str) -> list[str]:
    """Return what session, model, mode and preset are at work, and what runs in the background."""
    title = [f"title {state.title}"] if state.title else []
    lines = [
        *title,
        f"session {state.session_id} · {times(state.turn, 'turn')} · {times(state.step, 'step')}",
        f"model {state.model} · permissions {state.mode} · compaction {preset} · bash in {state.cwd}",
        sandbox,
        f"log {state.project / '.transcripts' / state.session_id}.jsonl",
    ]
    return lines + [f"in the background: {pid}  {command}" for pid, command in jobs.items()]


def todo_texts(state: State) -> list[str]:
    """Return the todo list as lines."""
    marks = {"completed": "[x]", "in_progress": "[>]", "pending": "[ ]"}
    return [f"{marks[todo['status']]} {todo['content']}" for todo in state.todos] or ["no todos"]
