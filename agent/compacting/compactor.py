"""Runs the layers and the summary, and acts on their plans."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from agent.clock import Clock
from agent.compacting.carry_out import ask_for_space, carry_out, is_refused
from agent.compacting.circumstances import Folders
from agent.compacting.foresight import Foresight, foreseen
from agent.compacting.fullness import full, stuck
from agent.compacting.planner import MAX_REQUEST_BYTES, SHORTEST, Planner
from agent.compacting.summariser import Answer, Summariser
from agent.errors import BadRequest, ContextTooLong, LimitReached, ModelError, RequestTooLarge
from agent.events import Emit, Notice, SummaryStarted
from agent.hooking.turn_hooks import CompactionHooks
from agent.protocols import Opening
from agent.query import ModelQuerier
from agent.session.session import Session
from agent.skilled.restored import Skills
from compaction.pipeline import plans
from compaction.plan import Plan, Trigger
from compaction.policy import Sizes
from compaction.presets import Preset
from compaction.situation import Situation

ALIKE = (ContextTooLong, RequestTooLarge, BadRequest)
"""Refusals that another request over this history would meet too: there the digest must do."""
MOST_FAILED = 3
"""Summaries that failed in a row before the digest takes over, until one is asked for by hand."""
REST_STEPS = 3
"""After a compaction that did not come about, wait so many steps before the next try."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactorParts:
    """What a compactor works with."""

    session: Session
    querier: ModelQuerier
    hooks: CompactionHooks
    opening: Opening
    emit: Emit
    clock: Clock
    folders: Folders
    skills: Skills


class SessionCompactor:
    """Keeps one session's view within its working window."""

    def __init__(self, parts: CompactorParts, *, preset: Preset, sizes: Sizes) -> None:
        self._parts = parts
        self._session = parts.session
        self._planner = Planner(
            preset=preset,
            sizes=replace(sizes, own_threshold=preset.summary.threshold_tokens),
            opening=parts.opening,
            folders=parts.folders,
            skills=parts.skills,
            clock=parts.clock,
        )
        self._summariser = Summariser(parts.session, parts.querier)
        self._rest_until_step = 0

    @property
    def sizes(self) -> Sizes:
        """The sizes of the working window."""
        return self._planner.sizes

    async def fit(self) -> None:
        """Run the layers, then the summary when it was asked for or the threshold is passed.

        Raises LimitReached when the window is full and making room has got nowhere; once, when the threshold is
        passed and the log cannot be written.
        """
        state = self._session.state
        if is_refused(self._session):
            ask_for_space(self._session, is_due=self._is_due())
            return
        self._judge_progress()
        for plan in plans(state.view, self._planner.preset.layers, self._situation):
            self._act(plan)
        if state.view.totals.bytes > MAX_REQUEST_BYTES:
            self._take_images_out()
        if state.compact_wish is not None:
            await self.compact("manual", state.compact_wish)
        elif self._is_due() and not state.is_paused and not await self.compact("auto", ""):
            self._rest_until_step = state.step + REST_STEPS
        for plan in plans(state.view, self._planner.preset.guard, self._situation):
            self._act(plan)
        if state.is_paused and state.context_size > self.sizes.window:
            raise LimitReached(full(state, self.sizes))

    async def shrink(self, error: ModelError) -> bool:
        """Make a history that the server refused smaller for sure; its own figures correct the meter and the window."""
        if not isinstance(error, ContextTooLong):
            return self._take_images_out() or await self.compact("reactive", "")
        if 0 < error.maximum < self.sizes.window:
            self._planner = replace(self._planner, sizes=replace(self.sizes, window=error.maximum))
        self._session.append("note", text=str(error), corrected_tokens=error.tokens)
        return await self.compact("reactive", "")

    async def compact(self, trigger: Trigger, focus: str) -> bool:
        """Put a summary in place of the history; False when it stays as it is, which is said."""
        state = self._session.state
        if is_refused(self._session):
            return self._stay(trigger, "not compacted: the session's log cannot be written")
        refusal = await self._parts.hooks.before(trigger, focus)
        if refusal is not None and trigger != "reactive":
            return self._stay(trigger, f"a hook refused the compaction: {refusal}")
        if self._planner.summary(state, trigger, SHORTEST)[0] is None:
            return self._stay(trigger, "nothing to compact: a summary would not be smaller")
        answer = await self._summary(trigger, focus)
        if answer.summary is None and not self._may_digest(trigger, answer):
            return self._stay(
                trigger, f"the summary failed, the history stays as it is: {answer.problem}", answer
            )
        plan, files = self._planner.summary(state, trigger, answer.summary)
        if plan is None:
            return self._stay(trigger, "nothing to compact: a summary would not be smaller", answer)
        if answer.usage:
            plan.receipt["usage"] = answer.usage
        if not self._act(plan, files):
            return False
        await self._parts.hooks.after(trigger, answer.summary or "")
        return True

    def foresee(self) -> Foresight | None:
        """Return what compactions would do now; None while calls run. Nothing is changed."""
        state = self._session.state
        return foreseen(self._planner, state, is_resting=self._is_resting)

    @property
    def _is_resting(self) -> bool:
        return self._session.state.step < self._rest_until_step

    def _is_due(self) -> bool:
        return not self._is_resting and self._planner.is_due(self._session.state)

    def _judge_progress(self) -> None:
        """Pause what size alone would set off when it has got nowhere twice in a row; end that when there is room."""
        state = self._session.state
        pauses = self._planner.pauses(state, is_due=self._is_due())
        if state.is_paused and not pauses:
            self._session.append("note", text="there is room again", compaction_paused=False)
        elif pauses and not state.is_paused:
            self._session.append("note", text="compaction got nowhere twice", compaction_paused=True)
            self._parts.emit(Notice(text=stuck(state), is_error=True))

    async def _summary(self, trigger: Trigger, focus: str) -> Answer:
        """Ask for a summary, unless too many failed in a row."""
        failed = self._session.state.failed_summaries
        if trigger != "manual" and failed >= MOST_FAILED:
            return Answer(problem=f"{failed} summaries failed in a row")
        self._parts.emit(SummaryStarted(trigger=trigger))
        try:
            answer = await self._summariser.ask(self.sizes, self._planner.preset.summary, focus)
        except asyncio.CancelledError:
            if self._session.state.compact_wish is not None:  # stopped, it must not begin again unasked
                self._session.append("note", text="the user stopped the compaction", compact_wish=None)
            raise
        if answer.summary is None and failed + 1 == MOST_FAILED:
            words = f"the summary failed {MOST_FAILED} times in a row ({answer.problem}): from now on a list of what was done stands in for it, until /compact"
            self._parts.emit(Notice(text=words, is_error=True))
        return answer

    def _may_digest(self, trigger: Trigger, answer: Answer) -> bool:
        """Asked for by hand, the user decides; a server out of reach may be there again at the next step.

        A history that was refused has no next step: there it must shrink.
        """
        if trigger != "auto":
            return trigger == "reactive"
        is_passing = answer.error is not None and not isinstance(answer.error, ALIKE)
        return not is_passing or self._session.state.failed_summaries >= MOST_FAILED

    def _situation(self) -> Situation:
        return self._planner.situation(self._session.state)

    def _take_images_out(self) -> bool:
        plan = self._planner.images(self._session.state)
        return plan is not None and self._act(plan)

    def _act(self, plan: Plan, context_files: Mapping[str, str] | None = None) -> bool:
        return carry_out(self._session, plan, self._parts.emit, context_files=context_files or {})

    def _stay(self, trigger: Trigger, reason: str, answer: Answer | None = None) -> bool:
        """Say why the history stays as it is, and log what was paid for it.

        Nobody asked for one that size set off: a wish that was typed meanwhile is still to be met.
        """
        has_failed = answer is not None and answer.summary is None
        usage = answer.usage if answer is not None else None
        self._session.append(
            "note",
            text=reason,
            compact_refused=trigger != "auto",
            summary_failed=has_failed,
            usage=usage or None,
        )
        self._parts.emit(Notice(text=reason, is_error=True))
        return False
