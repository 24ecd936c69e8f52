"""The lines at the start of a session and at its end."""

from collections.abc import Mapping

from agent.session.session import Session
from agent.session.state import State
from agent.terminal.figures import dollars, tokens


def welcome_lines(session: Session, files: Mapping[str, str]) -> list[str]:
    """Return what stands below the banner: what is at work, what was resumed, what is odd about it."""
    state = session.state
    notes = ", ".join(path for path in files if path)
    parts = [state.model, *([notes] if notes else []), f"permissions: {state.mode}"]
    lines = [" · ".join([*parts, "/help, Esc interrupts, Ctrl-C twice leaves"])]
    if state.turn:
        resumed = f"resumed {state.session_id} · {_times(state.turn, 'turn')}"
        compactions = f" · {_times(state.compactions, 'compaction')}" if state.compactions else ""
        lines.append(f"{resumed}{compactions} · {tokens(state.context_size)} tokens")
    if session.forked_from:
        lines.append(f"session {session.forked_from} is open elsewhere: this is a fork of it")
    if session.damaged:
        lines.append(
            f"the log has {_times(len(session.damaged), 'damaged line')}; all that is readable is here"
        )
    return lines


def farewell_lines(state: State, command: str) -> list[str]:
    """Return what the session came to, and the command that goes on with it."""
    spent = state.spent
    if not state.turn:
        return []
    share = f" ({spent.cached_tokens / spent.input_tokens:.0%} from cache)" if spent.input_tokens else ""
    parts = [
        _times(state.turn, "turn"),
        f"{tokens(spent.input_tokens)} tokens in{share}",
        f"{tokens(spent.output_tokens)} out",
        dollars(spent.usd, is_known=spent.is_known),
        *([_times(state.compactions, "compaction")] if state.compactions else []),
    ]
    return [" · ".join(parts), f"resume: {command.format(state.session_id)}"]


def _times(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
