"""Opening a session for the screen: what it is given, and what stands on the screen afterwards."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.key_binding import KeyBindings

from agent.errors import UsageError
from agent.exits import Exit
from agent.flags import Flags
from agent.interactive import Wanted
from agent.offline import MessagesServer, Reply, Script, says
from agent.opening import TerminalSession, open_session
from agent.terminal.prompt_buffer import PromptBuffer
from agent.terminal.queue import queue_lines
from agent.terminal.screen import Screen
from tests.support.command import Command

SGR = re.compile("\x1b\\[[0-9;?]*[a-zA-Z]")


@dataclass(slots=True)
class Opened:
    """An open session on a screen that does not run, and all that was committed to it."""

    session: TerminalSession
    screen: Screen
    path: Path
    notes: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What was committed, without colours."""
        return SGR.sub("", self.path.read_text())


async def until(condition: Callable[[], object]) -> None:
    """Wait until ``condition`` holds."""
    for _ in range(2_000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come true")


@asynccontextmanager
async def opened(
    tmp_path: Path, *replies: Reply, is_kept: bool = True, **flags: Any
) -> AsyncGenerator[Opened]:
    """Open a session; it must be run and left."""
    with MessagesServer(Script(*replies)) as server, create_pipe_input() as keys:
        command = Command(root=tmp_path, url=server.url)
        (command.project / "AGENTS.md").write_text("Be kind.\n" * 40)
        path = tmp_path / "screen"
        with path.open("w") as stdout:
            screen = Screen(buffer=PromptBuffer(), keys=KeyBindings(), input=keys, stdout=stdout)
            wanted = Wanted(flags=Flags(cwd=command.project, **flags), env=command.env, is_kept=is_kept)
            left: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()
            session = await open_session(wanted, screen, left)
            assert session is not None
            yield Opened(session=session, screen=screen, path=path)


async def test_the_banner_and_the_bar(tmp_path: Path) -> None:
    """What is at work, the instruction files with their size, the keys; every part of the screen has its own."""
    async with opened(tmp_path) as on:
        first, second = on.text.splitlines()[:2]
        assert first == "palimpsest 0.1.0 · claude-sonnet-5-5 · ~/project"
        assert re.match(r"AGENTS\.md \d+ tokens · .*permissions: ask · /help", second)
        assert "/200k" in "".join(on.screen.parts.status(100))
        for part in ("tail", "activity", "queue", "question", "picker", "menu"):
            assert list(getattr(on.screen.parts, part)(100)) == []
        assert not on.session.is_busy
        on.session.leave(Exit.DONE)
        assert await on.session.run() == Exit.DONE
        assert "resume:" not in on.text  # nothing was said: there is nothing to go on with


@pytest.mark.parametrize("is_kept", [True, False])
async def test_a_turn_and_the_way_back(tmp_path: Path, *, is_kept: bool) -> None:
    """The prompt of the command line is the first; the farewell says how to go on where that is possible."""
    async with opened(tmp_path, says("Hello there."), is_kept=is_kept, prompt="hi") as on:
        running = asyncio.ensure_future(on.session.run())
        for _ in range(2_000):
            if "Hello there." in on.text and not on.session.is_busy:
                break
            await asyncio.sleep(0.01)
        on.session.ask_to_leave()
        on.session.ask_to_leave()
        assert await running == Exit.INTERRUPTED
        assert "1 turn · " in on.text
        assert ("resume: agent --cwd" in on.text) == is_kept


async def test_a_session_that_goes_on_says_so(tmp_path: Path) -> None:
    """How old it is, how long, and the last prompt; remarks stand below."""
    async with opened(tmp_path, says("One."), prompt="look at it") as on:
        running = asyncio.ensure_future(on.session.run())
        for _ in range(2_000):
            if "One." in on.text and not on.session.is_busy:
                break
            await asyncio.sleep(0.01)
        on.session.leave(Exit.DONE)
        await running
    async with opened(tmp_path, is_continue=True, append_system_prompt="x") as on:
        assert "1 turn · now · last: look at it" in " ".join(on.text.split())
        assert "--append-system-prompt has no effect" in on.text
        on.session.leave(Exit.DONE)
        await on.session.run()


async def test_a_prompt_comes_back_into_the_input(tmp_path: Path) -> None:
    """After /rewind, before what is typed there already; a fork says what it is."""
    async with opened(tmp_path, says("One."), prompt="look at it") as on:
        running = asyncio.ensure_future(on.session.run())
        await until(lambda: "One." in on.text and not on.session.is_busy)
        on.session.submit("/rewind 1")
        await until(lambda: on.screen.buffer.text)
        assert on.screen.buffer.text == "look at it"
        assert on.screen.buffer.cursor_position == len("look at it")
        on.session.submit("/rewind undo")
        on.session.submit("/rewind 1")
        await until(lambda: "\n" in on.screen.buffer.text)
        assert on.screen.buffer.text == "look at it\nlook at it"
        on.session.leave(Exit.DONE)
        await running
    async with opened(tmp_path, is_continue=True, is_fork=True) as on:
        assert "this is a fork of session 2" in on.text
        on.session.leave(Exit.DONE)
        await on.session.run()


async def test_what_cannot_be_used_is_raised(tmp_path: Path) -> None:
    """Before anything is shown."""
    with pytest.raises(UsageError, match="exclude each other"):
        async with opened(tmp_path, is_continue=True, resume="x"):
            pass


def test_the_queue_is_a_line_each() -> None:
    """On one line whatever was typed, cut to the screen."""
    shown = [SGR.sub("", line) for line in queue_lines(["one\ntwo", "x" * 100], 30)]
    assert shown == ["  queued 1: one two", f"  queued 2: {'x' * 17}…"]
