"""`/compact` and what is said behind it: a focus, or one of the words that look at compactions and take them back."""

import asyncio
import re

from agent.compacting import by_hand
from agent.session.compactions import compaction
from agent.terminal.desk import SessionDesk
from agent.terminal.figures import times
from agent.terminal.preview_lines import preview_lines
from agent.terminal.receipt import receipt_lines

NOT_A_FOCUS = re.compile(r"undo|redo|preview|receipt(?: +(?P<number>\d{1,6}))?")
"""Words after /compact that are no focus."""


def is_focus(words: str) -> bool:
    """True for what a summary is to keep above all, also when nothing is said."""
    return NOT_A_FOCUS.fullmatch(words) is None


def is_receipt(words: str) -> bool:
    """True for what only looks at the log, and so runs at once beside a turn."""
    return words.startswith("receipt") and not is_focus(words)


async def compact(desk: SessionDesk, words: str) -> None:
    """Do what is said behind `/compact`."""
    compactor, session = desk.agent.compactor, desk.agent.session
    if (found := NOT_A_FOCUS.fullmatch(words)) is None:
        await desk.compact(words)
    elif words == "undo":
        await desk.remember()
        desk.say([by_hand.undo(session, compactor.sizes)])
    elif words == "redo":
        await desk.remember()
        desk.say([by_hand.redo(session)])
    elif words == "preview":
        desk.draw(preview_lines(compactor.foresee(), session.state, compactor.sizes, desk.columns))
    else:
        await _receipt(desk, int(found["number"]) if found["number"] else None)


async def _receipt(desk: SessionDesk, number: int | None) -> None:
    """Show the receipt of the newest compaction, or of that number."""
    session = desk.agent.session
    session.sync()
    found = await asyncio.to_thread(compaction, session.log.path, number)
    if found is None:
        newest = None if number is None else await asyncio.to_thread(compaction, session.log.path)
        held = f"this session has had {times(newest.total, 'compaction')}" if newest else "no compaction yet"
        desk.say([held])
        return
    lines = receipt_lines(found.record, session.state, desk.columns)
    desk.say([f"receipt {found.number} of {found.total}", *lines])
