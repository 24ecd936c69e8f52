"""The `/` commands: a table of names, what they do, and how."""

import difflib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from agent.models import row
from agent.session.log import first_record
from agent.terminal.desk import SessionDesk
from agent.terminal.figures import age
from agent.terminal.overview import context_lines, cost_lines, status_lines, todo_texts

SHOWN_SESSIONS = 10


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
        "@path completes a file · !command runs in your shell · Ctrl-D leaves",
    ]
    desk.say([*lines, *keys])


async def _compact(desk: SessionDesk, words: str) -> None:
    await desk.compact(words)


async def _context(desk: SessionDesk, words: str) -> None:
    desk.say(context_lines(desk.agent.session.state, desk.agent.compactor.sizes))


async def _cost(desk: SessionDesk, words: str) -> None:
    desk.say(cost_lines(desk.agent.session.state))


async def _status(desk: SessionDesk, words: str) -> None:
    desk.say(status_lines(desk.agent.session.state, desk.agent.background()))


async def _todos(desk: SessionDesk, words: str) -> None:
    desk.say(todo_texts(desk.agent.session.state))


async def _clear(desk: SessionDesk, words: str) -> None:
    await desk.switch(None, None)


async def _model(desk: SessionDesk, words: str) -> None:
    state = desk.agent.session.state
    if not words:
        desk.say([f"model {state.model} · window {row(state.model).window:,} · /model NAME changes it"])
        return
    await desk.switch(state.session_id, words)


async def _resume(desk: SessionDesk, words: str) -> None:
    sessions = list(desk.store.newest_first())
    if not words:
        desk.say(_session_lines(desk, sessions[:SHOWN_SESSIONS]))
        return
    number = int(words) if words.isdecimal() else 0
    wanted = sessions[number - 1] if 0 < number <= len(sessions) else desk.store.find(words)
    await desk.switch(wanted, None)


async def _quit(desk: SessionDesk, words: str) -> None:
    desk.leave()


COMMANDS: dict[str, Command] = {
    "help": Command(about="this list", run=_help, is_immediate=True),
    "compact": Command(about="[focus] summarise the history now", run=_compact),
    "context": Command(about="what fills the context", run=_context, is_immediate=True),
    "cost": Command(about="what this session cost", run=_cost, is_immediate=True),
    "status": Command(about="session, model, background processes", run=_status, is_immediate=True),
    "todos": Command(about="the model's todo list", run=_todos, is_immediate=True),
    "resume": Command(about="[number|id] list the sessions here, or go on with one", run=_resume),
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


def _session_lines(desk: SessionDesk, sessions: Sequence[str]) -> list[str]:
    if not sessions:
        return ["no sessions here"]
    lines = []
    for number, session in enumerate(sessions, 1):
        path = desk.store.log(session)
        old = age(desk.now() - path.stat().st_mtime)
        first = first_record(path) or {}
        here = "  (this one)" if session == desk.agent.session.state.session_id else ""
        lines.append(f"{number:>3}  {session}  {old:>8}  {first.get('model', '')}{here}")
    return [*lines, "/resume NUMBER goes on with one"]
