"""Refusals of calls and results that do not pair up."""

from collections.abc import Sequence

from tests.agent.offline.asking import assistant, body, call, result, user
from tests.agent.offline.rows import (
    FOUND,
    ROUND,
    SEARCH,
    TWO_CALLS,
    Row,
    missing,
    unexpected,
)

PAIRS: Sequence[Row] = (
    Row(
        name="call without result",
        says=missing("messages.1", "a"),
        body=body(user("hi"), assistant(call("a")), user("go on")),
        near=body(*ROUND),
    ),
    Row(
        name="two calls without results",
        says=missing("messages.1", "a", "b"),
        body=body(user("hi"), assistant(call("a"), call("b")), user("go on")),
        near=body(*TWO_CALLS),
    ),
    Row(
        name="one of two results is missing",
        says=missing("messages.1", "b"),
        body=body(user("hi"), assistant(call("a"), call("b")), user(result("a"))),
        near=body(user("hi"), assistant(call("a"), call("b")), user(result("b"), result("a"))),
    ),
    Row(
        name="result one message too late",
        says=missing("messages.1", "a"),
        body=body(user("hi"), assistant(call("a")), user("wait"), assistant("yes"), user(result("a"))),
        near=body(*ROUND, assistant("yes"), user("wait")),
    ),
    Row(
        name="result after text",
        says=missing("messages.1", "a"),
        body=body(user("hi"), assistant(call("a")), user("here", result("a"))),
        near=body(user("hi"), assistant(call("a")), user(result("a"), "here")),
    ),
    Row(
        name="second result after text",
        says=missing("messages.1", "b"),
        body=body(user("hi"), assistant(call("a"), call("b")), user(result("a"), "here", result("b"))),
        near=body(user("hi"), assistant(call("a"), call("b")), user(result("a")), user(result("b"), "here")),
    ),
    Row(
        name="result without call",
        says=unexpected("messages.0.content.0", "a"),
        body=body(user(result("a"))),
        near=body(user("a")),
    ),
    Row(
        name="result of an older call",
        says=unexpected("messages.4.content.0", "a"),
        body=body(*ROUND, assistant("done"), user(result("a"))),
        near=body(*ROUND, assistant("done"), user("a")),
    ),
    Row(
        name="two results for one call",
        says="messages.2.content.1: each tool_use must have a single result. "
        "Found multiple `tool_result` blocks with id: a",
        body=body(user("hi"), assistant(call("a")), user(result("a"), result("a"))),
        near=body(*TWO_CALLS),
    ),
    Row(
        name="two calls with one id",
        says="messages.1.content.1: `tool_use` ids must be unique",
        body=body(user("hi"), assistant(call("a"), call("a")), user(result("a"))),
        near=body(*TWO_CALLS),
    ),
    Row(
        name="the same id in a later round",
        says="messages.3.content.0: `tool_use` ids must be unique",
        body=body(*ROUND, assistant(call("a")), user(result("a"))),
        near=body(*ROUND, assistant(call("b")), user(result("b"))),
    ),
    Row(
        name="result in an assistant message",
        says="messages.1: `tool_result` blocks can only be in `user` messages",
        body=body(user("hi"), assistant(result("a")), user("go on")),
        near=body(*ROUND),
    ),
    Row(
        name="call in a user message",
        says="messages.0: `tool_use` blocks can only be in `assistant` messages",
        body=body(user(call("a"))),
        near=body(*ROUND),
    ),
    Row(
        name="server tool still pending",
        says="`web_search` tool use with id `srvtoolu_1` was found without a corresponding "
        "`web_search_tool_result` block",
        body=body(user("hi"), assistant(SEARCH, call("a")), user(result("a"), "more")),
        near=body(user("hi"), assistant(SEARCH, FOUND, call("a")), user(result("a"), "more")),
    ),
    Row(
        name="server tool still pending, results only is right",
        says="`web_search` tool use with id `srvtoolu_1` was found without a corresponding "
        "`web_search_tool_result` block",
        body=body(user("hi"), assistant(SEARCH), user("more")),
        near=body(user("hi"), assistant(SEARCH, call("a")), user(result("a"))),
    ),
)
