"""What /context, /cost, /status and /todos say of a session, as plain lines."""

from collections import Counter
from collections.abc import Iterable, Mapping

from agent.session.state import State
from agent.terminal.figures import dollars, times, tokens
from compaction.policy import Sizes
from compaction.view import Placed

LARGEST = 5
NAMES = {
    "system": "system prompt and tools",
    "user": "your words and the context block",
    "assistant": "the model's text and calls",
    "thinking": "thinking",
}


def context_lines(state: State, sizes: Sizes) -> list[str]:
    """Return the context size by category, and the largest blocks; tokens by the meter."""
    ratio = state.meter.ratio
    by_category: Counter[str] = Counter({"system": state.meter.overhead})
    tools = _tool_names(state.view)
    for placed in state.view:
        by_category[_category(placed, tools)] += placed.tokens
    size, estimate = state.context_size, "~" if state.is_estimate else ""
    lines = [
        (
            f"context {tokens(size)}{estimate} of {tokens(sizes.window)} ({size / sizes.window:.0%})"
            f" · summary at {tokens(sizes.threshold)} · free {tokens(max(0, sizes.threshold - size))}"
            f" · reserve {tokens(sizes.reserve)}"
        )
    ]
    if (left := state.turns_left(sizes.threshold)) is not None:
        lines.append(f"about {times(left, 'turn')} until then, as the last ones went")
    for category, count in by_category.most_common():
        share = count * ratio
        lines.append(
            f"  {tokens(round(share)):>6}  {share / sizes.window:>4.0%}  {NAMES.get(category, category)}"
        )
    largest = sorted(state.view, key=lambda placed: -placed.tokens)[:LARGEST]
    lines.append("largest blocks:")
    lines += [f"  {tokens(round(placed.tokens * ratio)):>6}  {_about(placed, tools)}" for placed in largest]
    return lines


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


def status_lines(state: State, jobs: Mapping[int, str], *, preset: str) -> list[str]:
    """Return what session, model, mode and preset are at work, and what runs in the background."""
    title = [f"title {state.title}"] if state.title else []
    lines = [
        *title,
        f"session {state.session_id} · {times(state.turn, 'turn')} · {times(state.step, 'step')}",
        f"model {state.model} · permissions {state.mode} · compaction {preset} · bash in {state.cwd}",
        f"log {state.project / '.transcripts' / state.session_id}.jsonl",
    ]
    return lines + [f"in the background: {pid}  {command}" for pid, command in jobs.items()]


def todo_texts(state: State) -> list[str]:
    """Return the todo list as lines."""
    marks = {"completed": "[x]", "in_progress": "[>]", "pending": "[ ]"}
    return [f"{marks[todo['status']]} {todo['content']}" for todo in state.todos] or ["no todos"]


def _tool_names(view: Iterable[Placed]) -> dict[str, str]:
    return {placed.block["id"]: placed.block["name"] for placed in view if placed.block["type"] == "tool_use"}


def _category(placed: Placed, tools: dict[str, str]) -> str:
    block = placed.block
    if block["type"] == "tool_result":
        return f"results of {tools.get(block['tool_use_id'], 'other tools')}"
    if block["type"] in ("thinking", "redacted_thinking"):
        return "thinking"
    return placed.role


def _about(placed: Placed, tools: dict[str, str]) -> str:
    block = placed.block
    text = block["text"] if block["type"] == "text" else ""
    words = " ".join(text.split())[:60]
    return f"{_category(placed, tools)} ({placed.id}) {words}".rstrip()
