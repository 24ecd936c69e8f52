"""The server refuses what the API refuses, in its words, and nothing else."""

from collections.abc import Iterator

import pytest

from agent.offline import MessagesServer, ModelFacts, Script, always, says
from agent.offline.rules.content import MAX_MESSAGES
from tests.agent.offline.asking import Json, ask, body, user
from tests.agent.offline.rows import Row
from tests.agent.offline.rows_content import CONTENT
from tests.agent.offline.rows_images import IMAGES
from tests.agent.offline.rows_marks import MARKS
from tests.agent.offline.rows_pairs import PAIRS
from tests.agent.offline.rows_settings import SETTINGS
from tests.agent.offline.rows_shape import SHAPE

ROWS = [*PAIRS, *CONTENT, *MARKS, *IMAGES, *SHAPE, *SETTINGS]
OLD = ModelFacts(id="claude-old", window=1000, max_output=5000, counts_output_in_window=True)


@pytest.fixture(scope="module")
def server() -> Iterator[MessagesServer]:
    with MessagesServer(
        Script(always(says("ok"))), windows={"claude-haiku-5-5": 1000}, models=[OLD]
    ) as server:
        yield server


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_each_broken_request_is_refused_in_the_apis_words(server: MessagesServer, row: Row) -> None:
    """The smallest request that breaks a rule gets a 400 with the API's text."""
    got = ask(server, row.body, headers=row.headers)
    assert (got.status, got.error) == (400, row.says)
    assert got.json["error"]["type"] == "invalid_request_error"
    assert (400, row.says) in server.refusals


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_each_near_miss_passes(server: MessagesServer, row: Row) -> None:
    """A request that only looks like a broken one is answered."""
    got = ask(server, row.near, headers=row.headers)
    assert (got.status, got.raw if got.status != 200 else b"") == (200, b"")


def test_no_rule_has_two_rows() -> None:
    """Names of rows are unique, so that a failing test names its row."""
    names = [row.name for row in ROWS]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (rb'{"a": "\ud83d"}', "no low surrogate in string: line 1 column 8 (char 7)"),
        (rb'{"a": "\\\ud83d\ude"}', "no low surrogate in string: line 1 column 10 (char 9)"),
        (rb'{"a": "\ude00"}', "no low surrogate in string: line 1 column 8 (char 7)"),
        (rb'{"a": "\ude00\ud83d"}', "no low surrogate in string: line 1 column 8 (char 7)"),
        (
            b'{"a": "\xed\xa0\xbd"}',
            "str is not valid UTF-8: surrogates not allowed: line 1 column 1 (char 7)",
        ),
        (b'{"a": NaN}', "NaN"),
        (b"{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
    ],
)
def test_a_body_that_is_no_json_is_refused(server: MessagesServer, raw: bytes, says: str) -> None:
    """Half a surrogate pair, as an escape or as bytes, is no JSON."""
    got = ask(server, raw)
    assert (got.status, got.error) == (400, f"The request body is not valid JSON: {says}")


def test_a_body_that_is_no_object_is_refused(server: MessagesServer) -> None:
    """A list is JSON, but no request."""
    assert ask(server, []).error == "Input should be a valid dictionary or object to extract fields from"


def test_whole_pairs_and_escaped_backslashes_pass(server: MessagesServer) -> None:
    """An emoji as two escapes is one character; a backslash before `ud83d` is text."""
    raw = rb'{"model":"claude-opus-5","max_tokens":9,"messages":[{"role":"user","content":"\ud83d\ude00 \\ud83d"}]}'
    assert ask(server, raw).status == 200
    assert server.requests[-1].body["messages"][0]["content"] == "😀 \\ud83d"


def test_an_unknown_model_is_not_found(server: MessagesServer) -> None:
    """404 names the model."""
    got = ask(server, body(model="claude-x"))
    assert (got.status, got.error) == (404, "model: claude-x")
    assert got.json["error"]["type"] == "not_found_error"


def test_a_prompt_over_the_window_is_too_long(server: MessagesServer) -> None:
    """The text gives both numbers, and the count is that of count_tokens."""
    long = body(user("word " * 2000), model="claude-haiku-5-5")
    count = {name: long[name] for name in ("model", "messages")}
    got = ask(server, long)
    assert got.error == ask(server, count, path="/v1/messages/count_tokens").error
    assert got.error.startswith("prompt is too long: ")
    assert got.error.endswith(" tokens > 1000 maximum")


def test_an_old_model_counts_the_output_as_well(server: MessagesServer) -> None:
    """Input and limit together must fit the window of a model before 4.5, of a newer one they need not."""
    asked: Json = body(model="claude-old", max_tokens=999)
    assert ask(server, asked).error == (
        f"input length and `max_tokens` exceed context limit: {server_count(server)} + 999 > 1000, "
        "decrease input length or `max_tokens` and try again"
    )
    assert ask(server, {**asked, "max_tokens": 900}).status == 200
    assert ask(server, {**asked, "model": "claude-haiku-5-5"}).status == 200


def server_count(server: MessagesServer) -> int:
    """What `hi` costs."""
    got = ask(server, {"model": "claude-old", "messages": [user("hi")]}, path="/v1/messages/count_tokens")
    return int(got.json["input_tokens"])


def test_more_messages_than_the_api_takes(server: MessagesServer) -> None:
    """One message over the limit is refused."""
    got = ask(server, body(*[{"role": "user", "content": "a"}] * (MAX_MESSAGES + 1)))
    assert got.error == "messages: List should have at most 100000 items after validation, not 100001"


def test_neighbours_of_one_role_are_merged(server: MessagesServer) -> None:
    """Results may be spread over several user messages, and paths count the messages as they were sent."""
    split = body(user("hi"), user("there"), user(" "))
    assert ask(server, body(user("hi"), user("there"))).status == 200
    assert ask(server, split).status == 400


def test_a_refused_request_uses_up_no_reply() -> None:
    """The reply is still there for the next request."""
    with MessagesServer(Script(says("first"))) as server:
        assert ask(server, body(colour="red")).status == 400
        assert ask(server, body()).json["content"] == [{"type": "text", "text": "first"}]
        assert [request.status for request in server.requests] == [400, 200]
        assert not server.exhausted
