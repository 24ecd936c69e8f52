"""One card a call: a line, the diff where it changed something, the end of its output where it failed."""

import re
from collections.abc import Mapping
from typing import Any

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from agent.glyphs import drawn
from agent.terminal.checklist import checklist, has_rest
from agent.terminal.figures import dollars, seconds, times, tokens
from agent.terminal.render import INDENT, abridged, cut, plain, styled, to_ansi
from compaction.digest import target
from compaction.messages import ToolResultBlock, ToolUseBlock, result_text

FAILED_LINES = 6
FAILED_ROWS = 3
"""Rows that one of these lines may be wrapped to: an error's own line is read whole."""
DIFF_LINES = 24
NARROW = 60
NOT_BEGUN = {"Refused: ": "refused", "Not run: ": "not run"}
"""How the result of a call begins that did not run, and what its card says of it."""
NUMBERED = re.compile(r"\s*\d+ ([-+ ])")


def card(call: ToolUseBlock, result: ToolResultBlock, facts: Mapping[str, Any], width: int) -> str:
    """Return the card of a finished call as ANSI lines."""
    is_error = bool(result.get("is_error"))
    exit_code = facts.get("exit_code", 0)
    style = "red" if is_error or exit_code else "green"
    parts: list[RenderableType] = [headline("●", style, call, outcome_of(result, facts), width=width)]
    if diff := facts.get("diff"):
        parts += diff_lines(diff, DIFF_LINES)
    elif "todos" in facts and not is_error:
        parts += checklist(facts, width)
    elif "work" in facts and not is_error:
        parts.append(styled((f"{INDENT}{plain(facts.get('note', ''))}", "dim")))
    elif is_error or exit_code:
        parts += _last_lines(result_text(result), width)
    return to_ansi(Group(*parts), width)


def is_whole(result: ToolResultBlock, facts: Mapping[str, Any], width: int) -> bool:
    """True when the card of a call shows all that came of it; its output, if it has any, is never shown whole."""
    diff = plain(facts.get("diff", "")).splitlines()
    if result.get("is_error") or not diff:
        return "todos" in facts and not result.get("is_error") and not has_rest(facts)
    return len(diff) <= DIFF_LINES and all(cell_len(line) + 2 <= width for line in diff)


def headline(mark: str, style: str, call: ToolUseBlock, outcome: str, *, width: int) -> Text:
    """Return the one line of a call: mark, tool, target, outcome.

    Where they do not fit, the target is cut first, to half of the room, on a narrow screen to a quarter: what came of a call is what is looked for.
    """
    line = styled((f"{mark} ", style), (f"{call['name']}  ", "bold"))
    about, came = styled((abridged(subject(call["input"])), "")), styled((f"  {outcome}", "dim"))
    if not outcome:
        return line.append_text(about)
    room = max(0, width - line.cell_len)
    cut(about, max(room // (4 if width < NARROW else 2), room - came.cell_len))
    cut(came, max(0, room - about.cell_len))
    return line.append_text(about).append_text(came)


def subject(given: Mapping[str, Any]) -> str:
    """Return what a call is about; a checklist stands below its card, a subagent's kind before its work."""
    kind = given.get("agent_type") if "description" in given else None
    return "" if "todos" in given else f"{kind}: {target(given)}" if kind else target(given)


def work_done(work: Mapping[str, Any]) -> str:
    """Return what a subagent has done, as `tools.base.Work`: `14 steps · 31k · $0.04`."""
    parts = (
        times(work["steps"], "step"),
        tokens(work["size"]),
        dollars(work["usd"], is_known=work["is_known"]),
    )
    return " · ".join(parts)


def diff_lines(diff: str, most: int, *, is_whole: bool = False) -> list[Text]:
    """Return a numbered diff (`   42 - old`) with its colours; what is over ``most`` lines is counted.

    A line that is too long is cut; with ``is_whole`` it is wrapped.
    """
    lines: list[Text] = []
    for line in plain(diff).splitlines():
        mark = NUMBERED.match(line)
        style = {"-": "red", "+": "green"}.get(mark[1], "dim") if mark else "dim"
        shown = styled((f"  {line}", style))
        if is_whole:
            shown.no_wrap, shown.overflow = False, "fold"
        lines.append(shown)
    if len(lines) > most:
        lines[most:] = [styled((f"{INDENT}… {len(lines) - most} more lines", "dim"))]
    return lines


def outcome_of(result: ToolResultBlock, facts: Mapping[str, Any]) -> str:
    """Return what came of a call, and how long that took."""
    note = facts.get("note", "")
    if result.get("is_error") and not note:
        text = result_text(result)
        note = next((note for begins, note in NOT_BEGUN.items() if text.startswith(begins)), "failed")
    duration_s = facts.get("duration_s") or 0.0
    is_told = not duration_s or note.endswith(" s")
    work = work_done(facts["work"]) if "work" in facts else ""
    is_below = bool(work) and not result.get("is_error")
    parts = (work, "" if is_below else plain(drawn(note)), "" if is_told else seconds(duration_s))
    return " · ".join(part for part in parts if part)


def _last_lines(text: str, width: int) -> list[RenderableType]:
    lines = [line for line in plain(text).splitlines() if line.strip()]
    return [_failed_line(line, max(1, width - len(INDENT))) for line in lines[-FAILED_LINES:]]


def _failed_line(line: str, width: int) -> RenderableType:
    """Return a line that is wrapped, and cut where it takes more than a few rows."""
    shown = Text(line, style="dim", overflow="fold")
    # Words are not broken: a row may hold less than its width.
    cut(shown, width * FAILED_ROWS - (width // 2 if " " in line else 0))
    return Padding(shown, (0, 0, 0, len(INDENT)))
