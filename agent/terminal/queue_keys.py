"""The keys with which messages are queued and taken back."""

from typing import Protocol

from prompt_toolkit.application import get_app
from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from agent.terminal.prompt_buffer import PromptBuffer
from agent.terminal.row_keys import is_row_beside


class Queued(Protocol):
    """What waits, as its keys see it."""

    @property
    def is_busy(self) -> bool: ...

    def queue(self, line: str) -> None: ...

    def waiting(self) -> list[str]: ...

    def take_back(self) -> None: ...


def queue_keys(queued: Queued, buffer: PromptBuffer) -> KeyBindings:
    """Return the keys that ``buffer`` knows before all others: Alt-Q queues it, Up takes the last message back."""
    keys = KeyBindings()

    def is_alt_q() -> bool:
        """Alt-Q comes as Esc and q in one read; Esc alone interrupts at once."""
        coming = get_app().key_processor.input_queue
        return queued.is_busy and bool(coming) and coming[0].key == "q"

    def can_take_back() -> bool:
        is_at_top = not (buffer.document.cursor_position_row or buffer.complete_state or is_row_beside(-1))
        return is_at_top and bool(queued.waiting())

    def send(event: KeyPressEvent) -> None:
        if buffer.text.strip():
            queued.queue(buffer.take())

    def send_early(event: KeyPressEvent) -> None:
        event.key_processor.input_queue.popleft()
        send(event)

    def take_back(event: KeyPressEvent) -> None:
        queued.take_back()

    keys.add("escape", filter=Condition(is_alt_q), eager=True)(send_early)
    keys.add("escape", "q")(send)
    keys.add("up", filter=Condition(can_take_back))(take_back)
    return keys
