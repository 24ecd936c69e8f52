"""Steps and layers -> figures: the recorded replies in order, each request as the layers would have made it.

Causal: what is decided before a step depends on nothing that comes after it.
"""

from collections.abc import Sequence
from time import perf_counter

from agent.api.request import cache_marks, thinking_rule
from agent.models import row
from agent.replay.caches import MarkCache, PrefixCache
from agent.replay.figures import Figures
from agent.replay.files import ProvenFiles
from agent.replay.prices import CACHE_LIFE_S, PROMPT_TOKENS, block_tokens
from agent.replay.recorded import Recorded, Step
from agent.replay.recovery import Recovery
from agent.replay.standing import FirstUse, Support
from agent.replay.summaries import stand_in, summary_price
from agent.session.compacted import UNSENT
from compaction.messages import Block
from compaction.pipeline import plans
from compaction.plan import Plan
from compaction.policy import DEFAULT_WINDOW_TOKENS, Sizes
from compaction.presets import Preset
from compaction.situation import Places, Prices, Situation
from compaction.summary import plan_from_summary
from compaction.surroundings import Surroundings
from compaction.view import Origin, View, head_sha

MAX_OUTPUT_TOKENS = 32_000
SPILLS = ".task_outputs/tool-results/replay"
REST_STEPS = 3
"""After a summary that did not get below the threshold."""


class Simulation:
    """One session under one preset; `run` once.

    Args:  window: tokens of the working window. A preset that summarises nothing of its own accord does so when the
    server would refuse the request: at the window of the session's model.
    """

    def __init__(self, recorded: Recorded, preset: Preset, *, window: int = DEFAULT_WINDOW_TOKENS) -> None:
        self._recorded = recorded
        self._preset = preset
        own = preset.summary.threshold_tokens
        self._sizes = Sizes(window=window, max_output=MAX_OUTPUT_TOKENS, own_threshold=own)
        self._view = View(head_sha("", ""), block_tokens)
        self._files = ProvenFiles()
        self._present: dict[str, str] = {}
        self._prefix, self._marks = PrefixCache(), MarkCache()
        self._support, self._first_use, self._recovery = Support(), FirstUse(), Recovery()
        self._earlier: list[str] = []
        self._active: list[str] = []
        self._step = 0
        self._last_at: float | None = None
        self._newest_change = ""
        self._archives = self._rest_until = 0
        self._cost = self._cost_marks = self._seconds = 0.0
        self._peak = self._summaries = 0
        self.plans: list[tuple[int, Plan]] = []
        """(step, plan) of all that was decided, in order."""

    def run(self) -> Figures:
        """Replay all steps; return the figures, compared with what was billed (0: nobody knows)."""
        self._take_user(self._recorded.start, self._recorded.said, is_new_turn=True)
        for step in self._recorded.steps:
            self._step += 1
            self._request(step)
            self._reply(step)
        dropped, recovered = self._recovery.share(self._view)
        return Figures(
            steps=self._step,
            cost=self._cost,
            cost_marks=self._cost_marks,
            billed=self._recorded.billed,
            edits=self._support.edits,
            supported=self._support.supported,
            uses=self._first_use.uses,
            standing=self._first_use.standing,
            dropped_bytes=dropped,
            recovered_bytes=recovered,
            peak_tokens=self._peak,
            resets=self._prefix.resets,
            summaries=self._summaries,
            seconds=self._seconds,
        )

    def _request(self, step: Step) -> None:
        """Let the layers act, then price the request that led to ``step``."""
        is_cold = self._last_at is None or step.at - self._last_at > CACHE_LIFE_S
        start = perf_counter()
        for plan in plans(self._view, self._preset.layers, lambda: self._situation(step, is_cold=is_cold)):
            self._act(plan)
        self._seconds += perf_counter() - start
        if self._is_over() and self._step >= self._rest_until:
            self._summarise()
        for plan in plans(self._view, self._preset.guard, lambda: self._situation(step, is_cold=is_cold)):
            self._act(plan)
        model = row(self._recorded.model)
        request = self._view.sendable(thinking_rule(model), self._recorded.model)
        self._cost += self._prefix.price(request, is_cold=is_cold)
        marks = cache_marks(request, self._newest_change)
        self._cost_marks += self._marks.price(request, marks, now=step.at)
        self._peak = max(self._peak, self._size(sum(placed.tokens for placed in request)))
        self._last_at = step.at

    def _situation(self, step: Step, *, is_cold: bool) -> Situation:
        return Situation(
            sizes=self._sizes,
            prices=Prices(),
            places=Places(spills=SPILLS, archive=self._archive_path()),
            step=self._step,
            now=step.at,
            is_cold=is_cold,
            idle_s=step.at - self._last_at if self._last_at is not None else 0.0,
            size=self._size,
            present=self._present,
            active=tuple(self._active),
        )

    def _act(self, plan: Plan) -> None:
        self.plans.append((self._step, plan))
        record = f"c{len(self.plans)}"
        self._view.apply(record, plan.changes)
        self._archives += bool(plan.receipt.get("archive"))
        if plan.layer not in UNSENT:
            self._newest_change = record
        self._recovery.planned(plan, self._view)

    def _is_over(self) -> bool:
        """True when the preset wants a summary, or the server would force one."""
        rule, size = self._preset.summary, self._size(self._view.tokens)
        if not rule.is_automatic:
            return size > row(self._recorded.model).window
        is_long = rule.threshold_chars is not None and self._view.totals.chars > rule.threshold_chars
        return is_long or size > self._sizes.threshold

    def _summarise(self) -> None:
        """Put a stand-in for a model's summary in place of the history, and pay for it."""
        rule, model = self._preset.summary, self._recorded.model
        messages = self._view.messages(thinking_rule(row(model)), model)
        price = summary_price(rule, messages, self._size(self._view.tokens))
        around = Surroundings(
            context=self._recorded.context,
            active=self._active,
            earlier=self._earlier,
            pins=(),
            todos="",
            kept={},
            before=list(dict.fromkeys(file.path for _, plan in self.plans for file in plan.files)),
            archive_path=self._archive_path(),
            trigger="auto",
            size=self._size,
            restored=self._files.newest(reversed(self._view.history.touched), rule.restored_files),
        )
        plan = plan_from_summary(self._view, self._sizes, around, stand_in(rule))
        if plan is not None:
            self._act(plan)
        self._summaries += 1
        self._cost += price
        self._cost_marks += price
        if self._is_over():
            self._rest_until = self._step + REST_STEPS

    def _reply(self, step: Step) -> None:
        """Judge the recorded reply by the view, then append it and what came back."""
        self._support.see(self._view, step.assistant)
        self._first_use.see(self._view, step.assistant)
        if step.assistant:
            origin = Origin(model=self._recorded.model, prefix_sha=self._view.prefix_sha)
            before = len(self._view)
            self._view.append(f"m{self._step}", "assistant", step.assistant, origin=origin, step=self._step)
            self._recovery.came(list(self._view)[before:])
        self._present = dict(self._files.see(step.assistant, step.user))
        self._first_use.shown(step.user)
        self._take_user(step.user, step.said, is_new_turn=step.ends_turn)

    def _take_user(self, blocks: Sequence[Block], said: Sequence[str], *, is_new_turn: bool) -> None:
        if is_new_turn and said:
            self._earlier += self._active
            self._active = []
        self._active += said
        if blocks:
            before = len(self._view)
            self._view.append(f"u{self._step}", "user", blocks, step=self._step)
            self._recovery.came(list(self._view)[before:])

    def _archive_path(self) -> str:
        return f".transcripts/replay/archive-{self._archives + 1:03d}.md"

    def _size(self, tokens: int) -> int:
        return PROMPT_TOKENS + tokens
