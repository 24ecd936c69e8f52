"""A scripted model: which reply comes next."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from agent.offline.prefix import as_blocks
from agent.offline.reply import Fault, Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An accepted request, for scripts that answer by what it says."""

    body: Mapping[str, Any]
    headers: Mapping[str, str]

    @property
    def system_text(self) -> str:
        """The system prompt."""
        return _text(self.body.get("system"))

    @property
    def first_text(self) -> str:
        """All texts of the first message."""
        return _text(self.body["messages"][0]["content"])

    @property
    def last_text(self) -> str:
        """The last text block of the last message; "" if it has none."""
        texts = [block["text"] for block in self._last_blocks if block["type"] == "text"]
        return texts[-1] if texts else ""

    @property
    def results(self) -> Mapping[str, str]:
        """The texts of the tool results in the last message, by call id."""
        found = [block for block in self._last_blocks if block["type"] == "tool_result"]
        return {block["tool_use_id"]: _text(block.get("content")) for block in found}

    @property
    def tool_names(self) -> Sequence[str]:
        """The tools on offer."""
        return [tool["name"] for tool in self.body.get("tools") or []]

    @property
    def _last_blocks(self) -> Sequence[Mapping[str, Any]]:
        return as_blocks(self.body["messages"][-1]["content"])


Answer = Reply | Fault
Turn = Answer | Callable[[Request], Answer]
Predicate = Callable[[Request], bool]


@dataclass(frozen=True, slots=True)
class Always:
    """A turn that is never used up."""

    turn: Turn


def always(turn: Turn) -> Always:
    """Answer everything from here on with this turn."""
    return Always(turn)


@dataclass(frozen=True, slots=True)
class Route:
    """Replies of their own for the requests that a predicate picks."""

    predicate: Predicate
    turns: tuple[Turn | Always, ...]


def when(predicate: Predicate, *turns: Turn | Always) -> Route:
    """Give the requests that ``predicate`` picks these replies, in order."""
    return Route(predicate, turns)


def last_text_starts(start: str) -> Predicate:
    """Pick requests whose last text block begins so."""
    return lambda request: request.last_text.startswith(start)


def first_text_has(part: str) -> Predicate:
    """Pick requests whose first message holds this text."""
    return lambda request: part in request.first_text


def system_has(part: str) -> Predicate:
    """Pick requests whose system prompt holds this text."""
    return lambda request: part in request.system_text


class Script:
    """Replies in the order in which they are given; may be asked from many threads.

    Args:      turns: a reply, a fault, a function of the request, or `always(...)` one of them;
               routes: asked first; the first whose predicate holds answers, from its own replies only.
    """

    def __init__(self, *turns: Turn | Always, routes: Sequence[Route] = ()) -> None:
        self._lock = Lock()
        self._routes = [(route.predicate, list(route.turns)) for route in routes]
        self._main = list(turns)

    def next_answer(self, request: Request) -> Answer | None:
        """The next answer to this request; None: the script has no more replies for it."""
        queue = next((turns for predicate, turns in self._routes if predicate(request)), self._main)
        with self._lock:
            turn = self._take(queue)
        if turn is None or isinstance(turn, Reply | Fault):
            return turn
        return turn(request)

    @property
    def left(self) -> int:
        """How many replies were not asked for yet; those given by `always` do not count."""
        queues = [self._main, *(turns for _, turns in self._routes)]
        return sum(not isinstance(turn, Always) for queue in queues for turn in queue)

    @staticmethod
    def _take(queue: list[Turn | Always]) -> Turn | None:
        if not queue:
            return None
        turn = queue[0]
        if isinstance(turn, Always):
            return turn.turn
        del queue[0]
        return turn


def _text(content: Any) -> str:
    return "\n".join(block["text"] for block in as_blocks(content) if block.get("type") == "text")
