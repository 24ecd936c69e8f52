"""Ctrl-O: shows whole what was shown folded last; pressed again, what was before that."""

import asyncio
from collections.abc import Callable, Iterator
from itertools import chain

from agent.session.backwards import records_back
from agent.session.compactions import is_told
from agent.session.session import Session
from agent.terminal.cards import is_whole
from agent.terminal.desk import SessionDesk
from agent.terminal.folded import Folded, FoldedCall, FoldedCompaction, FoldedWords, folded_back
from agent.terminal.receipt import receipt_lines
from agent.terminal.show import PROMPT_LINES, Show
from agent.terminal.unfolded import Place, unfolded_call, unfolded_words

NOTHING = "nothing here was shown folded"
NOTHING_MORE = "nothing before that was shown folded; Ctrl-O begins again at the newest"


class Unfolding:
    """Goes back through a session, from whatever is newest at the time.

    Nothing is kept for it: all is read from the log, so that it works after a resume as well.

    Args:  width: columns now.
    """

    def __init__(self, desk: SessionDesk, show: Show, width: Callable[[], int]) -> None:
        self._desk = desk
        self._show = show
        self._width = width
        self._back: Iterator[Folded] = iter(())
        self._newest: tuple[str, str] | None = None
        """Session and record of the newest that there was when going back began; None: it begins anew."""
        self._turn = asyncio.Lock()
        self._presses: set[asyncio.Task[None]] = set()

    def press(self) -> None:
        """Put the next one above, soon."""
        pressed = asyncio.ensure_future(self._unfold())
        self._presses.add(pressed)
        pressed.add_done_callback(self._presses.discard)

    async def _unfold(self) -> None:
        async with self._turn:
            session, width = self._desk.agent.session, self._width()
            try:
                found = await asyncio.to_thread(self._next, session, width)
            except OSError as error:
                self._show.say(f"the log cannot be read: {error}", "red")
                return
            if found is None:
                self._show.say(NOTHING if self._newest is None else NOTHING_MORE)
                self._newest = None
            else:
                self._show.put(await _drawn(found, session, width), "unfolded", is_apart=True)

    def _next(self, session: Session, width: int) -> Folded | None:
        """Return the next one; None when there is none. Raises OSError."""
        folded = (one for one in folded_back(records_back(session.log)) if self._is_folded(one, width))
        if (newest := next(folded, None)) is None:
            self._newest = None
            return None
        key = (session.state.session_id, str(newest.record["id"]))
        if key != self._newest:
            self._newest, self._back = key, chain([newest], folded)
        return next(self._back, None)

    def _is_folded(self, found: Folded, width: int) -> bool:
        """True for what stands above and is not whole there."""
        match found:
            case FoldedCall():
                is_above = not self._show.activity.has(found.call["id"])
                return is_above and not is_whole(found.result, found.facts, width)
            case FoldedWords():
                shown = self._show.folded(found.text)
                return shown != found.text or shown.count("\n") > PROMPT_LINES
            case FoldedCompaction():
                return is_told(found.record)


async def _drawn(found: Folded, session: Session, width: int) -> str:
    """Return the lines of what was found; a file is read beside the event loop, the state is not."""
    match found:
        case FoldedCall():
            return await asyncio.to_thread(unfolded_call, found, _place(session), width)
        case FoldedWords():
            return unfolded_words(found, _place(session), width)
        case FoldedCompaction():
            return "".join(f"{line}\n" for line in receipt_lines(found.record, session.state, width))


def _place(session: Session) -> Place:
    project, log = session.state.project, session.log.path
    return Place(project=project, log=str(log.relative_to(project) if log.is_relative_to(project) else log))
