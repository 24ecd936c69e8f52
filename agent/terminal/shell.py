"""`!command`: the user's own shell command, in the project, beside the conversation."""

import asyncio
import contextlib
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from tools.process import OutputPipe, complete, end_group, start, wait_for_end
from tools.visible import VisibleText

DRAIN_S = 0.3
"""How long the pipe may stay open after the shell's end, for output still on its way."""
Say = Callable[[Sequence[str]], None]


async def run_shell(command: str, project: Path, say: Say) -> None:
    """Run ``command`` with the user's rights and show its output as it comes, then its exit code.

    It gets no input: the terminal belongs to the prompt. It is over when the shell is, whatever that has left
    running. Cancelled, it is ended with all it started.
    """
    output = Output(say)
    pipe = OutputPipe(output.take)
    try:
        process = start(["bash", "-c", command], cwd=project, env=os.environ, output=pipe.write_end)
    except (OSError, ValueError) as error:  # ValueError: a NUL in it
        pipe.close_write_end()
        pipe.close()
        say([f"it cannot be run: {error}"])
        return
    pipe.close_write_end()
    try:
        await wait_for_end(process, timeout_s=math.inf, tick=lambda: None)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(pipe.ended.wait(), DRAIN_S)
    except asyncio.CancelledError:
        await complete(end_group(process))
        raise
    finally:
        has_left_behind = pipe.is_open
        pipe.close()
    output.finish()
    if process.returncode:
        say([f"exit {process.returncode}"])
    if has_left_behind:
        say(["what it started still runs; its output is not shown any more"])


class Output:
    """Shows what a command writes, in whole lines."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._text = VisibleText()
        self._pending = ""

    def take(self, data: bytes) -> None:
        """Show the lines that are whole."""
        lines, _, self._pending = (self._pending + self._text.feed(data)).rpartition("\n")
        if lines:
            self._say(lines.split("\n"))

    def finish(self) -> None:
        """Show the rest."""
        if rest := self._pending + self._text.feed(b"", is_last=True):
            self._say([rest])
