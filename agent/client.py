"""The Messages API over the vendor's SDK: one request, the events of its answer, errors of our own tree."""

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from agent.api.api_errors import Origin, model_error, read_answer
from agent.api.sdk_errors import NO_KEY, as_model_error
from agent.api.sse import EventParser
from agent.api.wire import Request, WireEvent
from agent.errors import ConnectionLost, ModelError, NotAllowed, ServerFault
from agent.surrogates import repaired

STALL_TIMEOUT_S = 300.0
"""Longest silence, pings being a sign of life. The vendor pings every few seconds, but a local server may say
nothing for minutes while it reads a long prompt; after five the prompt cache has expired, and waiting is lost."""

CONNECT_TIMEOUT_S = 10.0
_DRAIN_TIMEOUT_S = 0.5
_PATH = "/v1/messages"

_Faults = tuple[type[Exception], ...]


@dataclass(frozen=True, slots=True)
class _Sdk:
    """The SDK's client, and what it may raise."""

    client: Any
    faults: _Faults


class MessagesClient:
    """`protocols.Model` over HTTP. Nothing is imported or opened before it is needed.

    ``base_url``, ``api_key``, ``auth_token``: None leaves them to the environment, as the SDK reads it; a key
    goes before a token. ``stall_timeout_s``: longest silence of the server before an answer counts as lost.
    """

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        auth_token: str | None = None,
        stall_timeout_s: float = STALL_TIMEOUT_S,
    ) -> None:
        self._options = {
            "base_url": base_url,
            "api_key": api_key,
            "auth_token": None if api_key else auth_token,
        }
        self._stall_timeout_s = stall_timeout_s
        self._lock = threading.Lock()
        self._sdk: _Sdk | None = None

    def warm(self) -> None:
        """Load the SDK (1.5 s, 80 MB) on a thread of its own; the first request waits for it if it must."""
        threading.Thread(target=self._warm, name="load-sdk", daemon=True).start()

    async def stream(self, request: Request, betas: tuple[str, ...]) -> AsyncGenerator[WireEvent, None]:
        """Yield the events of the reply; see `protocols.Model`.

        Events are passed on as the server wrote them, pings and unknown types too. Errors carry the server's
        text and say what to do.
        """
        sdk = self._sdk
        if sdk is None:
            sdk = await asyncio.to_thread(self._load)
        origin = self._origin(sdk, str(request.get("model", "")))
        try:
            response = await self._send(sdk, request, betas)
            try:
                async with contextlib.aclosing(_events(response, origin, sdk.faults)) as events:
                    async for event in events:
                        yield event
            finally:
                await response.aclose()
        except sdk.faults as error:
            raise as_model_error(error, origin) from error

    async def close(self) -> None:
        """Close all connections; the client can be used again."""
        sdk, self._sdk = self._sdk, None
        if sdk:
            await sdk.client.close()

    def _warm(self) -> None:
        # Whatever is wrong with the settings is said when the first request needs them.
        with contextlib.suppress(ModelError):
            self._load()

    def _load(self) -> _Sdk:
        with self._lock:
            if self._sdk is None:
                self._sdk = self._connect()
            return self._sdk

    def _connect(self) -> _Sdk:
        anthropic, httpx2 = import_module("anthropic"), import_module("httpx2")
        faults = (
            anthropic.AnthropicError,
            httpx2.HTTPError,
            httpx2.InvalidURL,
            httpx2.StreamError,
            httpx2.CookieConflict,
            UnicodeEncodeError,
            OSError,
        )
        timeout = httpx2.Timeout(self._stall_timeout_s, connect=CONNECT_TIMEOUT_S)
        try:
            client = anthropic.AsyncAnthropic(
                **self._options,
                max_retries=0,
                timeout=timeout,
                open_telemetry=False,
                # The client that the SDK makes itself writes a traceback to stderr if a proxy setting is broken.
                http_client=anthropic.DefaultAsyncHttpxClient(timeout=timeout),
            )
        except faults as error:
            origin = Origin(url=self._options["base_url"] or "ANTHROPIC_BASE_URL", model="")
            raise as_model_error(error, origin) from error
        except (ValueError, ImportError) as error:
            # Such as a proxy address of a kind that the transport does not know.
            raise ModelError(f"the connection cannot be set up: {error}") from error
        return _Sdk(client, faults)

    def _origin(self, sdk: _Sdk, model: str) -> Origin:
        url = str(sdk.client.base_url).rstrip("/")
        return Origin(url=url, model=model, stall_timeout_s=self._stall_timeout_s)

    async def _send(self, sdk: _Sdk, request: Request, betas: tuple[str, ...]) -> Any:
        """Return the transport's response, its body unread.

        Not through `messages.create`, which walks the whole history in Python and parses every event into
        models: its `post` sends the same request and leaves body and answer as they are.
        """
        headers = {"anthropic-beta": ",".join(betas)} if betas else {}
        try:
            return await sdk.client.post(
                _PATH,
                content=_encode({**request, "stream": True}),
                cast_to=import_module("httpx2").Response,
                options={"headers": headers},
                stream=True,
            )
        except TypeError as error:
            if "authentication" in str(error):
                raise NotAllowed(NO_KEY) from error
            raise


async def _events(response: Any, origin: Origin, faults: _Faults) -> AsyncGenerator[dict[str, Any], None]:
    parser = EventParser()
    async with contextlib.aclosing(response.aiter_bytes()) as chunks:
        async for chunk in chunks:
            for event in parser.feed(chunk):
                yield _checked(event, origin)
                if event["type"] == "message_stop":
                    await _drain(chunks, faults)
                    return
    for event in parser.close():
        yield _checked(event, origin)
        if event["type"] == "message_stop":
            return
    if parser.has_events or not parser.head:
        raise ConnectionLost(f"{origin.url} ended its answer in the middle")
    raise _not_a_stream(response, parser.head, origin)


def _checked(event: dict[str, Any], origin: Origin) -> dict[str, Any]:
    if event["type"] == "error":
        raise model_error(read_answer(event), origin)
    return event


async def _drain(chunks: AsyncGenerator[bytes, None], faults: _Faults) -> None:
    """Read the end of the body, so that the connection serves the next request too; it need not come."""
    with contextlib.suppress(TimeoutError, *faults):
        async with asyncio.timeout(_DRAIN_TIMEOUT_S):
            async for _ in chunks:
                pass


def _not_a_stream(response: Any, head: bytes, origin: Origin) -> ModelError:
    text = head.decode("utf-8", "replace")
    with contextlib.suppress(ValueError):
        body = json.loads(text)
        if isinstance(body, dict) and "error" in body:
            return model_error(read_answer(body), origin)
    kind = response.headers.get("content-type", "no content type")
    answer = read_answer(text)
    return ServerFault(
        f"{origin.url} does not stream ({kind}): check ANTHROPIC_BASE_URL ({answer.text})",
        status=response.status_code,
    )


def _encode(body: dict[str, Any]) -> bytes:
    try:
        return _as_json(body).encode()
    except UnicodeEncodeError:
        # Half a surrogate pair must never cost a session; what is logged is repaired at receipt already.
        return _as_json(repaired(body)).encode()


def _as_json(body: Any) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
