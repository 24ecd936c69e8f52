"""The command `agent` in tests: in this process with streams of its own, or as a real one."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from agent.cli import Streams, main
from agent.offline.service import API_KEY
from tests.support.forked import Loaded, Process, Stream, can_fork, start

ROOT = Path(__file__).parents[2]
NOBODY = "http://127.0.0.1:9"
"""A local address where nothing listens."""
WAIT_S = 40


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run left behind."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """stdout as text."""
        return self.out.decode()

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The JSON objects on stdout."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def complaints(self) -> list[str]:
        """The lines on stderr that are no hint how to resume."""
        return [line for line in self.err.splitlines() if not line.startswith("resume: ")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """`agent` for one user and project under ``root``; both folders are made."""

    root: Path
    url: str = NOBODY
    key: str = API_KEY
    more: Mapping[str, str] = field(default_factory=dict)
    """Further environment variables."""

    def __post_init__(self) -> None:
        for folder in (self.project, self.home):
            folder.mkdir(exist_ok=True)

    @property
    def project(self) -> Path:
        """The project, resolved."""
        return self.root.resolve() / "project"

    @property
    def home(self) -> Path:
        """The user's own folder of the program."""
        return self.root / "agent-home"

    @property
    def env(self) -> dict[str, str]:
        """The whole environment."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root),
            "AGENT_HOME": str(self.home),
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": self.key,
            **self.more,
        }

    def here(self, *args: str, stdin: TextIO | None = None, encoding: str = "utf-8") -> Ran:
        """Run it in this process, in its project unless the arguments say otherwise; ``stdin`` None: closed."""
        out, err = io.BytesIO(), io.BytesIO()
        streams = Streams(
            stdin=stdin,
            stdout=io.TextIOWrapper(out, encoding=encoding),
            stderr=io.TextIOWrapper(err, encoding=encoding),
        )
        given = args if "--cwd" in args else ("--cwd", str(self.project), *args)
        code = main(given, streams, self.env)
        return Ran(code, out.getvalue(), err.getvalue().decode(encoding))

    def start(self, *args: str | bytes, **streams: Stream) -> Process:
        """Start it as a process of its own in its project; ``streams``: stdin, stdout, stderr, as for Popen."""
        if not can_fork(self.env):
            return self.start_anew(*args, **streams)
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return start(
            Loaded(tuple(map(os.fsdecode, args))),
            cwd=self.project,
            env=self.env,
            streams=tuple({**pipes, **streams}.values()),
        )

    def start_anew(self, *args: str | bytes, **how: Any) -> "subprocess.Popen[bytes]":
        """Start it in a new interpreter; ``how``: as for Popen."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        command = [*Loaded(()).anew, *args]
        return subprocess.Popen(command, **{"cwd": self.project, "env": self.env, **pipes, **how})

    def run(self, *args: str | bytes, **streams: Stream) -> Ran:
        """Run it as a process of its own to its end."""
        return ended(self.start(*args, **streams))

    def shell(self, script: str) -> Ran:
        """Run a shell script in which `agent` is the command."""
        command = f'agent() {{ "{sys.executable}" -P "{ROOT}/palimpsest_agent.py" "$@"; }}\n{script}'
        return ended(
            subprocess.Popen(
                ["bash", "-c", command],
                cwd=self.project,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        )


def ended(process: Process) -> Ran:
    """Wait for the end of a process and return what it left."""
    out, err = process.communicate(timeout=WAIT_S)
    return Ran(process.wait(), out or b"", (err or b"").decode())


@contextmanager
def piped(data: bytes, *, is_closed: bool = True) -> Generator[TextIO]:
    """A stdin that is a pipe holding ``data``; not ``is_closed``: its other end stays open."""
    read, write = os.pipe()
    os.write(write, data)
    if is_closed:
        os.close(write)
    with os.fdopen(read) as stdin:
        yield stdin
    if not is_closed:
        os.close(write)
