"""The deterministic digest: what a summary would say, as far as it can be read off the log; cannot invent."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compaction.deeds import FILES, one_line
from compaction.history import History
from compaction.ledger import entry, newest
from compaction.messages import ToolResultBlock, ToolUseBlock, result_text
from compaction.view import Placed

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
"""Of a summary, by a model or not."""
TARGETS = ("file_path", "command", "pattern", "name", "description", "focus", "path")
"""Input fields that say what a call was about, the first one present wins."""
MAX_TARGET_CHARS = 160
MAX_LINE_CHARS = 300
MAX_WORDS_CHARS = 1_000
"""Of what the model said last."""
SHARE = 8
"""Each section takes at most one part in so many; the calls take what the others leave."""
NO_MODEL = "(This part needs a model; it was not to be had. See the archive.)"
NO_REQUEST = "No request is open; wait for the user's next message."


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What a digest tells beside what was done."""

    active: Sequence[str] = ()
    """The active request with its steering."""
    todos: Sequence[str] = ()
    """The open ones."""
    earlier: str = ""
    """The summary that stood in the view until now."""


def call_line(call: ToolUseBlock) -> str:
    """Return one line for a call: `bash: pytest -q`."""
    return f"{call['name']}: {target(call['input'])}"


def digest(gone: Sequence[Placed], history: History, standing: Standing, max_chars: int) -> str:
    """Return the nine sections of a summary within ``max_chars``, each with its newest lines.

    Args:  gone: the blocks that it stands for.
    """
    room = max_chars - sum(len(heading) + 6 for heading in HEADINGS)
    share = room // SHARE
    runs = [deed for deed in history.deeds.of("ran") if deed.outcome.is_test]
    parts: dict[int, list[str]] = {
        0: _newest([f"- {one_line(words, MAX_LINE_CHARS)}" for words in standing.active], share),
        1: _cut(standing.earlier or NO_MODEL, share * 2),
        2: _newest([entry(deed) for deed in history.deeds.of(*FILES)], share),
        3: _newest(_errors(gone), share),
        5: _cut("(They stand above, word for word as far as there is room.)", share),
        6: _newest([f"- {one_line(todo, MAX_LINE_CHARS)}" for todo in standing.todos], share),
        7: _cut(_last_words(gone), min(share, MAX_WORDS_CHARS)),
        8: _cut("Go on with the user's current request." if standing.active else NO_REQUEST, share),
    }
    left = room - sum(len(line) + 1 for lines in parts.values() for line in lines)
    tests = _newest([entry(deed) for deed in runs], share)
    parts[4] = [*tests, *_newest(_calls(gone), left - sum(len(line) + 1 for line in tests))]
    lines: list[str] = []
    for number, heading in enumerate(HEADINGS):
        lines += [f"{number + 1}. {heading}", *(parts[number] or ["-"])]
    return "\n".join(lines)


def target(input: Mapping[str, Any]) -> str:
    """Return what a call is about, on one line of at most 160 characters."""
    for field in TARGETS:
        if isinstance(value := input.get(field), str) and value:
            break
    else:
        value = _list_told(input.get("todos")) or json.dumps(input, ensure_ascii=False)
    return one_line(value, MAX_TARGET_CHARS)


def _list_told(todos: Any) -> str:
    """Return what a todo list comes to: `1 of 3 done, at work: mend it`; empty for what is none."""
    if not isinstance(todos, list) or not all(isinstance(todo, Mapping) for todo in todos):
        return ""
    statuses = [todo.get("status") for todo in todos]
    at_work = [str(todo.get("content")) for todo in todos if todo.get("status") == "in_progress"]
    told = f"{statuses.count('completed')} of {len(todos)} done" if todos else "cleared"
    return f"{told}, at work: {at_work[0]}" if at_work else told


def _calls(gone: Sequence[Placed]) -> list[str]:
    """A line a call and outcome, repeated ones counted, in the order of their last time."""
    failed = {result["tool_use_id"] for result in _results(gone) if result.get("is_error")}
    counted: dict[str, int] = {}
    for placed in gone:
        if placed.block["type"] == "tool_use":
            outcome = " (failed)" if placed.block["id"] in failed else ""
            line = f"- {call_line(placed.block)}{outcome}"
            counted[line] = counted.pop(line, 0) + 1
    lines = [line if times == 1 else f"{line} ({times} times)" for line, times in counted.items()]
    return lines or ["- no tool was called"]


def _errors(gone: Sequence[Placed]) -> list[str]:
    calls = {placed.block["id"]: placed.block for placed in gone if placed.block["type"] == "tool_use"}
    lines: dict[str, None] = {}
    for result in _results(gone):
        call = calls.get(result["tool_use_id"])
        if call is not None and result.get("is_error"):
            line = f"- {call_line(call)}: {one_line(result_text(result), MAX_LINE_CHARS)}"
            lines.pop(line, None)
            lines[line] = None
    return list(lines)


def _last_words(gone: Sequence[Placed]) -> str:
    """What the model said last."""
    for placed in reversed(gone):
        if placed.role == "assistant" and placed.block["type"] == "text":
            return placed.block["text"].strip()
    return ""


def _newest(lines: Sequence[str], max_chars: int) -> list[str]:
    kept = newest(lines, max_chars)
    if len(kept) < len(lines):
        kept.insert(0, f"- ({len(lines) - len(kept)} older ones: see the archive)")
    return kept


def _cut(words: str, max_chars: int) -> list[str]:
    if len(words) <= max_chars:
        return [words] if words else []
    return [f"{words[: max(0, max_chars - 1)]}…"]


def _results(blocks: Iterable[Placed]) -> list[ToolResultBlock]:
    return [placed.block for placed in blocks if placed.block["type"] == "tool_result"]
