"""Refusals of empty texts and messages, and of blocks in the wrong place."""

from collections.abc import Sequence

from tests.agent.offline.asking import assistant, body, result, text, user
from tests.agent.offline.rows import (
    FORTY_FIVE,
    FOUND,
    NOT_PERMITTED,
    ROUND,
    SEARCH,
    Row,
)

CONTENT: Sequence[Row] = (
    Row(
        name="no message",
        says="messages: at least one message is required",
        body={**body(), "messages": []},
        near=body(),
    ),
    Row(
        name="assistant first",
        says='messages: first message must use the "user" role',
        body=body(assistant("hi"), user("hi")),
        near=body(user("hi"), user("hi")),
    ),
    Row(
        name="empty text",
        says="messages: text content blocks must be non-empty",
        body=body(user("hi", "")),
        near=body(user("hi", ".")),
    ),
    Row(
        name="blank text",
        says="messages: text content blocks must contain non-whitespace text",
        body=body(user("hi", " \n")),
        near=body(user(" \nhi ")),
    ),
    Row(
        name="blank string",
        says="messages: text content blocks must contain non-whitespace text",
        body=body({"role": "user", "content": " "}),
        near=body({"role": "user", "content": " hi"}),
    ),
    Row(
        name="empty system text",
        says="system: text content blocks must be non-empty",
        body=body(system=[text("")]),
        near=body(system=[text("be kind")]),
    ),
    Row(
        name="blank system text",
        says="system: text content blocks must contain non-whitespace text",
        body=body(system=" "),
        near=body(system="be kind"),
    ),
    Row(
        name="empty text in a result",
        says="messages: text content blocks must be non-empty",
        body=body(*ROUND[:2], user(result("a", [text("")]))),
        near=body(*ROUND[:2], user(result("a", ""))),
    ),
    Row(
        name="empty message",
        says="messages.1: all messages must have non-empty content except for the optional final assistant message",
        body=body(user("hi"), assistant(), user("go on")),
        near=body(user("hi"), assistant(), model=FORTY_FIVE),
    ),
    Row(
        name="empty string",
        says="messages.0: all messages must have non-empty content except for the optional final assistant message",
        body=body({"role": "user", "content": ""}),
        near=body(user("hi"), {"role": "assistant", "content": ""}, model=FORTY_FIVE),
    ),
    Row(
        name="prefill ends in a blank",
        says="messages: final assistant content cannot end with trailing whitespace",
        body=body(user("hi"), assistant("I "), model=FORTY_FIVE),
        near=body(user("hi"), assistant("I"), model=FORTY_FIVE),
    ),
    Row(
        name="prefill",
        says="This model does not support assistant message prefill. The conversation must end with a user message.",
        body=body(user("hi"), assistant("I")),
        near=body(user("hi"), assistant("I"), user("?")),
    ),
    Row(
        name="document in an assistant message",
        says="messages.1: `document` blocks can only be in `user` messages",
        body=body(user("hi"), assistant({"type": "document", "source": {"type": "text"}}), user("?")),
        near=body(user({"type": "document", "source": {"type": "text"}})),
    ),
    Row(
        name="citations in a user message",
        says=f"messages.0.content.0.text.citations: {NOT_PERMITTED}",
        body=body(user(text("hi", citations=[{"type": "x"}]))),
        near=body(
            user(text("hi", citations=[])), assistant(text("so", citations=[{"type": "x"}])), user("?")
        ),
    ),
    Row(
        name="image in an assistant message",
        says="messages.1: `image` blocks can only be in `user` messages",
        body=body(user("hi"), assistant({"type": "image", "source": {"type": "url", "url": "u"}}), user("?")),
        near=body(user({"type": "image", "source": {"type": "url", "url": "u"}})),
    ),
    Row(
        name="system message on a model without",
        says="messages.1: role 'system' is not supported on this model",
        body=body(user("hi"), {"role": "system", "content": "be kind"}, model="claude-sonnet-5"),
        near=body(user("hi"), {"role": "system", "content": "be kind"}),
    ),
    Row(
        name="system message behind an assistant message",
        says="messages.2: a `system` message must directly follow a `user` message",
        body=body(user("hi"), assistant("so"), {"role": "system", "content": "be kind"}),
        near=body(user("hi"), assistant(SEARCH, FOUND), {"role": "system", "content": "be kind"}),
    ),
    Row(
        name="system message before a user message",
        says="messages.1: a `system` message must be last or followed by an `assistant` message",
        body=body(user("hi"), {"role": "system", "content": "be kind"}, user("?")),
        near=body(user("hi"), {"role": "system", "content": "be kind"}, assistant("so"), user("?")),
    ),
    Row(
        name="system message between call and result",
        says="messages.2: a `system` message must directly follow a `user` message",
        body=body(*ROUND[:2], {"role": "system", "content": "x"}, user(result("a")), model="claude-opus-5"),
        near=body(*ROUND, {"role": "system", "content": "x"}),
    ),
    Row(
        name="call in a system message",
        says="messages.1: `system` messages can only hold `text` blocks",
        body=body(user("hi"), {"role": "system", "content": [{"type": "document", "source": {}}]}),
        near=body(user("hi"), {"role": "system", "content": [text("x")]}),
    ),
)
