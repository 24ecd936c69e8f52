"""No thrash: whether the compactions that size makes necessary get anywhere."""

from dataclasses import dataclass

from compaction.plan import Receipt

SOON_STEPS = 3
LEAST_SHARE = 0.1
"""Of the context; a compaction that frees less has got nowhere."""
LEAST_SHARE_REFILLED = 0.25
"""The same where the context is over the threshold again soon. Not more: in a small window work that reads much fills
half of it in three steps, and goes on well."""
MOST_IN_VAIN = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The compactions that size made necessary before one step, taken together, and how many in a row were in vain.

    In vain: they freed under a tenth of the context, or under a quarter and it was over the threshold again within
    three steps. What a layer did in vain the summary tries; what two summaries in a row did in vain nothing tries
    again.
    """

    step: int = -1
    """Of the last one; -1 before the first."""
    before: int = 0
    after: int = 0
    is_summary: bool = False
    failed: int = 0
    """Summaries in a row that were in vain, the last one not counted."""

    def with_receipt(self, receipt: Receipt, step: int) -> "Progress":
        """Return the state after a compaction before step ``step``; only those that size caused count."""
        if receipt.get("cause") != "size":
            return self
        is_same = step == self.step
        is_summary = receipt["layer"] == "summary" or (is_same and self.is_summary)
        return Progress(
            step=step,
            before=self.before if is_same else receipt["before"],
            after=receipt["after"],
            is_summary=is_summary,
            failed=self.failed if is_same else self._failed(step),
        )

    def is_in_vain(self, step: int) -> bool:
        """True when the context is over the threshold before ``step`` and the last ones got nowhere."""
        if not 0 <= self.step < step:
            return False
        least = LEAST_SHARE_REFILLED if step - self.step <= SOON_STEPS else LEAST_SHARE
        return self.before - self.after < least * self.before

    def is_stuck(self, step: int) -> bool:
        """True when, before ``step``, two summaries in a row were in vain."""
        return self.is_summary and self.is_in_vain(step) and self.failed + 1 >= MOST_IN_VAIN

    def _failed(self, step: int) -> int:
        if not self.is_in_vain(step):
            return 0
        return self.failed + self.is_summary
