"""What a project would bring into force, as the user is shown it before he says whether he trusts it."""

from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from agent.glyphs import drawn
from agent.terminal.figures import times
from agent.terminal.render import as_lines, plain, to_ansi
from agent.trust.powers import KINDS, Power, counted
from agent.trust.standing import Standing, lines_of

HEADS = {
    "hook": "hooks, commands that run as you without a question",
    "script": "files of the project that those hooks run",
    "rule": "permission rules",
    "setting": "settings",
    "agent type": "agent types",
    "import": "files outside the project that the model is told",
    "unreadable file": "files that cannot be read",
}
MOST_SHOWN = 200
MOST_CHARS = 2_000
"""Of one line."""
NEW, GONE, SAME = "+", "-", " "
"""Before a line of a project that has changed: now only, no more, as it was."""
QUESTION = "trust this project? What is listed above is in force from then on; a change is asked about again"
SHORT_QUESTION = "trust this project? It is listed above"
KEYS = "[y] trust it  [n] not now, it stays off  Esc not now"
SHORT_KEYS = "[y] trust  [n] not now"
COMFORTABLE = 60
"""Columns from which on there is room for the long forms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """One power, or one that is gone, and how it compares with what was trusted."""

    mark: str
    power: Power


def listing(standing: Standing, width: int) -> list[str]:
    """Return all that would come into force as lines with ANSI colours, none wider than ``width``."""
    found = _marked(standing)
    shown, hidden = found[:MOST_SHOWN], found[MOST_SHOWN:]
    parts: list[Text | Padding] = [Text(drawn(_head(standing)), style="bold")]
    for kind in KINDS:
        of_kind = [one for one in shown if one.power.kind == kind]
        if of_kind:
            parts.append(Padding(Text(HEADS[kind]), (0, 0, 0, 2)))
        parts += [_line(one) for one in of_kind]
    if hidden:
        more = counted([one.power for one in hidden])
        told = f"  … and {more} more: read {standing.sources} before you say yes"
        parts.append(Text(drawn(told), style="yellow"))
    if standing.problem:
        parts.append(Text(plain(standing.problem), style="yellow"))
    return [line for part in parts for line in as_lines(to_ansi(part, width))]


def question_lines(width: int, *, has_keys: bool = True) -> list[str]:
    """Return the question and, where it ``has_keys``, those."""
    is_narrow = width < COMFORTABLE
    question = Text.assemble(("◐ ", "yellow"), (SHORT_QUESTION if is_narrow else QUESTION, "bold"))
    keys = Padding(Text(SHORT_KEYS if is_narrow else KEYS), (0, 0, 0, 2))
    parts: list[RenderableType] = [_drawn(question), keys] if has_keys else [_drawn(question)]
    return as_lines(to_ansi(Group(*parts), width))


def decided(standing: Standing) -> str:
    """Return the line that stays of it."""
    if standing.state == "trusted":
        return "? this project: trusted"
    if standing.is_on:
        return f"? this project: trusted for this run · {plain(standing.problem)}"
    return "? this project: not now, what is listed above stays off"


def _marked(standing: Standing) -> list[Marked]:
    """Return what there is, and what of it was trusted and is gone; what is new comes first."""
    if not standing.agreed:
        return [Marked(mark="", power=power) for power in standing.powers]
    before, now = set(standing.agreed), lines_of(standing.powers)
    marks = [SAME if line in before else NEW for line in now]
    found = [Marked(mark=mark, power=power) for mark, power in zip(marks, standing.powers, strict=True)]
    found += [Marked(mark=GONE, power=_power(line)) for line in standing.agreed if line not in set(now)]
    return sorted(found, key=lambda one: one.mark == SAME)


def _power(line: str) -> Power:
    """Return the power that a kept line was of."""
    kind, _, text = line.partition(": ")
    return Power(kind=kind if kind in KINDS else KINDS[-1], text=text, file="")


def _head(standing: Standing) -> str:
    files = standing.sources
    if standing.state != "changed":
        return f"this project would bring into force, from {files}:"
    if not standing.agreed:
        return f"this project has changed since you trusted it; it would bring into force, from {files}:"
    return f"this project has changed since you trusted it (+ is new, - is gone), in {files or 'nothing any more'}:"


def _line(one: Marked) -> Padding:
    text = one.power.text
    if len(text) > MOST_CHARS:
        left = times(len(text) - MOST_CHARS, "character")
        text = f"{text[:MOST_CHARS]} [and {left} more, in {one.power.file}]"
    where = f"  ({one.power.file})" if one.power.file and one.power.kind == "agent type" else ""
    style = {NEW: "bold", GONE: "dim"}.get(one.mark, "")
    body = Text(plain(f"{text}{where}"), style=style)
    if not one.mark:
        return Padding(body, (0, 0, 0, 4))
    return Padding(Text(f"{one.mark} ", style=style).append_text(body), (0, 0, 0, 4))


def _drawn(text: Text) -> Text:
    text.plain = drawn(text.plain)
    return text
