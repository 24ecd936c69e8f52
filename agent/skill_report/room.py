"""How much of the window the list of skills takes, and whether that is all of it."""

from dataclasses import dataclass

from agent.models import row
from agent.terminal.figures import tokens
from agent.token_counter import Counter
from compaction.policy import DEFAULT_WINDOW_TOKENS
from skills.budget import budget_of
from skills.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Room:
    """The list of skills as a model has it in the usual window."""

    wanted_tokens: int
    """Of all descriptions in full."""
    budget_tokens: int

    @classmethod
    def of(cls, catalog: Catalog, model: str) -> "Room":
        """Return it for ``model``."""
        known = row(model)
        budget = budget_of(min(known.window, DEFAULT_WINDOW_TOKENS))
        return cls(Counter(known.family).text_tokens(catalog.whole_text()), budget)

    @property
    def is_enough(self) -> bool:
        """False where descriptions are shortened."""
        return self.wanted_tokens <= self.budget_tokens

    @property
    def line(self) -> str:
        """The same in words."""
        if self.is_enough:
            return f"their list for the model takes {tokens(self.wanted_tokens)} tokens"
        return (
            f"their list for the model is cut from {tokens(self.wanted_tokens)} to {tokens(self.budget_tokens)} tokens, "
            "the longest descriptions first: shorten some, or remove skills"
        )
