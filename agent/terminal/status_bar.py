"""The status bar: one line that is always there and always true."""

import re
from dataclasses import dataclass

from rich.cells import cell_len

from agent.terminal.figures import dollars, seconds, times, tokens
from agent.terminal.render import as_lines, styled, to_ansi

BAR_CELLS = 10
NARROW_BAR_CELLS = 6
AMBER = 0.75
RED = 0.92
"""Shares of the threshold from which on the bar warns, by colour and by marks behind the percentage."""
SHOWN_S = 2
"""A step that takes less is not timed."""
QUIET_S = 15
"""From then on it is said for how long nothing has come."""
MOST_TURNS = 50
"""More turns than that are too far away to be foretold."""
DROPPED_FIRST = (
    *("branch", "forecast", "compaction", "step", "count", "cache", "model", "queued", "quiet", "cost"),
    *("sandbox", "mode", "questions"),
)
"""What goes first when the line does not fit; bar, size and percentage stay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What the bar shows; sizes in tokens."""

    model: str
    size: int
    is_estimate: bool
    window: int
    threshold: int
    cache_share: float | None
    """Share of the input that came from the cache; None before the first reply."""
    usd: float
    is_price_known: bool
    compactions: int
    last_compaction: str
    """`summary −138k 2m ago`; empty before the first, and when it was undone."""
    turns_left: int | None = None
    """Until a compaction, as the newest turns went; None where that is not known."""
    queued: int = 0
    """What was typed and waits."""
    questions: int = 0
    """That stand or wait for the user."""
    step_s: float | None = None
    """How long the step takes that runs; None between steps."""
    quiet_s: float | None = None
    """How long ago anything came while a step runs; None between steps, and while the user is waited for."""
    is_off: bool = False
    """Nothing but the user and the server sets a compaction off."""
    is_paused: bool = False
    """Making room got nowhere: size alone sets nothing off."""
    editing: str = ""
    """How the input is edited, where that is not as usual: it is never left out."""
    mode: str
    sandbox: str = ""
    """Whether commands are confined, in a word; empty where they are not."""
    branch: str
    """Git branch with `*` for changes; empty outside of a repository."""


def status_line(status: Status, width: int) -> list[str]:
    """Return the bar as one line of at most ``width`` columns."""
    items = _items(status)
    for dropped in ("", *DROPPED_FIRST):
        items.pop(dropped, None)
        if _width(items) < width:
            break
    left = width - 1 - _width(items) + NARROW_BAR_CELLS
    cells = BAR_CELLS if left >= BAR_CELLS else max(0, min(NARROW_BAR_CELLS, left))
    parts: list[tuple[str, str]] = []
    for name, text in items.items():
        parts += [(" · ", "dim")] if parts else []
        parts += _bar(status, cells) if name == "size" else []
        parts.append((text, "" if name == "size" else "dim"))
    return as_lines(to_ansi(styled(*parts), width))[:1]


def short_model(model: str) -> str:
    """Return a model's id as the bar shows it: `claude-sonnet-5-5` is `sonnet-5.5`."""
    name = model.rpartition("/")[2].removeprefix("claude-")
    return re.sub(r"(\d)-(\d{1,2})$", r"\1.\2", name)


def _items(status: Status) -> dict[str, str]:
    estimate = "~" if status.is_estimate else ""
    percent = round(100 * status.size / status.window)
    is_slow = status.step_s is not None and status.step_s >= SHOWN_S
    is_quiet = status.quiet_s is not None and status.quiet_s >= QUIET_S
    items = {
        "questions": times(status.questions, "question") if status.questions else "",
        "model": short_model(status.model),
        "size": f"{tokens(status.size)}{estimate}/{tokens(status.window)} {percent}%{_warning(status)}",
        "cache": "" if status.cache_share is None else f"cache {status.cache_share:.0%}",
        "cost": dollars(status.usd, is_known=status.is_price_known),
        "count": f"⟲ {status.compactions}" if status.compactions else "",
        "compaction": f"({status.last_compaction})" if status.last_compaction else "",
        "forecast": _forecast(status),
        "queued": f"{status.queued} queued" if status.queued else "",
        "step": f"step {seconds(status.step_s or 0.0)}" if is_slow else "",
        "quiet": f"quiet for {seconds(status.quiet_s or 0.0)}" if is_quiet else "",
        "editing": status.editing,
        "mode": status.mode,
        "sandbox": status.sandbox,
        "branch": status.branch,
    }
    return {name: text for name, text in items.items() if text}


def _forecast(status: Status) -> str:
    if status.is_off:
        return "compaction off"
    if status.is_paused:
        return "compaction paused"
    if status.turns_left is None or status.turns_left > MOST_TURNS:
        return ""
    return (
        f"{times(status.turns_left, 'turn')} to compaction" if status.turns_left else "compaction next turn"
    )


def _fill(status: Status) -> float:
    return status.size / status.threshold


def _warning(status: Status) -> str:
    """Return what the colour says, for eyes and terminals without it."""
    return "!!" if _fill(status) >= RED else "!" if _fill(status) >= AMBER else ""


def _width(items: dict[str, str]) -> int:
    """Columns with the narrow bar and its blank."""
    return sum(cell_len(text) + 3 for text in items.values()) - 3 + NARROW_BAR_CELLS + 1


def _bar(status: Status, cells: int) -> list[tuple[str, str]]:
    share = min(1.0, status.size / status.window)
    style = "red" if _fill(status) >= RED else "yellow" if _fill(status) >= AMBER else "green"
    full = round(share * cells)
    return [("█" * full, style), ("░" * (cells - full), "dim"), (" " if cells else "", "")]
