"""Choosing a session: the list is there at once, logs are looked at in a thread, keys move in it."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from prompt_toolkit.key_binding import KeyBindingsBase

from agent.clock import Clock
from agent.terminal.asked import QUIET_S
from agent.terminal.deleting import Deletion
from agent.terminal.layout import SPARED_ROWS
from agent.terminal.picker import Picker, picker_lines
from agent.terminal.picker_keys import PickerKeys
from agent.terminal.sessions import LOOK, LastSaid, Listed, Shelf, last_said, listed, preview_lines

FIRST_LOOKED_AT = 20
"""So many logs are looked at before the list is drawn, as many as are seen of it; then twice as many each time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What the list needs of the screen.

    ``settled`` waits until nobody types into the input; ``open_search`` puts a field for the search in its place, with
    keys of its own, and tells what is typed there; ``size`` is (columns, rows) now; ``say`` puts a line above for good.
    """

    settled: Callable[[], Awaitable[None]]
    open_search: Callable[[KeyBindingsBase, Callable[[str], None]], None]
    close_search: Callable[[], None]
    refresh: Callable[[], None]
    size: Callable[[], tuple[int, int]]
    clock: Clock
    say: Callable[[str], None]


class Beside:
    """What runs beside the list; what goes wrong there ends it.

    Args:  failed: told what went wrong.
    """

    def __init__(self, failed: Callable[[BaseException], None]) -> None:
        self._failed = failed
        self._tasks: dict[asyncio.Task[None], bool] = {}

    def start(self, work: Coroutine[Any, Any, None], *, is_held: bool = False) -> None:
        """Run ``work``; ``is_held``: to its end, also when the list is left."""
        task = asyncio.ensure_future(work)
        self._tasks[task] = is_held
        task.add_done_callback(self._ended)

    async def stop(self) -> None:
        """Cancel all that is not held, and wait for the end of all."""
        for task, is_held in self._tasks.items():
            if not is_held:
                task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        del self._tasks[task]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._failed(error)


class Endings:
    """What was said last in a session, once somebody has looked: one after the other, the newest wish first."""

    def __init__(self, shelf: Shelf, changed: Callable[[], None]) -> None:
        self._shelf = shelf
        self._changed = changed
        self._said: dict[str, LastSaid] = {}
        self._wanted = ""
        self._is_looking = False

    def of(self, session: str) -> LastSaid | None:
        """Return it; None while nobody has looked."""
        return self._said.get(session)

    async def look(self, session: str) -> None:
        """Look at the end of its log, unless that is known, or somebody looks already and will come to it."""
        self._wanted = session
        if self._is_looking:
            return
        self._is_looking = True
        try:
            while (wanted := self._wanted) not in self._said:
                self._said[wanted] = await asyncio.to_thread(last_said, self._shelf.store.log(wanted))
                self._changed()
        finally:
            self._is_looking = False


class SessionChooser:
    """Lets the user choose one of the sessions, as often as that is asked."""

    def __init__(self, board: Board, shelf: Shelf) -> None:
        self._board = board
        self._shelf = shelf
        self.choosing: Choosing | None = None
        """The list that is open."""

    async def choose(self, current: str) -> str | None:
        """Return the id of another session than ``current`` (empty: none is open); None when the user wants none."""
        sessions = await asyncio.to_thread(self._shelf.store.logs)
        if not set(sessions) - {current}:
            self._board.say("no other sessions here" if current in sessions else "no sessions here")
            return None
        await self._board.settled()
        self.choosing = Choosing(self._board, self._shelf, current)
        try:
            return await self.choosing.run(sessions)
        finally:
            self.choosing = None
            self._board.close_search()

    def lines(self, width: int) -> Sequence[str]:
        """Return the list that is open, as lines."""
        return self.choosing.lines(width) if self.choosing else ()


class Choosing:
    """One list, from its opening to the choice. ``current``: id of the open session."""

    def __init__(self, board: Board, shelf: Shelf, current: str) -> None:
        self._board = board
        self._shelf = shelf
        self._current = current
        self._picker = Picker()
        self._listed: dict[str, Listed] = {}
        self._endings = Endings(shelf, self._redraw)
        self._deletion = Deletion(shelf, board.clock, changed=self._redraw, gone=self._drop)
        self._chosen: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._beside = Beside(self._fail)
        self._opened_at = board.clock()
        self._drawn: tuple[tuple[int, int], list[str]] | None = None

    async def run(self, sessions: Sequence[str]) -> str | None:
        """List ``sessions`` and wait for the choice; a removal that has begun is waited for."""
        self._board.open_search(PickerKeys(self).bindings(), self.search)
        self._beside.start(self._fill(sessions))
        try:
            return await self._chosen
        finally:
            await self._beside.stop()

    @property
    def is_asking(self) -> bool:
        """A question stands that takes `y` and `n`."""
        return self._deletion.is_asking

    def lines(self, width: int) -> list[str]:
        """Return the list as it is now."""
        size = (width, max(1, self._board.size()[1] - SPARED_ROWS))
        if self._drawn is None or self._drawn[0] != size:
            one = self._picker.selected
            preview = preview_lines(self._listed[one.id], self._endings.of(one.id), width) if one else []
            notice = self._deletion.notice
            drawn = picker_lines(self._picker, LOOK, preview=preview, notice=notice, size=size)
            self._drawn = (size, drawn)
        return self._drawn[1]

    def search(self, query: str) -> None:
        """Show what ``query`` fits; a question is taken back."""
        self._deletion.forget()
        self._picker.search(query)
        self._changed()

    def move(self, by: int) -> None:
        """Select the line so far below, or above when negative; a question is taken back."""
        self._deletion.forget()
        self._picker.move(by)
        self._changed()

    def accept(self) -> None:
        """Choose what is selected: after a pause, so that the key was meant for the list. A question is taken back."""
        one = self._picker.selected
        is_meant = self._board.clock() - self._opened_at >= QUIET_S
        if self._deletion.forget():
            self._redraw()
        elif one is not None and is_meant and not self._deletion.is_removing and not self._chosen.done():
            self._chosen.set_result(one.id)

    def leave(self) -> None:
        """Choose nothing; a question is only taken back."""
        if self._deletion.forget():
            self._redraw()
        elif not self._chosen.done():
            self._chosen.set_result(None)

    def delete(self) -> None:
        """Ask whether the selected session is to be deleted."""
        if (one := self._picker.selected) is not None:
            self._beside.start(self._deletion.look(self._listed[one.id]))

    def answer(self, key: str) -> None:
        """Take a key as the answer to the question."""
        self._beside.start(self._deletion.answer(key), is_held=True)

    def _drop(self, one: Listed) -> None:
        self._picker.drop(one.seen.id)
        self._board.say(f"deleted session {one.seen.id}: {one.choice.name}")
        self._changed()

    def _changed(self) -> None:
        """Another line is selected, or there are other lines."""
        if (one := self._picker.selected) is not None and self._endings.of(one.id) is None:
            self._beside.start(self._endings.look(one.id))
        self._redraw()

    def _fail(self, error: BaseException) -> None:
        if not self._chosen.done():
            self._chosen.set_exception(error)

    def _redraw(self) -> None:
        self._drawn = None
        self._board.refresh()

    async def _fill(self, sessions: Sequence[str]) -> None:
        now = self._board.clock()
        at, number = 0, FIRST_LOOKED_AT
        while some := sessions[at : at + number]:
            at, number = at + number, 2 * number
            found = await asyncio.to_thread(listed, self._shelf, some, now=now, current=self._current)
            self._listed |= {one.seen.id: one for one in found}
            self._picker.put(one.choice for one in found)
            self._changed()
        self._picker.is_complete = True
        self._changed()
