"""From what the SDK and its transport raise to our error tree.

Classes are told apart by name, for importing the SDK costs more than a second. A test walks all its classes.
"""

from collections.abc import Callable
from typing import Any

from agent.api.api_errors import Origin, model_error, read_answer
from agent.errors import ConnectionLost, ModelError, NotAllowed, NotFound, ServerFault, Unreachable

NO_KEY = "there is no API key: set ANTHROPIC_API_KEY (a local server that needs none takes any text)"
BAD_KEY = "the key or a header holds a character that cannot be sent: check ANTHROPIC_API_KEY"


def as_model_error(error: Exception, origin: Origin) -> ModelError:
    """Return the error of our tree that ``error`` stands for."""
    for kind in type(error).__mro__:
        if kind.__name__ in _MAKERS:
            return _MAKERS[kind.__name__](error, origin)
    return ModelError(f"the request failed: {_cause(error)}")


def is_mapped(kind: type[Exception]) -> bool:
    """True if ``kind`` is told apart from its most general ancestors."""
    names = [ancestor.__name__ for ancestor in kind.__mro__ if ancestor.__name__ in _MAKERS]
    return bool(names) and (names[0] not in _ROOTS or names[0] == kind.__name__)


def _status(error: Any, origin: Origin) -> ModelError:
    return model_error(
        read_answer(error.body, status=error.status_code, headers=error.response.headers), origin
    )


def _connection(error: Exception, origin: Origin) -> ModelError:
    """The SDK wraps whatever went wrong before the first byte."""
    if isinstance(error.__cause__, Exception):
        return as_model_error(error.__cause__, origin)
    return _lost(error, origin)


def _lost(error: Exception, origin: Origin) -> ModelError:
    return ConnectionLost(f"the connection to {origin.url} broke: {_cause(error)}")


def _unreachable(error: Exception, origin: Origin) -> ModelError:
    cause = _cause(error)
    if "CERTIFICATE_VERIFY_FAILED" in cause:
        return ModelError(f"the certificate of {origin.url} is not trusted: {cause}")
    return Unreachable(f"cannot reach {origin.url}: check the network and ANTHROPIC_BASE_URL ({cause})")


def _slow_connect(error: Exception, origin: Origin) -> ModelError:
    return Unreachable(f"cannot reach {origin.url} in time: check the network and ANTHROPIC_BASE_URL")


def _stalled(error: Exception, origin: Origin) -> ModelError:
    return ConnectionLost(f"{origin.url} was silent for {origin.stall_timeout_s:g} s")


def _bad_address(error: Exception, origin: Origin) -> ModelError:
    return NotFound(f"{origin.url!r} is no address of a server: check ANTHROPIC_BASE_URL ({_cause(error)})")


def _bad_key(error: Exception, origin: Origin) -> ModelError:
    # The text of the error itself may hold the key.
    return NotAllowed(BAD_KEY)


def _not_protocol(error: Exception, origin: Origin) -> ModelError:
    return ServerFault(f"{origin.url} does not answer as the Messages API does: {_cause(error)}")


def _bad_credentials(error: Exception, origin: Origin) -> ModelError:
    return NotAllowed(f"the credentials cannot be used: {_cause(error)}")


def _other(error: Exception, origin: Origin) -> ModelError:
    return ModelError(f"the request failed: {_cause(error)}")


def _cause(error: BaseException) -> str:
    """One line that says what happened; many transport errors have no text but their name."""
    return " ".join(str(error).split()) or type(error).__name__


_MAKERS: dict[str, Callable[[Exception, Origin], ModelError]] = {
    # anthropic
    "APIStatusError": _status,
    "APITimeoutError": _connection,
    "APIConnectionError": _connection,
    "APIResponseValidationError": _not_protocol,
    "APIWebhookValidationError": _not_protocol,
    "StreamAlreadyConsumed": _lost,
    "RetryableError": _lost,
    "CredentialsError": _bad_credentials,
    "WorkloadIdentityError": _bad_credentials,
    "MutuallyExclusiveAuthError": _bad_credentials,
    "MissingDependencyError": _other,
    "ToolsetUsageError": _other,
    "APIError": _other,
    "AnthropicError": _other,
    # httpx2
    "ConnectTimeout": _slow_connect,
    "PoolTimeout": _slow_connect,
    "TimeoutException": _stalled,
    "ConnectError": _unreachable,
    "ProxyError": _unreachable,
    "UnsupportedProtocol": _bad_address,
    "InvalidURL": _bad_address,
    "LocalProtocolError": _bad_key,
    "TransportError": _lost,
    "DecodingError": _not_protocol,
    "TooManyRedirects": _bad_address,
    "HTTPStatusError": _not_protocol,
    "CookieConflict": _not_protocol,
    "StreamError": _lost,
    "RequestError": _lost,
    "HTTPError": _other,
    # Python
    "UnicodeEncodeError": _bad_key,
    "OSError": _lost,
}
_ROOTS = ("APIError", "AnthropicError", "HTTPError", "RequestError", "OSError")
