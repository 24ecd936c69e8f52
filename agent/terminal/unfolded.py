"""Something that was shown folded, drawn whole: a call with its input and its result, or the user's words."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.text import Text

from agent.glyphs import drawn
from agent.session.records import Record
from agent.terminal.cards import NUMBERED, outcome_of, subject
from agent.terminal.checklist import checklist
from agent.terminal.excerpt import Source, excerpt, file_source, text_source
from agent.terminal.figures import times
from agent.terminal.folded import FoldedCall, FoldedWords
from agent.terminal.render import INDENT, abridged, plain, styled, to_ansi
from compaction.messages import result_text
from tools.change import MAX_DIFF_LINES

MARK = "▸ "
MANY = 1_000
"""More than a todo list has items."""
LABEL_INDENT = "  "
DIFF_STYLES = {"-": "red", "+": "green"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the session lies. ``log``: the path of its log, as shown."""

    project: Path
    log: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of what is unfolded: its name, its text, and where the whole text is."""

    name: str
    source: Source
    where: str
    style: Callable[[str], str] = lambda _: ""


def unfolded_call(found: FoldedCall, place: Place, width: int) -> str:
    """Return a call with its whole input and result as ANSI lines; of what is very long, its two ends."""
    outcome = [outcome_of(found.result, found.facts), _when(found.record)]
    about = abridged(subject(found.call["input"]))
    head = _head(found.call["name"], about, " · ".join(part for part in outcome if part))
    if "todos" in found.facts and not found.result.get("is_error"):
        return to_ansi(Group(head, *checklist(found.facts, width, MANY)), width)
    sections = [*_inputs(found, place), *_results(found, place)]
    rows = [row for part in sections for row in _drawn(part, width, is_bare=len(sections) == 1)]
    return to_ansi(Group(head, *rows), width)


def unfolded_words(found: FoldedWords, place: Place, width: int) -> str:
    """Return what the user said as ANSI lines."""
    source = text_source(found.text)
    head = _head("you", "", f"{times(source.count, 'line')} · {_when(found.record)}")
    section = Section(name="", source=source, where=_in_log(found.record, place))
    return to_ansi(Group(head, *_drawn(section, width, is_bare=True)), width)


def _head(name: str, about: str, outcome: str) -> Text:
    """Return what heads something unfolded; it is wrapped, not cut. ``about`` and ``outcome`` are `plain`."""
    line = styled((MARK, "cyan"), (plain(name), "bold"), (f"  {about}" if about else "", ""))
    line.append(drawn(f"  {outcome}"), "dim")
    line.no_wrap, line.overflow = False, "fold"
    return line


def _inputs(found: FoldedCall, place: Place) -> Iterator[Section]:
    """Yield the fields of the input that the head does not show whole, and that no diff shows."""
    diff, given = str(found.facts.get("diff", "")), found.call["input"]
    if diff and diff.count("\n") < MAX_DIFF_LINES:
        return
    for name, value in given.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
        if text != subject(given):
            yield Section(name=plain(name), source=text_source(text), where=_in_log(found.record, place))


def _results(found: FoldedCall, place: Place) -> Iterator[Section]:
    """Yield the diff of a change, else the output: from its file where the result was shortened."""
    if diff := found.facts.get("diff"):
        yield Section(
            name="change", source=text_source(diff), where=_in_log(found.record, place), style=_diff_style
        )
        return
    kept = file_source(place.project / found.spill) if found.spill else None
    where = found.spill if kept else _in_log(found.record, place)
    yield Section(name="result", source=kept or text_source(_result_text(found)), where=where)
    if found.spill and not kept:
        yield Section(name="note", source=text_source(f"the full text is gone: {found.spill}"), where="")


def _result_text(found: FoldedCall) -> str:
    content = found.result["content"]
    parts: list[Any] = content if isinstance(content, list) else []
    images = [f"[{part.get('type')}]" for part in parts if part.get("type") != "text"]
    return "\n".join(part for part in (result_text(found.result), *images) if part) or "(no output)"


def _drawn(section: Section, width: int, *, is_bare: bool) -> Iterator[Text]:
    """Yield the rows of a section under its name; ``is_bare``: it needs none."""
    if not is_bare:
        yield styled((f"{LABEL_INDENT}{section.name}", "dim"))
    shown = excerpt(section.source, width - len(INDENT))
    yield from (styled((INDENT, ""), (row, section.style(line))) for row, line in shown.head)
    if shown.left_out:
        yield _remark(drawn(f"… {shown.left_out:,} of {section.source.count:,} lines left out; all of it:"))
        yield _remark(plain(section.where))
    yield from (styled((INDENT, ""), (row, section.style(line))) for row, line in shown.tail)


def _remark(text: str) -> Text:
    return Text(f"{LABEL_INDENT}{text}", style="yellow", overflow="fold")


def _diff_style(line: str) -> str:
    mark = NUMBERED.match(line)
    return DIFF_STYLES.get(mark[1], "dim") if mark else "dim"


def _in_log(record: Record, place: Place) -> str:
    return f"{place.log}, record {record['id']}"


def _when(record: Record) -> str:
    return f"turn {record.get('turn', '?')}, step {record.get('step', '?')}"
