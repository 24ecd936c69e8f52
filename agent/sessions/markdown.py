"""A session as Markdown that reads well as plain text too."""

import re
from collections.abc import Iterable

from agent.sessions.chart import chart_lines
from agent.sessions.entries import Entry, Part
from agent.sessions.receipts import cost
from agent.sessions.story import Story
from agent.surrogates import repaired_text
from agent.terminal.figures import times
from agent.terminal.render import plain

CHART_COLUMNS = 80
_TICKS = re.compile("`+")
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~])")
_MARKS = {"compaction": "⟲ ", "damage": "⚠ ", "thinking": "thinking: ", "context": "context: "}


def document(story: Story, entries: Iterable[Entry]) -> str:
    """Return the document: prompts quoted, answers as they are, all that came from tools in fences."""
    title = _title(story.title or story.id)
    about = f"{story.id} · {_title(story.model)} · {times(story.turns, 'turn')} · {cost(story)}"
    parts = [f"# {title}", about]
    if story.damaged:
        parts.append(f"Damaged lines of the log, passed over: {', '.join(map(str, story.damaged))}")
    if chart := chart_lines(story.points, CHART_COLUMNS):
        parts.append(_fenced("\n".join(chart)))
    for entry in entries:
        parts += _entry(entry)
    return repaired_text("\n\n".join(parts)) + "\n"


def _entry(entry: Entry) -> list[str]:
    mark = _MARKS.get(entry.kind, "")
    match entry.kind:
        case "prompt":
            quoted = "\n>\n".join(map(_quoted, entry.parts))
            return [f"## {_title(entry.title)}", quoted]
        case "answer":
            return [plain(part.text) for part in entry.parts]
    heading = (
        f"**{mark}{_title(entry.title)}**" if entry.parts or entry.inner else f"*{mark}{_title(entry.title)}*"
    )
    inner = [line for one in entry.inner for line in _entry(one)]
    end = [f"*end of {_title(entry.title)}*"] if inner else []
    return [heading, *map(_part, entry.parts), *inner, *end]


def _part(part: Part) -> str:
    return f"![image]({part.text})" if part.kind == "image" else _fenced(plain(part.text))


def _quoted(part: Part) -> str:
    text = f"![image]({part.text})" if part.kind == "image" else plain(part.text)
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _fenced(text: str) -> str:
    """Put a text in a fence that nothing in it closes."""
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _title(text: str) -> str:
    return _MARKUP.sub(r"\\\1", plain(" ".join(text.split())))
