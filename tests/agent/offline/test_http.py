"""The wire around the replies: keys, versions, paths, sizes, connections, and an end that leaves nothing behind."""

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from agent.offline import Fault, MessagesServer, Reply, Request, Script, always, error, hangs_up, says, stalls
from agent.offline.catalog import MODELS
from tests.agent.offline.asking import ask, body, stream, tool, user

HANG_S = 10.0


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with MessagesServer(Script(always(says("ok")))) as server:
        yield server


@pytest.mark.parametrize(
    ("headers", "status", "message"),
    [
        ({"x-api-key": None}, 401, "x-api-key header is required"),
        ({"x-api-key": "wrong"}, 401, "invalid x-api-key"),
        ({"x-api-key": None, "authorization": "Bearer wrong"}, 401, "Invalid bearer token"),
        (
            {"x-api-key": "wrong", "authorization": f"Bearer {MessagesServer.api_key}"},
            401,
            "invalid x-api-key",
        ),
        ({"anthropic-version": None}, 400, "anthropic-version: header is required"),
        ({"anthropic-version": "2020-01-01"}, 400, 'anthropic-version: "2020-01-01" is not a valid version'),
    ],
)
def test_wrong_keys_and_versions_are_refused(
    server: MessagesServer, headers: dict[str, str | None], status: int, message: str
) -> None:
    """Without a right key or a known version there is no answer; of two keys `x-api-key` counts."""
    got = ask(server, body(), headers=headers)
    assert (got.status, got.error) == (status, message)
    assert server.refusals == [(status, message)]


@pytest.mark.parametrize(
    "headers",
    [
        {"x-api-key": None, "authorization": f"Bearer {MessagesServer.api_key}"},
        {"authorization": "Bearer wrong"},
        {"anthropic-version": "2023-06-01"},
    ],
)
def test_either_key_and_either_version_is_accepted(
    server: MessagesServer, headers: dict[str, str | None]
) -> None:
    """The SDK sends a bearer token since 2.0, older ones `x-api-key`; both versions are served."""
    assert ask(server, body(), headers=headers).status == 200


def test_a_query_string_changes_nothing(server: MessagesServer) -> None:
    """The SDK's beta calls add `?beta=true`."""
    assert ask(server, body(), path="/v1/messages?beta=true").status == 200
    assert server.requests[0].path == "/v1/messages"


@pytest.mark.parametrize("path", ["/", "/v1/complete", "/v1/models/claude-x"])
def test_what_is_not_there_is_not_found(server: MessagesServer, path: str) -> None:
    """Other paths and unknown models get a proper 404."""
    got = ask(server, None, path=path)
    assert (got.status, got.json["error"]["type"]) == (404, "not_found_error")
    assert ask(server, body(), path="/v1/complete").status == 404


def test_models_are_listed_with_their_sizes() -> None:
    """`GET /v1/models` and `/v1/models/{id}` say what the catalog says, with the test's own windows."""
    with MessagesServer(Script(), windows={"claude-opus-5": 60_000}) as server:
        page = ask(server, None, path="/v1/models").json
        assert [model["id"] for model in page["data"]] == [model.id for model in MODELS]
        assert (page["has_more"], page["first_id"]) == (False, MODELS[0].id)
        one = ask(server, None, path="/v1/models/claude-opus-5").json
        assert (one["max_input_tokens"], one["max_tokens"]) == (60_000, 128_000)


def test_every_answer_has_a_request_id(server: MessagesServer) -> None:
    """Header and error body carry the same new id."""
    good, bad = ask(server, body()), ask(server, body(colour="red"))
    assert good.headers["request-id"] != bad.headers["request-id"]
    assert bad.json["request_id"] == bad.headers["request-id"]
    assert bad.json["type"] == "error"


def test_a_body_over_32_mb_is_too_large(server: MessagesServer) -> None:
    """413, recorded like any other refusal; just below it the body is read."""
    got = ask(server, b" " * (32 * 1024 * 1024 + 1))
    assert (got.status, got.error) == (413, "Request exceeds the maximum size")
    assert got.json["error"]["type"] == "request_too_large"
    assert server.refusals == [(413, "Request exceeds the maximum size")]
    assert ask(server, b" " * (32 * 1024 * 1024)).status == 400


def test_counting_takes_no_output_settings(server: MessagesServer) -> None:
    """`count_tokens` counts with tools and system, and refuses `max_tokens` and `stream`."""
    plain = {"model": "claude-opus-5", "messages": [user("hi")]}
    few = ask(server, plain, path="/v1/messages/count_tokens").json["input_tokens"]
    more = ask(server, {**plain, "tools": [tool()], "system": "x"}, path="/v1/messages/count_tokens")
    assert more.json["input_tokens"] > few > 0
    refused = ask(server, {**plain, "max_tokens": 1}, path="/v1/messages/count_tokens")
    assert refused.error == "max_tokens: Extra inputs are not permitted"
    assert server.queries == []


def test_one_connection_carries_many_requests(server: MessagesServer) -> None:
    """A connection stays open after an answer, an error and a stream."""
    headers = {"x-api-key": server.api_key, "anthropic-version": "2026-10-21"}
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=HANG_S)
    sockets = set()
    for asked in (body(), {}, body(stream=True), body()):
        connection.request("POST", "/v1/messages", body=json.dumps(asked), headers=headers)
        sockets.add(connection.sock)
        connection.getresponse().read()
    connection.close()
    assert len(sockets) == 1
    assert [request.status for request in server.requests] == [200, 400, 200, 200]


def test_a_client_that_goes_away_is_only_noted(capfd: pytest.CaptureFixture[str]) -> None:
    """No exception, no line on stderr; the path is in `hangups` and the server goes on."""
    slow = says("x" * 400, pace_s=0.05, chunk_chars=1)
    with MessagesServer(Script(slow, stalls(60), says("ok"))) as server:
        for _ in range(2):
            _ask_and_leave(server)
        assert ask(server, body()).status == 200
        assert server.hangups == ["/v1/messages", "/v1/messages"]
        assert server.failures == []
    assert capfd.readouterr() == ("", "")


def _ask_and_leave(server: MessagesServer) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    before = len(server.hangups)
    raw = (
        b'{"model":"claude-opus-5","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}'
    )
    head = (
        f"POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: {server.api_key}\r\n"
        f"anthropic-version: 2026-10-21\r\ncontent-length: {len(raw)}\r\n\r\n"
    ).encode()
    with socket.create_connection((host, int(port)), timeout=HANG_S) as connection:
        connection.sendall(head + raw)
        connection.recv(100)
    until = time.monotonic() + HANG_S
    while len(server.hangups) == before and time.monotonic() < until:
        time.sleep(0.01)


def test_a_client_that_goes_away_in_its_request(server: MessagesServer) -> None:
    """Half a request is none: neither recorded nor refused."""
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"POST /v1/messages HTTP/1.1\r\ncontent-length: 100\r\n\r\n{")
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""
    assert (server.requests, server.refusals) == ([], [])


def test_closing_ends_a_stalled_stream_at_once() -> None:
    """The end does not wait for a stall, and no thread stays behind."""
    threads = threading.active_count()
    got = []
    server = MessagesServer(Script(stalls(600)))
    client = threading.Thread(target=lambda: got.append(stream(server, body())))
    client.start()
    while not server.requests:
        time.sleep(0.01)
    started = time.monotonic()
    server.close()
    client.join(HANG_S)
    assert time.monotonic() - started < HANG_S
    assert [answer.whole for answer in got] == [False]
    assert threading.active_count() == threads
    assert server.hangups == []


def test_the_gauge_shows_how_many_were_open_at_once() -> None:
    """Requests that wait for one another are counted together."""
    together = threading.Barrier(3)

    def wait(request: Request) -> Reply:
        together.wait(HANG_S)
        return says("ok")

    with MessagesServer(Script(always(wait))) as server:
        clients = [threading.Thread(target=ask, args=(server, body())) for _ in range(3)]
        for client in clients:
            client.start()
        for client in clients:
            client.join(HANG_S)
        assert server.peak_open == 3
        assert len(server.queries) == 3


@pytest.mark.parametrize(
    ("fault", "status", "kind", "message"),
    [
        (error(429, retry_after=2), 429, "rate_limit_error", "This request would exceed"),
        (error(529), 529, "overloaded_error", "Overloaded"),
        (error(500), 500, "api_error", "Internal server error"),
        (error(503), 503, "api_error", "Error"),
        (error(403, "not you"), 403, "permission_error", "not you"),
        (error(418), 418, "invalid_request_error", "Error"),
    ],
)
def test_scripted_errors_are_proper_errors(fault: Fault, status: int, kind: str, message: str) -> None:
    """Each status has its type and text; what the script orders is no refusal."""
    with MessagesServer(Script(fault)) as server:
        got = ask(server, body())
        assert (got.status, got.json["error"]["type"]) == (status, kind)
        assert got.error.startswith(message)
        assert got.headers.get("retry-after") == ("2" if status == 429 else None)
        assert server.refusals == []
        assert server.requests[0].reply is fault


def test_scripted_errors_with_bodies_and_headers_of_their_own() -> None:
    """A proxy's HTML page, and a connection closed without a word."""
    page = error(502, body="<html>bad gateway</html>", headers={"x-should-retry": "true"}, delay_s=0.01)
    with MessagesServer(Script(page, hangs_up(delay_s=0.01))) as server:
        got = ask(server, body())
        assert (got.status, got.raw) == (502, b"<html>bad gateway</html>")
        assert (got.headers["content-type"], got.headers["x-should-retry"]) == ("text/html", "true")
        with pytest.raises(ConnectionError):
            ask(server, body())
        assert [request.status for request in server.requests] == [502, 0]


def _broken(request: Request) -> Reply:
    raise KeyError("nope")


def _ask_broken(*, then: BaseException | None = None) -> None:
    with MessagesServer(Script(_broken)) as server:
        with contextlib.suppress(ConnectionError):
            ask(server, body())
        if then is not None:
            raise then


def test_a_scripted_function_that_raises_fails_the_test() -> None:
    """Its exception comes out where the server is left, unless another one already does."""
    with pytest.raises(KeyError, match="nope"):
        _ask_broken()
    with pytest.raises(ZeroDivisionError):
        _ask_broken(then=ZeroDivisionError())
