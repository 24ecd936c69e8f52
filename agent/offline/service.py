"""The Messages API without its wire: a request in, an answer out, everything remembered."""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agent.offline.cache import Bill, PromptCache
from agent.offline.catalog import ModelFacts
from agent.offline.ledger import Ledger
from agent.offline.refusal import RefusalError
from agent.offline.reply import Fault, Reply, Stall
from agent.offline.rules import Situation, Verdict, check_request, check_shape
from agent.offline.rules.situation import VERSIONS
from agent.offline.script import Request, Script
from agent.offline.served import Composer, Served
from agent.offline.wire import ERROR_TEXTS, ERROR_TYPES, Json, error_body, error_type, parse_body

API_KEY = "sk-ant-offline"
"""The key that the server accepts."""

MESSAGES = "/v1/messages"
COUNT = "/v1/messages/count_tokens"
MODELS = "/v1/models"

_NO_REPLY = "the script has no more replies"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One HTTP request: header names in lower case, the query cut off ``path``; ``raw`` None: a body too large."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One HTTP answer: a JSON body, another body, a reply to stream, or (``hangs_up``) none at all."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Json | None = None
    other: bytes = b""
    stream: Served | None = None
    hangs_up: bool = False
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A request as it came (``body`` {} if it was no JSON object) and what it got.

    ``at``: seconds on the server's clock; ``reply``: what the script answered; ``bill``: how the prompt was
    counted and cached; ``content``: the served blocks.
    """

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    at: float
    status: int
    reply: Reply | Fault | None = None
    bill: Bill | None = None
    content: tuple[Mapping[str, Any], ...] = ()


class Service:
    """One server's models, cache, memory and records.

    Args:      clock: seconds; the cache's lifetimes and `Recorded.at` are measured on it.
    """

    def __init__(
        self, script: Script, *, models: Mapping[str, ModelFacts], clock: Callable[[], float]
    ) -> None:
        self.requests: list[Recorded] = []
        self.refusals: list[tuple[int, str]] = []
        self.exhausted = False
        self._script = script
        self._models = models
        self._clock = clock
        self._ledger = Ledger()
        self._cache = PromptCache()
        self._composer = Composer(self._ledger)
        self._ids = itertools.count(1)

    def answer(self, call: Call) -> Answer:
        """Answer and record one request; whatever a scripted function raises goes through."""
        at = self._clock()
        request_id = f"req_offline{next(self._ids):06d}"
        body: Json = {}
        notes: dict[str, Any] = {}
        try:
            betas = _check_access(call)
            if call.method == "GET":
                answer = self._models_answer(call.path)
            else:
                body = _body(call)
                answer, notes = self._post(call, body, betas=betas, at=at)
        except RefusalError as refusal:
            self.refusals.append((refusal.status, refusal.message))
            answer = _error(refusal.status, refusal.message)
        answer = _with_request_id(answer, request_id)
        self.requests.append(
            Recorded(path=call.path, headers=call.headers, body=body, at=at, status=answer.status, **notes)
        )
        return answer

    def _post(
        self, call: Call, body: Json, *, betas: frozenset[str], at: float
    ) -> tuple[Answer, dict[str, Any]]:
        counting = call.path == COUNT
        version = call.headers["anthropic-version"]
        check_shape(body, version=version, betas=betas, counting=counting)
        facts = self._facts(body["model"])
        situation = Situation(facts=facts, version=version, betas=betas, counting=counting)
        verdict = check_request(body, situation, ledger=self._ledger)
        if counting:
            return Answer(status=200, json={"input_tokens": verdict.tokens}), {}
        reply = self._next(Request(body=body, headers=call.headers))
        if reply is None:
            return _error(500, _NO_REPLY, headers={"x-should-retry": "false"}), {}
        if isinstance(reply, Fault):
            return _fault(reply), {"reply": reply}
        return self._serve(body, reply, verdict=verdict, facts=facts, at=at)

    def _next(self, request: Request) -> Reply | Fault | None:
        if request.body["max_tokens"] == 0:
            return Reply(stop_reason="max_tokens")
        answer = self._script.next_answer(request)
        self.exhausted = self.exhausted or answer is None
        return answer

    def _serve(
        self, body: Json, reply: Reply, *, verdict: Verdict, facts: ModelFacts, at: float
    ) -> tuple[Answer, dict[str, Any]]:
        bill = self._cache.bill(body, verdict.units, facts=facts, now=at)
        served = self._composer.compose(
            reply, facts=facts, bill=bill, transformations=verdict.transformations
        )
        blocks = served.blocks
        self._ledger.record(blocks, model=facts.id, seen=verdict.units, stop_reason=served.stop_reason)
        notes = {"reply": reply, "bill": bill, "content": tuple(blocks)}
        answer = (
            Answer(status=200, stream=served, delay_s=reply.delay_s) if body.get("stream") else _whole(served)
        )
        return answer, notes

    def _facts(self, model: str) -> ModelFacts:
        if model not in self._models:
            raise RefusalError(f"model: {model}", status=404)
        return self._models[model]

    def _models_answer(self, path: str) -> Answer:
        if path == MODELS:
            data = [_model_info(facts) for facts in self._models.values()]
            page = {"data": data, "has_more": False, "first_id": data[0]["id"], "last_id": data[-1]["id"]}
            return Answer(status=200, json=page)
        if path.startswith(f"{MODELS}/"):
            return Answer(status=200, json=_model_info(self._facts(path.removeprefix(f"{MODELS}/"))))
        raise RefusalError(ERROR_TEXTS[404], status=404)


def _check_access(call: Call) -> frozenset[str]:
    """The request's beta features; refuses a wrong key and an unknown version."""
    key = call.headers.get("x-api-key")
    bearer = call.headers.get("authorization")
    if key is None and bearer is None:
        raise RefusalError("x-api-key header is required", status=401)
    if key is not None and key != API_KEY:
        raise RefusalError("invalid x-api-key", status=401)
    if key is None and bearer != f"Bearer {API_KEY}":
        raise RefusalError("Invalid bearer token", status=401)
    version = call.headers.get("anthropic-version")
    if version is None:
        raise RefusalError("anthropic-version: header is required")
    if version not in VERSIONS:
        raise RefusalError(f'anthropic-version: "{version}" is not a valid version')
    return frozenset(part.strip() for part in call.headers.get("anthropic-beta", "").split(","))


def _body(call: Call) -> Json:
    if call.raw is None:
        raise RefusalError(ERROR_TEXTS[413], status=413)
    if call.path not in (MESSAGES, COUNT):
        raise RefusalError(ERROR_TEXTS[404], status=404)
    return parse_body(call.raw)


def _error(status: int, message: str, *, headers: Mapping[str, str] | None = None) -> Answer:
    # The request's id is not known yet: `_with_request_id` fills it in.
    body = error_body(error_type(status), message, request_id="")
    return Answer(status=status, headers=headers or {}, json=body)


def _whole(served: Served) -> Answer:
    """A reply that does not stream: what would interrupt the stream comes instead of it."""
    ending = served.reply.ending
    stalled_s = sum(part.seconds for part in served.reply.parts if isinstance(part, Stall))
    delay_s = served.reply.delay_s + stalled_s
    if ending is None:
        return Answer(status=200, json=served.message(), delay_s=delay_s)
    if ending.error is None:
        return Answer(status=200, hangs_up=True, delay_s=delay_s)
    status = next((status for status, kind in ERROR_TYPES.items() if kind == ending.error), 500)
    return replace(_error(status, ending.message), delay_s=delay_s)


def _fault(fault: Fault) -> Answer:
    if fault.status is None:
        return Answer(status=0, hangs_up=True, delay_s=fault.delay_s)
    proper = error_body(fault.kind, fault.message, request_id="")
    json_body = None if fault.body else proper
    return Answer(
        status=fault.status, headers=fault.headers, json=json_body, other=fault.body, delay_s=fault.delay_s
    )


def _with_request_id(answer: Answer, request_id: str) -> Answer:
    body = answer.json
    if body is not None and body.get("type") == "error":
        body = body | {"request_id": request_id}
    headers = {"request-id": request_id, **answer.headers}
    return replace(answer, headers=headers, json=body)


def _model_info(facts: ModelFacts) -> Json:
    return {
        "type": "model",
        "id": facts.id,
        "display_name": facts.id.removeprefix("claude-").replace("-", " ").title(),
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "max_input_tokens": facts.window,
        "max_tokens": facts.max_output,
    }
