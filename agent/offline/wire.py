"""What every answer of the offline server is made of: error types, error bodies, the request body's JSON."""

import json
import re
from typing import Any, NoReturn

from agent.offline.refusal import RefusalError

Json = dict[str, Any]

SERVER_FAULT = 500
"""From this status on it is the server's fault."""

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}
"""The `error.type` that goes with an HTTP status."""

ERROR_TEXTS = {
    400: "Error",
    401: "invalid x-api-key",
    402: "Your credit balance is too low to access the Anthropic API.",
    403: "Your API key does not have permission to use the specified resource.",
    404: "Not found",
    409: "Conflict",
    413: "Request exceeds the maximum size",
    429: (
        "This request would exceed your organization's rate limit of 30,000 input tokens per minute "
        "(org: 00000000-0000-0000-0000-000000000000, model: offline). "
        "For details, refer to: https://docs.claude.com/en/api/rate-limits."
    ),
    500: "Internal server error",
    504: "Request timed out",
    529: "Overloaded",
}
"""The message an error carries when the script gives none."""

# An escape of a whole pair, of half a pair, or of anything else: read in this order, what matches the
# second form is a lone half, and a backslash that is itself escaped starts no escape.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_HALF_PAIR = re.compile("[\ud800-\udfff]")


def error_type(status: int) -> str:
    """The `error.type` of an HTTP ``status``, also of one that has no row of its own."""
    return ERROR_TYPES.get(status, "api_error" if status >= SERVER_FAULT else "invalid_request_error")


def error_body(kind: str, message: str, *, request_id: str) -> Json:
    """The JSON body of an error answer."""
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": request_id}


def dump(value: Any) -> str:
    """``value`` as compact JSON: UTF-8 characters as they are, unless half a surrogate pair forces escapes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return json.dumps(value, separators=(",", ":")) if _HALF_PAIR.search(text) else text


def parse_body(raw: bytes) -> Json:
    """The request body as a dictionary.

    Raises:    RefusalError 400: no UTF-8, no JSON, half a surrogate pair, or no object.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        _not_json(f"str is not valid UTF-8: surrogates not allowed: line 1 column 1 (char {error.start})")
    for escape in _ESCAPE.finditer(text):
        if escape.group(1):
            _not_json(
                f"no low surrogate in string: line 1 column {escape.start() + 1} (char {escape.start()})"
            )
    try:
        body = json.loads(text, parse_constant=_not_json)
    except json.JSONDecodeError as error:
        _not_json(str(error))
    if not isinstance(body, dict):
        raise RefusalError("Input should be a valid dictionary or object to extract fields from")
    return body


def _not_json(reason: str) -> NoReturn:
    raise RefusalError(f"The request body is not valid JSON: {reason}")
