"""What was typed and is not sent: kept on disk, given back into the input, brought back after a crash."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from agent.journal import drop_steering
from agent.steered import together
from agent.terminal.desk import SessionDesk
from agent.terminal.editor import left_over, remove_left_over
from agent.terminal.figures import times
from agent.terminal.queue import Queue, Typed, TypedFile
from agent.terminal.show import Show


def standing(count: int) -> str:
    """Return what to say of ``count`` messages that wait and are not sent unasked."""
    return f"{times(count, 'message')} not sent: Enter on the empty input sends the next, Up takes one back"


class Waiting:
    """Follows the desk from session to session; what waits goes along."""

    def __init__(self, desk: SessionDesk, show: Show, refresh: Callable[[], None]) -> None:
        self.heard = asyncio.Event()
        """Something was typed, or a line ended."""
        self._refresh = refresh
        self._desk = desk
        self._show = show
        self.queue = Queue()
        self._file = TypedFile()
        self._session = ""
        self._in_hand, self._turn = "", 0
        self._is_troubled = False
        """That the disk fails is said once."""

    def restore(self) -> None:
        """Bring back what waits beside the open session: the draft into the input, the rest held in the queue."""
        state = self._desk.agent.session.state
        self._session = state.session_id
        typed = self._file.enter(self._desk.store.folder(state.session_id))
        unsent = [typed.in_hand] if typed.in_hand and state.turn <= typed.turn else []
        found = [*unsent, *typed.queued]
        self.queue.later.extend(found)
        folder = self._desk.store.folder(state.session_id)
        if draft := _edited(folder) or typed.draft:
            self._desk.person.fill(draft)
        if found or state.waiting:
            self.queue.is_held = True
            self._show.say(standing(len(self.queue.lines()) + len(state.waiting)), "yellow")
        self.save()
        if not self._is_troubled:
            remove_left_over(folder)

    def follow(self) -> None:
        """Keep what waits beside the session that is open now."""
        if self._session == self._desk.agent.session.state.session_id:
            return
        before = self._file.leave()
        self.restore()
        if before is not None and not self._is_troubled:
            before.unlink(missing_ok=True)

    def take_in_hand(self, line: str) -> None:
        """Keep a prompt until the log has it."""
        self._in_hand, self._turn = line, self._desk.agent.session.state.turn
        self.save()

    def put_down(self, *, is_given_back: bool, is_left: bool) -> None:
        """The line in hand is done: give it back when the log does not have it, and unsent steering when asked to."""
        given = [self._in_hand] if self._is_unsent else []
        self._in_hand = ""
        if is_given_back:
            _fill(self._desk, given)
            self.take_steering_back(list(self._desk.agent.session.state.waiting))
        else:
            _fill(self._desk, given)
        self.changed()
        if self.queue.is_held and not is_left and (count := len(self.texts())):
            self._show.say(standing(count), "yellow")

    def give_queue_back(self) -> None:
        """Put all that is queued into the input; what is typed from here on is new."""
        _fill(self._desk, self.queue.drain())
        self.changed()

    def texts(self) -> list[str]:
        """Return all that waits, what goes first before the rest."""
        state = self._desk.agent.session.state
        wished = [] if state.compact_wish is None else [f"/compact {state.compact_wish}".strip()]
        return [*wished, *state.waiting.values(), *self.queue.lines()]

    def take_back(self) -> None:
        """Put the message that goes last into the input again."""
        if self.queue.lines():
            _fill(self._desk, [(self.queue.later or self.queue.now).pop()])
        else:
            self.take_steering_back(list(self._desk.agent.session.state.waiting)[-1:])
        self.changed()

    def draft_changed(self) -> None:
        """The input holds another text than before: keep it, once the key that did it has done its work."""
        asyncio.get_running_loop().call_soon(self.save)

    def changed(self) -> None:
        """Keep what waits, have it shown, and have the next line taken if one is ready."""
        self.save()
        self.heard.set()
        self._refresh()

    def take_steering_back(self, records: Sequence[str]) -> None:
        """Put what was said to a turn and is not sent yet into the input; its records wait no longer."""
        _fill(self._desk, [self._desk.agent.session.state.waiting[record] for record in records])
        self._drop(records, "the user took it back")

    def go_on(self) -> None:
        """Send what stands, for the user asked for it."""
        waiting = together(self._desk.agent.session.state.waiting)
        if self.queue.later:
            self.queue.now.append(self.queue.later.popleft())
        elif waiting:
            self.queue.now.append("\n\n".join(waiting.values()))
            self._drop(list(waiting), "the user sent it as a prompt")

    def _drop(self, records: Sequence[str], reason: str) -> None:
        """End the waiting of steering, once it is kept elsewhere: a crash in between doubles it and loses nothing."""
        if records:
            self.save()
            drop_steering(self._desk.agent.session, records, reason)
            self._desk.agent.session.sync()

    def save(self) -> None:
        """Write what waits, if it is not what was written last."""
        is_unsent = self._is_unsent
        typed = Typed(
            draft=self._desk.person.draft(),
            queued=tuple(self.queue.lines()),
            in_hand=self._in_hand if is_unsent else "",
            turn=self._turn if is_unsent else 0,
        )
        try:
            self._file.save(typed)
        except OSError as error:
            if not self._is_troubled:
                self._show.say(f"what is typed is not kept on disk: {error.strerror}", "yellow")
            self._is_troubled = True
        else:
            self._is_troubled = False

    @property
    def _is_unsent(self) -> bool:
        return bool(self._in_hand) and self._desk.agent.session.state.turn <= self._turn


def _edited(folder: Path) -> str:
    """Return the draft that stood in an editor when the program was killed; empty: none."""
    try:
        return left_over(folder)
    except OSError:
        return ""  # somebody else has removed it, or it is none of ours


def _fill(desk: SessionDesk, texts: Sequence[str]) -> None:
    """Put texts into the input, a line each, before what stands there."""
    if texts:
        desk.person.fill("\n".join(texts))
