"""Every error class of the SDK and of its transport is mapped."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import anthropic
import httpx2
import pytest
from anthropic import _error_classes, lib

from agent.api.api_errors import Origin
from agent.api.sdk_errors import as_model_error, is_mapped
from agent.errors import ConnectionLost, ModelError, NotAllowed, NotFound, ServerFault, Unreachable

ORIGIN = Origin(url="http://host", model="m", stall_timeout_s=3)
REQUEST = httpx2.Request("POST", "http://host/v1/messages")


def family(root: type[Exception]) -> Iterator[type[Exception]]:
    yield root
    for child in root.__subclasses__():
        yield from family(child)


def load_the_whole_sdk() -> None:
    for module in pkgutil.walk_packages(lib.__path__, "anthropic.lib."):
        # Some need extras that are not installed; their errors could not be raised here.
        try:
            importlib.import_module(module.name)
        except (ImportError, anthropic.AnthropicError):
            continue


def test_every_class_of_the_sdk_is_mapped() -> None:
    """A new error class of a new SDK fails here until it is given a place."""
    load_the_whole_sdk()
    unmapped = {kind.__name__ for kind in family(anthropic.AnthropicError) if not is_mapped(kind)}
    assert unmapped == set()


def test_every_class_of_the_transport_is_mapped() -> None:
    """All that httpx2 says it raises."""
    roots = (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, httpx2.CookieConflict)
    assert {kind.__name__ for root in roots for kind in family(root) if not is_mapped(kind)} == set()


def test_an_unknown_class_is_not_mapped() -> None:
    """The check above can fail; and such an error is a ModelError all the same."""
    unknown = type("NewError", (anthropic.AnthropicError,), {})
    assert not is_mapped(unknown)
    assert not is_mapped(KeyError)
    assert type(as_model_error(unknown("new"), ORIGIN)) is ModelError
    assert str(as_model_error(KeyError("k"), ORIGIN)) == "the request failed: 'k'"


@pytest.mark.parametrize(("status", "code"), [key for key in _error_classes.ERROR_CLASSES if key[1]], ids=str)
def test_classes_with_a_code_go_by_their_status(status: int, code: str) -> None:
    """All of them; the text of the server survives."""
    body = {"error": {"type": "invalid_request_error", "message": "why", "details": {"error_code": code}}}
    response = httpx2.Response(status, request=REQUEST)
    error = _error_classes.make_status_error("x", body=body, response=response)
    mapped = as_model_error(error, ORIGIN)
    assert mapped.status == status
    assert "why" in str(mapped)


def _caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


RESPONSE = httpx2.Response(200, request=REQUEST)
WRAPPED = anthropic.APIConnectionError(request=REQUEST)


@pytest.mark.parametrize(
    ("error", "expected", "words"),
    [
        (httpx2.ReadTimeout(""), ConnectionLost, "silent for 3 s"),
        (httpx2.ConnectTimeout(""), Unreachable, "cannot reach http://host in time"),
        (httpx2.RemoteProtocolError("peer closed"), ConnectionLost, "peer closed"),
        (httpx2.ReadError(""), ConnectionLost, "ReadError"),
        (httpx2.ConnectError("no route"), Unreachable, "check the network"),
        (httpx2.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] x"), ModelError, "not trusted"),
        (httpx2.ProxyError("407"), Unreachable, "407"),
        (httpx2.UnsupportedProtocol("x"), NotFound, "ANTHROPIC_BASE_URL"),
        (httpx2.DecodingError("bad gzip"), ServerFault, "bad gzip"),
        (anthropic.APITimeoutError(REQUEST), ConnectionLost, "broke"),
        (anthropic.APIResponseValidationError(RESPONSE, None), ServerFault, "does not answer as"),
        (anthropic.RetryableError("again"), ConnectionLost, "again"),
        (anthropic.CredentialsError("no file"), NotAllowed, "no file"),
        (anthropic.AnthropicError("hm"), ModelError, "hm"),
        (OSError("disk"), ConnectionLost, "disk"),
        (_caused(WRAPPED, httpx2.LocalProtocolError("Illegal header value b'sk-secret'")), NotAllowed, "KEY"),
    ],
    ids=lambda part: type(part).__name__ if isinstance(part, Exception) else None,
)
def test_classes_by_example(error: Exception, expected: type[ModelError], words: str) -> None:
    """The class to act on, and a text that says what to do."""
    mapped: Any = as_model_error(error, ORIGIN)
    assert type(mapped) is expected
    assert words in str(mapped)
    assert "secret" not in str(mapped)
