"""The `/` commands: a table of names, what they do, and how."""

import asyncio
from collections.abc import Sequence
from itertools import islice

from agent.compacting import by_hand
from agent.confinement import sandbox_words
from agent.instructions.below import told_below
from agent.instructions.gathering import notes_of
from agent.skilled.asked import nearest
from agent.terminal.compacting import compact
from agent.terminal.context_lines import context_lines
from agent.terminal.desk import SessionDesk
from agent.terminal.exporting import export
from agent.terminal.help import Command, explained, help_lines
from agent.terminal.listings import agents, hooks
from agent.terminal.model_choice import change_effort, change_model
from agent.terminal.overview import cost_lines, status_lines
from agent.terminal.permissions import permissions
from agent.terminal.rewinding import take_back
from agent.terminal.sessions import is_listed
from agent.terminal.skill_listing import skills
from agent.terminal.thinking import switched
from agent.terminal.todos import todo_lines
from compaction.presets import PRESETS

MOST_DIGITS = 4
"""Of a number in the list of sessions; an id has more."""


MOST_TITLE_CHARS = 100


async def _help(desk: SessionDesk, words: str) -> None:
    if words:
        name = words.removeprefix("/").partition(" ")[0]
        found = find(name)
        skills = desk.agent.shared.skills.names()
        desk.say([unknown(name, skills)] if found is None else explained(name, found))
    else:
        desk.say(help_lines(COMMANDS, desk.columns, has_screen=desk.person.has_screen))


async def _pin(desk: SessionDesk, words: str) -> None:
    if not words:
        desk.say(["/pin TEXT keeps TEXT through every compaction"])
        return
    desk.say([by_hand.pin(desk.agent.session, desk.agent.compactor.sizes, words)])


async def _pins(desk: SessionDesk, words: str) -> None:
    pins = desk.agent.session.state.pins
    desk.say([f"{number}. {pin}" for number, pin in enumerate(pins, 1)] or ["no pins; /pin TEXT adds one"])


async def _context(desk: SessionDesk, words: str) -> None:
    state, compactor = desk.agent.session.state, desk.agent.compactor
    # Of a full window, plans take most of a second: while a turn runs, keys and its words go first.
    coming = None if state.is_turn_open else compactor.foresee()
    rule = PRESETS[desk.agent.preset].summary
    places = desk.agent.shared.config.places
    notes = notes_of(places, told_below(places.project, state.context_files or {}))
    desk.draw(context_lines(state, compactor.sizes, coming, rule=rule, notes=notes, width=desk.columns))


async def _cost(desk: SessionDesk, words: str) -> None:
    subagents = desk.agent.subagents
    desk.say(cost_lines(desk.agent.session.state, subagents.spent(), subagents.running))


async def _status(desk: SessionDesk, words: str) -> None:
    sandbox = sandbox_words(desk.agent.shared.jobs.sandbox)
    jobs = desk.agent.background()
    state, running = desk.agent.session.state, desk.agent.subagents.running
    desk.say(status_lines(state, jobs, running, preset=desk.agent.preset, sandbox=sandbox))


async def _todos(desk: SessionDesk, words: str) -> None:
    desk.draw(todo_lines(desk.agent.session.state.todos, desk.columns))


async def _vi(desk: SessionDesk, words: str) -> None:
    desk.say([desk.person.use_vi(words)])


async def _thinking(desk: SessionDesk, words: str) -> None:
    desk.say([switched(desk.thoughts, words)])


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
    "help": Command(
        takes="[command]",
        short="this, or one in full",
        about="this list, or all about one command",
        run=_help,
        is_immediate=True,
    ),
    "compact": Command(
        takes="[focus]",
        short="summarise now",
        about="summarise now; undo, redo, preview, receipt [N]",
        run=compact,
    ),
    "pin": Command(
        takes="TEXT",
        short="keep TEXT for good",
        about="keep TEXT word for word through every compaction",
        run=_pin,
    ),
    "pins": Command(about="what is pinned", run=_pins, is_immediate=True),
    "context": Command(
        short="what fills the context",
        about="what fills the context, and which instruction files are in force",
        run=_context,
        is_immediate=True,
    ),
    "cost": Command(about="what this session cost", run=_cost, is_immediate=True),
    "status": Command(
        short="session, model, jobs",
        about="session, model, compaction, background processes",
        run=_status,
        is_immediate=True,
    ),
    "todos": Command(about="the model's todo list", run=_todos, is_immediate=True),
    "permissions": Command(
        takes="[what]",
        short="mode and rules",
        about="the mode, and the rules with their origin; MODE changes it; remove N, protected, reads",
        run=permissions,
        is_immediate=True,
    ),
    "skills": Command(
        takes="[name]",
        short="what can be loaded",
        about="the skills: where each comes from, size, what is wrong; NAME shows one whole; /NAME WORDS runs it",
        run=skills,
        is_immediate=True,
    ),
    "agents": Command(
        takes="[name]",
        short="types of subagents",
        about="the types of subagents: their tools, model, place; NAME shows one in full",
        run=agents,
        is_immediate=True,
    ),
    "hooks": Command(
        short="commands at events",
        about="the hooks of the settings: when they run, their file and command",
        run=hooks,
        is_immediate=True,
    ),
    "resume": Command(
        takes="[which]",
        short="go to another session",
        about="choose one of the sessions here, by list, number, id or title, and go on with it",
        run=_resume,
    ),
    "title": Command(
        takes="[text]",
        short="name this session",
        about="show what the session is called, or call it so",
        run=_title,
        is_immediate=True,
    ),
    "rewind": Command(
        takes="[N]",
        short="to before prompt N",
        about="list the prompts; N [conversation|files] goes back to before one, branch N to what was left; undo",
        run=take_back,
    ),
    "fork": Command(
        short="go on in a copy",
        about="go on in a copy of this session, which stays as it is",
        run=_fork,
    ),
    "clear": Command(short="a new session", about="leave this session for a new one", run=_clear),
    "export": Command(
        takes="[file]",
        short="md, html or jsonl file",
        about="write the session to a file: [md|html|jsonl] [FILE]",
        run=export,
        is_immediate=True,
    ),
    "model": Command(
        takes="[name]", short="show or change it", about="show the model, or change it", run=change_model
    ),
    "effort": Command(
        takes="[level]",
        short="how much it thinks",
        about="show how much the model thinks, or change it",
        run=change_effort,
        is_immediate=True,
    ),
    "thinking": Command(
        takes="[on|off]",
        short="keep its thoughts",
        about="keep what the model thinks in the scrollback, or do not",
        run=_thinking,
        is_immediate=True,
    ),
    "vi": Command(
        takes="[on|off]",
        short="vi keys in the input",
        about="edit the input with vi keys, or with emacs keys; `editing` in the settings: from the start",
        run=_vi,
        is_immediate=True,
    ),
    "quit": Command(short="leave for now", about="leave; the session can be resumed", run=_quit),
}


def find(name: str) -> Command | None:
    """Return the command of that name."""
    return COMMANDS.get(name)


def unknown(name: str, skills: Sequence[str]) -> str:
    """Return what to say of a command that does not exist and is none of the ``skills`` either."""
    near = [f"/{one}" for one in nearest(name, [*COMMANDS, *skills])]
    hint = (
        f"did you mean {' or '.join(near)}?" if near else "/help lists commands, /skills what can be loaded"
    )
    return f"there is no command or skill /{name.rstrip()}: {hint}"
