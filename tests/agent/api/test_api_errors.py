"""Error answers: statuses, types, texts of many servers, headers."""

from datetime import UTC, datetime
from typing import Any

import pytest

from agent.api.api_errors import (
    MAX_TEXT_CHARS,
    Origin,
    model_error,
    read_answer,
    refuses_block_binding,
    retry_after_s,
)
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

ORIGIN = Origin(url="http://host", model="m")
NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def raised(
    text: str, *, status: int = 400, type: str = "invalid_request_error", **headers: str
) -> ModelError:
    body = {"type": "error", "error": {"type": type, "message": text}}
    return model_error(read_answer(body, status=status, headers=headers), ORIGIN)


@pytest.mark.parametrize(
    ("text", "tokens", "maximum"),
    [
        ("prompt is too long: 1017198 tokens > 1000000 maximum", 1017198, 1000000),
        (
            "input length and `max_tokens` exceed context limit: 188059 + 20000 > 200000, decrease",
            208059,
            200000,
        ),
        (
            "request (5500 tokens) exceeds the available context size (4096 tokens), try increasing it",
            5500,
            4096,
        ),
        ("the request exceeds the available context size. try increasing the context size", 0, 0),
        (
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
            9000,
            8192,
        ),
        (
            "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens.",
            5000,
            4096,
        ),
        ("This model's maximum context length is 4096 tokens", 0, 0),
        (
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            537812,
            131072,
        ),
        (
            "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
            1196265,
            1048575,
        ),
        ("prompt token count of 70000 exceeds the limit of 64000", 70000, 64000),
        ("Your request exceeded model token limit: 262144 (requested: 300000)", 300000, 262144),
        ("Prompt is too long", 0, 0),
        ("prompt too long; exceeded max context length by 123 tokens", 0, 0),
        ("Input is too long for requested model.", 0, 0),
        ("Your input exceeds the context window of this model.", 0, 0),
        ("the number of tokens to keep is greater than the context length", 0, 0),
        ("invalid params, context window exceeds limit", 0, 0),
        ("Please reduce the length of the messages or completion.", 0, 0),
        ("litellm.ContextWindowExceededError: context_length_exceeded", 0, 0),
    ],
)
@pytest.mark.parametrize("status", [400, 413, 500])
def test_a_context_too_long_in_the_words_of_many_servers(
    text: str, tokens: int, maximum: int, status: int
) -> None:
    """The vendor's, llama.cpp's, vLLM's, Ollama's, gateways'; the sizes are read where they stand."""
    error = raised(text, status=status)
    assert isinstance(error, ContextTooLong)
    assert (error.tokens, error.maximum) == (tokens, maximum)


def test_a_context_too_long_by_its_type() -> None:
    """llama.cpp names it in `type`."""
    assert isinstance(raised("too much", type="exceed_context_size_error"), ContextTooLong)


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens for claude-opus-5",
        "messages: text content blocks must be non-empty",
        "context_management: Extra inputs are not permitted",
        "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
        "messages: list too long: 100001 > 100000 maximum",
    ],
)
def test_other_refusals_are_no_overflow(text: str) -> None:
    """Compaction would not help."""
    assert type(raised(text)) is BadRequest


@pytest.mark.parametrize(
    "text",
    [
        "image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes",
        "messages.2.content.0.image.source.base64: Could not process image",
        "At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
        "Too much media: 0 document pages + 101 images > 100",
        "this model does not support image input",
    ],
)
def test_a_refused_image(text: str) -> None:
    """A kind of its own: without its images the request may be taken."""
    assert type(raised(text)) is ImagesRefused


@pytest.mark.parametrize(
    ("status", "type"),
    [(429, "rate_limit_error"), (429, "invalid_request_error"), (400, "rate_limit_error")],
)
def test_a_rate_limit_is_never_an_overflow(status: int, type: str) -> None:
    """Whatever its text says of tokens and maximums."""
    error = raised("prompt is too long: 5 tokens > 4 maximum", status=status, type=type)
    assert isinstance(error, RateLimited)


def test_the_veto_reads_the_text_too() -> None:
    """A gateway's 400 that speaks of a minute's quota is no overflow."""
    assert not isinstance(raised("too many tokens per minute for this context window"), ContextTooLong)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (304, ServerFault),
        (400, BadRequest),
        (401, NotAllowed),
        (402, NotAllowed),
        (403, NotAllowed),
        (404, NotFound),
        (408, ConnectionLost),
        (409, ServerFault),
        (412, BadRequest),
        (413, RequestTooLarge),
        (422, BadRequest),
        (429, RateLimited),
        (431, BadRequest),
        (499, ConnectionLost),
        (500, ServerFault),
        (501, ServerFault),
        (502, ServerFault),
        (503, ServerFault),
        (504, ServerFault),
        (529, Overloaded),
        (599, ServerFault),
    ],
)
def test_every_status_has_its_class(status: int, expected: type[ModelError]) -> None:
    """With a type that says no more than the status."""
    error = raised("x", status=status, type="api_error" if status >= 500 else "invalid_request_error")
    assert (type(error), error.status) == (expected, status)
    assert "x" in str(error)


def test_a_telling_type_counts_more_than_the_status() -> None:
    """Gateways put an overload into a 500 or a 503."""
    assert type(raised("Overloaded", status=503, type="overloaded_error")) is Overloaded


@pytest.mark.parametrize(
    ("should_retry", "status", "expected"),
    [
        ("false", 500, ModelError),
        ("false", 529, ModelError),
        ("false", 429, RateLimited),
        ("false", 400, BadRequest),
        ("true", 400, ServerFault),
        ("true", 401, NotAllowed),
        ("maybe", 500, ServerFault),
    ],
)
def test_x_should_retry(should_retry: str, status: int, expected: type[ModelError]) -> None:
    """The server's word on whether a retry helps is heeded."""
    error = raised("x", status=status, **{"X-Should-Retry": should_retry})
    assert type(error) is expected


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "3600"}, 3600),
        ({"retry-after": "abc"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "abc", "retry-after": "9"}, 9),
        ({"retry-after": "Sun, 29 Nov 2026 12:00:30 GMT"}, 30),
        ({"retry-after": "Sun, 29 Nov 2026 12:00:30 -0000"}, 30),
        ({"retry-after": "Sun, 29 Nov 2026 11:00:00 GMT"}, 0),
    ],
)
def test_retry_after(headers: dict[str, str], expected: float | None) -> None:
    """Milliseconds, seconds, a date; nonsense is ignored."""
    assert retry_after_s(headers, now=NOW) == expected


def test_every_transient_error_carries_the_pause() -> None:
    """Not only a rate limit."""
    error = raised("x", status=503, **{"Retry-After": "7"})
    assert isinstance(error, TransientError)
    assert error.retry_after_s == 7


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"error": {"message": "a\n  b"}}, "a b"),
        ({"error": "plain"}, "plain"),
        ({"message": "top"}, "top"),
        ({"detail": "fast"}, "fast"),
        ({"detail": [{"loc": ["x"]}]}, "[{'loc': ['x']}]"),
        ({}, "status 500"),
        (None, "status 500"),
        ("", "status 500"),
        ("raw text", "raw text"),
        (["list"], "status 500"),
        ("<html><body>no title</body></html>", "a web page instead of an answer"),
    ],
)
def test_bodies_of_other_shapes(body: Any, text: str) -> None:
    """Other servers' JSON, text, pages, nothing."""
    assert read_answer(body, status=500).text == text


def test_a_long_text_is_cut() -> None:
    """One line on the screen, not a page."""
    assert len(read_answer("x" * 10_000).text) == MAX_TEXT_CHARS


def test_a_refused_block_binding_is_recognised() -> None:
    """Both ways of saying no; nothing else."""
    text = "thinking.adaptive.block_binding: Extra inputs are not permitted"
    assert refuses_block_binding(raised(text))
    assert not refuses_block_binding(raised("thinking.block_binding.prefix_mismatch_behavior: bad"))
    assert not refuses_block_binding(raised(text, status=500, type="api_error"))
