"""What a question looks like: who wants what, where, why it is asked, and the keys; on a low screen the keys stay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from agent.approval import Question
from agent.glyphs import drawn
from agent.terminal.cards import diff_lines
from agent.terminal.layout import SPARED_ROWS
from agent.terminal.render import as_lines, plain, styled, to_ansi

OTHER_ROWS = 9
"""Rows of the screen that a question leaves to its own keys, the input and the status bar."""
RULE_ROWS = 3
"""A rule that takes more of them is shown above."""
TYPED_ROWS = 2
"""What is typed gets so many rows more than the input has at least."""
MOST_DIFF_LINES = 2_000
INDENT = 4
KEYS_INDENT = 2
BY_RULE = "[a] always, by the rule shown above"
LOWER_THAN_IT_WAS = "… more: make the window higher"
SHOWN_ABOVE = "… shown above"
KEYS = "[y] once  {}[n] no  [r] no, and say why  Esc stop"
SHORT_KEYS = "[y] {}[n] [r] {}Esc"
EDIT_KEY = "[e] edit  "
HINTS: Mapping[str, Sequence[str]] = {
    "r": ("why not? Enter sends it · Esc goes back", "why? Enter · Esc"),
    "e": ("Enter runs it as it stands below · Esc goes back", "Enter runs · Esc"),
}
"""What is said while an answer is typed, by the key that began it: the long form, and one for a low screen."""

Size = tuple[int, int]
"""Columns and rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a question shows; ``note``: what stands where there is no room for all of the body."""

    who: str
    body: Sequence[RenderableType]
    reason: str
    rule: Sequence[RenderableType]
    keys: str
    """The keys that answer it."""
    problem: str = ""
    """Why what the user would have run cannot run."""
    note: str = LOWER_THAN_IT_WAS


def shown_whole(question: Question, keys: str, *, diff: str, place: str) -> Shown:
    """Return all that ``question`` shows.

    ``diff``: the change that the call would make, empty for other calls; ``place``: where a command would run.
    """
    rule = f"[a] always `{plain(question.rule)}`"
    return Shown(
        who=f"{question.agent}: {question.call['name']}" if question.agent else question.call["name"],
        body=_body(question, diff),
        reason=" · ".join(part for part in (place, plain(question.reason)) if part),
        rule=[_indented(rule, "bold", indent=KEYS_INDENT)] if question.rule else [],
        keys=keys,
        problem=plain(question.problem),
    )


def fitted(whole: Shown, size: Size) -> tuple[Shown, list[str]]:
    """Return what fits the screen, and what is shown above instead, whole: body and rule where they are too long."""
    columns, rows = size
    body, rule = _drawn(whole.body, columns), _drawn(whole.rule, columns)
    others = _drawn([_reason(whole), *_problem(whole), _keys(whole)], columns)
    room = rows - SPARED_ROWS - 1 - len(others)
    is_rule_long = len(rule) > min(RULE_ROWS, room - 1)
    is_long = len(body) > min(rows - OTHER_ROWS, room - (1 if is_rule_long else len(rule)))
    above = [*(body if is_long else ()), *(rule if is_rule_long else ())]
    if not above:
        return whole, []
    shown = replace(
        whole,
        body=_shortened(body) if is_long else whole.body,
        rule=[_indented(BY_RULE, "bold", indent=KEYS_INDENT)] if is_rule_long else whole.rule,
        note=SHOWN_ABOVE if is_long else whole.note,
    )
    return shown, [f"{whole.who}, in full:", *above]


def question_lines(shown: Shown, typing: str, size: Size) -> list[str]:
    """Return the question as rows; on a low screen what it is and its keys stay.

    ``typing``: the key whose answer is being typed; empty: none.
    """
    columns, spared = size[0], SPARED_ROWS + (TYPED_ROWS if typing else 0)
    rows = max(min(2, size[1] - SPARED_ROWS), size[1] - spared, 1)
    head = _drawn([styled(("◐ ", "yellow"), (f"{shown.who} wants to run", "bold"))], columns)
    answers = _answers(shown, typing, columns, most=rows - len(head))
    body = _drawn([*shown.body, _reason(shown)], columns)
    room = max(0, rows - len(head) - len(answers))
    if len(body) > room:
        note = _drawn([styled((f"{' ' * INDENT}{shown.note}", "dim"))], columns)
        body = [*body[: max(0, room - 1)], *note][:room]
    return [*head, *body, *answers][-rows:]


def described(question: Question) -> str:
    """Return the whole of what would run: nothing of a command is cut away."""
    given = question.call["input"]
    if isinstance(command := given.get("command"), str):
        return command
    return "\n".join(f"{field}: {value}" for field, value in given.items())


def _answers(shown: Shown, typing: str, columns: int, *, most: int) -> list[str]:
    """Return how it is answered; in one row where there are fewer than that takes."""
    long, short = HINTS.get(typing, ("", ""))
    if typing:
        whole = _drawn([_indented(long, "bold", indent=KEYS_INDENT)], columns)
    else:
        whole = _drawn([*_problem(shown), _keys(shown), *shown.rule], columns)
        short = SHORT_KEYS.format(*(f"[{key}] " if key in shown.keys else "" for key in "ea"))
    return whole if len(whole) <= most else _drawn([styled((short, "bold"))], columns)


def _keys(shown: Shown) -> RenderableType:
    keys = KEYS.format(EDIT_KEY if "e" in shown.keys else "")
    return _indented(keys, "bold", indent=KEYS_INDENT)


def _problem(shown: Shown) -> list[RenderableType]:
    words = f"your change cannot run: {shown.problem}"
    return [_indented(words, "yellow", indent=KEYS_INDENT)] if shown.problem else []


def _reason(shown: Shown) -> RenderableType:
    return _indented(shown.reason, "dim")


def _body(question: Question, diff: str) -> list[RenderableType]:
    if diff:
        return [*diff_lines(diff, MOST_DIFF_LINES, is_whole=True)]
    return [_indented(plain(line)) for line in described(question).split("\n")]


def _shortened(body: Sequence[str]) -> list[RenderableType]:
    """Return the first row of what stands above, and how much there is of it."""
    first = Text.from_ansi(body[0])
    if len(body) == 1:
        return [first]
    return [first, _indented(drawn(f"… {len(body)} lines, all of them shown above"), "dim")]


def _indented(text: str, style: str = "", *, indent: int = INDENT) -> Padding:
    """Return text that is wrapped, never cut."""
    return Padding(Text(text, style=style, overflow="fold"), (0, 0, 0, indent))


def _drawn(parts: Sequence[RenderableType], width: int) -> list[str]:
    return [line for part in parts for line in as_lines(to_ansi(part, width))]
