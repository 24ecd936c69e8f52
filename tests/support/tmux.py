"""A real terminal multiplexer, for what an emulator does not do: reflow on resize.

with Tmux(command, cwd=..., env=..., columns=100) as tmux:
    tmux.until("> ")
    tmux.resize(60)
"""

import contextlib
import os
import shlex
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

WAIT_S = 20.0
PAUSE_S = 0.05


def is_missing() -> bool:
    """True where there is no tmux."""
    return shutil.which("tmux") is None


class Tmux:
    """One window of a tmux server of its own, on a socket of its own; both are gone at the end."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        columns: int = 100,
        rows: int = 30,
    ) -> None:
        self._socket = f"test-{uuid.uuid4().hex[:12]}"
        self._env = dict(env)
        size = ("-x", str(columns), "-y", str(rows))
        line = f"{shlex.join(command)}; echo ended with $?; read -r _"
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-s", "s", *size, "-c", str(cwd), "bash", "-c", line
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            with contextlib.suppress(subprocess.CalledProcessError):
                error.add_note(f"the screen:\n{self.history}")
        # The server was started for this window and ends with it.
        with contextlib.suppress(subprocess.CalledProcessError):
            self._tmux("kill-session", "-t", "s")

    @property
    def text(self) -> str:
        """What stands on the screen."""
        return self._tmux("capture-pane", "-p", "-t", "s").rstrip()

    @property
    def history(self) -> str:
        """What has scrolled away, and the screen."""
        return self._tmux("capture-pane", "-p", "-S", "-", "-t", "s").rstrip()

    def type(self, text: str) -> None:
        """Type text as it is."""
        self._tmux("send-keys", "-t", "s", "-l", text)

    def press(self, *keys: str) -> None:
        """Press keys by tmux's names, such as `Enter`."""
        self._tmux("send-keys", "-t", "s", *keys)

    def resize(self, columns: int, rows: int = 30) -> None:
        """Give the window another size, and wait until the program is told: tmux takes its time for that."""
        self._tmux("resize-window", "-t", "s", "-x", str(columns), "-y", str(rows))
        terminal = Path(self._tmux("display-message", "-p", "-t", "s", "#{pane_tty}").strip())
        with terminal.open() as file:
            self.until(lambda: os.get_terminal_size(file.fileno()).columns == columns)

    def until(self, wanted: str | Callable[[], object]) -> None:
        """Wait until the text is on the screen, or the condition holds."""
        holds = (lambda: wanted in self.text) if isinstance(wanted, str) else wanted
        give_up_at = time.monotonic() + WAIT_S
        while not holds():
            assert time.monotonic() < give_up_at, f"{wanted!r} did not come; the screen:\n{self.history}"
            time.sleep(PAUSE_S)

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self._socket, *arguments],
            env={**self._env, "LC_ALL": "C.UTF-8"},
            capture_output=True,
            check=True,
        )
        return done.stdout.decode()
