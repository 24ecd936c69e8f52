"""/rewind: back to before a prompt, forward again, and to what was left behind."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

from agent.clock import seconds
from agent.session.file_state import FileState
from agent.session.points import Point, What
from agent.session.rewind import (
    LEADS_ELSEWHERE,
    Files,
    Left,
    files_at,
    left_behind,
    newest_rewind,
    prompts,
    rewind,
)
from agent.session.state import State
from agent.terminal.desk import SessionDesk
from agent.terminal.figures import age, times
from tools.paths import show

MOST_PROMPTS = 30
MOST_LEFT = 10
PROMPT_CHARS = 80
MOST_FILES = 10
MOST_DIGITS = 6
HOW = (
    "/rewind N goes back to before that prompt, /rewind N conversation or /rewind N files with that alone; "
    "/rewind undo takes it back. What `bash` did to files stays"
)
HOW_LEFT = "/rewind branch N goes to one of these, where it was left; what you leave for it is listed then"
NOT_ONE = "no such {}: /rewind lists them; then /rewind {}N, with `conversation` or `files` for that alone"
NOTHING = (
    "nothing to go back to: no file was changed by `write` or `edit` since then, or all are as they were"
)


async def take_back(desk: SessionDesk, words: str) -> None:
    """Do what `/rewind WORDS` asks for: list the places, go to one, or take the newest /rewind back."""
    await desk.remember()
    state = desk.agent.session.state
    kind, _, number = words.partition(" ")
    if not words:
        desk.say(_listed(state, desk.now()))
    elif words == "undo":
        if (newest := newest_rewind(state)) is None:
            desk.say(["no /rewind to undo"])
        else:
            await _go(desk, newest, newest.what or "both", prompt="")
    elif kind == "branch":
        await _to_one(
            desk, number, {one.number: (one.point, "") for one in left_behind(state)}, kind="branch "
        )
    else:
        await _to_one(desk, words, dict(enumerate(prompts(state), 1)), kind="")


async def _to_one(
    desk: SessionDesk, words: str, known: Mapping[int, tuple[Point, str]], *, kind: str
) -> None:
    """Go to the place of a number; its prompt comes back into the input."""
    number, _, asked = words.strip().partition(" ")
    index = int(number) if number.isdecimal() and len(number) <= MOST_DIGITS else 0
    point, prompt = known.get(index, (None, ""))
    usual = point.what if point is not None and point.what == "files" else "both"
    what = next((one for one in get_args(What) if one == (asked.strip() or usual)), None)
    if point is None or what is None:
        desk.say([NOT_ONE.format(kind.strip() or "prompt", kind)])
        return
    await _go(desk, point, what, prompt="" if what == "files" else prompt)


async def _go(desk: SessionDesk, point: Point, what: What, *, prompt: str) -> None:
    """Go back to ``point`` and tell what became of it; ``prompt`` comes back into the input."""
    session, project = desk.agent.session, desk.agent.session.state.project
    found = Files() if what == "conversation" else await asyncio.to_thread(files_at, session.state, point)
    files = list(found.ours)
    if found.others:
        found, files = await _asked(desk, point, found)
    if what == "files" and not files:
        desk.say([NOTHING, *_left_alone(found, project)])
        return
    problems = rewind(session, point, what, files)
    done = [file for file in files if file["path"] not in problems]
    desk.say(
        [
            *([_stands(session.state)] if what != "files" else []),
            *([f"files put back: {_names(done, project)}"] if done else []),
            *_left_alone(found, project),
            *problems.values(),
            *(["/rewind undo takes it back"] if done or what != "files" else []),
        ]
    )
    if prompt:
        desk.person.fill(prompt)


async def _asked(desk: SessionDesk, point: Point, found: Files) -> tuple[Files, list[FileState]]:
    """Ask whether what somebody else changed is put back, too; return how all stands then, and what to put back.

    Who is asked may take his time, and change what he was not asked about: that stays.
    """
    project, others = desk.agent.session.state.project, {file["path"] for file in found.others}
    desk.say([f"changed by something else since: {_names(found.others, project)}"])
    is_yes = await desk.person.confirm(
        "put these back, too?  [y] yes, as they were then  [n] leave them as they are"
    )
    found = await asyncio.to_thread(files_at, desk.agent.session.state, point)
    late = [file for file in found.others if file["path"] not in others]
    if late:
        desk.say([f"changed while you were asked, so they stay as they are: {_names(late, project)}"])
    return found, [*found.ours, *(file for file in found.others if is_yes and file not in late)]


def _stands(state: State) -> str:
    return f"the conversation is {times(len(prompts(state)), 'prompt')} long, context {state.context_size:,} tokens"


def _left_alone(files: Files, project: Path) -> list[str]:
    why = {"not kept": files.lost, LEADS_ELSEWHERE: files.astray}
    return [
        f"{reason}, so they stay as they are: {_names(some, project)}" for reason, some in why.items() if some
    ]


def _names(files: Sequence[FileState], project: Path) -> str:
    more = f" and {len(files) - MOST_FILES} more" if len(files) > MOST_FILES else ""
    return ", ".join(f"`{show(Path(file['path']), project=project)}`" for file in files[:MOST_FILES]) + more


def _listed(state: State, now: float) -> list[str]:
    """Return the prompts with their numbers, the newest at the end, and what was left behind."""
    lines = [f"{number:>3}  {_short(prompt)}" for number, (_, prompt) in enumerate(prompts(state), 1)]
    left = [_left_line(one, now) for one in left_behind(state)[-MOST_LEFT:]]
    return [
        *(lines[-MOST_PROMPTS:] or ["no prompt to go back to"]),
        *([HOW] if lines else []),
        *(["left behind:", *left, HOW_LEFT] if left else []),
    ]


def _left_line(left: Left, now: float) -> str:
    about = f"branch {left.number:>2}  {age(now - seconds(left.point.at)):>8}"
    if left.point.what == "files":
        return f"{about}  the files alone"
    return f"{about}  {times(len(left.prompts), 'prompt')} from: {_short((*left.prompts, '')[0])}"


def _short(prompt: str) -> str:
    return " ".join(prompt.split())[:PROMPT_CHARS]
