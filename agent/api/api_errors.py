"""From what a server answered to our error tree: by status, by type and by text."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

from agent.api.overflow import find_overflow
from agent.errors import (
    BadRequest,
    ConnectionLost,
    ContextTooLong,
    ImagesRefused,
    ModelError,
    NotAllowed,
    NotFound,
    Overloaded,
    RateLimited,
    RequestTooLarge,
    ServerFault,
    TransientError,
)

MAX_TEXT_CHARS = 500

_STATUS_OF_TYPE = {
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "conflict_error": 409,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
# Types that say less than the status does; alone, in mid-stream, they must do.
_VAGUE_TYPES = {"invalid_request_error": 400, "api_error": 500}
_IMAGE = re.compile(r"\bimages?\b|too much media", re.IGNORECASE)
_MAY_OVERFLOW = (400, 413, 422, 500)

_SIMPLE: Mapping[int, tuple[type[ModelError], str]] = {
    401: (NotAllowed, "the key was refused: check ANTHROPIC_API_KEY ({})"),
    402: (NotAllowed, "the account cannot be charged: check its billing ({})"),
    403: (NotAllowed, "the key does not permit this: {}"),
    408: (ConnectionLost, "the server waited too long for the request: {}"),
    409: (ServerFault, "the server reports a conflict: {}"),
    413: (RequestTooLarge, "the request is over the server's size limit: {}"),
    429: (RateLimited, "the server limits the rate: {}"),
    499: (ConnectionLost, "the connection was closed on the way: {}"),
    529: (Overloaded, "the server is overloaded: {}"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a request went, for texts that say what to change."""

    url: str
    model: str
    stall_timeout_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorAnswer:
    """An error as the server put it; ``status`` 0: it came inside a stream."""

    status: int
    type: str
    text: str
    retry_after_s: float | None = None
    should_retry: bool | None = None


def read_answer(body: Any, *, status: int = 0, headers: Mapping[str, str] | None = None) -> ErrorAnswer:
    """Read an error body of any server: the vendor's, other shapes of JSON, a page of HTML, nothing at all."""
    known = {name.lower(): value for name, value in (headers or {}).items()}
    error = body.get("error", body) if isinstance(body, Mapping) else body
    fields = error if isinstance(error, Mapping) else {}
    text = fields.get("message") or fields.get("detail") or (error if isinstance(error, str) else "")
    return ErrorAnswer(
        status=status,
        type=str(fields.get("type") or ""),
        text=_one_line(str(text)) or f"status {status}",
        retry_after_s=retry_after_s(known, now=datetime.now(UTC)),
        should_retry={"true": True, "false": False}.get(known.get("x-should-retry", "").lower()),
    )


def model_error(answer: ErrorAnswer, origin: Origin) -> ModelError:
    """Return the error to raise; its text is one line that says what to do where something can be done."""
    status = _effective_status(answer)
    overflow = find_overflow(f"{answer.type} {answer.text}") if status in _MAY_OVERFLOW else None
    if overflow:
        text = f"the context is too long for `{origin.model}`: {answer.text}"
        return ContextTooLong(text, tokens=overflow.tokens, maximum=overflow.maximum)
    error_class, text = _class_and_text(status, answer, origin)
    is_transient = issubclass(error_class, TransientError) and error_class is not RateLimited
    if is_transient and answer.should_retry is False:
        return ModelError(f"{text} (the server says that a retry will not help)", status=answer.status)
    if answer.should_retry and error_class is BadRequest:
        error_class = ServerFault
    if issubclass(error_class, TransientError):
        return error_class(text, status=answer.status, retry_after_s=answer.retry_after_s)
    return error_class(text, status=answer.status)


def retry_after_s(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Seconds that the server wants us to wait, from lower-case ``headers``; None if it names no usable figure."""
    milliseconds = _positive(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = _positive(value)
    return seconds if seconds is not None else _until(value, now)


def refuses_block_binding(error: ModelError) -> bool:
    """True if the server does not know `thinking.block_binding`: leave it out from then on."""
    return isinstance(error, BadRequest) and "block_binding" in str(error) and "Extra inputs" in str(error)


def _effective_status(answer: ErrorAnswer) -> int:
    by_type = _STATUS_OF_TYPE.get(answer.type)
    return by_type or answer.status or _VAGUE_TYPES.get(answer.type, 500)


def _class_and_text(status: int, answer: ErrorAnswer, origin: Origin) -> tuple[type[ModelError], str]:
    if status in _SIMPLE:
        error_class, template = _SIMPLE[status]
        return error_class, template.format(answer.text)
    if status == HTTPStatus.NOT_FOUND:
        return NotFound, _not_found_text(answer, origin)
    if HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR:
        if _IMAGE.search(answer.text):
            return ImagesRefused, f"the server refused an image: {answer.text}"
        return BadRequest, f"the server refused the request: {answer.text}"
    return ServerFault, f"the server failed ({status}): {answer.text}"


def _not_found_text(answer: ErrorAnswer, origin: Origin) -> str:
    if "model" in answer.text.lower():
        return f"the server has no model `{origin.model}`: choose another with --model, or /model in the session ({answer.text})"
    return f"there is no Messages API at {origin.url}: check ANTHROPIC_BASE_URL ({answer.text})"


def _one_line(text: str) -> str:
    if "<html" in text.lower() or "<!doctype" in text.lower():
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        text = title.group(1) if title else "a web page instead of an answer"
    line = " ".join(text.split())
    return line if len(line) <= MAX_TEXT_CHARS else f"{line[: MAX_TEXT_CHARS - 1]}…"


def _positive(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _until(value: str, now: datetime) -> float | None:
    try:
        then = parsedate_to_datetime(value)
    except ValueError:
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    return max((then - now).total_seconds(), 0.0)
