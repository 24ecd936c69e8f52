"""Ctrl-X Ctrl-E: the draft in an editor of the user's own, which has the whole terminal meanwhile."""

import asyncio
import math
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from agent.session.keep import open_kept
from agent.terminal.pasting import cleaned
from agent.terminal.screen import Screen
from tools.process import wait_for_end

PREFIX = "editing-"
NAME = "prompt.md"
MOST_BYTES = 10_000_000
"""Of a longer file the beginning is taken."""
GRACE_S = 1.0
"""What the editor has between TERM and KILL when the program is left."""
RESET = "\x1b[?1049l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?2004l\x1b[?1l\x1b>\x1b[?25h\x1b[0m"
"""Takes back what an editor asks of a terminal and one that was killed has left: other screen, mouse, keys, colours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the editor works in.

    ``env``: with VISUAL or EDITOR; ``project``: its folder; ``folder``: where the draft lies meanwhile;
    ``keep``: has the draft written to disk; ``say``: tells the user.
    """

    env: Mapping[str, str]
    project: Path
    folder: Callable[[], Path]
    keep: Callable[[], None]
    say: Callable[[str], None]


class OutsideEditor:
    """Lends the terminal to the editor, and takes what it made of the draft.

    The file lies beside the session: of a program that is killed meanwhile the next one finds it (`left_over`).
    """

    def __init__(self, screen: Screen, around: Surroundings) -> None:
        self._screen = screen
        self._around = around
        self._is_open = False

    def keys(self) -> KeyBindings:
        """Return the keys that open it."""
        keys = KeyBindings()
        keys.add("c-x", "c-e")(self.begin)
        return keys

    def begin(self, event: KeyPressEvent) -> None:
        """Open it, unless it is open already."""
        if not self._is_open:
            self._is_open = True
            event.app.create_background_task(self._edit())

    async def _edit(self) -> None:
        try:
            command = command_of(self._around.env)
            place = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self._around.folder()))
            draft = self._screen.buffer.expanded
            path = _written(place / NAME, draft)
            try:
                problem = await self._screen.lending.run(lambda: self._run([*command, str(path)]))
                if problem:
                    self._around.say(f"{problem}; the draft stays as it was")
                else:
                    self._take(draft, path)
            except asyncio.CancelledError:
                self._take(draft, path)  # what was saved by then is what the user wanted
                raise
            finally:
                self._around.keep()
                shutil.rmtree(place, ignore_errors=True)
        except (OSError, ValueError) as error:
            self._around.say(f"the draft cannot be edited: {error}")
        finally:
            self._is_open = False

    async def _run(self, argv: list[str]) -> str:
        """Run the editor to its end; return what went wrong with it."""
        try:
            process = self._started(argv)
        except OSError as error:
            return f"`{argv[0]}` cannot be run ({error.strerror}): VISUAL or EDITOR names the editor"
        try:
            await wait_for_end(process, timeout_s=math.inf, tick=lambda: None)
        except asyncio.CancelledError:
            await _end(process)
            raise
        finally:
            if process.returncode and process.returncode < 0:
                self._screen.writer.write(RESET)
                self._screen.writer.flush()
        return "" if process.returncode == 0 else f"the editor {_ending(process.returncode)}"

    def _started(self, argv: list[str]) -> subprocess.Popen[bytes]:
        typed, shown = self._screen.input.fileno(), self._screen.stdout.fileno()
        return subprocess.Popen(argv, cwd=self._around.project, stdin=typed, stdout=shown, stderr=shown)

    def _take(self, before: str, path: Path) -> None:
        """Put what was edited in place of the draft; what came before it meanwhile stays there."""
        edited, buffer = read_draft(path), self._screen.buffer
        stands = buffer.expanded
        came = stands.removesuffix(before) if stands.endswith(before) else f"{stands}\n"
        buffer.save_to_undo_stack()
        buffer.put(came + edited)


def command_of(env: Mapping[str, str]) -> list[str]:
    """Return the command of the user's editor: VISUAL, else EDITOR, else vi. Raises ValueError for odd quotes."""
    for name in ("VISUAL", "EDITOR"):
        try:
            if words := shlex.split(env.get(name, "")):
                return words
        except ValueError as error:
            raise ValueError(f"{name} is no command: {error}") from error
    return ["vi"]


def read_draft(path: Path) -> str:
    """Return the text of an edited draft, without the line end that editors add. Raises OSError."""
    with open_kept(path) as file:
        data = file.read(MOST_BYTES)
    return cleaned(data.decode("utf-8", "replace")).rstrip("\n")


def left_over(folder: Path) -> str:
    """Return the newest draft that a killed program has left in an editor; empty: none. Raises OSError.

    A link is none: a project could bring one along, which leads to a file of the user's.
    """
    found = [
        path
        for path in folder.glob(f"{PREFIX}*/{NAME}")
        if not (path.is_symlink() or path.parent.is_symlink())
    ]
    return read_draft(max(found, key=lambda path: path.stat().st_mtime_ns)) if found else ""


def remove_left_over(folder: Path) -> None:
    """Remove the drafts that a killed program has left, once they are kept elsewhere."""
    for place in folder.glob(f"{PREFIX}*"):
        shutil.rmtree(place, ignore_errors=True)


def _written(path: Path, draft: str) -> Path:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", newline="") as file:
        file.write(f"{draft}\n" if draft else "")
    return path


async def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    if not await wait_for_end(process, timeout_s=GRACE_S, tick=lambda: None):
        process.kill()
        process.wait()


def _ending(code: int) -> str:
    if code > 0:
        return f"ended with exit {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
