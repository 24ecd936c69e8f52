"""Refusals of cache marks."""

from collections.abc import Sequence

from tests.agent.offline.asking import assistant, body, result, text, tool, user
from tests.agent.offline.rows import (
    EPHEMERAL,
    HOUR,
    NOT_PERMITTED,
    ROUND,
    Row,
)

MARKS: Sequence[Row] = (
    Row(
        name="five marks",
        says="A maximum of 4 blocks with cache_control may be provided. Found 5.",
        body=body(user(*[text("hi", cache_control=EPHEMERAL) for _ in range(5)])),
        near=body(user(*[text("hi", cache_control=EPHEMERAL) for _ in range(4)])),
    ),
    Row(
        name="five marks with the automatic one",
        says="A maximum of 4 blocks with cache_control may be provided. Found 5.",
        body=body(user(*[text("hi", cache_control=EPHEMERAL) for _ in range(4)]), cache_control=EPHEMERAL),
        near=body(user(*[text("hi", cache_control=EPHEMERAL) for _ in range(3)]), cache_control=EPHEMERAL),
    ),
    Row(
        name="five marks, one inside a result",
        says="A maximum of 4 blocks with cache_control may be provided. Found 5.",
        body=body(
            *ROUND[:2],
            user(
                result("a", [text("x", cache_control=EPHEMERAL)]),
                *[text("hi", cache_control=EPHEMERAL) for _ in range(4)],
            ),
        ),
        near=body(*ROUND[:2], user(result("a", [text("x", cache_control=EPHEMERAL)]))),
    ),
    Row(
        name="mark on an empty text",
        says="messages.0.content.1.text: cache_control cannot be set for empty text blocks",
        body=body(user("hi", text("", cache_control=EPHEMERAL))),
        near=body(user("hi", text("x", cache_control=EPHEMERAL))),
    ),
    Row(
        name="mark on thinking",
        says=f"messages.1.content.0.thinking.cache_control: {NOT_PERMITTED}",
        body=body(
            user("hi"),
            assistant(
                {"type": "thinking", "thinking": "", "signature": "x", "cache_control": EPHEMERAL}, "so"
            ),
            user("?"),
        ),
        near=body(user("hi"), assistant(text("so", cache_control=EPHEMERAL)), user("?")),
    ),
    Row(
        name="an hour behind five minutes",
        says="system.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' "
        "cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
        body=body(tools=[tool(cache_control=EPHEMERAL)], system=[text("x", cache_control=HOUR)]),
        near=body(tools=[tool(cache_control=HOUR)], system=[text("x", cache_control=EPHEMERAL)]),
    ),
    Row(
        name="another lifetime",
        says="messages.0.content.0.text.cache_control.ttl: Input should be '5m' or '1h'",
        body=body(user(text("hi", cache_control={"type": "ephemeral", "ttl": "1d"}))),
        near=body(user(text("hi", cache_control=HOUR))),
    ),
    Row(
        name="automatic mark with another lifetime",
        says="cache_control: the last block already has a cache_control with a different ttl",
        body=body(user(text("hi", cache_control=EPHEMERAL)), cache_control=HOUR),
        near=body(user(text("hi", cache_control=HOUR)), cache_control=HOUR),
    ),
)
