"""/rewind: back to before a prompt, and forward again."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from agent.session.file_state import FileState
from agent.session.points import Point
from agent.session.rewind import Files, What, files_at, left_behind, prompts, rewind
from agent.terminal.desk import SessionDesk
from agent.terminal.figures import times
from tools.paths import show

MOST_PROMPTS = 30
PROMPT_CHARS = 80
MOST_FILES = 10
MOST_DIGITS = 6
HOW = (
    "/rewind N goes back to before that prompt, /rewind N conversation or /rewind N files with that alone; "
    "/rewind undo takes it back. What `bash` did to files stays"
)
NOT_ONE = "no such prompt: /rewind lists them; then /rewind N, with `conversation` or `files` for that alone"
NOTHING = (
    "nothing to go back to: no file was changed by `write` or `edit` since then, or all are as they were"
)


async def take_back(desk: SessionDesk, words: str) -> None:
    """Do what `/rewind WORDS` asks for: list the prompts, go back to before one, or undo that."""
    state = desk.agent.session.state
    if not words:
        desk.say(_listed([prompt for _, prompt in prompts(state)], can_undo=bool(state.rewound)))
    elif words == "undo":
        if (left := left_behind(state)) is None:
            desk.say(["no /rewind to undo"])
        else:
            await _go(desk, left[0], left[1], prompt="")
    else:
        await _to_prompt(desk, words)


async def _to_prompt(desk: SessionDesk, words: str) -> None:
    number, _, asked = words.partition(" ")
    what = next((one for one in get_args(What) if one == (asked.strip() or "both")), None)
    known = prompts(desk.agent.session.state)
    index = int(number) if number.isdecimal() and len(number) <= MOST_DIGITS else 0
    if what is None or not 0 < index <= len(known):
        desk.say([NOT_ONE])
        return
    point, prompt = known[index - 1]
    await _go(desk, point, what, prompt="" if what == "files" else prompt)


async def _go(desk: SessionDesk, point: Point, what: What, *, prompt: str) -> None:
    """Go back to ``point`` and tell what became of it; ``prompt`` comes back into the input."""
    session, project = desk.agent.session, desk.agent.session.state.project
    nothing = Files(ours=(), others=(), lost=())
    found = nothing if what == "conversation" else await asyncio.to_thread(files_at, session.state, point)
    files = list(found.ours)
    if found.others:
        desk.say([f"changed by something else since: {_names(found.others, project)}"])
        if await desk.person.confirm(
            "put these back, too?  [y] yes, as they were then  [n] leave them as they are"
        ):
            files += found.others
    if what == "files" and not files:
        desk.say([NOTHING, *_lost(found, project)])
        return
    problems = rewind(session, point, what, files)
    size = session.state.context_size
    told = [
        f"the conversation is {times(len(prompts(session.state)), 'prompt')} long, context {size:,} tokens"
    ]
    back = [f"files put back: {_names(files, project)}"] if files else []
    desk.say(
        [
            *(told if what != "files" else []),
            *back,
            *_lost(found, project),
            *problems,
            "/rewind undo takes it back",
        ]
    )
    if prompt:
        desk.person.fill(prompt)


def _lost(files: Files, project: Path) -> list[str]:
    return [f"not kept, so they stay as they are: {_names(files.lost, project)}"] if files.lost else []


def _names(files: Sequence[FileState], project: Path) -> str:
    more = f" and {len(files) - MOST_FILES} more" if len(files) > MOST_FILES else ""
    return ", ".join(f"`{show(Path(file['path']), project=project)}`" for file in files[:MOST_FILES]) + more


def _listed(found: Sequence[str], *, can_undo: bool) -> list[str]:
    """Return the prompts with their numbers, the newest at the end."""
    lines = [
        f"{number:>3}  {' '.join(prompt.split())[:PROMPT_CHARS]}" for number, prompt in enumerate(found, 1)
    ]
    if not lines:
        return ["no prompt to go back to" + ("; /rewind undo goes forward again" if can_undo else "")]
    return [*lines[-MOST_PROMPTS:], HOW]
