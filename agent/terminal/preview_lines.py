"""`/compact preview`: what compactions would do now, as a diff: what leaves, what comes in its place, where, at what price."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from agent.compacting.foresight import Foreseen, Foresight, Leaving
from agent.session.state import State
from agent.terminal.columns import flowed, one_line
from agent.terminal.compaction_line import price_parts
from agent.terminal.figures import times, tokens
from agent.terminal.picker import shortened
from agent.terminal.prices import read_usd, rewrite_usd, steps_shown, usd_shown
from agent.terminal.receipt import CAUSES, stays
from agent.terminal.render import styled
from compaction.policy import Sizes, SummaryRule

RUNNING = "calls are running: nothing is decided before they have ended"
SHOWN = 12
"""Blocks of one compaction that have a line of their own."""
NAME_CELLS = 56
LEAST_NAME_CELLS = 12
BESIDE_CELLS = 12
"""Of a block's line beside its name: margin, sign, tokens and blanks."""


def preview_lines(found: Foresight | None, state: State, sizes: Sizes, width: int) -> list[Text]:
    """Return what would be compacted before the next step, and by `/compact`, as lines of at most ``width`` cells.

    Args:  found: None while calls run.
    """
    if found is None:
        return [styled((RUNNING, ""))]
    lines: list[Text] = []
    for when, one in (
        *(("before the next step", one) for one in found.next),
        ("/compact now", found.by_hand),
    ):
        if one is not None:
            lines += _diff(f"{when}: {after(one, sizes)}", one, width)
            lines += _told([*stays(one.record, state, without="summary")], width, sign="+")
            lines += _told(_where(one), width, sign="→")
            lines += _told(_price(one, state, is_cold=found.is_cold), width)
    if found.by_hand is None:
        lines.append(styled(("/compact now: nothing, a summary would not be smaller", "")))
    later = would_leave(found, sizes) or [summary_at(found.rule, sizes)]
    nothing = ["before the next step: nothing", *later] if not found.next else []
    return [*(styled((line, "")) for line in flowed(nothing, width)), *lines]


def would_leave(found: Foresight, sizes: Sizes, most: int = 3) -> list[str]:
    """Return what would leave first: before the next step, else once the context is at its threshold; else nothing."""
    coming = found.next or found.at_threshold
    leaving = [one for foreseen in coming for one in foreseen.leaving if one.where]
    if not leaving:
        return []
    when = "before the next step leaves" if found.next else f"at {tokens(sizes.threshold)} would leave first"
    first, *others = [f"{_name(one)} {tokens(one.tokens)}{_reason(one)}" for one in leaving[:most]]
    more = f"{len(leaving) - most} more" if len(leaving) > most else ""
    return [f"{when}: {first}", *others, more]


def summary_at(rule: SummaryRule, sizes: Sizes) -> str:
    """Return when a summary takes the place of the history by itself."""
    if not rule.is_automatic:
        return "no summary by itself"
    chars = f"{rule.threshold_chars:,} characters or " if rule.threshold_chars is not None else ""
    return f"summary at {chars}{tokens(sizes.threshold)}"


def after(one: Foreseen, sizes: Sizes) -> str:
    """Return by what, and what the context would come to: `micro 92.1k → 61.4k`."""
    words = f" and the summary's words (at most {tokens(sizes.summary)})" if one.is_summary else ""
    return f"{one.receipt['layer']} {tokens(one.receipt['before'])} → {tokens(one.rest)}{words}"


def _diff(head: str, one: Foreseen, width: int) -> list[Text]:
    cause = CAUSES.get(one.receipt.get("cause", ""), "")
    lines = flowed([head, cause], width)
    return [*(styled((line, "bold")) for line in lines), *_leaving(one.leaving, width)]


def _leaving(leaving: Sequence[Leaving], width: int) -> Iterator[Text]:
    """Yield a line a block, the largest first; what is over the limit is counted."""
    kept = [one for one in leaving if one.where]
    thinking = [one for one in leaving if not one.where]
    for one in kept[:SHOWN]:
        reason, room = _reason(one), width - BESIDE_CELLS
        if room - len(reason) < LEAST_NAME_CELLS:
            reason = ""
        yield _minus(one.tokens, shortened(_name(one), min(NAME_CELLS, room - len(reason))), reason)
    if others := kept[SHOWN:]:
        yield _minus(sum(one.tokens for one in others), f"{len(others)} more")
    if thinking:
        yield _minus(sum(one.tokens for one in thinking), f"{times(len(thinking), 'block')} of thinking")


def _minus(size: int, what: str, reason: str = "") -> Text:
    return styled(("  - ", "red"), (f"{tokens(size):>6}  {what}", ""), (reason, "dim"))


def _where(one: Foreseen) -> list[str]:
    """Return the folders of the files that would be written, or the one file of an archive."""
    if archive := one.receipt.get("archive"):
        return [one_line(archive)]
    folders = Counter(file["path"].rpartition("/")[0] for file in one.record["files"])
    kept = {leaving.where.rpartition("/")[0] for leaving in one.leaving if leaving.where}
    return [f"{one_line(folder)}/" for folder in sorted({*folders, *kept})]


def _price(one: Foreseen, state: State, *, is_cold: bool) -> Sequence[str]:
    """Return what it costs at once, and when it has paid for itself."""
    if not one.is_summary:
        return price_parts(one.receipt)
    size, rewritten = state.context_size, one.receipt.get("rewritten", 0)
    paid, written = read_usd(size, state, is_cold=is_cold), rewrite_usd(rewritten, state)
    saved = read_usd(max(0, size - one.rest), state)
    source = "anew, the cache has expired" if is_cold else "from the cache"
    pays = ""
    if saved and paid is not None and written is not None:
        pays = f"pays after {steps_shown((paid + written) / saved)} or more"
    return (
        f"one request that reads {tokens(size)} {source}, {usd_shown(paid)} and the words it writes",
        f"cache re-write {tokens(rewritten)}, {usd_shown(written)}" if rewritten else "",
        pays,
    )


def _told(parts: Sequence[str], width: int, sign: str = " ") -> list[Text]:
    lines = flowed(parts, width - 4)
    return [styled((f"  {sign if not at else ' '} ", "green"), (line, "")) for at, line in enumerate(lines)]


def _name(one: Leaving) -> str:
    return one_line(one.name)


def _reason(one: Leaving) -> str:
    return f" ({one.reason})" if one.reason else ""
