"""One reply from the model: retried after transient faults, with pauses that the user sees."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from agent.api.reply import Reply, ReplyBuilder
from agent.api.request import build_request
from agent.api.wire import Request
from agent.calls.call_ids import blocks_with_fresh_ids, with_fresh_ids, with_our_names
from agent.errors import BadRequest, ModelError, TransientError, Unreachable
from agent.events import Emit, Notice, ReplyDiscarded, RetryWaiting
from agent.protocols import Model
from agent.session.session import Session
from compaction.messages import Block

MAX_TRIES = 8
FIRST_DELAY_S = 1.0
LONGEST_DELAY_S = 60.0
Sleep = Callable[[float], Awaitable[None]]
_JITTER = random.SystemRandom()
"""Spreads clients that met the same fault over the time after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to go on with a server that fails; seconds."""

    max_tries: int = MAX_TRIES
    max_unreached: int = 4
    """Tries while there is no connection at all: about 7 s, enough for a network that changes."""
    first_delay_s: float = FIRST_DELAY_S
    longest_wait_s: float = 300.0
    """A server that asks for a longer pause is not waited for."""
    sleep: Sleep = asyncio.sleep

    def delay(self, tries: int, error: TransientError) -> float:
        """Return the pause after ``tries`` failures: the server's wish, else doubling, with jitter."""
        if error.retry_after_s is not None:
            return error.retry_after_s
        doubled: float = min(self.first_delay_s * 2 ** (tries - 1), LONGEST_DELAY_S)
        return doubled * _JITTER.uniform(0.75, 1.25)


class ModelQuerier:
    """Queries the model with the history of one session."""

    def __init__(self, session: Session, model: Model, emit: Emit, *, patience: Patience) -> None:
        self._session = session
        self._model = model
        self._emit = emit
        self._patience = patience
        self._builder = ReplyBuilder()

    async def query(self, *, is_limit_raised: bool) -> Reply:
        """Return the reply to the history as it stands."""

        def request() -> tuple[Request, tuple[str, ...]]:
            return build_request(self._session.state, is_limit_raised=is_limit_raised)

        reply = await self._persistently(request, self._emit)
        state = self._session.state
        return with_our_names(with_fresh_ids(reply, state.calls.used), state.head["tools"])

    async def ask(self, request: Callable[[], tuple[Request, tuple[str, ...]]]) -> Reply:
        """Return the reply to a request of our own; nothing of it is shown while it streams."""

        def quiet(event: object) -> None:
            if isinstance(event, RetryWaiting):
                self._emit(event)

        return await self._persistently(request, quiet)

    def partial(self) -> list[Block]:
        """Return what may be kept of a reply that was cancelled."""
        content = self._builder.partial()
        return blocks_with_fresh_ids(content, self._session.state.calls.used)

    async def _persistently(
        self, request: Callable[[], tuple[Request, tuple[str, ...]]], emit: Emit
    ) -> Reply:
        tries = 0
        while True:
            try:
                return await self._once(*request(), emit)
            except TransientError as error:
                tries += 1
                await self._pause(error, tries, emit)
            except BadRequest as error:
                if not self._drops_binding(error):
                    raise

    async def _once(self, request: Request, betas: tuple[str, ...], emit: Emit) -> Reply:
        """Stream one reply; only a cancelled one leaves something for `partial`."""
        self._builder = builder = ReplyBuilder()
        try:
            async with aclosing(self._model.stream(request, betas)) as events:
                async for event in events:
                    delta = builder.feed(event)
                    if delta is not None:
                        emit(delta)
        except asyncio.CancelledError:
            self._count_broken(builder)
            raise
        except ModelError:
            self._builder = ReplyBuilder()
            self._count_broken(builder)
            raise
        self._builder = ReplyBuilder()
        return builder.reply()

    async def _pause(self, error: TransientError, tries: int, emit: Emit) -> None:
        """Say what happened and wait; raises ``error`` when patience ends."""
        patience = self._patience
        delay_s = patience.delay(tries, error)
        emit(ReplyDiscarded())
        if tries >= (patience.max_unreached if isinstance(error, Unreachable) else patience.max_tries):
            raise error
        if delay_s > patience.longest_wait_s:
            self._emit(Notice(text=f"the server asks to wait {delay_s:.0f} s: not waited for", is_error=True))
            raise error
        emit(RetryWaiting(attempt=tries, delay_s=delay_s, problem=str(error)))
        await patience.sleep(delay_s)

    def _count_broken(self, builder: ReplyBuilder) -> None:
        """A reply that broke off was paid for all the same: count what the server had said of it."""
        if usage := builder.usage:
            self._session.append("note", text="a reply broke off", usage=usage)

    def _drops_binding(self, error: BadRequest) -> bool:
        """Servers that do not know `block_binding` refuse it: leave it out for the rest of the session."""
        if self._session.state.is_binding_refused or "block_binding" not in str(error):
            return False
        self._session.append("note", text="this server refuses block_binding", binding_refused=True)
        return True
