"""A session as Markdown that reads well as plain text too."""

import re
from collections.abc import Iterable, Iterator

from agent.sessions.brief import brief
from agent.sessions.chart import chart_lines
from agent.sessions.entries import Entry, Part
from agent.sessions.prose import fenced, settled
from agent.sessions.receipts import cost
from agent.sessions.story import Story
from agent.surrogates import repaired_text
from agent.terminal.figures import times
from tools.visible import plain

CHART_COLUMNS = 80
TITLE_CHARS = 120
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~])")
_MARKS = {"left": "◄ ", "compaction": "⟲ ", "damage": "⚠ ", "thinking": "thinking: ", "context": "context: "}


def document(story: Story, entries: Iterable[Entry]) -> Iterator[str]:
    """Yield the document in pieces: prompts quoted, answers as they are as far as they keep to themselves, all that came from tools in fences.

    What a rewind left behind is quoted as a whole.
    """
    title = _title(brief(story.title, TITLE_CHARS) or story.id)
    about = f"{story.id} · {_title(story.model)} · {times(story.turns, 'turn')} · {cost(story)}"
    parts = [f"# {title}", about]
    if story.damaged:
        parts.append(f"Damaged lines of the log, passed over: {', '.join(map(str, story.damaged))}")
    if chart := chart_lines(story.points, CHART_COLUMNS):
        parts.append(fenced("\n".join(chart)))
    yield _repaired(parts)
    for entry in entries:
        for paragraph in _entry(entry):
            yield "\n" + _repaired([paragraph])


def _repaired(paragraphs: Iterable[str]) -> str:
    return repaired_text("\n\n".join(paragraphs)) + "\n"


def _entry(entry: Entry) -> Iterator[str]:
    """Yield the paragraphs of an entry."""
    mark, title = _MARKS.get(entry.kind, ""), _title(entry.title)
    match entry.kind:
        case "prompt":
            yield f"## {title}"
            yield "\n>\n".join(map(_quoted, entry.parts))
            return
        case "answer":
            yield from (settled(plain(part.text)) for part in entry.parts)
            return
    if not entry.parts and not entry.inner:
        yield f"*{mark}{title}*"
        return
    yield f"**{mark}{title}**"
    yield from map(_part, entry.parts)
    for one in entry.inner:
        yield from map(_behind, _entry(one)) if entry.kind == "left" else _entry(one)
    if entry.inner:
        yield f"*{mark}end of {title}*"


def _behind(paragraph: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in paragraph.split("\n"))


def _part(part: Part) -> str:
    return f"![image]({part.text})" if part.kind == "image" else fenced(plain(part.text))


def _quoted(part: Part) -> str:
    text = f"![image]({part.text})" if part.kind == "image" else settled(plain(part.text))
    return _behind(text)


def _title(text: str) -> str:
    return _MARKUP.sub(r"\\\1", plain(" ".join(text.split())))
