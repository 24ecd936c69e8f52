"""`compact_history`: the history becomes one user message; a model's summary, or the digest when there is none.

Two pure functions around one effect: `plan_summary` says what to ask the model, `plan_from_summary` makes the plan
from its answer. What the user said is passed in and never guessed from the history: results have role `user` too.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from compaction.archive import archive, part_path
from compaction.digest import call_line, digest
from compaction.messages import Block, ToolResultBlock, text, text_of, tool_uses
from compaction.pins import pins_text
from compaction.plan import Plan, Receipt, Trigger
from compaction.policy import Sizes
from compaction.view import Change, Placed, View

HEADINGS = (
    "Request and intent",
    "Decisions and concepts",
    "Files and code",
    "Errors and fixes",
    "Problem solving",
    "The user's messages",
    "Pending work",
    "Current work",
    "Next step",
)
OPENING = "Write a summary of this conversation"
THINKING_ROOM_TOKENS = 4_000
"""Added to the summary's budget: a model that thinks before it writes is billed in the same limit."""
CHARS_A_TOKEN = 3
"""Of prose and code. Digits, base64 and CJK take a third of it: then `SQUEEZES` make up for the difference."""
SQUEEZES = (1, 3, 9)
"""By how much all parts are made smaller, one after the other, until the new view has its room."""
PREVIEW_CHARS = (1_500, 500)
"""Head and tail of a result of the open round that is too large to be carried over whole."""
NO_REQUEST = "No request is open; wait for the user's next message."


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRequest:
    """What to ask: one text block at the end of the last user message, and the limit of the answer in tokens."""

    instruction: str
    max_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the summary stands among; all of it from the log and the disk, nothing from the history."""

    context: Sequence[Block]
    """The context block, read anew."""
    active: Sequence[str]
    """The active request and its steering, in order; empty between turns."""
    earlier: Sequence[str]
    """The user's earlier prompts, oldest first."""
    pins: Sequence[str]
    """What the user pinned."""
    todos: str
    """The open todos as text; empty when there are none."""
    archive_path: str
    kept: Mapping[str, str]
    """Call id -> path of the full text of a result that its tool kept."""
    before: Sequence[str]
    """Paths of everything that was put aside earlier."""
    trigger: Trigger
    size: Callable[[int], int]
    """Context size by the meter for a view of so many estimated tokens."""


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


def accepted(answer: str, stop_reason: str | None) -> str | None:
    """Return the summary in a model's ``answer``, or None when it is not one.

    Usable is a finished text with a <summary> part or at least one of the nine headings.
    """
    if stop_reason == "max_tokens":
        return None
    answer = re.sub(r"<analysis>.*?(</analysis>|$)", "", answer, flags=re.DOTALL)
    if found := re.search(r"<summary>(.*?)(</summary>|$)", answer, flags=re.DOTALL):
        return found[1].strip() or None
    if any(heading.lower() in answer.lower() for heading in HEADINGS):
        return answer.strip()
    return None


def plan_from_summary(view: View, sizes: Sizes, around: Surroundings, summary: str | None) -> Plan | None:
    """Return the plan that puts one user message in place of the whole view; None when it would not shrink.

    Args:  summary: the model's, or None for the deterministic digest.
    """
    gone = list(view)
    # After a refusal the next request must fit for sure, though the estimate may be off.
    goal = min(sizes.threshold, sizes.window * 8 // 10)
    for squeeze in SQUEEZES:
        blocks = _blocks(gone, replace(sizes, window=sizes.window // squeeze), around, summary)
        change = Change(ids=[placed.id for placed in gone], role="user", blocks=blocks)
        trial = view.copy()
        trial.apply("trial", [change])
        if around.size(trial.tokens) <= goal:
            break
    if trial.tokens >= view.tokens:
        return None
    files = archive(gone, around.archive_path, around.kept, before=around.before)
    receipt = Receipt(
        layer="summary",
        trigger=around.trigger,
        before=around.size(view.tokens),
        after=around.size(trial.tokens),
        dropped=len(gone),
        archive=around.archive_path,
        sha256=files[0].sha256,
        summary_by="digest" if summary is None else "model",
    )
    return Plan(layer="summary", trigger=around.trigger, changes=(change,), files=files, receipt=receipt)


def _blocks(gone: Sequence[Placed], sizes: Sizes, around: Surroundings, summary: str | None) -> list[Block]:
    """Return the content of the one message, its parts within the budgets of ``sizes``."""
    return [
        *around.context,
        *([text(pins_text(around.pins))] if around.pins else []),
        *_earlier(around.earlier, sizes),
        text(_summary_text(gone, sizes, summary)),
        text(f"The archived messages: `read` {around.archive_path}"),
        *([text(f"Your todo list:\n{around.todos}")] if around.todos else []),
        text(_active_text(around.active)),
        *_open_round(gone, sizes, around.archive_path),
    ]


def _earlier(prompts: Sequence[str], sizes: Sizes) -> list[Block]:
    """Keep the user's earlier prompts word for word, the newest first to be kept."""
    kept: list[str] = []
    left = sizes.earlier_prompts * CHARS_A_TOKEN
    for prompt in reversed(prompts):
        left -= len(prompt)
        if left < 0:
            break
        kept.insert(0, f"- {prompt}")
    if not kept:
        return []
    missing = len(prompts) - len(kept)
    more = f"\n({missing} older ones are in the archive)" if missing else ""
    return [text("The user's earlier requests, word for word, all answered:\n" + "\n".join(kept) + more)]


def _summary_text(gone: Sequence[Placed], sizes: Sizes, summary: str | None) -> str:
    ledger = digest(gone, sizes.ledger * CHARS_A_TOKEN)
    done = f"Tool calls that were made (do not repeat finished work):\n{ledger}"
    if summary is None:
        return f"Summary of the earlier conversation (for reference, not instructions):\n{done}"
    return f"Summary of the earlier conversation (for reference, not instructions):\n{summary}\n\n{done}"


def _active_text(active: Sequence[str]) -> str:
    if not active:
        return NO_REQUEST
    return "The user's current request, word for word:\n" + "\n\n".join(active)


def _open_round(gone: Sequence[Placed], sizes: Sizes, archive_path: str) -> list[Block]:
    """Carry over the results that the model has not read: it asked for them, and the calls are done."""
    start = max((index for index, placed in enumerate(gone) if placed.role == "assistant"), default=-1)
    asking = [placed.block for placed in gone[: start + 1] if placed.record == gone[start].record]
    # The call that asked for this very compaction has its answer in what stands here.
    calls = {call["id"]: call for call in tool_uses(asking) if call["name"] != "compact"}
    unread = [
        placed
        for placed in gone[start + 1 :]
        if placed.block["type"] == "tool_result" and placed.block["tool_use_id"] in calls
    ]
    if not unread:
        return []
    lines = "\n".join(call_line(call) for call in calls.values())
    limit = sizes.threshold // 2 // len(unread) * CHARS_A_TOKEN
    head = text("\n".join(part for part in (text_of(asking), "Results of your last calls:", lines) if part))
    blocks: list[Block] = [head]
    for placed in unread:
        if placed.block["type"] == "tool_result":
            blocks += _as_text(placed.block, limit, partial(part_path, archive_path, placed.id))
    return blocks


def _as_text(result: ToolResultBlock, limit: int, path: Callable[[int], str]) -> list[Block]:
    content = result["content"]
    parts: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
    blocks: list[Block] = []
    for number, part in enumerate(parts):
        if part.get("type") == "text" and str(part["text"]).strip():
            blocks.append(text(_shortened(str(part["text"]), limit, path(number))))
        elif part.get("type") == "image":
            blocks.append({"type": "image", "source": part["source"]})
    return blocks


def _shortened(value: str, limit: int, path: str) -> str:
    head, tail = PREVIEW_CHARS
    if len(value) <= max(limit, head + tail):
        return value
    return f"{value[:head]}\n[{len(value) - head - tail} characters left out; `read` {path}]\n{value[-tail:]}"
