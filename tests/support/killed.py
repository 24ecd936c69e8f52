"""A process that compacts a session and dies at its n-th write, without a last word.

    python -m tests.support.killed PROJECT HOME URL SESSION PRESET WINDOW

For each line on stdin, a number, it forks: the child opens the session, compacts it, and ends itself with `DEAD` right
before its n-th call that writes. The answer is a line with the child's exit code, 0 when it came through.
"""

import asyncio
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, Self

from agent import token_counter, wiring
from agent.approval import NobodyToAsk
from agent.client import MessagesClient
from agent.events import Event
from agent.models import DEFAULT_MODEL, row
from agent.offline.service import API_KEY
from agent.session.store import Store
from hooks.engine import HookEngine
from hooks.permission import Permission
from hooks.rules import PermissionRules
from skills.catalog import Catalog
from skills.discover import discover

DEAD = 9
NOW = 1_800_000_100.0
ROOT = Path(__file__).parents[2]
WRITES = frozenset(
    ("write", "fsync", "open", "mkdir", "rename", "replace", "unlink", "ftruncate", "flush", "chmod")
)


class Counter:
    """Ends the process before the n-th call that writes to a file."""

    def __init__(self, last: int) -> None:
        self._left = last

    def __call__(self, frame: FrameType, event: str, called: Any) -> None:
        """Look at one event of the profiler."""
        if event != "c_call" or getattr(called, "__name__", "") not in WRITES:
            return
        owner = type(getattr(called, "__self__", None)).__name__
        if owner == "BufferedWriter" or getattr(called, "__module__", "") == "posix":
            self._left -= 1
            if self._left == 0:
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
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{number}\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        assert code in (0, DEAD), code
        return code == DEAD

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=10)


async def compact(agent: wiring.Agent, client: MessagesClient, number: int) -> None:
    """Compact by the layers, and by hand if they find nothing to do."""
    before = agent.session.state.compactions
    sys.setprofile(Counter(number))
    await agent.compactor.fit()
    if agent.session.state.compactions == before:
        await agent.compactor.compact("manual", "")
    sys.setprofile(None)
    await client.close()


def silent(event: Event) -> None:
    """Hear nothing."""


def child(number: int, arguments: list[str]) -> None:
    """Open the session and compact it."""
    project, home, url, session, preset, window = arguments
    permission = Permission(rules=PermissionRules(), home=Path(home).parent)
    client = MessagesClient(base_url=url, api_key=API_KEY)
    config = wiring.Config(
        project=Path(project), home=Path(home), preset=preset, window=int(window), clock=lambda: NOW
    )
    shared = wiring.Shared(
        config=config,
        model=client,
        store=Store.of(Path(project), Path(home)),
        permission=permission,
        hooks=HookEngine(permission.judge),
        approver=NobodyToAsk(),
        skills=Catalog(discover([])),
        emit=silent,
    )
    asyncio.run(compact(wiring.resume(shared, session), client, number))


def main() -> None:
    """Serve until stdin ends."""
    import_module("anthropic")
    token_counter.Counter(row(DEFAULT_MODEL).family).text_tokens("loaded before any child needs it")
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            try:
                child(int(line), sys.argv[1:])
            finally:
                # No clean-up of the parent's streams; whatever was raised has been printed or counts as an end.
                os._exit(int(sys.exc_info()[0] is not None))
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
