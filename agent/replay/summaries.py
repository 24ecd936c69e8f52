"""What a summary costs and what stands for it: no model is asked in a replay."""

from agent.replay.prices import OUTPUT, READ, SUMMARY_TOKENS, text_tokens
from compaction.messages import Message
from compaction.policy import SummaryRule
from compaction.serialise import ANSWER_TOKENS, plan_serialised

WORD = "word "
WORDS_A_TOKEN = 3_043 / 3_500
"""So many are a token of the replay."""


def answer_tokens(rule: SummaryRule) -> int:
    """Return the tokens of a summary under ``rule``."""
    return ANSWER_TOKENS if rule.is_serialised else SUMMARY_TOKENS


def stand_in(rule: SummaryRule) -> str:
    """Return a text of as many tokens as a summary has; it supports nothing."""
    return WORD * round(WORDS_A_TOKEN * answer_tokens(rule))


def summary_price(rule: SummaryRule, messages: list[Message], size: int) -> float:
    """Return the price of asking for a summary, in tokens of uncached input.

    A history that is sent as one text reads nothing from the cache; otherwise all of it is read.

    Args:  size: tokens of the history with its prompt.
    """
    asked = text_tokens(plan_serialised(messages, "")[0]) if rule.is_serialised else READ * size
    return asked + OUTPUT * answer_tokens(rule)
