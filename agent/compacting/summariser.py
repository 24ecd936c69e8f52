"""Asks the model for a summary of its history: with all of it, and with less where a server refuses that."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agent.api.request import sendable, summary_request, text_request
from agent.api.wire import Request
from agent.compacting.circumstances import is_waiting
from agent.errors import BadRequest, ContextTooLong, ModelError, RequestTooLarge
from agent.models import row
from agent.query import ModelQuerier
from agent.session.session import Session
from agent.session.state import State
from compaction.messages import merged, text_of
from compaction.policy import Sizes, SummaryRule
from compaction.reactive import Lessening, has_images, lessened
from compaction.serialise import MAX_CHARS as SERIALISED_CHARS
from compaction.serialise import plan_serialised
from compaction.summary import accepted, plan_summary
from compaction.tokens import USAGE_FIELDS

DEADLINE_S = 180.0
USABLE_TRIES = 2
MOST_REFUSALS = 5
"""Each one leaves out more; a history that is still refused then is not what the server minds."""
GOAL_SHARE = 0.8
"""Of the window that a server names: the estimate may be off."""

LEAST_CHARS = 5_000
What = Lessening | int
"""The history less something, or as one text of so many characters."""

Ask = Callable[[], tuple[Request, tuple[str, ...]]]


@dataclass(slots=True, kw_only=True)
class Answer:
    """What came of asking."""

    summary: str | None = None
    usage: dict[str, Any] = field(default_factory=dict)
    """Of all requests together."""
    problem: str = ""
    """Why there is no summary."""
    error: ModelError | None = None
    """The refusal or fault that it was."""


class Summariser:
    """Asks for the summaries of one session."""

    def __init__(self, session: Session, querier: ModelQuerier, *, deadline_s: float = DEADLINE_S) -> None:
        self._session = session
        self._querier = querier
        self._deadline_s = deadline_s

    async def ask(self, sizes: Sizes, rule: SummaryRule, focus: str) -> Answer:
        """Return a summary, or why there is none. Nothing of the session changes; what was paid is told either way."""
        answer = Answer()
        try:
            async with asyncio.timeout(self._deadline_s):
                await self._ask(answer, sizes, rule, focus)
        except TimeoutError:
            answer.problem = "the summary took too long"
        except ModelError as error:
            answer.problem, answer.error = str(error), error
        return answer

    async def _ask(self, answer: Answer, sizes: Sizes, rule: SummaryRule, focus: str) -> None:
        """Try until a usable answer has come, two were not usable, or nothing more can be left out."""
        what: What = SERIALISED_CHARS if rule.is_serialised else self._first(sizes)
        unusable = refused = 0
        while unusable < USABLE_TRIES:
            try:
                reply = await self._querier.ask(self._request(sizes, what, focus))
            except (ContextTooLong, RequestTooLarge, BadRequest) as error:
                refused += 1
                lesser = self._lesser(what, error, sizes)
                if lesser is None or refused > MOST_REFUSALS:
                    raise
                what = lesser
                continue
            _add(answer.usage, reply.usage or {})
            answer.summary = accepted(
                text_of(reply.content),
                reply.stop_reason,
                replaces_chars=self._session.state.view.totals.chars,
            )
            if answer.summary is not None:
                return
            unusable += 1
        answer.problem = "the model wrote no summary that can be used"

    def _request(self, sizes: Sizes, what: What, focus: str) -> Ask:
        """Return what builds the request, anew for each try: its betas may change between two."""
        state = self._session.state
        if not isinstance(what, Lessening):
            history = merged([(placed.role, placed.block) for placed in sendable(state)])
            words, max_tokens = plan_serialised(history, focus, max_chars=what)
            return lambda: text_request(state, words, max_tokens)
        asked = plan_summary(sizes, focus)

        def build() -> tuple[Request, tuple[str, ...]]:
            placed = lessened(sendable(state), what, state.count)
            return summary_request(state, asked.instruction, asked.max_tokens, placed=placed)

        return build

    def _first(self, sizes: Sizes) -> Lessening:
        """A history that is over the window already would be refused: what does not fit is left out from the start."""
        state = self._session.state
        drops = _drops_thinking(state)
        if state.context_size + sizes.summary <= sizes.window:
            return Lessening(drops_thinking=drops)
        previews = Lessening(has_previews=True, drops_thinking=drops)
        fits = _fits(state, round(sizes.window * GOAL_SHARE))
        if fits(self._tokens(previews)) or is_waiting(state):
            return previews
        return replace(previews, fits=fits)

    def _lesser(self, what: What, error: ModelError, sizes: Sizes) -> What | None:
        """Return what to ask about after a refusal; None when that was no matter of size, or nothing is left.

        Images go first, unless the length alone was the matter; then the newest results down to previews, then rounds
        from the head; at last the history is told as one text, shorter and shorter.
        """
        is_long = isinstance(error, ContextTooLong)
        if not isinstance(what, Lessening):
            half = what // 2
            return half if half >= LEAST_CHARS and not isinstance(error, BadRequest) else None
        if not is_long and not what.is_without_images and has_images(sendable(self._session.state)):
            return replace(what, is_without_images=True)
        if isinstance(error, BadRequest):
            return None
        return self._shorter(what, error, sizes) or SERIALISED_CHARS // 2

    def _shorter(self, less: Lessening, error: ModelError, sizes: Sizes) -> Lessening | None:
        state = self._session.state
        tokens = self._tokens(less)
        previews = replace(less, has_previews=True)
        if not less.has_previews and self._tokens(previews) < tokens:
            return previews
        if is_waiting(state):
            return None
        lesser = replace(previews, fits=_fits(state, _goal(state.meter.size(tokens), error, sizes)))
        return lesser if self._tokens(lesser) < tokens else None

    def _tokens(self, less: Lessening) -> int:
        state = self._session.state
        return sum(placed.tokens for placed in lessened(sendable(state), less, state.count))


def _goal(size: int, error: ModelError, sizes: Sizes) -> int:
    """Tokens by our meter down to which a refused request of ``size`` must come, the server's own figures believed."""
    goal = min(size, sizes.window) * GOAL_SHARE
    if isinstance(error, ContextTooLong) and error.tokens and error.maximum:
        goal = min(goal, error.maximum * GOAL_SHARE * size / error.tokens)
    return round(goal)


def _fits(state: State, goal: int) -> Callable[[int], bool]:
    return lambda tokens: state.meter.size(tokens) <= goal


def _drops_thinking(state: State) -> bool:
    return row(state.model).is_bound and state.is_binding_refused


def _add(total: dict[str, Any], usage: Mapping[str, Any]) -> None:
    for name in USAGE_FIELDS:
        total[name] = int(total.get(name) or 0) + int(usage.get(name) or 0)
