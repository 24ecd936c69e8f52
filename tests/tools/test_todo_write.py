"""The todo list: what is taken as meant, what is refused, what is kept."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.tools import Bench, make_bench, text_of
from tools.todo_write import TODO_WRITE

GOOD = [
    {"content": "find it", "status": "completed", "activeForm": "Finding it"},
    {"content": "mend it", "status": "in_progress"},
]
KEPT = [
    {"content": "find it", "status": "completed", "activeForm": "Finding it"},
    {"content": "mend it", "status": "in_progress", "activeForm": "mend it"},
]
ITEM = {"content": "a", "status": "pending"}


@pytest.fixture
async def bench(tmp_path: Path) -> Bench:
    bench = make_bench(tmp_path)
    await bench.call(TODO_WRITE, todos=GOOD)
    return bench


async def test_a_list_is_kept_and_counted(bench: Bench) -> None:
    """The answer is short; the items are facts."""
    result = await bench.call(TODO_WRITE, todos=[*GOOD, ITEM])

    assert text_of(result) == "Todo list kept: 1 of 3 done, 1 in progress, 1 pending."
    assert bench.facts.todos == [*KEPT, {**ITEM, "activeForm": "a"}]


async def test_what_has_changed_is_a_fact(bench: Bench) -> None:
    """Of each item, against the list before; items that say the same are told apart by their number."""
    twice = [ITEM, {**ITEM, "status": "completed"}]
    first = await bench.call(
        TODO_WRITE, todos=[{**GOOD[0], "status": "pending"}, {**GOOD[1], "status": "completed"}, *twice]
    )
    assert (first.facts["news"], first.facts["gone"]) == (["again", "done", "new", "new"], [])
    second = await bench.call(TODO_WRITE, todos=[{**ITEM, "status": "in_progress"}])
    assert (second.facts["news"], second.facts["gone"]) == (["begun"], ["find it", "mend it", "a"])
    cleared = await bench.call(TODO_WRITE, todos=[])
    assert (cleared.facts["news"], cleared.facts["gone"]) == ([], ["a"])


@pytest.mark.parametrize(
    "todos",
    [
        pytest.param(json.dumps([ITEM]), id="a"),
        pytest.param(ITEM, id="b"),
        pytest.param("[{'content':'a','status':'pending'}]", id="c"),
        pytest.param(json.dumps(ITEM), id="a-b"),
        pytest.param([{**ITEM, "id": "1", "priority": "high"}], id="other fields"),
        pytest.param([{**ITEM, "content": "  a\n"}], id="blanks around"),
    ],
)
async def test_f24_what_is_meant_is_taken(bench: Bench, todos: Any) -> None:
    """A list as text, in Python notation or a lone item."""
    result = await bench.call(TODO_WRITE, todos=todos)

    assert not result.is_error
    assert bench.facts.todos == [{**ITEM, "activeForm": "a"}]


async def test_f24_d_an_empty_list_clears(bench: Bench) -> None:
    """And says so."""
    result = await bench.call(TODO_WRITE, todos=[])

    assert text_of(result) == "The todo list is now empty."
    assert bench.facts.todos == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param({}, "todos", id="e"),
        pytest.param({"todos": [{**ITEM, "status": "in_progress"}] * 2}, "todos[0], todos[1] are", id="f"),
        pytest.param({"todos": [ITEM, {**ITEM, "status": "done"}]}, "todos[1].status", id="g"),
        pytest.param({"todos": [ITEM, {**ITEM, "content": " "}]}, "todos[1].content", id="h"),
        pytest.param({"todos": [ITEM, "plain text"]}, "todos[1]", id="i"),
        pytest.param({"todos": [ITEM] * 500}, "50", id="j"),
        pytest.param({"todos": "plain text"}, "todos", id="a-text"),
        pytest.param({"todos": "[" * 90_000}, "todos", id="a-deep"),
        pytest.param({"todos": "x" * 100_001}, "todos", id="a-long"),
        pytest.param({"todos": 5}, "todos", id="number"),
        pytest.param({"todos": [{"status": "pending"}]}, "todos[0].content", id="no content"),
        pytest.param({"todos": [ITEM], "more": 1}, "more", id="unknown field"),
    ],
)
async def test_f24_a_refused_call_leaves_the_old_list(bench: Bench, arguments: Any, words: str) -> None:
    """The refusal names the bad item by its index."""
    result = await bench.call(TODO_WRITE, **arguments)

    assert result.is_error
    assert words in text_of(result)
    assert bench.facts.todos == KEPT
