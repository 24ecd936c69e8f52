"""Figures as rows: for a program, and as a table to read."""

from collections.abc import Sequence
from typing import TypedDict

from agent.replay.figures import Figures
from compaction.presets import PRESETS

POOLED = "all"
NOTE = (
    "Trajectories are fixed: the model's replies are the recorded ones, its own reaction to a shorter view is not in "
    "these figures. Cost is relative to what was billed (or to `off` where no usage is recorded): input + 1.25 write "
    "+ 0.1 read, output left out."
)

UNCACHED = "* asks for its summaries with the history as one text, which reads nothing from the cache: priced as input."


class Row(TypedDict):
    """One line of the table; a share is None where there was nothing to count."""

    session: str
    preset: str
    cost: float | None
    support: float | None
    first_use: float | None
    recoverability: float
    peak_tokens: int
    resets: int
    summaries: int
    ms_per_step: float
    cost_marks: float | None


def row_of(session: str, preset: str, figures: Figures) -> Row:
    """Return the row of one session under one preset."""
    recovered = _share(figures.recovered_bytes, figures.dropped_bytes)
    return Row(
        session=session,
        preset=preset,
        cost=_share(figures.cost, figures.billed),
        support=_share(figures.supported, figures.edits),
        first_use=_share(figures.standing, figures.uses),
        recoverability=1.0 if recovered is None else recovered,
        peak_tokens=figures.peak_tokens,
        resets=figures.resets,
        summaries=figures.summaries,
        ms_per_step=round(1_000 * figures.seconds / max(1, figures.steps), 3),
        cost_marks=_share(figures.cost_marks, figures.billed),
    )


def text_table(rows: Sequence[Row]) -> str:
    """Return the rows in columns, the numbers to the right, with a note on what they leave out."""
    cells = [list(TITLES), *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(TITLES))]
    lines = [
        "  ".join(
            cell.ljust(width) if column < NAMES else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]
    notes = [UNCACHED, NOTE] if any(_is_uncached(row) for row in rows) else [NOTE]
    return "\n".join([*lines, "", *notes])


TITLES = (
    "session",
    "preset",
    "cost",
    "cost at marks",
    "support",
    "first use",
    "recoverable",
    "peak tokens",
    "resets",
    "summaries",
    "ms/step",
)
NAMES = 2


def _cells(row: Row) -> list[str]:
    shares = (row["cost"], row["cost_marks"], row["support"], row["first_use"], row["recoverability"])
    return [
        row["session"],
        row["preset"] + (" *" if _is_uncached(row) else ""),
        *("–" if share is None else f"{share:.3f}" for share in shares),
        f"{row['peak_tokens']:,}",
        str(row["resets"]),
        str(row["summaries"]),
        f"{row['ms_per_step']:.1f}",
    ]


def _is_uncached(row: Row) -> bool:
    return PRESETS[row["preset"]].summary.is_serialised


def _share(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None
