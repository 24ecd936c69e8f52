"""What can stand behind a `/` command: offered while it is typed."""

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import get_args

from agent.models import ROWS, ModelRow
from agent.session.glance import glance
from agent.session.points import What
from agent.session.rewind import left_behind, prompts
from agent.session.store import Store
from agent.terminal.desk import SessionDesk
from agent.terminal.exporting import FORMATS
from agent.terminal.figures import age, times, tokens
from agent.terminal.help import Command
from agent.terminal.mode_choice import MODES
from agent.terminal.model_choice import DEFAULT, offered
from agent.terminal.permissions import removable

MOST_SESSIONS = 50
MOST_PROMPTS = 200
ABOUT_CHARS = 200
CHOICE = re.compile(r"\[?(\w+(?:\|\w+)+)\]?")
"""What a command `takes` when that is one of a few words: `[on|off]`."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Words that can stand behind a command, and what they are."""

    words: str
    about: str = ""


Offers = Callable[[SessionDesk, str], Awaitable[Sequence[Offer]]]
"""What can stand behind a command of which so much is typed already; the likeliest first."""


async def offers(desk: SessionDesk, commands: Mapping[str, Command], name: str, typed: str) -> list[Offer]:
    """Return what can stand behind the command ``name`` and fits what is ``typed`` there."""
    command = commands.get(name)
    if command is None:
        return []
    if name == "help":
        found: Iterable[Offer] = [Offer(other, one.short or one.about) for other, one in commands.items()]
    elif (known := ARGUMENTS.get(name)) is not None:
        found = await known(desk, typed)
    else:
        choice = CHOICE.fullmatch(command.takes)
        found = map(Offer, choice[1].split("|")) if choice else []
    return fitting(found, typed)


def fitting(found: Iterable[Offer], typed: str) -> list[Offer]:
    """Return the offers that begin as typed, then those that hold it anywhere; not the one that stands there."""
    wanted = typed.casefold()
    beginning: list[Offer] = []
    holding: list[Offer] = []
    for one in found:
        if one.words == typed:
            continue
        if one.words.casefold().startswith(wanted):
            beginning.append(one)
        elif wanted in one.words.casefold() or wanted in one.about.casefold():
            holding.append(one)
    return [*beginning, *holding]


async def _compact(desk: SessionDesk, typed: str) -> list[Offer]:
    return [
        Offer("preview", "what would leave the context, without doing it"),
        Offer("undo", "take the newest compaction back"),
        Offer("redo", "make it again"),
        Offer("receipt", "what the newest one did; or N: that one"),
    ]


async def _rewind(desk: SessionDesk, typed: str) -> list[Offer]:
    state = desk.agent.session.state
    said = list(enumerate((prompt for _, prompt in prompts(state)), 1))[-MOST_PROMPTS:]
    number = typed.partition(" ")[0]
    parts = [
        Offer(f"{number} {what}", "with that alone")
        for what in get_args(What)
        if what != "both" and number in {str(one) for one, _ in said}
    ]
    undo = [Offer("undo", "take the newest /rewind back")] if state.rewound else []
    left = [
        Offer(f"branch {one.number}", f"left with {times(len(one.prompts), 'prompt')}")
        for one in left_behind(state)
    ]
    return [*(Offer(str(one), _line(prompt)) for one, prompt in reversed(said)), *undo, *left, *parts]


async def _model(desk: SessionDesk, typed: str) -> list[Offer]:
    current = desk.agent.session.state.model
    return [Offer(one.id, _of_model(one, is_current=one.id == current)) for one in ROWS]


def _of_model(model: ModelRow, *, is_current: bool) -> str:
    prices = model.prices
    known = f"${prices.input or 0:g} in, ${prices.output or 0:g} out a million tokens"
    cost = "price unknown" if prices.input is None else known
    here = "this one · " if is_current else ""
    return f"{here}window {tokens(model.window)} · {cost}"


async def _effort(desk: SessionDesk, typed: str) -> list[Offer]:
    state = desk.agent.session.state
    levels = offered(state.model)
    named = [Offer(level, "as it is now" if level == state.effort else "") for level in levels]
    return [*named, Offer(DEFAULT, "what the server does unasked")] if levels else []


async def _export(desk: SessionDesk, typed: str) -> list[Offer]:
    return [Offer(form) for form in FORMATS]


async def _permissions(desk: SessionDesk, typed: str) -> list[Offer]:
    own = [Offer(f"remove {number}", _line(rule.text)) for number, rule in removable(desk).items()]
    modes = [Offer(mode, about) for mode, about in MODES.items() if mode != desk.agent.shared.permission.mode]
    return [
        *own,
        *modes,
        Offer("protected", "files whose change is asked about in every mode"),
        Offer("reads", "commands that are never asked about"),
    ]


async def _agents(desk: SessionDesk, typed: str) -> list[Offer]:
    return [Offer(kind.name, _line(kind.description)) for kind in desk.agent.shared.types.held]


async def _skills(desk: SessionDesk, typed: str) -> list[Offer]:
    found = desk.agent.shared.skills.found.skills
    return [Offer(skill.front.name, _line(skill.front.description)) for skill in found]


async def _resume(desk: SessionDesk, typed: str) -> list[Offer]:
    current = desk.agent.session.state.session_id
    return await asyncio.to_thread(_sessions, desk.store, current, desk.now())


def _sessions(store: Store, current: str, now: float) -> list[Offer]:
    """Return the newest sessions but the open one, by their title where only one has it, else by their id."""
    found = []
    for session in islice(store.logs(), MOST_SESSIONS):
        with contextlib.suppress(OSError):
            seen = glance(store.log(session))
            if seen.turns and session != current:
                found.append(seen)
    titles = [" ".join(seen.title.split()).casefold() for seen in found]
    return [
        Offer(
            seen.title if title and titles.count(title) == 1 else seen.id,
            f"{age(now - seen.at)} · {times(seen.turns, 'turn')} · {_line(seen.prompt)}",
        )
        for seen, title in zip(found, titles, strict=True)
    ]


def _line(text: str) -> str:
    return " ".join(text[:ABOUT_CHARS].split())


ARGUMENTS: Mapping[str, Offers] = {
    "compact": _compact,
    "rewind": _rewind,
    "model": _model,
    "effort": _effort,
    "export": _export,
    "permissions": _permissions,
    "agents": _agents,
    "resume": _resume,
    "skills": _skills,
}
