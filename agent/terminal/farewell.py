"""The lines at the start of a session and at its end."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.compacting.circumstances import idle_s, is_cold
from agent.session.session import Session
from agent.session.state import State
from agent.terminal.figures import age, dollars, seconds, times, tokens
from agent.terminal.todos import open_words
from agent.version import __version__

CENT = 0.01
KEYS = "/help, Esc interrupts, Ctrl-C twice leaves"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a session finds around it.

    ``place``: the project as it is shown; ``branch``: empty outside of a repository; ``notes``: its instruction files,
    each with its size; ``keys``: what stops and leaves.
    """

    place: str
    branch: str
    notes: Sequence[str]
    skills: int
    keys: str = KEYS


def welcome_lines(session: Session, around: Surroundings, now: float) -> list[str]:
    """Return the banner: what is at work, what was resumed, what is odd about it."""
    state = session.state
    branch = f" ({around.branch})" if around.branch else ""
    skills = [times(around.skills, "skill")] if around.skills else []
    lines = [
        f"palimpsest {__version__} · {state.model} · {around.place}{branch}",
        " · ".join([*around.notes, *skills, f"permissions: {state.mode}", around.keys]),
    ]
    if state.turn:
        lines += resumed_lines(state, now)
    if session.forked_from:
        lines.append(f"session {session.forked_from} is open elsewhere: this is a fork of it")
    if session.damaged:
        lines.append(
            f"the log has {times(len(session.damaged), 'damaged line')}; all that is readable is here"
        )
    return lines


def resumed_lines(state: State, now: float) -> list[str]:
    """Return what a session that goes on consists of, what going on costs, the newest prompt in it, and open todos."""
    still_open = open_words(state.todos)
    return [_resumed(state, now), *([still_open] if still_open else [])]


def _resumed(state: State, now: float) -> str:
    parts = [f"resumed {state.session_id}", times(state.turn, "turn")]
    parts += [times(state.compactions, "compaction")] if state.compactions else []
    parts += [age(idle_s(state, now))] if state.last_request_at else []
    parts += [cold] if (cold := cold_words(state, now)) else []
    last = " ".join(state.prompts[-1][1].split()) if state.prompts else ""
    return " · ".join([*parts, *([f"last: {last[:200]}"] if last else [])])


def cold_words(state: State, now: float) -> str:
    """Return what it costs that the cache holds nothing of the history; empty while it does, or there is none."""
    if not state.answered_by or not is_cold(state, now):
        return ""
    size = state.context_size
    written = state.price(state.model, {"cache_creation_input_tokens": size})
    read = state.price(state.model, {"cache_read_input_tokens": size})
    if written is None or read is None:
        return "cache cold: the next request reads nothing from it"
    more = written - read
    price = f"about {dollars(more, is_known=True)}" if more >= CENT else "less than $0.01"
    return f"cache cold: the next request costs {price} more"


def farewell_lines(state: State, command: str) -> list[str]:
    """Return what the session came to, and the ``command`` that goes on with it, to be completed by its id."""
    spent = state.spent
    if not state.turn:
        return []
    share = f" ({spent.cached_tokens / spent.input_tokens:.0%} from cache)" if spent.input_tokens else ""
    parts = [
        times(state.turn, "turn"),
        *([seconds(state.worked_s)] if state.worked_s else []),
        f"{tokens(spent.input_tokens)} tokens in{share}",
        f"{tokens(spent.output_tokens)} out",
        dollars(spent.usd, is_known=spent.is_known),
        *([times(state.compactions, "compaction")] if state.compactions else []),
    ]
    still_open = open_words(state.todos)
    return [
        " · ".join(parts),
        *([still_open] if still_open else []),
        *([f"resume: {command.format(state.session_id)}"] if command else []),
    ]
