"""The server and the key, tried by the list of models: it answers the same to everybody, and costs nothing."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from time import monotonic
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from agent.choices import Access, access_of
from agent.doctor.finding import Finding
from agent.errors import UsageError

TIMEOUT_S = 5.0
"""For the whole of it, from looking up the name to the last byte."""
_VERSION = "2023-06-01"
_MAX_BYTES = 2_000_000
_PATH = "/v1/models?limit=1000"
_ABOUT = "server"
_REFUSED, _MISSING, _FAILING, _REDIRECTS = (401, 403), (404, 405, 501), 500, range(300, 400)
_BUSY = 429
_OK = 200
_CHECK_URL = "check ANTHROPIC_BASE_URL"


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    data: bytes


def server_findings(env: Mapping[str, str], model: str) -> list[Finding]:
    """Return what the server says to our key, and whether it has ``model``."""
    try:
        access = access_of(env)
    except UsageError as error:
        return [Finding("fault", _ABOUT, str(error))]
    return _asked(access, model)


def shown_url(url: str) -> str:
    """Return an address without what could be a secret in it: user, password, query."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "ANTHROPIC_BASE_URL"
    return urlunsplit(
        (parts.scheme, f"[{host}]{port}" if ":" in host else f"{host}{port}", parts.path, "", "")
    )


def _asked(access: Access, model: str) -> list[Finding]:
    began, url = monotonic(), shown_url(access.base_url)
    answers: list[_Answer | Exception] = []
    # Looking up a name can neither be limited nor interrupted, only left behind.
    asking = threading.Thread(target=lambda: answers.append(_answer(access)), daemon=True)
    asking.start()
    asking.join(TIMEOUT_S)
    if not answers:
        said = f"{url} did not answer within {TIMEOUT_S:g} s: check network, proxy and address"
        return [Finding("fault", _ABOUT, said)]
    if isinstance(answer := answers[0], Exception):
        reason = " ".join(str(answer).split()) or type(answer).__name__
        said = f"{url} cannot be reached ({reason}): check the network, or {_CHECK_URL}"
        return [Finding("fault", _ABOUT, said)]
    return _judged(answer, f"{url}, {monotonic() - began:.1f} s", access=access, model=model)


def _answer(access: Access) -> _Answer | Exception:
    http = import_module("httpx2")
    try:
        return _get(http, access)
    except (http.HTTPError, http.InvalidURL, OSError, ValueError) as error:
        return error


def _get(http: Any, access: Access) -> _Answer:
    headers = {"anthropic-version": _VERSION}
    if access.api_key is not None:
        headers["x-api-key"] = access.api_key
    elif access.auth_token is not None:
        headers["authorization"] = f"Bearer {access.auth_token}"
    address = access.base_url.rstrip("/") + _PATH
    data = b""
    with (
        http.Client(timeout=TIMEOUT_S) as client,
        client.stream("GET", address, headers=headers) as answer,
    ):
        for piece in answer.iter_bytes():
            data += piece
            if len(data) > _MAX_BYTES:
                break
    return _Answer(answer.status_code, data)


def _judged(answer: _Answer, where: str, *, access: Access, model: str) -> list[Finding]:
    status = answer.status
    if status in _REFUSED:
        name = "ANTHROPIC_AUTH_TOKEN" if access.api_key is None else "ANTHROPIC_API_KEY"
        return [Finding("fault", _ABOUT, f"{where}: the key is refused (HTTP {status}): check {name}")]
    if status in _MISSING:
        return [
            Finding(
                "note", _ABOUT, f"{where}: it answers, but has no list of models, so the key was not tried"
            )
        ]
    if status in _REDIRECTS:
        return [Finding("fault", _ABOUT, f"{where}: it sends elsewhere (HTTP {status}): {_CHECK_URL}")]
    if status == _BUSY or status >= _FAILING:
        return [
            Finding(
                "note", _ABOUT, f"{where}: it answers, but cannot serve now (HTTP {status}): try again later"
            )
        ]
    listed = _ids(answer.data)
    if status != _OK or listed is None:
        return [
            Finding(
                "fault",
                _ABOUT,
                f"{where}: this is no Messages API (HTTP {status}, no list of models): {_CHECK_URL}",
            )
        ]
    key = "the key is accepted" if access.has_key else "it wants no key"
    return [Finding("ok", _ABOUT, f"{where}: {key}"), *_listed(model, listed)]


def _ids(answer: bytes) -> list[str] | None:
    """Return the models that are listed; None where that is no list of models."""
    try:
        body = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    data = body.get("data") if isinstance(body, dict) else None
    if not isinstance(data, list):
        return None
    return [str(one["id"]) for one in data if isinstance(one, dict) and "id" in one]


def _listed(model: str, ids: list[str]) -> list[Finding]:
    if not ids or any(one == model or one.startswith(f"{model}-") for one in ids):
        return []
    some = ", ".join(ids[:3])
    return [
        Finding("note", _ABOUT, f"it does not list `{model}`; it has {some}, and {max(0, len(ids) - 3)} more")
    ]
