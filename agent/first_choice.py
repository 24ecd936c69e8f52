"""The list of sessions on the screen, and the choice among them before one is open."""

from collections.abc import Awaitable, Callable

from agent.clock import Clock, system_clock
from agent.session.store import Store
from agent.shelf import shelf_of
from agent.terminal.choosing import Board, SessionChooser
from agent.terminal.screen import Screen
from agent.terminal.show import Show
from agent.trust import Standing


def chooser_of(
    store: Store,
    screen: Screen,
    *,
    clock: Clock,
    say: Callable[[str], None],
    settled: Callable[[], Awaitable[None]],
) -> SessionChooser:
    """Return the list of sessions, put on the screen."""
    board = Board(
        settled=settled,
        open_search=screen.open_field,
        close_search=screen.close_field,
        refresh=screen.refresh,
        size=lambda: (screen.width, screen.rows),
        clock=clock,
        say=say,
    )
    chooser = SessionChooser(board, shelf_of(store))
    screen.parts.picker = chooser.lines
    return chooser


async def chosen_first(standing: Standing, screen: Screen) -> str | None:
    """Let a session of the project be chosen before one is open; empty: there is none to choose."""
    clock = system_clock
    store = Store.existing(standing.project, standing.home)
    if next(store.newest_first(), None) is None:
        return ""  # refused as it is without a terminal

    async def at_once() -> None:
        return

    show = Show(commit=screen.commit, refresh=screen.refresh, width=lambda: screen.width, clock=clock)
    return await chooser_of(store, screen, clock=clock, say=show.say, settled=at_once).choose("")
