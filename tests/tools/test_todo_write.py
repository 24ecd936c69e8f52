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
        pytest.param(f"```json\n{json.dumps([ITEM], indent=2)}\n```", id="in a fence"),
        pytest.param({"todos": [ITEM]}, id="wrapped"),
        pytest.param({"item": ITEM}, id="wrapped item"),
        pytest.param({"todos": json.dumps([ITEM])}, id="wrapped text"),
        pytest.param(json.dumps({"todos": [ITEM]}), id="text of a wrapped one"),
        pytest.param([json.dumps(ITEM)], id="items as text"),
        pytest.param(["- [ ] a"], id="item of a checklist"),
        pytest.param("- [ ] a", id="checklist"),
        pytest.param([{**ITEM, "id": "1", "priority": "high"}], id="other fields"),
        pytest.param([{**ITEM, "content": "  a\n"}], id="blanks around"),
        pytest.param([{**ITEM, "activeForm": None}], id="null for what is left out"),
    ],
)
async def test_f24_what_is_meant_is_taken(bench: Bench, todos: Any) -> None:
    """A list as text, in Python notation, wrapped, or a lone item."""
    result = await bench.call(TODO_WRITE, todos=todos)

    assert not result.is_error
    assert bench.facts.todos == [{**ITEM, "activeForm": "a"}]


@pytest.mark.parametrize("name", ["items", "tasks", "list", "todo_list", "todoList"])
async def test_the_list_may_have_another_agents_name(bench: Bench, name: str) -> None:
    """Where it is all that was sent."""
    await bench.call(TODO_WRITE, **{name: [ITEM]})
    assert bench.facts.todos == [{**ITEM, "activeForm": "a"}]
    refused = await bench.call(TODO_WRITE, **{name: [], "todos": []})
    assert refused.is_error
    assert bench.facts.todos == [{**ITEM, "activeForm": "a"}]


@pytest.mark.parametrize(
    "given",
    [
        {"todo": "mend it", "status": "pending"},
        {"task": "mend it", "status": "pending"},
        {"subject": "mend it", "description": "the VAT is off by one", "status": "pending"},
        {"title": "mend it", "description": "the VAT is off by one", "state": "pending"},
        {"text": "mend it", "done": False},
        {"step": "mend it", "status": "pending", "active_form": ""},
        {"description": "mend it", "status": "pending", "id": 3},
        {"name": "mend it", "status": "pending"},
        {"content": "mend it", "title": "VAT", "status": "pending"},
        {"Content": "mend it", "Status": "PENDING"},
    ],
)
async def test_fields_of_other_agents_are_taken_by_ours(bench: Bench, given: dict[str, Any]) -> None:
    """The words of an item under their names: ours first, a heading before what tells more."""
    await bench.call(TODO_WRITE, todos=[given])
    assert bench.facts.todos == [{"content": "mend it", "status": "pending", "activeForm": "mend it"}]


@pytest.mark.parametrize("name", ["activeForm", "active_form", "activeform"])
async def test_what_is_being_done_has_several_spellings(bench: Bench, name: str) -> None:
    """It is kept as the published one."""
    await bench.call(TODO_WRITE, todos=[{**ITEM, name: "Mending it"}])
    assert bench.facts.todos == [{**ITEM, "activeForm": "Mending it"}]


@pytest.mark.parametrize(
    ("status", "spellings"),
    [
        ("pending", ("Pending", " todo ", "to-do", "open", "not started", "not_started", "planned")),
        (
            "in_progress",
            ("in-progress", "in progress", "IN_PROGRESS", "inProgress", "doing", "active", "started"),
        ),
        ("completed", ("complete", "COMPLETED", "done", "finished", "closed")),
    ],
)
async def test_f24_g_a_status_may_be_spelled_otherwise(
    bench: Bench, status: str, spellings: tuple[str, ...]
) -> None:
    """What can mean only one of the three is that one."""
    for spelling in spellings:
        await bench.call(TODO_WRITE, todos=[{"content": "a", "status": spelling}])
        assert [todo["status"] for todo in bench.facts.todos] == [status]


async def test_a_checklist_has_three_boxes(bench: Bench) -> None:
    """Open, at work, done, as the user is shown them; one line that is none of them makes it no checklist."""
    await bench.call(TODO_WRITE, todos="- [x] find it\n\n* [>] mend it\n2. [ ] test it\n[X] tell")
    assert [(todo["content"], todo["status"]) for todo in bench.facts.todos] == [
        ("find it", "completed"),
        ("mend it", "in_progress"),
        ("test it", "pending"),
        ("tell", "completed"),
    ]
    for odd in ("- [ ] a\nand so on", "- [-] a", "- a"):
        assert (await bench.call(TODO_WRITE, todos=odd)).is_error
    assert len(bench.facts.todos) == 4


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
        pytest.param({"todos": [ITEM, {**ITEM, "status": "blocked"}]}, "todos[1].status", id="g-blocked"),
        pytest.param({"todos": [ITEM, {**ITEM, "status": "failed"}]}, "todos[1].status", id="g-failed"),
        pytest.param({"todos": [{**ITEM, "status": "cancelled"}]}, "left out of the list", id="g-cancelled"),
        pytest.param({"todos": [ITEM, {**ITEM, "status": 1}]}, "todos[1].status", id="g-number"),
        pytest.param({"todos": [ITEM, {"content": "a"}]}, "`todos[1].status`: missing", id="no status"),
        pytest.param({"todos": {"content": "a"}}, "`todos[0].status`: missing", id="lone, no status"),
        pytest.param({"todos": [ITEM, {"content": "a", "done": "no"}]}, "todos[1].status", id="odd done"),
        pytest.param({"todos": [ITEM, {**ITEM, "content": " "}]}, "todos[1].content", id="h"),
        pytest.param(
            {"todos": [ITEM, "plain text"]}, '{"content": "Run the tests", "status": "pending"}', id="i"
        ),
        pytest.param({"todos": [ITEM, None]}, "`todos[1]`: got null", id="i-null"),
        pytest.param({"todos": [ITEM, [ITEM]]}, "`todos[1]`: got [", id="i-list"),
        pytest.param({"todos": None}, "`todos`: got null", id="e-null"),
        pytest.param({"todos": ""}, '`todos`: got ""', id="e-blank"),
        pytest.param({"todos": [ITEM] * 500}, "50", id="j"),
        pytest.param({"todos": "plain text"}, "todos", id="a-text"),
        pytest.param({"todos": "[" * 90_000}, "todos", id="a-deep"),
        pytest.param({"todos": "x" * 100_001}, "todos", id="a-long"),
        pytest.param({"todos": 5}, "todos", id="number"),
        pytest.param({"todos": [{"status": "pending"}]}, "todos[0].content", id="no content"),
        pytest.param({"todos": [ITEM], "more": 1}, "more", id="unknown field"),
        pytest.param({"todos": [{**ITEM, "status": "?"}] * 50}, "`todos[7].status`", id="many"),
        pytest.param({"todos": [{**ITEM, "status": "?"}] * 50}, "- and 42 more", id="the rest of many"),
    ],
)
async def test_f24_a_refused_call_leaves_the_old_list(bench: Bench, arguments: Any, words: str) -> None:
    """The refusal names the bad item by its index."""
    result = await bench.call(TODO_WRITE, **arguments)

    assert result.is_error
    assert words in text_of(result)
    assert len(text_of(result)) < 1_500
    assert bench.facts.todos == KEPT
