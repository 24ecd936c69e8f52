"""What runs for the session beside its calls, and the sandbox in which all its commands run."""

from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen
from typing import Protocol

from tools.sandbox import Sandbox


class OpenPipe(Protocol):
    """The read end of a pipe that something still writes to."""

    @property
    def is_open(self) -> bool: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class JobLog:
    """The log of a background process. ``descriptor`` is open, so that it outlives its name."""

    path: Path
    descriptor: int


@dataclass(slots=True)
class Jobs:
    """Background processes of the session: pid -> (command, log path). Ended with the session.

    A pid is a process group's, too. Also listed, with an empty log path: what a command left running behind it.
    """

    running: dict[int, tuple[str, str]] = field(default_factory=dict)
    processes: dict[int, Popen[bytes]] = field(default_factory=dict)
    """pid -> handle, by which the process is reaped."""
    logs: dict[int, JobLog] = field(default_factory=dict)
    sandbox: Sandbox | None = None
    """In which every command of the model's runs; None: in none."""
    pipes: dict[int, OpenPipe] = field(default_factory=dict)
    """pid -> the output pipe that a left-behind process still holds."""
