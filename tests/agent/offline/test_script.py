"""A scenario reads like the transcript it produces, and every request finds its reply."""

import threading
from typing import Any

from agent.offline import (
    MessagesServer,
    Reply,
    Request,
    Script,
    UsageEvents,
    always,
    calls,
    error,
    first_text_has,
    last_text_starts,
    says,
    stalls,
    system_has,
    thinks,
    when,
)
from agent.offline.reply import Call, Ending, Text
from tests.agent.offline.asking import Json, ask, assistant, body, call, result, text, tool, user


def said(server: MessagesServer, *messages: Json, **fields: Any) -> str:
    """The text of the next reply."""
    got = ask(server, body(*messages, **fields))
    return str(got.json["content"][0]["text"])


def test_replies_come_in_order_and_then_no_more() -> None:
    """After the last one the server says so, asks not to retry, and remembers it."""
    with MessagesServer(Script(says("one"), says("two"))) as server:
        assert [said(server), said(server)] == ["one", "two"]
        assert not server.exhausted
        got = ask(server, body())
        assert (got.status, got.error) == (500, "the script has no more replies")
        assert got.headers["x-should-retry"] == "false"
        assert server.exhausted
        assert server.refusals == []


def test_a_reply_can_depend_on_the_request() -> None:
    """A function sees body, headers and what they say."""
    seen = []

    def answer(request: Request) -> Reply:
        seen.append(request)
        return says(f"{request.last_text}|{request.first_text}|{request.system_text}|{request.tool_names}")

    asked = [user("hi", "there"), assistant(call("a")), user(result("a", [text("out")]), "go on")]
    with MessagesServer(Script(answer)) as server:
        assert said(server, *asked, system="be kind", tools=[tool()]) == "go on|hi\nthere|be kind|['read']"
    assert seen[0].results == {"a": "out"}
    assert "x-api-key" in seen[0].headers
    assert Request(body=body(user(result("a"))), headers={}).last_text == ""
    assert Request(body=body(), headers={}).system_text == ""


def test_routes_have_replies_of_their_own() -> None:
    """A summary or a subagent is known by its words, whatever comes in between."""
    script = Script(
        says("one"),
        says("two"),
        routes=[
            when(last_text_starts("Write a summary"), says("summary")),
            when(first_text_has("You are a subagent"), always(says("sub"))),
            when(system_has("reviewer"), says("review")),
        ],
    )
    with MessagesServer(script) as server:
        assert script.left == 4
        assert said(server, user("Write a summary of this")) == "summary"
        assert said(server) == "one"
        assert [said(server, user("You are a subagent")) for _ in range(3)] == ["sub"] * 3
        assert said(server, system="a reviewer") == "review"
        assert said(server) == "two"
        assert script.left == 0
        assert ask(server, body(user("Write a summary again"))).status == 500


def test_always_answers_for_ever() -> None:
    """Also with a fault, and also behind other replies."""
    with MessagesServer(Script(says("one"), always(error(529)))) as server:
        assert [ask(server, body()).status for _ in range(4)] == [200, 529, 529, 529]
        assert not server.exhausted


def test_replies_add_up() -> None:
    """`a + b` says a, then b; what b sets holds for both, what it leaves open stays as a has it."""
    both = says("x", stop_reason="max_tokens", delay_s=1.0) + calls("read", call_id="call_0", a=1).having(
        pace_s=2.0
    )
    assert both.parts == (Text(text="x"), Call(name="read", json='{"a":1}', id="call_0"))
    assert (both.stop_reason, both.delay_s, both.pace_s) == ("max_tokens", 1.0, 2.0)
    ended = thinks("hm") + says("x", usage=UsageEvents(start=None)).then_error()
    assert ended.usage == UsageEvents(start=None)
    assert ended.ending == Ending(error="overloaded_error", message="Overloaded")
    assert len((stalls(1) + says("x")).parts) == 2


def test_a_call_can_have_any_id_and_any_argument() -> None:
    """Other servers give the same id each time, and an argument may be called `id` or `name`."""
    reply = calls("x", call_id="call_0", id="1", name="2", input=3)
    with MessagesServer(Script(reply, reply)) as server:
        blocks = [ask(server, body()).json["content"][0] for _ in range(2)]
    assert (
        blocks
        == [{"type": "tool_use", "id": "call_0", "name": "x", "input": {"id": "1", "name": "2", "input": 3}}]
        * 2
    )


def test_many_threads_share_a_script() -> None:
    """Each reply is given once, and every request is recorded with what it got."""
    replies = [says(str(number)) for number in range(20)]
    got: list[str] = []
    with MessagesServer(Script(*replies)) as server:
        clients = [threading.Thread(target=lambda: got.append(said(server))) for _ in replies]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        assert sorted(got) == sorted(str(number) for number in range(20))
        assert {id(request.reply) for request in server.requests} == {id(reply) for reply in replies}


def test_a_record_says_what_was_asked_and_served() -> None:
    """Body, path, time on the server's clock, status, reply, blocks and bill."""
    ticks = iter(range(100))
    reply = says("ok")
    with MessagesServer(Script(reply), clock=lambda: float(next(ticks))) as server:
        asked = body()
        ask(server, asked)
        record = server.queries[0]
    assert (record.body, record.path, record.at, record.status) == (asked, "/v1/messages", 0.0, 200)
    assert record.reply is reply
    assert record.content == ({"type": "text", "text": "ok"},)
    assert record.bill is not None
    assert record.bill.total == record.bill.uncached
