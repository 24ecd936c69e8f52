"""What the loop sees of the rest of the program."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from agent.api.reply import Reply
from agent.api.wire import Request, WireEvent
from agent.errors import ModelError
from agent.events import Notice
from compaction.messages import Block


class Model(Protocol):
    """The Messages API."""

    def stream(self, request: Request, betas: tuple[str, ...]) -> AsyncGenerator[WireEvent, None]:
        """Send ``request`` and yield the events of the reply, `message_stop` last.

        Raises ModelError and nothing else: also for an error event in mid-stream, a broken connection, a stall
        and a stream that ends without `message_stop`. Never retries: pauses must be seen by the user.
        Closing the iterator closes the connection.
        """
        ...


class Querier(Protocol):
    """One reply to the history as it stands."""

    async def query(self, *, is_limit_raised: bool) -> Reply:
        """Return the reply, its call ids fresh; transient faults were retried. Raises ModelError.

        Args:  is_limit_raised: let the model write as much as it can at all.
        """
        ...

    def partial(self) -> list[Block]:
        """Return what may be kept of the reply that was being received when the query was cancelled."""
        ...


class Batch(Protocol):
    """The calls of one reply."""

    async def run(self, reply: Reply) -> Sequence[str]:
        """Run the calls of ``reply``; return the ids of their result records, in call order.

        Contract: every call gets exactly one result, also when this is cancelled: then the running tools are
        stopped, the others are answered as not started, and it returns as usual.
        """
        ...

    @property
    def has_run(self) -> bool:
        """True when a call of the last reply could do something; False when all were refused or wrong."""
        ...

    def take_contexts(self) -> list[str]:
        """Return once what hooks had to add about the last batch."""
        ...

    def take_stop(self) -> str | None:
        """Return once why a hook wants the turn to end; None: none does."""
        ...


class Compactor(Protocol):
    """Keeps the history within the working window."""

    async def fit(self) -> None:
        """Run the layers that are due before a step. Never raises for a summary that fails.

        Raises LimitReached when the window is full and nothing makes room.
        """
        ...

    async def shrink(self, error: ModelError) -> bool:
        """Make a history that the server refused fit for sure; False when it could not be made smaller."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What hooks made of the user's words, and what belongs to these."""

    refusal: str = ""
    """Why a hook refused them, or they cannot be sent; empty when they stand."""
    is_by_hook: bool = True
    """It was a hook that refused them."""
    contexts: Sequence[str] = ()
    """What hooks add to them."""
    blocks: Sequence[Block] = ()
    """The skill that the words ask for, then the pictures that they name, each behind a line about it."""
    skills: Sequence[Mapping[str, str]] = ()
    """What the first of ``blocks`` are, where they are skills: `name`, `given`, `path`, `sha256`."""
    notices: Sequence[Notice] = ()
    """What the user is told of these."""


class TurnHooks(Protocol):
    """The hooks around a turn."""

    async def hear(self, words: str) -> Heard:
        """Fire UserPromptSubmit."""
        ...

    async def stop(self, last_text: str, *, is_again: bool) -> str:
        """Fire Stop; a non-empty answer makes the turn go on with these words."""
        ...


class Reminder(Protocol):
    """Reminds the model of its open todos."""

    async def due(self) -> list[Block]:
        """Return the block that the next message ends with; empty: none is due."""
        ...


class Opening(Protocol):
    """The context block: what comes from the project and the day."""

    def blocks(self, files: Mapping[str, str]) -> tuple[list[Block], dict[str, str]]:
        """Return the blocks, and path -> sha256 of the files they were made from; ``files``: those told so far."""
        ...

    def changed(self, files: Mapping[str, str]) -> tuple[list[Block], dict[str, str]]:
        """Return blocks for the files that changed since ``files``, and their new hashes."""
        ...

    def below(self, files: Mapping[str, str], touched: Sequence[str]) -> tuple[list[Block], dict[str, str]]:
        """Return blocks for the files of folders in which ``touched`` lie, absolute paths, and their hashes."""
        ...


class Telling(Protocol):
    """Tells the model about project and day."""

    def before_prompt(self, turn: int) -> Sequence[Notice]:
        """Append to the log what is new since it was told, all at first; return what to tell the user of it."""
        ...

    def after_step(self, *, with_words: bool) -> Sequence[Notice]:
        """Append what belongs to the files that the step was about; with the user's words also what is new."""
        ...


class JournalState(Protocol):
    """What the loop reads of a session."""

    @property
    def turn(self) -> int: ...
    @property
    def step(self) -> int: ...
    @property
    def model(self) -> str: ...
    @property
    def prefix_sha(self) -> str: ...
    @property
    def context_size(self) -> int: ...
    @property
    def is_estimate(self) -> bool: ...
    @property
    def spent_usd(self) -> float: ...
    @property
    def waiting(self) -> Mapping[str, str]:
        """Steering that no message has carried yet: record id -> words."""
        ...

    @property
    def shells(self) -> Mapping[str, str]:
        """What the user's own commands printed and no message has carried yet: record id -> text."""
        ...


class Journal(Protocol):
    """The session: what is appended is in the log before it has its effect."""

    @property
    def state(self) -> JournalState: ...

    def append(self, type: str, **fields: Any) -> str:
        """Append a record; return its id."""
        ...

    def answer(self, results: Sequence[str], content: Sequence[Any] = (), **fields: Any) -> str:
        """Append the user message that answers a reply."""
        ...

    def sync(self) -> None:
        """Bring all records to the disk."""
        ...
