"""What /cost and /status say of a session, as plain lines."""

from collections.abc import Mapping

from agent.session.offspring import work_of
from agent.session.state import Spent, State
from agent.subagents.run import Running
from agent.terminal.cards import work_done
from agent.terminal.figures import dollars, times, tokens
from agent.terminal.render import abridged
from compaction.deeds import one_line

MOST_CHARS = 60
"""Of what a subagent is for."""


def cost_lines(state: State, spent: Spent, running: Mapping[str, Running]) -> list[str]:
    """Return what the session's requests cost, each counted once, subagents and summaries included.

    Args:  spent: by the session, with what those subagents have spent so far that are ``running``.
    """
    cached = f"{spent.cached_tokens / spent.input_tokens:.0%}" if spent.input_tokens else "0%"
    parts = [
        dollars(spent.usd, is_known=spent.is_known),
        f"{tokens(spent.input_tokens)} tokens in ({cached} from cache)",
        f"{tokens(spent.output_tokens)} out",
        *([_delegated(state)] if state.subagents else []),
        *([times(state.compactions, "compaction")] if state.compactions else []),
    ]
    return [" · ".join(parts), *running_lines(running, of_usd=spent.usd)]


def status_lines(
    state: State, jobs: Mapping[int, str], running: Mapping[str, Running], *, preset: str, sandbox: str
) -> list[str]:
    """Return what session, model, mode and preset are at work, and what runs beside and in the background."""
    title = [f"title {state.title}"] if state.title else []
    lines = [
        *title,
        f"session {state.session_id} · {times(state.turn, 'turn')} · {times(state.step, 'step')}",
        f"model {state.model} · permissions {state.mode} · compaction {preset} · bash in {state.cwd}",
        sandbox,
        f"log {state.project / '.transcripts' / state.session_id}.jsonl",
    ]
    background = [f"in the background: {pid}  {command}" for pid, command in jobs.items()]
    return [*lines, *running_lines(running), *background]


def running_lines(running: Mapping[str, Running], of_usd: float = 0.0) -> list[str]:
    """Return a line for each subagent at work; with ``of_usd``, what all cost, also its share of that."""
    lines = []
    for name, one in running.items():
        work = work_of(one.state)
        share = f" ({work['usd'] / of_usd:.0%})" if of_usd and work["is_known"] else ""
        about = abridged(one_line(one.order.description, MOST_CHARS))
        lines.append(f"at work: {name}  {about}  {work_done(work)}{share}")
    return lines


def _delegated(state: State) -> str:
    """Return how many subagents there were, and what those cost that have ended."""
    count, spent = times(state.subagents, "subagent"), state.delegated
    is_over = state.subagents > sum(bool(one.get("is_open")) for one in state.open_subagents.values())
    return f"{count} {dollars(spent.usd, is_known=spent.is_known)}" if is_over else count
