"""What `/context` says: how full it is, a grid and a table by category, and the largest blocks."""

from collections.abc import Callable, Sequence

from rich.text import Text

from agent.compacting.block_names import BlockNames
from agent.compacting.filling import Filling, Share, filling
from agent.compacting.foresight import Foresight
from agent.instructions.note import Note
from agent.session.state import State
from agent.terminal.columns import flowed, one_line
from agent.terminal.context_grid import FREE, RESERVE, columned, grid, grid_lines, legend
from agent.terminal.figures import times, tokens
from agent.terminal.instruction_lines import instruction_lines
from agent.terminal.picker import shortened
from agent.terminal.preview_lines import after, summary_at, would_leave
from agent.terminal.render import styled
from agent.terminal.status_bar import MOST_TURNS
from compaction.messages import text
from compaction.policy import Sizes, SummaryRule

LARGEST = 10
NAME_CELLS = 48
"""At most, of a block's name in the list of the largest."""
LEAST_NAME_CELLS = 12
BESIDE_CELLS = 11
"""Of a block's line beside its name and step: margin, tokens and blanks."""


def context_lines(
    state: State,
    sizes: Sizes,
    coming: Foresight | None,
    *,
    rule: SummaryRule,
    notes: Sequence[Note] = (),
    width: int,
) -> list[Text]:
    """Return what fills the context now, as lines of at most ``width`` cells; tokens by the meter.

    Args:  coming: what compactions would do; None while a turn runs. rule: when a summary comes by itself.
           notes: the instruction files as they are now.
    """
    found = filling(state)
    free = max(0, sizes.threshold - found.size)
    reserve = max(0, sizes.window - found.size - free)
    categories = {**found.categories, FREE: free, RESERVE: reserve}
    made = grid(categories, sizes.window, width)
    head = flowed([*_head(state, found, sizes, rule), f"each cell {tokens(made.cell_tokens)}"], width)
    return [
        *(styled((line, "")) for line in head),
        *grid_lines(made),
        *legend(categories, sizes.window, width),
        *_largest(state, found, width),
        *instruction_lines(notes, state.context_files, _counted(state, found), width),
        *(styled((line, "")) for line in flowed(_ways_out(coming, sizes), width)),
    ]


def _counted(state: State, found: Filling) -> Callable[[str], int]:
    """Return what counts a part of the context block, so that its parts add up to what is shown of it."""
    blocks = [share for share in found.shares if share.category == "context"]
    estimate = sum(share.placed.tokens for share in blocks)
    measured = sum(share.tokens for share in blocks)
    return lambda words: state.count(text(words)) * (measured or 1) // (estimate or 1)


def _head(state: State, found: Filling, sizes: Sizes, rule: SummaryRule) -> list[str]:
    guessed = found.size - found.measured
    parts = (
        "measured " + tokens(found.measured) if found.measured else "",
        tokens(guessed) if guessed else "",
    )
    left = state.turns_left(sizes.threshold) if rule.is_automatic else None
    return [
        f"context {tokens(found.size)} of {tokens(sizes.window)} ({found.size / sizes.window:.0%})",
        summary_at(rule, sizes),
        " + estimated ".join(parts).removesuffix(" + estimated ").removeprefix(" + "),
        f"about {times(left, 'turn')} until then, as the last ones went"
        if left is not None and left <= MOST_TURNS
        else "",
    ]


def _ways_out(coming: Foresight | None, sizes: Sizes) -> list[str]:
    """Return what would leave first, and what `/compact` would make of it."""
    if coming is None:
        return []
    by_hand = f"/compact now: {after(coming.by_hand, sizes)}" if coming.by_hand else ""
    return [*would_leave(coming, sizes), by_hand, "more: /compact preview"]


def _largest(state: State, found: Filling, width: int) -> list[Text]:
    """Return the largest blocks in columns, under a heading: tokens, name, step; nothing before the first prompt."""
    names = BlockNames(state, state.view)
    shares = found.largest(LARGEST)
    if not shares:
        return []
    steps = [f"(step {share.placed.step})" if share.placed.step else "" for share in shares]
    taken = BESIDE_CELLS + max(map(len, steps), default=0)
    room = max(LEAST_NAME_CELLS, min(NAME_CELLS, width - taken))
    blocks = [_block(share, names, step, room) for share, step in zip(shares, steps, strict=True)]
    return [styled(("largest", "")), *columned(blocks, width)]


def _block(share: Share, names: BlockNames, step: str, room: int) -> Text:
    return styled(
        (
            f"{tokens(share.tokens):>6}  {shortened(one_line(names.of(share.placed)), room)} {step}".rstrip(),
            "",
        )
    )
