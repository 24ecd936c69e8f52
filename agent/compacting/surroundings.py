"""What a summary stands among: read off the state, the project and the disk."""

from collections.abc import Sequence
from typing import Any

from agent.compacting.circumstances import shown_path
from agent.compacting.restorable import restorable
from agent.protocols import Opening
from agent.session.state import State
from compaction.loaded import LoadedSkill
from compaction.plan import Trigger
from compaction.policy import SummaryRule
from compaction.situation import Situation
from compaction.surroundings import Surroundings
from compaction.view import Placed


def surroundings_of(
    state: State,
    now: Situation,
    opening: Opening,
    *,
    rule: SummaryRule,
    trigger: Trigger,
    skills: Sequence[LoadedSkill] = (),
) -> tuple[Surroundings, dict[str, str]]:
    """Return them as of now, and path -> sha256 of the files that the context block was made from.

    Args:  skills: those that stand again, the newest first.
    """
    context, files = opening.blocks(state.context_files or {})
    around = Surroundings(
        context=context,
        active=state.active,
        pictures=_pictures(state),
        earlier=state.earlier,
        pins=state.pins,
        notes=state.notes,
        kept=state.spills,
        before=[shown_path(state, path) for path in state.own_files],
        todos=_todo_lines(state.todos),
        archive_path=now.places.archive,
        trigger=trigger,
        size=state.meter.size,
        restored=restorable(state, now.sizes, rule.restored_files),
        skills=skills,
        ledger_path=now.places.ledger,
        since=state.summarised_at,
        prices=now.prices,
        is_cold=now.is_cold,
        drops_thinking=now.drops_thinking,
    )
    return around, files


def _pictures(state: State) -> list[Placed]:
    """Return the pictures of the active request that stand in the view; none between turns."""
    turn = state.turn if state.is_turn_open else -1
    return [placed for placed in state.view if state.pictures.get(placed.id) == turn]


def _todo_lines(todos: Sequence[Any]) -> str:
    return "\n".join(f"- [{todo['status']}] {todo['content']}" for todo in todos)
