"""The bytes of a request grow at their end iff the cache could read the request before."""

from typing import Any

import pytest

from agent.offline import prefix_bytes
from tests.agent.offline.asking import Json, assistant, body, call, result, text, tool, user

MARK: Json = {"type": "ephemeral"}


def asked(*more: Json, **fields: Any) -> Json:
    return body(user("hi"), *more, **{"tools": [tool()], "system": "be kind", **fields})


ROUND = (assistant(call("a")), user(result("a")))


@pytest.mark.parametrize(
    "later",
    [
        asked(),
        asked(*ROUND),
        asked(user("more")),
        asked(*ROUND, assistant("ok"), max_tokens=7, stream=True),
        asked(*ROUND, system=[text("be kind", cache_control=MARK)]),
        asked(*ROUND, tools=[tool(cache_control=MARK)], cache_control=MARK),
        {**asked(), "messages": [{"role": "user", "content": "hi"}, *ROUND]},
    ],
)
def test_what_only_appends_extends_the_bytes(later: Json) -> None:
    """Marks, limits and the form of a text make no difference."""
    assert prefix_bytes(later).startswith(prefix_bytes(asked()))


@pytest.mark.parametrize(
    "later",
    [
        asked(*ROUND, model="claude-opus-5-5"),
        asked(*ROUND, system="be brief"),
        asked(*ROUND, tools=[tool(), tool("write")]),
        asked(*ROUND, thinking={"type": "adaptive"}),
        asked(*ROUND, output_config={"effort": "low"}),
        body(user("hello"), *ROUND, tools=[tool()], system="be kind"),
        body(assistant("hi"), *ROUND, tools=[tool()], system="be kind"),
    ],
)
def test_what_changes_the_prefix_does_not(later: Json) -> None:
    """Model, tools, system, settings, text and role."""
    assert not prefix_bytes(later).startswith(prefix_bytes(asked()))


def test_the_order_of_keys_counts_where_the_model_sees_it() -> None:
    """In a tool's input, but not in a block's own fields."""
    one, other = call("a", x=1, y=2), call("a", y=2, x=1)
    assert prefix_bytes(asked(assistant(one))) != prefix_bytes(asked(assistant(other)))
    turned = dict(reversed(one.items()))
    assert prefix_bytes(asked(assistant(one))) == prefix_bytes(asked(assistant(turned)))


def test_marks_inside_results_are_left_out_too() -> None:
    """And a result's string is its text block."""
    marked = result("a", [text("ok", cache_control=MARK)])
    assert prefix_bytes(asked(ROUND[0], user(marked))) == prefix_bytes(asked(*ROUND))
