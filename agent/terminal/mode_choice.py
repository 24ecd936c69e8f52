"""The permission mode: what each one means, and changing it while a session runs."""

from collections.abc import Callable, Mapping
from typing import get_args

from prompt_toolkit.filters import has_completions
from prompt_toolkit.key_binding import KeyBindings

from agent.terminal.desk import SessionDesk
from hooks.permission.judge import Mode

MODES: Mapping[Mode, str] = {
    "ask": "what no rule allows is asked about",
    "accept-edits": "changes of files in the project are not asked about",
    "plan": "nothing is changed, and only commands that read are run",
    "bypass": "nothing is asked about but what always is",
}
BYPASS = "Let everything run unasked from now on, but for what is asked about in every mode?  [y] yes  [n] no"


CYCLE: tuple[Mode, ...] = ("ask", "accept-edits", "plan")
"""What Shift-Tab goes through: never to where everything is allowed."""


def named(words: str) -> Mode | None:
    """Return the mode of that name."""
    return next((mode for mode in get_args(Mode) if mode == words), None)


async def change_mode(desk: SessionDesk, mode: Mode) -> None:
    """Judge all further calls in ``mode``, of subagents too; it is recorded, and asked about where it allows everything."""
    permission = desk.agent.shared.permission
    if mode == permission.mode:
        desk.say([f"mode {mode} it is already: {MODES[mode]}"])
        return
    if mode == "bypass" and not await desk.person.confirm(BYPASS):
        desk.say([f"the mode stays {permission.mode}"])
        return
    _set(desk, mode)
    desk.say([f"mode {mode}: {MODES[mode]}"])


def mode_keys(desk: SessionDesk, changed: Callable[[], None]) -> KeyBindings:
    """Return the key that goes to the next mode; ``changed``: it is to be seen in the bar."""
    keys = KeyBindings()

    def go_on(_: object) -> None:
        mode = desk.agent.shared.permission.mode
        _set(desk, CYCLE[(CYCLE.index(mode) + 1) % len(CYCLE)] if mode in CYCLE else CYCLE[0])
        changed()

    keys.add("s-tab", filter=~has_completions)(go_on)
    return keys


def _set(desk: SessionDesk, mode: Mode) -> None:
    desk.agent.shared.permission.set_mode(mode)
    desk.agent.session.append("mode", mode=mode)
    desk.agent.session.sync()
