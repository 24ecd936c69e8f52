"""The list of sessions on the screen, and the choice among them before one is open."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from agent.choices import config_of, layers_of
from agent.clock import Clock
from agent.flags import Flags
from agent.home import agent_home
from agent.session.store import Store
from agent.shelf import shelf_of
from agent.terminal.choosing import Board, SessionChooser
from agent.terminal.screen import Screen
from agent.terminal.show import Show


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


async def chosen_first(flags: Flags, env: Mapping[str, str], screen: Screen) -> str | None:
    """Let a session be chosen before one is open. Raises UserError: settings, or there is none to choose."""
    config = await asyncio.to_thread(lambda: config_of(flags, layers_of(flags, agent_home(env)), env))
    store = Store.existing(config.project, config.home)
    if next(store.newest_first(), None) is None:
        return ""  # refused as it is without a terminal

    async def at_once() -> None:
        return

    show = Show(commit=screen.commit, refresh=screen.refresh, width=lambda: screen.width, clock=config.clock)
    return await chooser_of(store, screen, clock=config.clock, say=show.say, settled=at_once).choose("")
