"""The sessions of a project as choices of a list: their columns, and what is shown of the selected one."""

import contextlib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.padding import Padding
from rich.text import Text

from agent.session.glance import TAIL_BYTES, Glance, glance, is_prompt, words_of
from agent.session.records import Record, decode
from agent.session.store import Store
from agent.terminal.figures import age, times, tokens
from agent.terminal.picker import PREVIEW_ROWS, Choice, Column, Look, shortened
from agent.terminal.render import as_lines, plain, styled, to_ansi

MARKS = (b'"said":[0', b'"role":"assistant"')
"""What a line holds that holds words; others are not even parsed."""
MOST_CHARS = 2_000
"""Of a prompt or an answer: more than its rows hold on any screen."""
BRANCH_COLUMNS = 16
PROMPT_ROWS = 2
INDENT = 2
LOOK = Look(
    title="resume a session",
    hints=(
        "type to search · Enter opens · Ctrl-D deletes (asks) · Esc leaves",
        "Enter opens · Ctrl-D deletes · Esc leaves",
        "Enter · Ctrl-D · Esc",
    ),
    columns=(
        Column(rank=5),
        Column(rank=4),
        Column(rank=3),
        Column(rank=1),
        Column(rank=0, is_number=False),
        Column(rank=2, is_number=False),
    ),
    nothing="no sessions here",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """The sessions of a project; what takes time, for a thread.

    ``size``: id -> what it takes on the disk, as text; ``why_kept``: id -> why it must not be removed, empty when it
    can; ``remove``: the same, and when it can, it is removed.
    """

    store: Store
    size: Callable[[str], str]
    why_kept: Callable[[str], str]
    remove: Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A session in the list, and what is told of it beside its line."""

    choice: Choice
    seen: Glance
    size: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LastSaid:
    """The newest prompt, and the end of the newest answer, each on one line; empty where there is none."""

    prompt: str = ""
    answer: str = ""


def is_listed(store: Store, session: str, current: str) -> bool:
    """True for a session in which something was said, and for the open one; False for one that cannot be read."""
    try:
        return session == current or bool(glance(store.log(session)).turns)
    except OSError:
        return False


def listed(shelf: Shelf, sessions: Iterable[str], *, now: float, current: str) -> list[Listed]:
    """Look at the logs of ``sessions``; return those in which something was said, and the open one.

    One that is gone meanwhile, or cannot be read, is passed over.
    """
    found = []
    for session in sessions:
        with contextlib.suppress(OSError):
            seen = glance(shelf.store.log(session))
            if seen.turns or session == current:
                found.append(_listed(seen, shelf.size(session), now=now, is_current=session == current))
    return found


def last_said(path: Path) -> LastSaid:
    """Return what was said last, as far as the end of the log tells; nothing for one that cannot be read."""
    said = LastSaid()
    with contextlib.suppress(OSError), path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        for wanted in TAIL_BYTES:
            file.seek(max(0, size - wanted))
            said = _said(file.read(wanted).splitlines())
            if said.prompt or wanted >= size:
                break
    return said


def preview_lines(one: Listed, said: LastSaid | None, width: int) -> list[str]:
    """Return a few lines about a session: its id and time, the newest prompt, the end of the answer.

    ``said``: None while nobody has looked yet.
    """
    seen = one.seen
    written = datetime.fromtimestamp(seen.at, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    first = f" · first: {plain(seen.prompt[:MOST_CHARS])}" if seen.title and seen.prompt else ""
    head = as_lines(
        to_ansi(styled((f"{' ' * INDENT}{seen.id} · {written} · {one.size}{first}", "dim")), width)
    )
    if said is None:
        return head
    prompt = _wrapped(f"> {said.prompt or seen.prompt}" if said.prompt or seen.prompt else "", "bold", width)
    if len(prompt) > PROMPT_ROWS:
        prompt = [*prompt[: PROMPT_ROWS - 1], *_wrapped("…", "bold", width)]
    answer = _wrapped(said.answer, "", width)
    return [*head, *prompt, *answer[-(PREVIEW_ROWS - len(head) - len(prompt)) :]]


def _listed(seen: Glance, size: str, *, now: float, is_current: bool) -> Listed:
    known = f"{'~' if seen.is_estimate else ''}{tokens(seen.tokens or 0)}" if seen.tokens is not None else "–"
    choice = Choice(
        id=seen.id,
        name=seen.name or seen.id,
        cells=(
            age(now - seen.at),
            times(seen.turns, "turn"),
            known,
            size,
            f"⟲ {seen.compactions}" if seen.compactions else "",
            shortened(seen.branch, BRANCH_COLUMNS),
        ),
        note="this one" if is_current else "",
        searched=f"{seen.id}\n{seen.branch}\n{seen.prompt}",
        is_offered=not is_current,
    )
    return Listed(choice=choice, seen=seen, size=size)


def _said(lines: Sequence[bytes]) -> LastSaid:
    """Look from the end: the newest prompt, and an answer of any age that is not older."""
    answer = ""
    for line in reversed(lines):
        if not any(mark in line for mark in MARKS):
            continue
        for record in reversed(decode(line)[0]):
            if is_prompt(record) and (words := words_of(record)):
                return LastSaid(prompt=" ".join(words[0][:MOST_CHARS].split()), answer=answer)
            answer = answer or _answer(record)
    return LastSaid(answer=answer)


def _answer(record: Record) -> str:
    """The end of the text of a reply, on one line; empty for other records."""
    content = record.get("content")
    if record["type"] != "message" or record.get("role") != "assistant" or not isinstance(content, list):
        return ""
    texts = [
        str(block.get("text", ""))
        for block in content
        if isinstance(block, dict) and block.get("type") == "text"
    ]
    return " ".join("\n".join(texts)[-MOST_CHARS:].split())


def _wrapped(text: str, style: str, width: int) -> list[str]:
    if not text:
        return []
    return as_lines(
        to_ansi(Padding(Text(plain(text), style=style, overflow="fold"), (0, 0, 0, INDENT)), width)
    )
