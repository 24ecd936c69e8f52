"""What a question looks like: who wants what, where, why it is asked, and the keys; on a low screen the keys stay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from agent.calls.approval import Question
from agent.glyphs import drawn
from agent.terminal.cards import diff_lines, headline
from agent.terminal.figures import times
from agent.terminal.layout import SPARED_ROWS
from agent.terminal.render import as_lines, plain, styled, to_ansi
from compaction.messages import ToolUseBlock

OTHER_ROWS = 9
"""Rows of the screen that a question leaves to its own keys, the input and the status bar."""
RULE_ROWS = 3
"""A rule that takes more of them is shown above."""
TYPED_ROWS = 2
"""What is typed gets so many rows more than the input has at least."""
LEAST_ROWS = 2
"""Who asks, and the keys."""
MOST_DIFF_LINES = 5_000
ABOVE_ROWS = 200
"""Of what is too long for the screen so many are shown above it unasked."""
MOST_ABOUT_CHARS = 30
"""Of what a subagent is for, and of the name of its type."""
PLAIN_TYPE = "general"
INDENT = 4
KEYS_INDENT = 2
RULE_KEY = "[c] change it"
MORE = "… more: [v] shows all of it above"
SHOWN_ABOVE = "… shown above, [v] again"
KEYS = "[y] once  {}[n] no  [r] no, and say why  Esc stop"
VIEW = "v"
"""The key that shows all of what would run, where it does not stand there whole."""
EDIT_KEY = "[e] edit  "
HINTS: Mapping[str, Sequence[str]] = {
    "r": ("why not? Enter sends it · Esc goes back", "why? Enter · Esc"),
    "e": ("Enter runs it as it stands below · Esc goes back", "Enter runs · Esc"),
    "c": ("Enter keeps the rule as it stands below, and runs it · Esc goes back", "Enter keeps · Esc"),
}
"""What is said while an answer is typed, by the key that began it: the long form, and one for a low screen."""

Size = tuple[int, int]
"""Columns and rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a question shows; ``note``: what stands where there is no room for all of the body."""

    who: Sequence[str]
    """Who asks, the longest form first; the last is what there must be room for."""
    body: Sequence[RenderableType]
    reason: str
    rule: Sequence[RenderableType]
    by_rule: str
    """What stands for a rule that is shown above."""
    keys: str
    """The keys that answer it."""
    problem: str = ""
    """Why what the user would have run cannot run."""
    note: str = MORE


class Sheet:
    """A question that is drawn.

    Args:  diff: the change that the call would make, empty for other calls; place: where a command would run.
    """

    def __init__(self, question: Question, keys: str, *, diff: str, place: str, size: Size) -> None:
        self._question = question
        self._whole = _shown_whole(question, keys, diff=diff, place=place)
        self._shown, self.above = _fitted(self._whole, size)
        """What is too long for the screen, to be shown above it: lines, none where all fits."""
        whole, shown = self._whole, self._shown
        self._is_shortened = shown.body is not whole.body or shown.rule is not whole.rule
        self.is_whole = not self._is_shortened
        """All of what would run stood on the screen when it was drawn last."""

    @property
    def waiting(self) -> int:
        """How many questions wait behind it."""
        return self._question.waiting()

    def lines(self, typing: str, size: Size) -> list[str]:
        """Return the question as rows; on a low screen what it is and its keys stay.

        ``typing``: the key whose answer is being typed; empty: none.
        """
        shown, columns = self._shown, size[0]
        spared = SPARED_ROWS + (TYPED_ROWS if typing else 0)
        rows = max(min(2, size[1] - SPARED_ROWS), size[1] - spared, 1)
        head = _drawn([_head(shown, self.waiting, columns)], columns)
        body = _drawn([*shown.body, _reason(shown)], columns)
        answers = _answers(shown, typing, columns, most=rows - len(head))
        is_cut = len(body) > (room := max(0, rows - len(head) - len(answers)))
        self.is_whole = not (is_cut or self._is_shortened)
        if is_cut:
            note = _drawn([styled((f"{' ' * INDENT}{shown.note}", "dim"))], columns)
            body = body[:room] if room <= 1 else [*body[: room - 1], *note][:room]
        return [*head, *body, *answers][-rows:]

    def in_full(self, columns: int) -> list[str]:
        """Return all of what would run, and the rule, as lines to be shown above."""
        return _drawn(
            [Text(f"{self._whole.who[0]}, in full:"), *self._whole.body, *self._whole.rule], columns
        )

    def decided(self, words: str, changed: Mapping[str, Any] | None, columns: int) -> str:
        """Return the line that stays of it: what was asked about, as the user ``changed`` it, and his answer."""
        call = cast("ToolUseBlock", {**self._question.call, "input": changed or self._question.call["input"]})
        agents = _agents(self._question)
        said = f"{words}, for {agents[0]}" if agents else words
        return to_ansi(headline("?", "yellow", call, plain(said), width=columns), columns)


class Confirmation:
    """A question for yes or no that is drawn."""

    is_whole = True
    waiting = 0

    def __init__(self, text: str) -> None:
        self._drawn = Text.assemble(("◐ ", "yellow"), (text, "bold"))

    def lines(self, typing: str, size: Size) -> list[str]:
        """Return it as rows, wrapped."""
        return _drawn([self._drawn], size[0])

    def in_full(self, columns: int) -> list[str]:
        """Return nothing: it always stands there whole."""
        return []


def complaint(problem: str, columns: int) -> str:
    """Return the line that says why something typed as a rule is none."""
    return to_ansi(styled(("! ", "yellow"), (plain(problem), "")), columns)


def aside(words: str, columns: int) -> str:
    """Return what is said below a decision: where a rule is kept, or why it is not."""
    return to_ansi(_indented(plain(words), "dim", indent=KEYS_INDENT), columns)


def described(question: Question) -> str:
    """Return the whole of what would run: nothing of a command is cut away."""
    given = question.call["input"]
    if isinstance(command := given.get("command"), str):
        return command
    return "\n".join(f"{field}: {value}" for field, value in given.items())


def _shown_whole(question: Question, keys: str, *, diff: str, place: str) -> Shown:
    always = f"[a] {question.duration}"
    rule = f"{always} `{plain(question.rule)}`  {RULE_KEY}"
    name, agents = question.call["name"], _agents(question)
    return Shown(
        who=[f"{agent}: {name}" for agent in agents] or [name],
        body=_body(question, diff),
        reason=" · ".join(part for part in (place, plain(question.reason)) if part),
        rule=[_indented(rule, "bold", indent=KEYS_INDENT)] if question.rule else [],
        by_rule=f"{always}, by the rule shown above  {RULE_KEY}",
        keys=keys,
        problem=plain(question.problem),
    )


def _agents(question: Question) -> list[str]:
    """Return what a subagent is called, the longest first: `explore: look around (task 2)`; none for the main agent.

    The type that is meant where none is named says nothing.
    """
    if not question.agent:
        return []
    number = question.agent.removeprefix("task-").lstrip("0")
    kind = "" if question.agent_type == PLAIN_TYPE else _short(question.agent_type)
    about = _short(question.about)
    named = ": ".join(filter(None, [kind, about]))
    forms = (named and f"{named} (task {number})", kind and f"{kind} (task {number})", f"task {number}")
    return [form for form in forms if form]


def _short(words: str) -> str:
    line = " ".join(plain(words).split())
    return line if len(line) <= MOST_ABOUT_CHARS else f"{line[: MOST_ABOUT_CHARS - 1]}…"


def _fitted(whole: Shown, size: Size) -> tuple[Shown, list[str]]:
    """Return what fits the screen, and what is shown above instead: body and rule where they are too long."""
    columns, rows = size
    # Not all of what may be thousands of lines: that takes a second.
    body, rule = _drawn(whole.body[: ABOVE_ROWS + 1], columns), _drawn(whole.rule, columns)
    lines = max(len(body), len(whole.body))
    others = _drawn([_reason(whole), *_problem(whole), _keys(whole)], columns)
    room = rows - SPARED_ROWS - 1 - len(others)
    is_rule_long = len(rule) > min(RULE_ROWS, room - 1)
    is_long = len(body) > min(rows - OTHER_ROWS, room - (1 if is_rule_long else len(rule)))
    problem = _drawn(_problem(whole), columns)
    is_problem_long = len(problem) > max(0, rows - SPARED_ROWS - LEAST_ROWS)
    if not (is_long or is_rule_long or is_problem_long):
        return whole, []
    shown = replace(
        whole,
        body=_shortened(body[0], lines) if is_long else whole.body,
        rule=[_indented(whole.by_rule, "bold", indent=KEYS_INDENT)] if is_rule_long else whole.rule,
        problem="" if is_problem_long else whole.problem,
        note=SHOWN_ABOVE if is_long else whole.note,
    )
    head = f"{whole.who[0]}, in full:" if lines <= ABOVE_ROWS else f"{whole.who[0]}, its beginning:"
    above = [*(body[:ABOVE_ROWS] if is_long else ()), *(rule if is_rule_long else ())]
    return shown, [*(problem if is_problem_long else ()), *([head, *above] if above else ())]


def _head(shown: Shown, waiting: int, columns: int) -> Text:
    """Return who wants what, and how many questions wait behind it, as far as there is room; the tool is always named."""
    verb = "waits" if waiting == 1 else "wait"
    behind = f" · {times(waiting, 'more question')} {verb}" if waiting else ""
    asks = [f"{who} wants to run" for who in shown.who]
    forms = ((asks[0], behind), *((words, "") for words in asks), (f"{shown.who[-1]}?", ""))
    lines = [styled(("◐ ", "yellow"), (words, "bold"), (more, "dim")) for words, more in forms]
    return next((line for line in lines if line.cell_len <= columns), lines[-1])


def _answers(shown: Shown, typing: str, columns: int, *, most: int) -> list[str]:
    """Return how it is answered; in one row where there are fewer than that takes."""
    long, short = HINTS.get(typing, ("", _short_keys(shown.keys, columns)))
    problem = [] if typing else _problem(shown)
    keys = [_indented(long, "bold", indent=KEYS_INDENT)] if typing else [_keys(shown), *shown.rule]
    in_one_row = styled((short, "bold"))
    forms = (_drawn(form, columns) for form in ([*problem, *keys], [*problem, in_one_row], [in_one_row]))
    return next(form for form in forms if len(form) <= most or len(form) == 1)


def _short_keys(keys: str, columns: int) -> str:
    """Return the keys in one row, on a narrow screen the first of them in brackets alone."""
    all_keys = f"{keys}{VIEW}"
    bracketed = " ".join(f"[{key}]" for key in all_keys) + " Esc"
    return bracketed if len(bracketed) <= columns else f"[{all_keys[0]}] {' '.join(all_keys[1:])} Esc"


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


def _shortened(row: str, lines: int) -> list[RenderableType]:
    """Return the first ``row`` of what stands above, how many ``lines`` there are, and how they are seen again."""
    first = Text.from_ansi(row)
    if lines == 1:
        return [first]
    shown = "all of them shown above; [v] again"
    if lines > ABOVE_ROWS:
        shown = f"the first {ABOVE_ROWS} shown above; [v] all of them"
    return [first, _indented(drawn(f"… {lines:,} lines, {shown}"), "dim")]


def _indented(text: str, style: str = "", *, indent: int = INDENT) -> Padding:
    """Return text that is wrapped, never cut."""
    return Padding(Text(text, style=style, overflow="fold"), (0, 0, 0, indent))


def _drawn(parts: Sequence[RenderableType], width: int) -> list[str]:
    return as_lines(to_ansi(Group(*parts), width)) if parts else []
