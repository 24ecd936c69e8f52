"""Sessions in processes of their own that are killed: at a moment, or at their n-th write.

    python -m tests.support.mortal

For each line on stdin, a JSON object as `Life` has it, it forks. The child tells its session, runs its turns and ends
with code 0. Its answers are lines: `pid N`, `session ID`, `ended CODE`.
"""

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
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
from agent.session.store import Store
from hooks.engine import HookEngine
from hooks.permission.judge import Permission
from hooks.permission.rules import PermissionRules
from skills.catalog import Catalog
from skills.discover import discover

DEAD = 9
ROOT = Path(__file__).parents[2]
WRITES = frozenset(("write", "open", "mkdir", "rename", "replace", "unlink", "ftruncate", "fsync"))
WAYS = ("kill", "cut", "fail", "half")
"""Of a write: die before it, die in its middle, be refused, be refused in its middle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """What a process does; ``session`` empty: a new one. ``way`` empty: nothing happens to its writes."""

    project: str
    home: str
    url: str
    prompts: tuple[str, ...]
    session: str = ""
    way: str = ""
    at: int = 0
    """Number of the write."""


class Fate:
    """Does to the n-th write of the main thread what is to happen, by way of the profiler."""

    def __init__(self, way: str, at: int) -> None:
        self.seen = 0
        self._way = way
        self._at = at

    def __call__(self, frame: FrameType, event: str, called: Any) -> None:
        """Look at one event of the profiler."""
        if event != "c_call" or getattr(called, "__name__", "") not in WRITES or not _is_of_session(frame):
            return
        owner = type(getattr(called, "__self__", None)).__name__
        if owner == "BufferedWriter" or getattr(called, "__module__", "") == "posix":
            self.seen += 1
            if self.seen == self._at:
                self._happen(frame, called.__name__)

    def _happen(self, frame: FrameType, name: str) -> None:
        if self._way in ("cut", "half") and name == "write":
            data = frame.f_locals["data"]
            own = frame.f_locals.get("descriptor")
            descriptor = own if own is not None else frame.f_locals["self"]._descriptor
            os.write(descriptor, data[: len(data) // 2])
        if self._way in ("kill", "cut"):
            os._exit(DEAD)
        raise OSError(ENOSPC, "No space left on device")


def _is_of_session(frame: FrameType) -> bool:
    """True for a call of the session's code, by way of `pathlib` or not."""
    caller: FrameType | None = frame
    while caller is not None and caller.f_code.co_filename.endswith("/pathlib.py"):
        caller = caller.f_back
    return caller is not None and "/agent/session/" in caller.f_code.co_filename


class Nursery:
    """The parent's side: starts the process that forks, and asks it; a context manager."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.mortal"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def begin(self, life: Life) -> int:
        """Start a process; return its id."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asdict(life)) + "\n")
        self._process.stdin.flush()
        return int(self.told("pid"))

    def told(self, what: str) -> str:
        """Return what the next line says of ``what``; "" when it is about the end instead."""
        assert self._process.stdout is not None
        kind, _, value = self._process.stdout.readline().strip().partition(" ")
        if kind == "ended" != what:
            self._ended = int(value)
            return ""
        assert kind == what, kind
        return value

    def end(self) -> int:
        """Wait for the end of the process; return its code, negative for a signal."""
        kind = self.told("ended")
        return int(kind)

    def run(self, life: Life) -> tuple[str, int]:
        """Let a process live to its end; return its session ("" when it had none yet) and its code."""
        self.begin(life)
        session = self.told("session")
        return session, self.end() if session else self._ended

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=30)


def silent(event: Event) -> None:
    """Hear nothing."""


def say(line: str) -> None:
    """Write one line whole: parent and child share the pipe."""
    os.write(1, f"{line}\n".encode())


async def live(life: Life) -> None:
    """Open the session and run its turns. Raises AssertionError for one that is not done."""
    project, home = Path(life.project), Path(life.home)
    permission = Permission(rules=PermissionRules(), home=home.parent)
    client = MessagesClient(base_url=life.url, api_key=API_KEY)
    shared = Shared(
        config=Config(project=project, home=home, mode="bypass"),
        model=client,
        store=Store.of(project, home),
        permission=permission,
        hooks=HookEngine(permission.judge),
        approver=NobodyToAsk(),
        skills=Catalog(discover([])),
        emit=silent,
    )
    fate = Fate(life.way, life.at)
    if life.way:
        sys.setprofile(fate)
    try:
        agent = wiring.resume(shared, life.session) if life.session else wiring.create(shared)
    except OSError:
        os._exit(DEAD)  # the program says so and ends; there is no session yet
    say(f"session {agent.session.state.session_id}")
    for prompt in life.prompts:
        ended = await agent.loop.run(prompt)
        assert ended.reason == "done", ended
    await agent.close("exit")
    assert agent.session.log.waiting == 0
    if life.way and fate.seen < life.at:
        os._exit(1)  # there is no such write any more
    await client.close()


def child(life: Life) -> None:
    """Live, and end without the parent's clean-up."""
    try:
        asyncio.run(live(life))
    finally:
        # Whatever was raised is printed here, for nothing does that afterwards.
        if (error := sys.exc_info()[1]) is not None:
            sys.excepthook(type(error), error, error.__traceback__)
        os._exit(2 if error is not None else 0)


def main() -> None:
    """Serve until stdin ends."""
    import_module("anthropic")
    token_counter.Counter(row(DEFAULT_MODEL).family).text_tokens("loaded before any child needs it")
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            told = json.loads(line)
            child(Life(**{**told, "prompts": tuple(told["prompts"])}))
        say(f"pid {pid}")
        _, status = os.waitpid(pid, 0)
        say(f"ended {os.waitstatus_to_exitcode(status)}")


if __name__ == "__main__":
    main()
