"""The meter: one number for the size of the next request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

PROMPT_FIELDS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
USAGE_FIELDS = (*PROMPT_FIELDS, "output_tokens")

START, START_WEIGHT = 0.92, 5_000
"""Real tokens for one estimated, before anything is learnt, and how many tokens of evidence that is worth. Measured on
recorded sessions: files and tool output cost 8 % less than the estimate, which has room for prose."""
LOWEST, HIGHEST = 0.88, 2.0
"""What the correction may come to. The estimate of base64 is 3 % above the real count: at 0.88 it stays over 90 % of it."""
BELIEVED = (0.5, 2.0)
"""A growth outside of that says something about the server, nothing about the estimate."""
SAMPLES = 16
MIN_GROWTH = 500
"""Smallest estimated growth to learn from: below it, what a server adds on its own weighs too much."""
ABSURD = 50
"""A prompt so many times larger or smaller than estimated was not measured but made up."""
ABSURD_FROM = 1_000

Samples = tuple[tuple[float, int], ...]
"""(real tokens for one estimated, estimated tokens), the newest last."""


def usage_total(usage: Mapping[str, Any]) -> int:
    """Return the context size after a reply: everything it read, however cached, and what it wrote.

    Missing and null fields count as 0: other servers leave some out. So do negative ones and what is no number.
    """
    return _sum(usage, USAGE_FIELDS)


def prompt_total(usage: Mapping[str, Any]) -> int:
    """Return the tokens of the request, however cached."""
    return _sum(usage, PROMPT_FIELDS)


def thinking_total(usage: Mapping[str, Any]) -> int | None:
    """Return how many of the output tokens were thinking; None where the server does not say."""
    details = usage.get("output_tokens_details")
    found = details.get("thinking_tokens") if isinstance(details, dict) else None
    return found if isinstance(found, int) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    """Context size in tokens: what the last reply's usage measured, and an estimate of what has changed since.

    The estimate is off by a factor that changes little within a session: each reply's usage tells how much the
    context really grew, and the median of the newest growths corrects the next one.
    """

    overhead: int = 0
    """Estimated tokens of the system prompt and the tool schemas."""
    unit: float = 1.0
    """Real tokens for one estimated that the model's tokenizer stands for: other than 1 after a change of model."""
    anchor: int = 0
    """Real tokens at the last measure."""
    anchored_at: int = -1
    """Estimated tokens of the view when it was last measured; -1 before the first reply."""
    is_measured: bool = False
    """True when ``anchor`` is a server's own figure."""
    has_only_grown: bool = False
    """True while nothing was taken out of the view since it was measured: only then can the growth be compared."""
    samples: Samples = ()
    """Of the newest growths."""

    @property
    def factor(self) -> float:
        """Real tokens for one estimated of what is added to the view."""
        middle = _weighted_median([*self.samples, (START, START_WEIGHT)])
        return self.unit * min(HIGHEST, max(LOWEST, middle))

    @property
    def ratio(self) -> float:
        """Real tokens for one estimated over the whole context, as of the last measure."""
        estimated = self.overhead + self.anchored_at
        return self.anchor / estimated if self.anchored_at >= 0 and estimated > 0 else self.unit

    def measured(
        self, usage: Mapping[str, Any], view_tokens: int, *, asked_with: int, left_out: int = 0
    ) -> "Meter":
        """Return the meter after a reply.

        A usage without a prompt, or with an absurd one, changes nothing. Without output the prompt is the measure.

        Args:  view_tokens: estimate of the view with the reply; asked_with: of the view that was sent;
               left_out: real tokens of the reply that will not be sent back.
        """
        prompt, output = prompt_total(usage), _sum(usage, ("output_tokens",))
        if prompt <= 0 or self._is_absurd(prompt, asked_with):
            return self
        samples = self._learnt(prompt, asked_with)
        if output <= 0:
            return self._anchored(prompt, asked_with, samples)
        return self._anchored(prompt + output - min(left_out, output), view_tokens, samples)

    def corrected(self, tokens: int, view_tokens: int) -> "Meter":
        """Return the meter after the server named the size of a refused request."""
        return self._anchored(tokens, view_tokens, self.samples) if tokens > 0 else self

    def changed(self) -> "Meter":
        """Return the meter after something but an append changed the view."""
        return replace(self, has_only_grown=False)

    def rescaled(self, by: float) -> "Meter":
        """Return the meter for another tokenizer, which counts ``by`` times as many tokens."""
        return replace(
            self,
            unit=self.unit * by,
            anchor=round(self.anchor * by),
            is_measured=False,
            has_only_grown=False,
        )

    def size(self, view_tokens: int) -> int:
        """Return the tokens of the next request; what was taken out of the view since the measure counts less."""
        if self.anchored_at < 0:
            return round(self.unit * (self.overhead + view_tokens))
        if view_tokens >= self.anchored_at:
            return self.anchor + round(self.factor * (view_tokens - self.anchored_at))
        empty = self._empty
        return round(empty + (self.anchor - empty) * view_tokens / self.anchored_at)

    def is_estimate(self, view_tokens: int) -> bool:
        """True unless the size is exactly what the last reply measured."""
        return not self.is_measured or view_tokens != self.anchored_at

    @property
    def _empty(self) -> float:
        """Tokens of a request with an empty view: what the anchor leaves for it, if that can be, else its share."""
        share = self.ratio * self.overhead
        rest = self.anchor - self.factor * self.anchored_at
        return min(float(self.anchor), max(share, min(rest, HIGHEST * self.unit * self.overhead)))

    def _is_absurd(self, prompt: int, view_tokens: int) -> bool:
        estimated = self.unit * (self.overhead + view_tokens)
        return estimated >= ABSURD_FROM and not estimated / ABSURD <= prompt <= estimated * ABSURD

    def _anchored(self, tokens: int, view_tokens: int, samples: Samples) -> "Meter":
        return replace(
            self,
            anchor=tokens,
            anchored_at=view_tokens,
            is_measured=True,
            has_only_grown=True,
            samples=samples,
        )

    def _learnt(self, prompt: int, view_tokens: int) -> Samples:
        """Compare how much the context grew with how much it was estimated to."""
        estimated = view_tokens - self.anchored_at
        if not self.has_only_grown or estimated < MIN_GROWTH:
            return self.samples
        ratio = (prompt - self.anchor) / estimated / self.unit
        if not BELIEVED[0] < ratio < BELIEVED[1]:
            return self.samples
        return (*self.samples, (ratio, estimated))[-SAMPLES:]


def _sum(usage: Mapping[str, Any], fields: Sequence[str]) -> int:
    values = (usage.get(field) for field in fields)
    return sum(max(0, value) for value in values if isinstance(value, int))


def _weighted_median(samples: Sequence[tuple[float, int]]) -> float:
    """The value below and above which lies half of the weight: one odd sample does not move it far."""
    ordered = sorted(samples)
    half = sum(weight for _, weight in ordered) / 2
    below = accumulate(weight for _, weight in ordered)
    return next(value for (value, _), total in zip(ordered, below, strict=True) if total >= half)
