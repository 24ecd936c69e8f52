"""The todo list, and what has changed in it."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent.offline import calls, says
from agent.terminal.checklist import MOST_ROWS, checklist
from agent.terminal.render import to_ansi
from tests.support.rig import rig

SGR = re.compile("\x1b\\[[0-9;]*m")
STATUSES = ("pending", "in_progress", "completed")


def drawn(facts: dict[str, Any], width: int = 80, **how: int) -> list[str]:
    lines = [to_ansi(line, width) for line in checklist(facts, width, **how)]
    assert all(line.count("\n") == 1 for line in lines)
    return [SGR.sub("", line).removesuffix("\n") for line in lines]


def todos(**items: str) -> list[dict[str, str]]:
    return [{"content": content, "status": status} for content, status in items.items()]


async def test_what_has_changed_is_said_by_a_word(tmp_path: Path) -> None:
    """Done, begun, new, gone; nothing of what stands as it stood, nor of a first list, which is new as a whole."""
    first = todos(read="in_progress", write="pending", test="pending", ship="pending")
    then = todos(read="completed", write="in_progress", test="pending", tell="pending")
    steps = [calls("todo_write", todos=first), calls("todo_write", todos=then), says("Done.")]
    async with rig(tmp_path, *steps) as made:
        await made.says("go", "Done.")
        cards = made.text[made.text.index("● ") : made.text.index("Done.")]
    assert cards.split("\n")[:-2] == [
        "● todo_write    0 of 4 done",
        "    [>] read",
        "    [ ] write",
        "    [ ] test",
        "    [ ] ship",
        "● todo_write    1 of 4 done",
        "    [x] read  done",
        "    [>] write  begun",
        "    [ ] test",
        "    [ ] tell  new",
        "    [-] ship  gone",
    ]


def test_a_log_of_an_earlier_version_tells_the_list() -> None:
    """It does not know what had changed."""
    assert drawn({"todos": todos(one="completed", two="pending")}) == ["    [x] one", "    [ ] two"]


def test_of_a_long_list_what_changed_and_what_is_to_come_is_shown() -> None:
    """In its order; the rest is counted."""
    items = [{"content": f"item {number}", "status": "completed"} for number in range(20)]
    items += [{"content": f"item {number}", "status": "pending"} for number in range(20, 40)]
    news = [""] * 40
    news[7], news[39] = "done", "new"
    shown = drawn({"todos": items, "news": news})
    assert len(shown) == MOST_ROWS
    assert shown[0] == "    [x] item 7  done"
    assert shown[1:-2] == [f"    [ ] item {number}" for number in range(20, 29)]
    assert shown[-2:] == ["    [ ] item 39  new", "    … 29 more, 19 of them done"]
    assert len(drawn({"todos": items, "news": news}, most=1_000)) == 40


@given(
    st.lists(
        st.tuples(st.text(max_size=60), st.sampled_from(STATUSES), st.sampled_from(("", "done", "new"))),
        max_size=30,
    ),
    st.lists(st.text(max_size=60), max_size=20),
    st.integers(20, 250),
)
def test_it_has_its_bounds(items: list[tuple[str, str, str]], gone: list[str], width: int) -> None:
    """No line is wider than the screen, and the word for a change is never cut off."""
    listed = [{"content": content, "status": status} for content, status, _ in items]
    news = [word for _, _, word in items]
    shown = drawn({"todos": listed, "news": news, "gone": gone}, width)
    assert len(shown) == min(MOST_ROWS, len(items) + len(gone))
    assert all(cell_len(line) <= width for line in shown)
    if len(items) + len(gone) <= MOST_ROWS:
        assert all(line.endswith("  gone") for line in shown[len(items) :])


@pytest.mark.parametrize("width", [20, 40])
def test_a_long_item_is_cut(width: int) -> None:
    """With an ellipsis before the word."""
    facts = {"todos": [{"content": "word " * 30, "status": "completed"}], "news": ["done"]}
    (line,) = drawn(facts, width)
    assert line.startswith("    [x] word")
    assert line.endswith("…  done")
