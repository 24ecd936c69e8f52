"""The offline server: a strict local Messages API that speaks real HTTP on the loopback interface."""

import contextlib
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from agent.offline.catalog import ModelFacts, catalog
from agent.offline.script import Script
from agent.offline.service import API_KEY, MESSAGES, Answer, Call, Recorded, Service
from agent.offline.sse import Cut, Pause, steps
from agent.offline.wire import dump

MAX_BODY_BYTES = 32 * 1024 * 1024
_READ_BYTES = 1024 * 1024
_SLICE_S = 0.02
_JOIN_S = 5.0


class MessagesServer:
    """A scripted model behind the Messages API at ``url``; a context manager.

    Args:      script: what the model answers; windows: context windows by model id, to make small ones;
               models: models of one's own; clock: seconds, for the prompt cache's lifetimes and for records.

    ``requests``: all requests as `Recorded`; ``refusals``: (status, message) of all that were refused;
    ``exhausted``: a request came when the script had no reply left; ``hangups``: paths of requests whose client
    went away before the answer was through; ``peak_open``: most requests at one time.

    Leaving the context raises what a scripted function raised, if one did.
    """

    api_key = API_KEY

    def __init__(
        self,
        script: Script,
        *,
        windows: Mapping[str, int] | None = None,
        models: Iterable[ModelFacts] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._service = Service(script, models=catalog(windows=windows or {}, extra=models), clock=clock)
        self._http = _Http(self._service)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(_SLICE_S,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The base URL for a client."""
        host, port = self._http.server_address[:2]
        return f"http://{host!s}:{port}"

    @property
    def requests(self) -> list[Recorded]:
        """Everything that was asked, in order of arrival."""
        return self._service.requests

    @property
    def queries(self) -> list[Recorded]:
        """The requests for a reply: neither token counts nor model lists."""
        return [request for request in self.requests if request.path == MESSAGES]

    @property
    def refusals(self) -> list[tuple[int, str]]:
        """Status and message of every refused request; what the script answers is not in it."""
        return self._service.refusals

    @property
    def exhausted(self) -> bool:
        """Did the script run out of replies?"""
        return self._service.exhausted

    @property
    def hangups(self) -> list[str]:
        """Paths of the requests whose client went away before the answer was through."""
        return self._http.hangups

    @property
    def peak_open(self) -> int:
        """How many requests were being answered at one time, at most."""
        return self._http.gauge.peak

    @property
    def failures(self) -> list[BaseException]:
        """What scripted functions raised."""
        return self._http.failures

    def close(self) -> None:
        """Stop at once, also in the middle of a reply."""
        self._http.stop()
        self._thread.join()
        self._http.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if error is None and self.failures:
            raise self.failures[0]


class _Gauge:
    """How many are in at a time."""

    def __init__(self) -> None:
        self.peak = 0
        self._now = 0
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        with self._lock:
            self._now += 1
            self.peak = max(self.peak, self._now)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._now -= 1


class _Http(ThreadingHTTPServer):
    """The listening socket and one thread per connection, all of which end when it stops."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, service: Service) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.service = service
        self.gauge = _Gauge()
        self.stopping = threading.Event()
        self.hangups: list[str] = []
        self.failures: list[BaseException] = []
        self._open: dict[threading.Thread, socket.socket] = {}

    def server_bind(self) -> None:
        """Bind, but do not look one's own name up in the DNS as the parent does: it may take seconds."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Talk to a client in a thread that `stop` can end."""
        thread = threading.Thread(target=self._converse, args=(request, client_address), daemon=True)
        self._open[thread] = request
        thread.start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep what a scripted function raised; a broken connection is no failure."""
        error = sys.exception()
        if error is not None and not isinstance(error, ConnectionError):
            self.failures.append(error)

    def stop(self) -> None:
        """Accept nothing more, end every connection, wait for its thread."""
        self.stopping.set()
        self.shutdown()
        for thread, connection in list(self._open.items()):
            _shut(connection)
            thread.join(_JOIN_S)

    def _converse(self, request: Any, client_address: Any) -> None:
        try:
            self.process_request_thread(request, client_address)
        finally:
            self._open.pop(threading.current_thread(), None)


class _Handler(BaseHTTPRequestHandler):
    """One connection: requests in, answers out, silent about both."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def do_GET(self) -> None:
        """Answer a list of models."""
        self._answer(b"")

    def do_POST(self) -> None:
        """Answer a query or a token count."""
        self._answer(self._read_body())

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: what there is to know is in the server's records."""

    def _answer(self, raw: bytes | None) -> None:
        path = urlsplit(self.path).path
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.server.gauge:
            answer = self.server.service.answer(
                Call(method=self.command, path=path, headers=headers, raw=raw)
            )
            try:
                self._send(answer)
            except ConnectionError:
                self._note_hangup(path)

    def _note_hangup(self, path: str) -> None:
        self.close_connection = True
        if not self.server.stopping.is_set():
            self.server.hangups.append(path)

    def _send(self, answer: Answer) -> None:
        self._wait(answer.delay_s)
        if answer.hangs_up:
            self._cut()
        elif answer.stream is not None:
            self._stream(answer)
        elif answer.json is not None:
            self._send_whole(answer, dump(answer.json).encode(), kind="application/json")
        else:
            self._send_whole(answer, answer.other, kind="text/html")

    def _send_head(self, answer: Answer, headers: Mapping[str, str]) -> None:
        self.send_response(answer.status)
        for name, value in {**headers, **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _send_whole(self, answer: Answer, body: bytes, *, kind: str) -> None:
        self._send_head(answer, {"content-type": kind, "content-length": str(len(body))})
        self.wfile.write(body)

    def _stream(self, answer: Answer) -> None:
        assert answer.stream is not None, "the caller looked"
        headers = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
        self._send_head(answer, {**headers, "transfer-encoding": "chunked"})
        for step in steps(answer.stream):
            if isinstance(step, Pause):
                self._wait(step.seconds)
            elif isinstance(step, Cut):
                self.close_connection = True
                if not step.clean:
                    self._cut()
                    return
            else:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(step), step))
        self.wfile.write(b"0\r\n\r\n")

    def _wait(self, seconds: float) -> None:
        """Wait, but no longer than the client and the server do."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self.server.stopping.wait(min(left, _SLICE_S)):
                raise ConnectionAbortedError("the server stops")
            if self._client_is_gone():
                raise ConnectionResetError("the client hung up")

    def _client_is_gone(self) -> bool:
        try:
            return not self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False

    def _cut(self) -> None:
        self.close_connection = True
        _shut(self.connection)

    def _read_body(self) -> bytes | None:
        """The request's body; None: larger than the API takes, and thrown away."""
        left = int(self.headers.get("content-length") or 0)
        if left <= MAX_BODY_BYTES:
            body = self.rfile.read(left)
            if len(body) < left:
                raise ConnectionResetError("the client hung up in the middle of its request")
            return body
        # An answer before the end of the body would reach most clients as a broken connection.
        while left > 0:
            left -= len(self.rfile.read(min(left, _READ_BYTES))) or left
        self.close_connection = True
        return None


def _shut(connection: socket.socket) -> None:
    # The other side may have closed it already.
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
