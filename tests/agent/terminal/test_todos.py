"""The todo list away from its card: all of it, the item at work, what stands open."""

import re
from pathlib import Path
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent.offline import calls, says
from agent.session.replay import empty_state
from agent.terminal.farewell import farewell_lines, resumed_lines
from agent.terminal.render import as_lines, to_ansi
from agent.terminal.todos import NAMED_CHARS, TodoRow, open_words, todo_lines
from tests.support.rig import rig
from tools.base import Todo

SGR = re.compile("\x1b\\[[0-9;]*m")
ITEMS = (("find it", "completed"), ("mend it", "in_progress"), ("test it", "pending"))


def listed(*items: tuple[str, str], doing: str = "") -> list[Todo]:
    return [
        Todo(content=content, status=status, activeForm=doing or content)  # type: ignore[typeddict-item]  # any status
        for content, status in items
    ]


def drawn(todos: list[Todo], width: int) -> list[str]:
    return [SGR.sub("", line) for text in todo_lines(todos, width) for line in as_lines(to_ansi(text, width))]


def row(todos: list[Todo], width: int, *, is_open: bool = True) -> list[str]:
    state = empty_state(Path("/"), lambda _: 1, lambda _model, _usage: 0.0)
    state.todos, state.is_turn_open = todos, is_open
    return [SGR.sub("", line) for line in TodoRow(lambda: state).lines(width)]


def test_all_of_it() -> None:
    """How far it is, then every item with its box."""
    assert drawn(listed(*ITEMS), 80) == [
        "1 of 3 todos done",
        "[x] find it",
        "[>] mend it",
        "[ ] test it",
    ]
    assert drawn([], 80) == ["no todos: the model keeps a list for work of several steps"]


def test_a_long_item_stands_in_full() -> None:
    """Its further lines begin below its first word."""
    assert drawn(listed(("one two three four five six", "pending")), 20)[1:] == [
        "[ ] one two three",
        "    four five six",
    ]
    assert drawn(listed(("\n", "pending")), 20)[1:] == ["[ ]"]


@given(
    st.lists(
        st.tuples(st.text(min_size=1, max_size=90), st.sampled_from([status for _, status in ITEMS])),
        max_size=20,
    ),
    st.integers(16, 200),
)
def test_no_line_is_wider_than_the_screen(items: list[tuple[str, str]], width: int) -> None:
    """Whatever an item says, and nothing of it is obeyed by the terminal."""
    lines = drawn(listed(*items), width)
    assert all(cell_len(line) <= width for line in lines)
    assert all(category(character) != "Cc" for line in lines for character in line)


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (160, "[>] Mending the rounding of the VAT · 1 of 3 done"),
        (80, "[>] Mending the rounding of the VAT · 1 of 3 done"),
        (40, "[>] Mending the rounding … · 1 of 3 done"),
        (24, "[>] Mending the roundin…"),
    ],
)
def test_the_item_at_work_is_a_row(width: int, line: str) -> None:
    """In the words for what is being done, cut before how far the list is; too narrow for both, alone."""
    assert row(listed(*ITEMS, doing="Mending the rounding of the VAT"), width) == [line]
    assert len(line) <= width


def test_when_there_is_a_row() -> None:
    """While a turn runs and something is open: where nothing is at work, what comes next."""
    first, _, third = ITEMS
    assert row(listed(*ITEMS), 80, is_open=False) == []
    assert row(listed(first), 80) == []
    assert row([], 80) == []
    assert row(listed(first, third, doing="Testing"), 80) == ["[ ] test it · 1 of 2 done"]
    [line] = row(listed(("\x1b[2J\tboo\nboo", "in_progress")), 80)
    assert not any(category(character) == "Cc" for character in line)


def test_what_stands_open_in_a_line() -> None:
    """How far, and what is next: the item at work, else the first that is to come."""
    first, second, third = ITEMS
    assert open_words(listed(third, second)) == "0 of 2 todos done, next: mend it"
    assert open_words(listed(first, third)) == "1 of 2 todos done, next: test it"
    assert (open_words(listed(first)), open_words([])) == ("", "")
    assert (
        len(open_words(listed(("word\n" * 100, "pending")))) <= len("0 of 1 todos done, next: ") + NAMED_CHARS
    )


async def test_it_is_told_when_a_session_is_left_and_gone_on_with(tmp_path: Path) -> None:
    """In a line of its own, only while something is open; a new session begins without a list."""
    todos = listed(*ITEMS)
    told = "1 of 3 todos done, next: mend it"
    async with rig(tmp_path, calls("todo_write", todos=todos), says("Done.")) as made:
        await made.says("go", "Done.")
        state = made.desk.agent.session.state
        assert farewell_lines(state, "agent -r {}")[1:] == [told, f"resume: agent -r {state.session_id}"]
        assert resumed_lines(state, state.last_request_at)[1:] == [told]
        await made.says("/clear", "resume")
        await made.says("/todos", "no todos")
        at = len(made.above)
        made.repl.submit(f"/resume {state.session_id}")
        await made.until(lambda: told in made.text_from(at) and not made.repl.is_busy)
        await made.says("/todos", "[>] mend it")
