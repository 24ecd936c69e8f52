"""Run one hook, sync or async, and be back within its time whatever it does."""

import asyncio
import inspect
import logging
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import copy_context
from typing import Any

from hooks.events import AnyEvent, Outcome

Hook = Callable[[Any], Outcome | Awaitable[Outcome | None] | None]
"""A hook: takes the payload of its event, says None when it has nothing to say."""

_logger = logging.getLogger(__name__)
_abandoned: set[asyncio.Task[Any]] = set()
"""Hooks that ran out of time and have not ended yet; asyncio itself holds tasks only weakly."""


class HookFailedError(Exception):
    """A hook gave no answer that can be used; the text says why."""


async def call_within(hook: Hook, event: AnyEvent, *, timeout_s: float) -> Outcome | None:
    """Return what ``hook`` answers.

    Raises: HookFailedError: it raised, exited, answered something else, or took longer than ``timeout_s``
    seconds, also when it swallows its cancellation or hangs in a thread (which is then left behind: it
    keeps no program from ending). When the caller is cancelled, so is the hook.
    """
    task = asyncio.ensure_future(_call(hook, event))
    try:
        await asyncio.wait({task}, timeout=timeout_s)
    finally:
        if not task.done():
            _abandon(task)
    if not task.done():
        raise HookFailedError(f"no answer within {timeout_s:g} s")
    if task.cancelled():
        raise HookFailedError("it cancelled itself")
    if (error := task.exception()) is not None:
        raise HookFailedError(f"{type(error).__name__}: {error}") from error
    answer = task.result()
    if answer is not None and not isinstance(answer, Outcome):
        raise HookFailedError(f"it answered {type(answer).__name__}, not an Outcome or None")
    return answer


async def _call(hook: Hook, event: AnyEvent) -> object:
    try:
        answer = hook(event) if inspect.iscoroutinefunction(hook) else await _in_thread(hook, event)
        return await answer if inspect.isawaitable(answer) else answer
    except SystemExit as error:  # asyncio would end the whole program for it
        raise RuntimeError(f"it called `sys.exit({error.code!r})`") from error


async def _in_thread(hook: Hook, event: AnyEvent) -> object:
    """Run a sync hook in a daemon thread: one of asyncio's own would be waited for at exit."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[object] = loop.create_future()
    context = copy_context()

    def run() -> None:
        answer: object = None
        problem: BaseException | None = None
        try:
            answer = context.run(hook, event)
        except (Exception, SystemExit) as error:  # a hook's bug costs its answer, not the session
            _logger.debug("a hook failed on %s", event.event_name, exc_info=True)
            problem = error
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_settle, future, answer, problem)

    threading.Thread(target=run, name="hook", daemon=True).start()
    return await future


def _settle(future: asyncio.Future[object], answer: object, problem: BaseException | None) -> None:
    if future.done():
        return
    if problem is None:
        future.set_result(answer)
    else:
        future.set_exception(problem)


def _abandon(task: asyncio.Task[Any]) -> None:
    task.cancel()
    _abandoned.add(task)
    task.add_done_callback(_forget)


def _forget(task: asyncio.Task[Any]) -> None:
    _abandoned.discard(task)
    if not task.cancelled():
        task.exception()  # looked at: otherwise asyncio complains that nobody did
