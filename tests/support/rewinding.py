"""What must be exactly as it was once a session has gone back, and going back in a rig."""

import hashlib
from copy import deepcopy
from pathlib import Path
from typing import Any

from agent.session.state import State
from tests.support.agent import Harness
from tests.support.invariants import facts_of
from tests.support.rig import Rig

Standing = tuple[dict[str, Any], dict[str, str]]
"""The conversation and the files."""
WITH_THE_VIEW = ("messages", "prefix_sha", "todos", "known", "prompts", "context_files", "cwd", "compactions")


def conversation(state: State) -> dict[str, Any]:
    """All that goes back with the view."""
    facts = facts_of(state)
    ids = [placed.id for placed in state.view]
    return deepcopy({**{name: facts[name] for name in WITH_THE_VIEW}, "ids": ids, "pins": state.pins})


def hashes(project: Path) -> dict[str, str]:
    """Path -> hash of every file of a project but our own and git's."""
    files = [path for path in project.rglob("*") if path.is_file() and not path.is_symlink()]
    named = {str(path.relative_to(project)): path for path in files}
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for name, path in named.items()
        if not name.startswith((".git/", ".transcripts/", ".task_outputs/"))
    }


def standing(harness: Harness) -> Standing:
    """The conversation and the files of a harness as they are."""
    return conversation(harness.state), hashes(harness.project)


def now(made: Rig) -> Standing:
    """The conversation and the files as they are."""
    return conversation(made.desk.agent.session.state), hashes(made.harness.project)


async def rewind(made: Rig, words: str, wanted: str = "takes it back") -> None:
    """Type /rewind; the prefix of the next request is another one."""
    at = len(made.above)
    made.repl.submit(f"/rewind {words}".strip())
    await made.until(lambda: wanted in "".join(made.above[at:]) and not made.repl.is_busy)
    made.harness.breaks.append(len(made.harness.server.queries))


async def turn(made: Rig, prompt: str) -> None:
    """Say ``prompt`` and wait for the end of its turn."""
    ended = turns(made)
    made.repl.submit(prompt)
    await made.until(lambda: turns(made) > ended and not made.repl.is_busy)


def turns(made: Rig) -> int:
    """How many turns of the session have ended."""
    return sum(one["of"] == "turn" for one in made.harness.log_records("end"))
