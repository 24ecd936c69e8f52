"""`compact_history`: the history becomes one user message; a model's summary, or the digest when there is none.

Two pure functions around one effect: `plan_summary` says what to ask the model, `plan_from_summary` makes the plan
from its answer. What the user said is passed in and never guessed from the history: results have role `user` too.
"""

import re
from dataclasses import dataclass

from compaction.digest import HEADINGS
from compaction.kept import kept_from
from compaction.plan import Plan
from compaction.policy import Sizes
from compaction.rewrite import Rewrite, goal
from compaction.surroundings import Surroundings
from compaction.view import View

OPENING = "Write a summary of this conversation"
THINKING_ROOM_TOKENS = 4_000
"""Added to the summary's budget: a model that thinks before it writes is billed in the same limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRequest:
    """What to ask: one text block at the end of the last user message, and the limit of the answer in tokens."""

    instruction: str
    max_tokens: int


def plan_summary(sizes: Sizes, focus: str) -> SummaryRequest:
    """Return what to ask the model; ``focus`` is what the user or the model wants kept above all."""
    wish = f"\nAbove all keep what concerns: {focus}\n" if focus.strip() else ""
    headings = "\n".join(f"{number}. {heading}" for number, heading in enumerate(HEADINGS, 1))
    instruction = (
        f"{OPENING}, for yourself: the messages above are about to be archived, and your summary stands in their "
        "place. Answer with text only: call no tool.\n"
        "You may think first inside <analysis> tags, which are cut off. Then write, inside <summary> tags and in "
        "the language of the user's last message, these nine sections under these headings:\n"
        f"{headings}\n"
        "Name files, commands, numbers, identifiers and error texts exactly as they stood. State what is finished "
        "and tested and must not be done again, what failed and why, and what the user asked, word for word where "
        "it matters. The next step must follow from the user's last request; invent none."
        f"{wish}\nDo not call any tool now; write the summary."
    )
    return SummaryRequest(instruction=instruction, max_tokens=sizes.summary + THINKING_ROOM_TOKENS)


def accepted(answer: str, stop_reason: str | None, *, replaces_chars: int | None = None) -> str | None:
    """Return the summary in a model's ``answer``, or None when it is not one.

    Usable is a finished text with a <summary> part or at least one of the nine headings, shorter than what it is to
    replace. One over its budget is usable: the plan shortens it.

    Args:  replaces_chars: characters of what it stands for; None: not compared.
    """
    if stop_reason == "max_tokens":
        return None
    answer = re.sub(r"<analysis>.*?(</analysis>|$)", "", answer, flags=re.DOTALL)
    found = re.search(r"<summary>(.*?)(</summary>|$)", answer, flags=re.DOTALL)
    if found is None and not any(heading.lower() in answer.lower() for heading in HEADINGS):
        return None
    summary = (found[1] if found else answer).strip()
    is_shorter = replaces_chars is None or len(summary) < replaces_chars
    return summary if summary and is_shorter else None


def plan_from_summary(
    view: View, sizes: Sizes, around: Surroundings, summary: str | None, *, kept_messages: int = 0
) -> Plan | None:
    """Return the plan that puts one user message in place of the view; None when that would not make it smaller.

    Args:  summary: the model's, or None for the deterministic digest, which also takes the place of a summary that
           is not smaller than what it replaces; kept_messages: so many of the newest messages stay behind the new
           one as they are (more where calls and results must stay together), if the view then fits.
    """
    placed = list(view)
    is_news = around.trigger == "reactive" or not all(view.is_changed(one) for one in placed)
    if not placed or (not is_news and around.size(view.tokens) <= goal(sizes)):
        return None
    start = kept_from(placed, kept_messages)
    best: Plan | None = None
    for words in dict.fromkeys((summary, None)):
        for end in sorted({start, len(placed)}):
            rewrite = Rewrite(view=view, gone=placed[:end], sizes=sizes, around=around, summary=words)
            plan = rewrite.fitting()
            if plan is not None and plan.receipt["after"] <= goal(sizes):
                return plan
            best = plan or best
        if best is not None:
            break
    return best
