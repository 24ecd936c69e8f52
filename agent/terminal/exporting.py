"""/export: the session as a file, in the forms of `agent sessions export`."""

import asyncio
import difflib
import os
from pathlib import Path

from agent.terminal.desk import SessionDesk
from tools.paths import show

FORMATS = ("md", "html", "jsonl")
ENDINGS = {".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".jsonl": "jsonl"}
HOW = f"/export [{'|'.join(FORMATS)}] [FILE]"


async def export(desk: SessionDesk, words: str) -> None:
    """Write the session to a file; the form is said, or seen from the file's name. Raises SessionError, UsageError."""
    session, project = desk.agent.session, desk.agent.session.state.project
    first, _, rest = words.partition(" ")
    form, name = (first, rest.strip()) if first in FORMATS else ("", words)
    form = form or ENDINGS.get(Path(name).suffix.lower(), "" if name else FORMATS[0])
    if not form:
        near = difflib.get_close_matches(name, FORMATS, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        desk.say([f"`{name}` is no form, and as a file's name it tells of none: {hint}{HOW}"])
        return
    named = Path(name or f"session-{session.state.session_id}.{form}").expanduser()
    file = Path(os.path.normpath(project / named))
    shown = show(file, project=project)
    question = f"`{shown}` is there: replace it?  [y] replace it  [n] leave it"
    if os.path.lexists(file) and not await desk.person.confirm(question):
        desk.say(["not exported"])
        return
    session.sync()
    complaints = await asyncio.to_thread(desk.person.export, session.state.session_id, form, file)
    desk.say([*complaints, f"written: `{shown}`"])
