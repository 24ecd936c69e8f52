"""The program's own hook that reminds of open todos: when it speaks, and what it says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.engine import HookEngine
from hooks.events import BeforeSend, Outcome, Verdict
from hooks.todo_reminder import MAX_ITEM_CHARS, MOST_ITEMS

OPEN = [
    {"content": "find it", "status": "completed"},
    {"content": "mend it", "status": "in_progress"},
    {"content": "test\n  it", "status": "pending"},
]
DONE = [{"content": "find it", "status": "completed"}]
STATUSES = ("pending", "in_progress", "completed")


async def said(todos: list[dict[str, str]], *, steps: int, reminders: int = 0) -> list[str]:
    engine = HookEngine(lambda _: Verdict(decision="allow"))
    outcome = await engine.before_send(BeforeSend(todos=todos, steps=steps, reminders=reminders))
    assert outcome == Outcome(contexts=outcome.contexts)
    return [line for words in outcome.contexts for line in words.splitlines()]


@pytest.mark.parametrize(
    ("steps", "reminders", "speaks"),
    [
        (0, 0, False),
        (2, 0, False),
        (3, 0, True),
        (40, 0, True),
        (3, 1, False),
        (9, 1, False),
        (10, 1, True),
        (10, 2, False),
        (1_000, 2, False),
    ],
)
async def test_when_it_speaks(steps: int, reminders: int, *, speaks: bool) -> None:
    """Three steps after the list was told, then ten more, then never; only while items stand open."""
    assert bool(await said(OPEN, steps=steps, reminders=reminders)) == speaks
    assert await said(DONE, steps=steps, reminders=reminders) == []
    assert await said([], steps=steps, reminders=reminders) == []


async def test_what_it_says() -> None:
    """Who speaks, how far the list is, what to do about it, and the open items, a line each."""
    first, *items = await said(OPEN, steps=3)
    assert "by the program, not the user" in first
    assert "1 of its 3 items are done" in first
    assert "`todo_write`" in first
    assert items == ["- [in_progress] mend it", "- [pending] test it"]


@given(
    st.lists(
        st.fixed_dictionaries(
            {"content": st.text(min_size=1, max_size=1_000), "status": st.sampled_from(STATUSES)}
        ),
        max_size=50,
    )
)
async def test_it_stays_short(todos: list[dict[str, str]]) -> None:
    """Whatever the list: ten open items, cut, and how many more there are."""
    lines = await said(todos, steps=3)
    still_open = sum(todo["status"] != "completed" for todo in todos)
    assert len(lines) == (1 + min(still_open, MOST_ITEMS) + (still_open > MOST_ITEMS) if still_open else 0)
    assert all(len(line) <= MAX_ITEM_CHARS + len("- [in_progress] ") for line in lines[1:])
    if still_open > MOST_ITEMS:
        assert lines[-1] == f"- and {still_open - MOST_ITEMS} more"
