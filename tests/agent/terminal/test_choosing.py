"""Choosing a session: keys that were meant, a list that fills, deleting that asks."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from agent.session.log import locked
from agent.session.store import Store
from agent.shelf import shelf_of
from agent.terminal.asked import QUIET_S
from agent.terminal.choosing import Board, Choosing, SessionChooser
from agent.terminal.sessions import Shelf
from tests.agent.sessions.logs import FIRST, SECOND, head, simple, write
from tests.support.agent import FakeClock

SGR = re.compile("\x1b\\[[0-9;]*m")
THIRD = "20260101-000000-dddddd"


@dataclass(slots=True)
class Listing:
    """A list under test."""

    chooser: SessionChooser
    clock: FakeClock
    said: list[str]
    rows: int = 40
    running: "asyncio.Task[str | None]" = field(init=False)

    @property
    def list(self) -> Choosing:
        """The list that is open."""
        assert self.chooser.choosing is not None
        return self.chooser.choosing

    @property
    def text(self) -> str:
        """What is seen, without colours."""
        return SGR.sub("", "\n".join(self.chooser.lines(100)))

    @property
    def head(self) -> str:
        """The first line of it."""
        return self.text.split("\n", 1)[0].partition("   ")[0]

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until ``condition`` holds."""
        for _ in range(2_000):
            if condition():
                return
            await asyncio.sleep(0.005)
        raise AssertionError(self.text)

    async def ask(self) -> None:
        """Press Ctrl-D, and wait for the question and the pause after it."""
        self.list.delete()
        await self.until(lambda: self.list.is_asking)
        self.clock.now += QUIET_S


@asynccontextmanager
async def listing(folder: Path, *, current: str = "", shelf: Shelf | None = None) -> AsyncGenerator[Listing]:
    """Open the list of the sessions in ``folder``."""
    clock, said = FakeClock(step_s=0.0), list[str]()

    async def settled() -> None:
        return

    board = Board(
        settled=settled,
        open_search=lambda _keys, _changed: None,
        close_search=lambda: said.append("closed"),
        refresh=lambda: None,
        size=lambda: (100, made.rows),
        clock=clock,
        say=said.append,
    )
    made = Listing(SessionChooser(board, shelf or shelf_of(Store(root=folder))), clock, said)
    made.running = asyncio.ensure_future(made.chooser.choose(current))
    yield made
    if made.chooser.choosing is not None:
        made.list.leave()
        made.list.leave()
    await made.running


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two sessions, the second one newer."""
    write(tmp_path, FIRST, *simple(FIRST), age_days=2)
    write(tmp_path, SECOND, *simple(SECOND), age_days=1)
    return tmp_path


async def test_enter_opens_what_is_selected(project: Path) -> None:
    """After a pause: a key that was typed for the prompt opens nothing. The end of the answer stands below."""
    async with listing(project) as made:
        await made.until(lambda: "resume a session · 2  " in made.text and "  Done." in made.text)
        made.list.accept()
        made.list.move(1)
        await made.until(lambda: f"  {FIRST} · 20" in made.text)
        made.clock.now += QUIET_S
        made.list.accept()
        made.list.accept()
        assert await made.running == FIRST
        assert made.text == ""
        assert made.said == ["closed"]


async def test_the_open_one_and_a_search(project: Path) -> None:
    """The open one has its word and is not selected; what nothing fits opens nothing; leaving chooses nothing."""
    async with listing(project, current=SECOND) as made:
        await made.until(lambda: "(this one)" in made.text and "▸" in made.text)
        made.list.search("no such thing")
        assert "nothing fits" in made.text
        made.clock.now += QUIET_S
        made.list.accept()
        made.list.delete()
        made.list.search("aaaaaa")
        assert "(this one)" not in made.text
        made.list.leave()
        made.list.leave()
        assert await made.running is None


@pytest.mark.parametrize("current", ["", SECOND])
async def test_nothing_to_choose(tmp_path: Path, current: str) -> None:
    """One line says so; no list is opened."""
    if current:
        write(tmp_path, SECOND, *simple(SECOND))
    async with listing(tmp_path, current=current) as made:
        assert await made.running is None
        assert made.said == ["no other sessions here" if current else "no sessions here"]


async def test_a_small_screen(project: Path) -> None:
    """The selected line is always there, the question too."""
    async with listing(project) as made:
        made.rows = 4
        await made.until(lambda: made.text.startswith("▸ "))
        assert made.text.count("\n") == 0
        await made.ask()
        assert made.text.startswith("◐ [y] delete for good  [n] keep")
        made.rows = 6
        assert made.text.count("\n") == 2


async def test_deleting(project: Path) -> None:
    """It asks; `y` at once is none; others are no answer; after it all is gone, and a line above tells so."""
    async with listing(project) as made:
        await made.until(lambda: "▸" in made.text)
        made.list.delete()
        await made.until(lambda: made.list.is_asking)
        assert made.head.startswith(f"◐ [y] delete for good  [n] keep  {SECOND}, ")
        for key in ("y", "x"):
            made.list.answer(key)
        await asyncio.sleep(0.05)
        assert made.list.is_asking
        made.clock.now += QUIET_S
        made.list.answer("y")
        await made.until(lambda: f"◐ deleted {SECOND}, " in made.text)
        assert made.said == [f"deleted session {SECOND}: Mend the total."]
        assert made.text.split("\n")[1].startswith("▸ ")
    store = Store(root=project)
    assert [path.exists() for path in (store.log(SECOND), store.folder(SECOND), store.outputs / SECOND)] == [
        False
    ] * 3
    assert store.log(FIRST).exists()


@pytest.mark.parametrize("way", ["answer", "move", "search", "accept", "leave"])
async def test_a_question_is_taken_back(project: Path, way: str) -> None:
    """By `n` and by every other key; nothing is deleted, opened or left."""
    given = {"answer": ("n",), "move": (1,), "search": ("a",)}
    async with listing(project) as made:
        await made.until(lambda: "resume a session · 2  " in made.text)
        await made.ask()
        getattr(made.list, way)(*given.get(way, ()))
        await made.until(lambda: made.head.startswith("resume a session · "))
        made.list.answer("y")
        await asyncio.sleep(0.05)
        assert not made.running.done()
    assert set(Store(root=project).logs()) == {FIRST, SECOND}


async def test_what_cannot_go_stays(project: Path) -> None:
    """The open one, one that another process has open, and one that a fork needs; each with its reason."""
    write(project, THIRD, head(THIRD, forked_from=FIRST), *simple(THIRD)[1:])
    with locked(Store(root=project).log(SECOND)):
        async with listing(project, current=THIRD) as made:
            await made.until(lambda: "resume a session · 3  " in made.text)
            for by, reason in (
                (-1, "it is the session that is open here"),
                (1, "open in another process"),
                (1, f"its fork {THIRD} needs it"),
            ):
                made.list.move(by)
                made.list.delete()
                await made.until(lambda: made.head.startswith("◐ stays"))
                assert made.head == f"◐ stays: {reason}"
                assert not made.list.is_asking


async def test_a_question_comes_too_late(project: Path) -> None:
    """Who has moved on meanwhile is not asked."""
    go_on, shelf = asyncio.Event(), shelf_of(Store(root=project))
    loop = asyncio.get_running_loop()

    def slow(session: str) -> str:
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()
        return shelf.why_kept(session)

    async with listing(project, shelf=replace(shelf, why_kept=slow)) as made:
        await made.until(lambda: "resume a session · 2  " in made.text)
        made.list.delete()
        await made.until(lambda: made.head == "◐ looking whether it can go …")
        made.list.move(1)
        go_on.set()
        await asyncio.sleep(0.05)
        assert made.head == "resume a session · 2"


async def test_a_removal_is_waited_for(project: Path) -> None:
    """Who leaves meanwhile is told of it all the same, and opens nothing that is going away."""
    go_on, shelf = asyncio.Event(), shelf_of(Store(root=project))
    loop = asyncio.get_running_loop()

    def slow(session: str) -> str:
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()
        return shelf.remove(session)

    async with listing(project, shelf=replace(shelf, remove=slow)) as made:
        await made.until(lambda: "resume a session · 2  " in made.text)
        await made.ask()
        made.list.answer("y")
        await made.until(lambda: made.head == f"◐ deleting {SECOND} …")
        made.list.delete()
        made.list.accept()
        made.list.leave()
        await asyncio.sleep(0.05)
        assert not made.running.done()
        go_on.set()
        assert await made.running is None
        assert made.said == [f"deleted session {SECOND}: Mend the total.", "closed"]


async def test_what_goes_wrong_beside_the_list_ends_it(project: Path) -> None:
    """And is raised where the list was asked for."""

    def broken(session: str) -> str:
        raise ValueError(session)

    shelf = replace(shelf_of(Store(root=project)), size=broken)
    with pytest.raises(ValueError, match=SECOND):
        async with listing(project, shelf=shelf) as made:
            await made.running
