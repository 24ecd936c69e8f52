"""`!command`: the user's own shell command, in the project, beside the conversation."""

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

from tools.visible import VisibleText

CHUNK_BYTES = 65_536


async def run_shell(command: str, project: Path, say: Callable[[Sequence[str]], None]) -> None:
    """Run ``command`` with the user's rights and show its output as it comes, then its exit code.

    It gets no input: the terminal belongs to the prompt. Cancelled, it is ended with all it started.
    """
    process = await asyncio.create_subprocess_exec(
        "bash",
        "-c",
        command,
        cwd=project,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout
    text = VisibleText()
    pending = ""
    try:
        while data := await process.stdout.read(CHUNK_BYTES):
            lines, _, pending = (pending + text.feed(data)).rpartition("\n")
            if lines:
                say(lines.split("\n"))
        code = await process.wait()
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if rest := pending + text.feed(b"", is_last=True):
        say([rest])
    if code:
        say([f"exit {code}"])
