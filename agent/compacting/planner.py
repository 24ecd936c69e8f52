"""What the compactions of a session would be: decided from its state, never carried out here."""

from dataclasses import dataclass

from agent.clock import Clock
from agent.compacting.circumstances import Folders, held_blocks, situation_of
from agent.compacting.surroundings import surroundings_of
from agent.protocols import Opening
from agent.session.state import State
from agent.skilled.restored import Skills, loaded_skills
from compaction.plan import Plan, Trigger
from compaction.policy import Sizes
from compaction.presets import Preset
from compaction.reactive import images_out
from compaction.situation import Situation
from compaction.summary import plan_from_summary

SHORTEST = "-"
"""A summary that no other is shorter than: where even that would not make the history smaller, none is asked for."""
MAX_REQUEST_BYTES = 30_000_000
"""Just under what the server takes at once (32 MB)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planner:
    """Decides for one session; every answer is of the state that is passed in, which is not changed."""

    preset: Preset
    sizes: Sizes
    opening: Opening
    folders: Folders
    skills: Skills
    clock: Clock

    def situation(self, state: State) -> Situation:
        """Return what the layers decide by, as of now."""
        return situation_of(state, self.sizes, self.folders, self.clock)

    def is_due(self, state: State) -> bool:
        """True when size alone asks for a summary."""
        rule = self.preset.summary
        if not rule.is_automatic:
            return False
        if held_blocks(state, self.sizes):
            return False  # what the user took back stays while there is room
        is_long = rule.threshold_chars is not None and state.view.totals.chars > rule.threshold_chars
        return is_long or state.context_size > self.sizes.threshold

    def pauses(self, state: State, *, is_due: bool) -> bool:
        """True while nothing is to be set off by size: it got nowhere twice in a row, and there is still no room."""
        if state.is_paused:
            return state.context_size > self.sizes.low_water
        return is_due and state.progress.is_stuck(state.step + 1)

    def summary(
        self, state: State, trigger: Trigger, summary: str | None
    ) -> tuple[Plan | None, dict[str, str]]:
        """Return the plan of a summary, and the hashes of the instruction files that it brings anew."""
        rule = self.preset.summary
        # A preset that brings no files back brings no skills back either: its ledger names them.
        skills = loaded_skills(state, self.skills) if rule.restored_files else ()
        now = self.situation(state)
        around, files = surroundings_of(state, now, self.opening, rule=rule, trigger=trigger, skills=skills)
        kept = rule.kept_messages if trigger == "reactive" else 0
        return plan_from_summary(state.view, self.sizes, around, summary, kept_messages=kept), files

    def images(self, state: State) -> Plan | None:
        """Return the plan that puts all images on disk; None without any, or while they cannot go."""
        situation = self.situation(state)
        return None if situation.is_waiting else images_out(state.view, situation)
