"""The receipt of a compaction: what left and where it is, what stays, what it costs, and the way back."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.cells import cell_len

from agent.session.bridge import BROKEN
from agent.session.records import Record
from agent.session.state import State
from agent.terminal.columns import flowed, labelled, one_line
from agent.terminal.compaction_line import facts_found, price_parts
from agent.terminal.figures import times, tokens
from agent.terminal.prices import read_usd, rewrite_usd, steps_shown, usd_shown
from compaction.messages import as_blocks
from compaction.tokens import prompt_total

CAUSES = {
    "batch": "results over their limit",
    "price": "it pays",
    "age": "too many, or too old",
    "size": "over the threshold",
    "wish": "asked for",
    "refusal": "the server refused the request",
    "edit": "a file was edited",
    "prompt": "a very long prompt",
    "repeat": "output that stood there already",
}
PARTS = {
    "request": "request",
    "pins": "pins",
    "prompts": "your earlier prompts",
    "ledger": "ledger",
    "summary": "summary",
    "skill": "skills",
    "file": "files",
    "context": "instructions, catalog",
    "unread": "results not read yet",
    "note": "notes",
    "archive": "path of the archive",
}
"""What stays of a summarised history, in the order in which a receipt tells it."""
MOST_PLACES = 3
MOST_FACTS = 6
SHA_CHARS = 12
DAMAGED = "its line in the session's log is damaged"


def receipt_lines(record: Record, state: State, width: int) -> list[str]:
    """Return the receipt of a compaction as plain lines of at most ``width`` cells.

    Sizes are tokens by the meter as of now; prices those of the session's model.

    Args:  record: a `compaction` record, also one of an earlier version: what it does not know is left out. Of one that
    is not as it was written only that is told.
    """
    try:
        return _receipt_lines(record, state, width)
    except BROKEN:
        return flowed([f"⟲ {record.get('id')}", DAMAGED], width)


def _receipt_lines(record: Record, state: State, width: int) -> list[str]:
    receipt = record["receipt"]
    rows = (
        ("left the view", _left(record, state)),
        *zip(("where", "", "", ""), _places(record), strict=False),
        ("stays", stays(record, state)),
        ("facts", _facts(receipt.get("facts") or {})),
        ("cost", _cost(receipt, state)),
        ("undo", [_way_back(record, state)]),
    )
    lines = [line for label, parts in rows for line in labelled(label, list(parts), width)]
    return [*_head(record, state, width), *lines]


def _head(record: Record, state: State, width: int) -> list[str]:
    receipt = record["receipt"]
    sizes = f"{tokens(receipt.get('before', 0))} → {tokens(receipt.get('after', 0))}"
    cause = CAUSES.get(receipt.get("cause", ""), "")
    about = [f"⟲ {receipt.get('layer', '?')}", f"step {record.get('step', 0)}", sizes, cause]
    lines = flowed(about, width)
    room = width - cell_len(lines[0]) - cell_len(state.session_id)
    return lines if len(lines) > 1 or room <= 1 else [f"{lines[0]}{' ' * room}{state.session_id}"]


def _left(record: Record, state: State) -> Iterator[str]:
    """Tell how much left, and what it was as far as the calls are known."""
    receipt = record["receipt"]
    if not (dropped := receipt.get("dropped")):
        yield "nothing: it stands elsewhere, or was added" if record["changes"] else "nothing"
        return
    put = sum(_tokens(record, state))
    gone = max(0, receipt["before"] - receipt["after"] + put)
    yield f"{times(dropped, 'block')}, {tokens(gone)} tokens"
    yield _results(record, state)


def _places(record: Record) -> Iterator[Sequence[str]]:
    """Yield the files that lead to what left, those of most blocks first."""
    receipt = record["receipt"]
    shas = {file["path"]: file["sha256"] for file in record.get("files", ())}
    shas |= {receipt["archive"]: receipt["sha256"]} if receipt.get("sha256") else {}
    where = Counter(receipt.get("where", {}).values())
    for path, number in where.most_common(MOST_PLACES):
        sha = f"sha256 {shas[path][:SHA_CHARS]}…" if path in shas else ""
        yield one_line(path), sha, times(number, "block") if len(where) > 1 else ""
    if len(where) > MOST_PLACES:
        yield (f"and {len(where) - MOST_PLACES} more files, each named in its place in the history",)


def _results(record: Record, state: State) -> str:
    """Return the results that were shortened, by tool: `5 read, 4 bash`."""
    calls = state.view.history.calls
    blocks = [block for change in record["changes"] for block in as_blocks(change["blocks"])]
    names = Counter(
        calls[block["tool_use_id"]].name
        for block in blocks
        if block["type"] == "tool_result" and block["tool_use_id"] in calls
    )
    told = ", ".join(f"{number} {name}" for name, number in names.most_common())
    return f"results of {told}" if told else ""


def stays(record: Record, state: State, *, without: str = "") -> Iterator[str]:
    """Tell what stands in the place of what left: of a summary by its parts, else its placeholders.

    Args:  without: a part that is not told of, nor counted.
    """
    put, parts = _tokens(record, state), record["receipt"].get("parts", ())
    sums: Counter[str] = Counter()
    for part, number in zip(parts, put, strict=False):
        sums[part] += number
    named = {**PARTS, "file": times(list(parts).count("file"), "file")}
    told = [part for part in named if sums[part] and part != without]
    yield from (f"{named[part]} {tokens(sums[part])}" for part in told)
    if not parts:
        is_summary = record.get("layer") == "summary"
        yield f"{'in its place' if is_summary else 'placeholders'} {tokens(sum(put))}"
    if left := max(0, record["receipt"].get("after", 0) - sum(put)):
        yield f"all else, with system and tools {tokens(left)}"


def _tokens(record: Record, state: State) -> list[int]:
    """Return the tokens of each block that was put, in order."""
    blocks = [block for change in record["changes"] for block in as_blocks(change["blocks"])]
    return [round(state.meter.factor * state.count(block)) for block in blocks]


def _facts(facts: Mapping[str, Any]) -> Iterator[str]:
    if found := facts_found(facts):
        yield f"{found[0]} of {found[1]} found in what stands there"
    elif facts.get("missing"):
        yield f"{facts['score']:.0%} found in what stands there"
    for words, told in (("added", facts.get("missing")), ("not in the log", facts.get("unknown"))):
        if told:
            more = f" and {len(told) - MOST_FACTS} more" if len(told) > MOST_FACTS else ""
            yield f"{words}: {', '.join(f'`{one_line(one)}`' for one in told[:MOST_FACTS])}{more}"


def _cost(receipt: Mapping[str, Any], state: State) -> Iterator[str]:
    """Tell what it cost at once, what it saves at every step, and when it has paid for itself."""
    usage, rewritten = receipt.get("usage") or {}, receipt.get("rewritten", 0)
    removed = max(0, receipt.get("before", 0) - receipt.get("after", 0))
    summary = state.price(state.model, usage) if usage else 0.0
    written = rewrite_usd(rewritten, state)
    saved = read_usd(removed, state)
    if usage:
        read, asked = usage.get("cache_read_input_tokens") or 0, prompt_total(usage)
        yield f"summary {usd_shown(summary)} (read {tokens(read)} of {tokens(asked)} from the cache)"
    if rewritten:
        yield f"cache re-write {tokens(rewritten)}, {usd_shown(written)}"
    if not usage and not rewritten:
        yield "nothing now: no request, and the cache stays or had expired"
    if removed:
        yield f"saves {tokens(removed)} a step" + (f", {usd_shown(saved)}" if saved else "")
    if usage and saved and summary is not None and written is not None:
        yield f"pays after {steps_shown((summary + written) / saved)}"
    elif not usage:
        yield from price_parts(receipt)[1:]


def _way_back(record: Record, state: State) -> str:
    """Return how it is taken back, and what has to be taken back before it."""
    id_ = record["id"]
    if id_ in state.standing:
        later = len(state.standing) - 1 - state.standing.index(id_)
        after = f", after the {times(later, 'compaction')} since" if later else ""
        return f"/compact undo{after} (while the window has room for it)"
    if id_ in state.timeline.redoable:
        return "it was undone; /compact redo makes it again"
    return "it does not stand any more"
