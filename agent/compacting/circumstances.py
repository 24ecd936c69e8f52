"""How things stand for the layers of one session: read off its state, the clock, and the files just edited."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from agent.clock import Clock
from agent.compacting.numbered import numbered
from agent.models import ModelRow, row
from agent.session.kinds import REMINDER
from agent.session.state import State
from compaction.messages import ToolUseBlock
from compaction.policy import Sizes
from compaction.situation import Places, Prices, Situation

RESTORE_TOKENS = 12_000
"""A file over that is not shown again after an edit: it would take more of the window than it is worth."""
RESTORE_SHARE = 3
"""All files together take at most one part in so many of the threshold: in a small window they would fill it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """Where a session's shortened results and archives are, as shown to the model."""

    spills: str
    archive: Callable[[int], str]
    """Number of an archive -> its path."""
    prompt: Callable[[int], str]
    """Number of a long text of the user's -> its path."""
    ledger: str
    """Older entries of the ledger."""


def situation_of(state: State, sizes: Sizes, folders: Folders, clock: Clock) -> Situation:
    """Return what the layers decide by, as of now."""
    model, now = row(state.model), clock()
    return Situation(
        sizes=sizes,
        prices=prices_of(model),
        places=Places(
            spills=folders.spills,
            archive=folders.archive(state.archives + 1),
            ledger=folders.ledger,
            prompt=folders.prompt(state.kept_prompts + 1),
        ),
        step=state.step + 1,
        now=now,
        is_cold=is_cold(state, now),
        idle_s=idle_s(state, now),
        size=state.meter.size,
        kept=state.spills,
        present=_present(state, sizes),
        held=held_blocks(state, sizes) | _todo_blocks(state),
        passing=frozenset(id_ for id_, kind in state.kinds.items() if kind == REMINDER),
        is_waiting=is_waiting(state),
        drops_thinking=_is_unprotected(state),
        is_paused=state.is_paused or state.progress.is_in_vain(state.step + 1),
        active=(*state.active, *state.active_in_full),
    )


def idle_s(state: State, now: float) -> float:
    """Return for how long nothing was asked of the model; 0 before the first reply."""
    return now - state.last_request_at if state.last_request_at else 0.0


def is_cold(state: State, now: float) -> bool:
    """True when the server's cache holds nothing of the history: too old, or made for another model."""
    is_old = idle_s(state, now) > row(state.model).cache_life_s
    return is_old or state.answered_by not in ("", state.model)


def is_waiting(state: State) -> bool:
    """True while what has been sent may not change: the thinking of a round whose results have not been read.

    The server refuses that thinking behind another prefix, and the round without it.
    """
    return _is_unprotected(state) and any(
        placed.block["type"] == "tool_result" for placed in state.view.unsent()
    )


def _is_unprotected(state: State) -> bool:
    """True where the server cannot be told to drop thinking whose prefix has changed."""
    return row(state.model).is_bound and state.is_binding_refused


def shown_path(state: State, path: str) -> str:
    """Return a file of the session as the model is told it: relative to the project when inside it."""
    own = Path(path)
    return str(own.relative_to(state.project)) if own.is_relative_to(state.project) else path


def prices_of(model: ModelRow) -> Prices:
    """Return the cache prices relative to the input price; the usual ones where they are unknown."""
    prices = model.prices
    if not prices.input or prices.cache_read is None or prices.cache_write_5m is None:
        return Prices()
    return Prices(read=prices.cache_read / prices.input, write=prices.cache_write_5m / prices.input)


def held_blocks(state: State, sizes: Sizes) -> frozenset[str]:
    """What an undo brought back, until less than a summary's room is free below the window."""
    is_room = state.context_size + sizes.summary <= sizes.window
    return state.timeline.held if is_room else frozenset()


def _todo_blocks(state: State) -> frozenset[str]:
    """Return the call that wrote the todo list as it stands, and its result, while items are open."""
    if all(todo["status"] == "completed" for todo in state.todos):
        return frozenset()
    results: dict[str, str] = {}
    for _, placed in reversed(state.view.index.calls):
        block = placed.block
        if block["type"] == "tool_result":
            results[block["tool_use_id"]] = placed.id
        elif block["type"] == "tool_use" and _wrote_todos(state, block) and block["id"] in results:
            return frozenset((placed.id, results[block["id"]]))
    return frozenset()


def _wrote_todos(state: State, block: ToolUseBlock) -> bool:
    call = state.view.history.calls.get(block["id"])
    return block["name"] == "todo_write" and call is not None and not call.is_failed


def _present(state: State, sizes: Sizes) -> dict[str, str]:
    """Path -> numbered lines of the files that the newest batch edited, as they are on disk now."""
    left = sizes.threshold // RESTORE_SHARE
    newest = takewhile(lambda call: call.step == state.step, reversed(state.view.history.calls.values()))
    edited = {call.path for call in newest if call.name == "edit" and not call.is_failed}
    found: dict[str, str] = {}
    for path in sorted(edited):
        content = numbered(state.project / path)
        tokens = state.count({"type": "text", "text": content}) if content else 0
        if 0 < tokens <= min(RESTORE_TOKENS, left):
            found[path] = content
            left -= tokens
    return found
