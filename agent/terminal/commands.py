"""The `/` commands: a table of names, what they do, and how."""

import asyncio
import difflib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import islice

from agent import by_hand
from agent.models import row
from agent.terminal.compacting import compact
from agent.terminal.context_lines import context_lines
from agent.terminal.desk import SessionDesk
from agent.terminal.overview import cost_lines, status_lines, todo_texts
from agent.terminal.rewinding import take_back
from agent.terminal.sessions import is_listed

MOST_DIGITS = 4
"""Of a number in the list of sessions; an id has more."""


MOST_TITLE_CHARS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command; ``is_immediate``: it runs at once also while a turn runs."""

    about: str
    run: Callable[[SessionDesk, str], Awaitable[None]]
    is_immediate: bool = False


async def _help(desk: SessionDesk, words: str) -> None:
    lines = [f"/{name:<22} {command.about}" for name, command in COMMANDS.items()]
    keys = [
        "Enter sends, or steers while a turn runs · Alt-Enter new line · Esc or Ctrl-C interrupts",
        "Ctrl-O shows whole what was folded last, again: the one before",
        "@path completes a file · !command runs in bash and is told to the model · Ctrl-D leaves",
    ]
    desk.say([*lines, *keys])


async def _pin(desk: SessionDesk, words: str) -> None:
    if not words:
        desk.say(["/pin TEXT keeps TEXT through every compaction"])
        return
    desk.say([by_hand.pin(desk.agent.session, desk.agent.compactor.sizes, words)])


async def _pins(desk: SessionDesk, words: str) -> None:
    pins = desk.agent.session.state.pins
    desk.say([f"{number}. {pin}" for number, pin in enumerate(pins, 1)] or ["no pins; /pin TEXT adds one"])


async def _context(desk: SessionDesk, words: str) -> None:
    desk.draw(context_lines(desk.agent.session.state, desk.agent.compactor.sizes, desk.columns))


async def _cost(desk: SessionDesk, words: str) -> None:
    desk.say(cost_lines(desk.agent.session.state))


async def _status(desk: SessionDesk, words: str) -> None:
    desk.say(status_lines(desk.agent.session.state, desk.agent.background(), preset=desk.agent.preset))


async def _todos(desk: SessionDesk, words: str) -> None:
    desk.say(todo_texts(desk.agent.session.state))


async def _title(desk: SessionDesk, words: str) -> None:
    session = desk.agent.session
    if title := " ".join(words.split())[:MOST_TITLE_CHARS]:
        session.append("title", text=title)
        session.sync()
    called = session.state.title
    desk.say([f"title {called}; find it with /resume or -r" if called else "no title; /title TEXT gives one"])


async def _fork(desk: SessionDesk, words: str) -> None:
    await desk.fork()


async def _clear(desk: SessionDesk, words: str) -> None:
    await desk.switch(None, None)


async def _model(desk: SessionDesk, words: str) -> None:
    state = desk.agent.session.state
    if not words:
        desk.say([f"model {state.model} · window {row(state.model).window:,} · /model NAME changes it"])
        return
    if words == state.model:
        desk.say([f"{words} is the model already"])
        return
    await desk.switch(state.session_id, words)
    if row(words).prices.input is None:
        window = f"{desk.agent.compactor.sizes.window:,}"
        desk.say([f"{words} is not known here: a window of {window} is assumed, and no price"])


async def _resume(desk: SessionDesk, words: str) -> None:
    current = desk.agent.session.state.session_id
    wanted = await asyncio.to_thread(_named, desk, words, current) if words else await desk.choose()
    if wanted is None:
        return
    if wanted == current:
        desk.say([f"session {wanted} is open already"])
        return
    await desk.switch(wanted, None)


def _named(desk: SessionDesk, words: str, current: str) -> str:
    """Return the session of that number in the list that `/resume` shows, of that id or title. Raises SessionError."""
    if words.isdecimal() and len(words) <= MOST_DIGITS and (number := int(words)):
        sessions = (one for one in desk.store.logs() if is_listed(desk.store, one, current))
        if (found := next(islice(sessions, number - 1, None), None)) is not None:
            return found
    return desk.store.find(words)


async def _quit(desk: SessionDesk, words: str) -> None:
    desk.leave()


COMMANDS: dict[str, Command] = {
    "help": Command(about="this list", run=_help, is_immediate=True),
    "compact": Command(about="[focus] summarise now; undo, redo, preview, receipt [N]", run=compact),
    "pin": Command(about="TEXT keep it word for word through every compaction", run=_pin),
    "pins": Command(about="what is pinned", run=_pins, is_immediate=True),
    "context": Command(about="what fills the context", run=_context, is_immediate=True),
    "cost": Command(about="what this session cost", run=_cost, is_immediate=True),
    "status": Command(
        about="session, model, compaction, background processes", run=_status, is_immediate=True
    ),
    "todos": Command(about="the model's todo list", run=_todos, is_immediate=True),
    "resume": Command(
        about="[number|id|title] choose one of the sessions here and go on with it", run=_resume
    ),
    "title": Command(
        about="[text] show what the session is called, or call it so", run=_title, is_immediate=True
    ),
    "rewind": Command(
        about="[N [conversation|files]] list the prompts, or go back to before one; undo", run=take_back
    ),
    "fork": Command(about="go on in a copy of this session, which stays as it is", run=_fork),
    "clear": Command(about="leave this session for a new one", run=_clear),
    "model": Command(about="[name] show or change the model", run=_model),
    "quit": Command(about="leave; the session can be resumed", run=_quit),
}


def find(name: str) -> Command | None:
    """Return the command of that name."""
    return COMMANDS.get(name)


def unknown(name: str) -> str:
    """Return what to say of a command that does not exist."""
    near = difflib.get_close_matches(name, COMMANDS, n=1)
    hint = f"did you mean /{near[0]}?" if near else "/help lists them"
    return f"there is no command /{name}: {hint}"
