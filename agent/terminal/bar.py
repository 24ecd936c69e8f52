"""The status bar's figures, read off the open session at every frame."""

from collections.abc import Callable, Sequence

from agent.session.state import State
from agent.terminal.desk import SessionDesk
from agent.terminal.figures import age, tokens
from agent.terminal.show import Show
from agent.terminal.status_bar import Status, status_line
from tools.sandbox import Sandbox


def _sandbox_word(sandbox: Sandbox | None) -> str:
    return "" if sandbox is None else "no sandbox, no bash" if sandbox.problem else "sandbox"


class Bar:
    """Draws the status bar of the session that is open.

    Args:  branch: the git branch as last heard of; queued: how much of what was typed waits; questions: how many are open.
    """

    def __init__(
        self,
        desk: SessionDesk,
        show: Show,
        branch: Callable[[], str],
        *,
        queued: Callable[[], int],
        questions: Callable[[], int],
    ) -> None:
        self._desk = desk
        self._show = show
        self._branch = branch
        self._queued = queued
        self._questions = questions
        self._compaction: tuple[float, int] = (0.0, 0)
        """When the last one was, and how many stood then."""
        self._drawn: tuple[Status, int, Sequence[str]] | None = None

    def lines(self, width: int) -> Sequence[str]:
        """Return the one line, drawn anew only when something in it changed."""
        status = self.status()
        if self._drawn is None or self._drawn[:2] != (status, width):
            self._drawn = (status, width, status_line(status, width))
        return self._drawn[2]

    def status(self) -> Status:
        """Return what the bar shows now: the meter, plus what stands on the screen but not in the history yet."""
        state: State = self._desk.agent.session.state
        sizes = self._desk.agent.compactor.sizes
        added = self._show.pending.tokens
        spent = self._desk.agent.subagents.spent()
        return Status(
            model=state.model,
            size=state.context_size + added,
            is_estimate=state.is_estimate or added > 0,
            window=sizes.window,
            threshold=sizes.threshold,
            cache_share=spent.cached_tokens / spent.input_tokens if spent.input_tokens else None,
            usd=spent.usd,
            is_price_known=spent.is_known,
            compactions=len(state.standing),
            last_compaction=self._last_compaction(len(state.standing)),
            turns_left=state.turns_left(sizes.threshold),
            is_off=self._desk.agent.preset == "off",
            queued=self._queued(),
            questions=(questions := self._questions()),
            step_s=self._show.pending.step_s,
            quiet_s=None if questions else self._show.pending.quiet_s,
            is_paused=state.is_paused,
            editing=self._desk.person.editing(),
            mode=state.mode,
            sandbox=_sandbox_word(self._desk.agent.shared.jobs.sandbox),
            branch=self._branch(),
        )

    def _last_compaction(self, standing: int) -> str:
        if self._show.pending.last_compaction is None:
            return ""
        at, receipt = self._show.pending.last_compaction
        if at != self._compaction[0]:
            self._compaction = (at, standing)
        if standing < self._compaction[1]:
            return ""
        saved = receipt["before"] - receipt["after"]
        return f"{receipt['layer']} −{tokens(saved)} {age(self._desk.now() - at)}"
