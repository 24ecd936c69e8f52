"""A process that compacts a session and dies at its n-th write, without a last word.

    python -m tests.support.killed PROJECT HOME URL SESSION PRESET WINDOW

For each line on stdin, a number and what to do, it forks: the child opens the session, compacts it or goes back, and ends
itself with `DEAD` right before its n-th call that writes, or is refused there. The answer is a line with the child's
exit code: `UNHARMED` when there is no such write, `SAID` when it said what it could not do, else 0.
"""

import asyncio
import os
import subprocess
import sys
import traceback
from errno import ENOSPC
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, Self

from agent import token_counter, wiring
from agent.assembly.shared import Config, Shared
from agent.calls.approval import NobodyToAsk
from agent.client import MessagesClient
from agent.events import Event
from agent.models import DEFAULT_MODEL, row
from agent.offline.service import API_KEY
from agent.session.rewind import files_at, prompts, rewind
from agent.session.session import Session
from agent.session.store import Store
from hooks.engine import HookEngine
from hooks.permission.judge import Permission
from hooks.permission.rules import PermissionRules
from skills.catalog import Catalog
from skills.discover import discover

DEAD = 9
SAID, UNHARMED = 3, 4
NOW = 1_800_000_100.0
ROOT = Path(__file__).parents[2]
WRITES = frozenset(
    (
        *("write", "fsync", "open", "mkdir", "rename", "replace", "unlink", "ftruncate", "flush", "chmod"),
        *("fchmod", "symlink"),
    )
)


class Counter:
    """Ends the process before the n-th call that writes to a file, or has the disk refuse it."""

    def __init__(self, last: int, *, refuses: bool = False) -> None:
        self.left = last
        self._refuses = refuses

    def __call__(self, frame: FrameType, event: str, called: Any) -> None:
        """Look at one event of the profiler."""
        if event != "c_call" or getattr(called, "__name__", "") not in WRITES:
            return
        owner = type(getattr(called, "__self__", None)).__name__
        if owner == "BufferedWriter" or getattr(called, "__module__", "") == "posix":
            self.left -= 1
            if self.left == 0 and self._refuses:
                raise OSError(ENOSPC, "No space left on device")
            if self.left == 0:
                os._exit(DEAD)


class Mortal:
    """The parent's side: starts the process and asks it; a context manager."""

    def __init__(self, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.killed", *arguments],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def dies_at(self, number: int) -> bool:
        """Compact and die at the n-th write; False when it came through."""
        code = self.ended(number, "compact")
        assert code in (UNHARMED, DEAD), code
        return code == DEAD

    def ended(self, number: int, what: str, *, refuses: bool = False) -> int:
        """Do ``what`` (compact, N as in `/rewind N`, or undo) up to the n-th write; return the exit code."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{number} {what} {int(refuses)}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=10)


async def compact(agent: wiring.Agent) -> int:
    """Compact by the layers, and by hand if they find nothing to do."""
    before = agent.session.state.compactions
    await agent.compactor.fit()
    if agent.session.state.compactions == before:
        await agent.compactor.compact("manual", "")
    return 0


def go_back(session: Session, what: str) -> int:
    """Go back to before a prompt, or undo that; changed files are put back whoever changed them."""
    state = session.state
    point = state.points[state.rewound["id"]] if what == "undo" else prompts(state)[int(what) - 1][0]
    found = files_at(state, point)
    problems = rewind(session, point, "both", [*found.ours, *found.others])
    return SAID if problems or session.log.waiting else 0


async def act(agent: wiring.Agent, client: MessagesClient, what: str, fate: Counter) -> int:
    """Do it, as far as fate allows; return the exit code."""
    sys.setprofile(fate)
    code = await compact(agent) if what == "compact" else go_back(agent.session, what)
    sys.setprofile(None)
    await client.close()
    return UNHARMED if fate.left > 0 else code


def silent(event: Event) -> None:
    """Hear nothing."""


def child(line: str, arguments: list[str]) -> int:
    """Open the session and do what the line says; return the exit code."""
    number, what, refuses = line.split()
    project, home, url, session, preset, window = arguments
    permission = Permission(rules=PermissionRules(), home=Path(home).parent)
    client = MessagesClient(base_url=url, api_key=API_KEY)
    config = Config(
        project=Path(project), home=Path(home), preset=preset, window=int(window), clock=lambda: NOW
    )
    shared = Shared(
        config=config,
        model=client,
        store=Store.of(Path(project), Path(home)),
        permission=permission,
        hooks=HookEngine(permission.judge),
        approver=NobodyToAsk(),
        skills=Catalog(discover([])),
        emit=silent,
    )
    fate = Counter(int(number), refuses=refuses == "1")
    return asyncio.run(act(wiring.resume(shared, session), client, what, fate))


def main() -> None:
    """Serve until stdin ends."""
    import_module("anthropic")
    token_counter.Counter(row(DEFAULT_MODEL).family).text_tokens("loaded before any child needs it")
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                code = child(line, sys.argv[1:])
            finally:
                # No clean-up of the parent's streams; whatever was raised is told here.
                if code == 1:
                    traceback.print_exc()
                os._exit(code)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
