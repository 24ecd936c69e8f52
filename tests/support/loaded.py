"""A process that has everything of the program loaded, and forks for each run of it.

    python -P -m tests.support.loaded DESCRIPTOR

The descriptor is a socket. A message is an order as JSON, with the standard streams of the run and the pipe on which
the process's id and, at its end, its code are written, a line each. It ends when the other side is gone.
"""

import contextlib
import gc
import json
import os
import select
import socket
import sys
from dataclasses import dataclass
from importlib import import_module
from typing import Literal, TextIO

from tests.support.job import become_job

HEAVY = (
    *(
        "palimpsest_agent",
        "agent.cli",
        "agent.launch",
        "agent.interactive",
        "agent.opening",
        "agent.plain_repl",
    ),
    *("agent.sessions.command", "agent.sessions.listing", "anthropic", "httpx2", "json5"),
)
"""What a run would load; all else comes with these."""
MOST_BYTES = 1 << 20
STREAMS = 3
BY_LINES = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to run: `agent` with ``args``, or ``code`` where there is any.

    ``is_job``: as the job of a shell at the terminal that stdin is.
    """

    args: tuple[str, ...]
    code: str
    cwd: str
    env: dict[str, str]
    is_job: bool


class Seed:
    """Forks for what ``control`` orders, and tells of each end."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._running: dict[int, tuple[int, int]] = {}
        """Descriptor of a process -> its id, and the pipe on which its end is told."""

    def serve(self) -> Order | None:
        """Return an order in the process that is forked for it, and None here when no more can come."""
        while True:
            ready, _, _ = select.select([self._control.fileno(), *self._running], [], [])
            for process in self._running.keys() & ready:
                self._tell_the_end(process)
            if self._control.fileno() in ready:
                message, descriptors, _, _ = socket.recv_fds(self._control, MOST_BYTES, STREAMS + 1)
                if not message:
                    return None
                told = json.loads(message)
                order = Order(**{**told, "args": tuple(told["args"])})
                if self._fork(descriptors):
                    return order

    def _fork(self, descriptors: list[int]) -> bool:
        """Return True in the new process, which has the standard streams of its order and nothing of ours open."""
        *streams, pipe = descriptors
        pid = os.fork()
        if pid == 0:
            self._forget(pipe)
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
            for stream in streams:
                os.close(stream)
            return True
        for stream in streams:
            os.close(stream)
        self._running[os.pidfd_open(pid)] = (pid, pipe)
        _tell(pipe, pid)
        return False

    def _forget(self, pipe: int) -> None:
        self._control.close()
        os.close(pipe)
        for process, (_, other) in self._running.items():
            os.close(process)
            os.close(other)

    def _tell_the_end(self, process: int) -> None:
        pid, pipe = self._running.pop(process)
        os.close(process)
        _, status = os.waitpid(pid, 0)
        _tell(pipe, os.waitstatus_to_exitcode(status))
        os.close(pipe)


def _tell(pipe: int, number: int) -> None:
    with contextlib.suppress(BrokenPipeError):  # nobody waits for it any more
        os.write(pipe, f"{number}\n".encode())


def take_on(order: Order) -> None:
    """Make this process what a new interpreter would be that is started so."""
    os.chdir(order.cwd)
    os.environ.clear()
    os.environ.update(order.env)
    if not {"LC_ALL", "LC_CTYPE", "LANG"} & order.env.keys():
        os.environ["LC_CTYPE"] = "C.UTF-8"  # an interpreter does so where no locale is named
    sys.argv[1:] = order.args
    if order.is_job:
        os.setsid()
        become_job()
    sys.stdin, sys.stdout = _stream(0, "r", "surrogateescape"), _stream(1, "w", "surrogateescape")
    sys.stderr = _stream(2, "w", "backslashreplace", buffering=BY_LINES)


def _stream(descriptor: int, mode: Literal["r", "w"], errors: str, buffering: int = -1) -> TextIO:
    return os.fdopen(descriptor, mode, buffering, encoding="utf-8", errors=errors, closefd=False)


def main() -> int:
    """Serve; in a process that was forked, run what is ordered. Returns the exit code."""
    for name in HEAVY:
        import_module(name)
    import_module("agent.tokenizer").count("the ranks are read before anybody needs them")
    gc.collect()
    gc.freeze()  # or each fork would copy all that the collector looks at
    order = Seed(socket.socket(fileno=int(sys.argv[1]))).serve()
    if order is None:
        return 0
    take_on(order)
    if order.code:
        exec(order.code, {"__name__": "__main__"})
        return 0
    code: int = import_module("palimpsest_agent").main()
    return code


if __name__ == "__main__":
    sys.exit(main())
