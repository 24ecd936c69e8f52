"""The digest: nine sections without a model, within their room, from the log alone."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction.digest import (
    HEADINGS,
    MAX_TARGET_CHARS,
    NO_MODEL,
    NO_REQUEST,
    Standing,
    call_line,
    digest,
    target,
)
from compaction.history import History
from tests.support.histories import Said, histories, view_of, words
from tests.support.telling import bash, edit, session, step

MOST_FIXED_CHARS = 900
"""What a digest of no room at all still says."""


def sections(told: str) -> dict[str, list[str]]:
    """Heading -> lines under it."""
    found: dict[str, list[str]] = {}
    for line in told.split("\n"):
        number, _, heading = line.partition(". ")
        if number.isdigit() and heading in HEADINGS:
            found[heading] = []
        else:
            found[list(found)[-1]].append(line)
    return found


def test_what_can_be_said_without_a_model() -> None:
    """Request, files, errors, test runs, todos and the last words are read off the log."""
    view = session(
        step(1, edit("a.py", 3), bash("pytest -q", "FAILED t.py::a - x", 1), words="I fix it."),
        step(2, ("bash", {"command": "rm x"}, "Refused:\nask first"), words="Now the rest.", failed=True),
    )
    standing = Standing(active=["fix\nthe bug"], todos=["test it"])

    assert sections(digest(list(view), view.history, standing, 5_000)) == {
        "Request and intent": ["- fix the bug"],
        "Decisions and concepts": [NO_MODEL],
        "Files and code": ["- edited a.py 3 (step 2)"],
        "Errors and fixes": ["- bash: rm x: Refused: ask first"],
        "Problem solving": [
            "- ran pytest -q: exit code 1 (step 2); failing: t.py::a",
            "- edit: a.py",
            "- bash: pytest -q",
            "- bash: rm x (failed)",
        ],
        "The user's messages": ["(They stand above, word for word as far as there is room.)"],
        "Pending work": ["- test it"],
        "Current work": ["Now the rest."],
        "Next step": ["Go on with the user's current request."],
    }


def test_a_digest_of_nothing() -> None:
    """All nine headings stand, and nothing is made up."""
    told = sections(digest([], History(), Standing(), 5_000))

    assert list(told) == list(HEADINGS)
    assert told["Next step"] == [NO_REQUEST]
    assert told["Problem solving"] == ["- no tool was called"]
    assert told["Files and code"] == ["-"]


def test_the_summary_before_is_handed_on() -> None:
    """Without a model, what the last summary said is not dropped."""
    assert "VAT is 19 %" in digest([], History(), Standing(earlier="VAT is 19 %"), 5_000)


def test_calls_of_one_kind_are_counted() -> None:
    """One line a call and outcome, repeated ones counted, in the order of their last time, the newest kept."""
    blocks: list[Any] = []
    for number, failed in enumerate([False, True, False]):
        blocks.append({"type": "tool_use", "id": f"c{number}", "name": "bash", "input": {"command": "make"}})
        answer = {"type": "tool_result", "tool_use_id": f"c{number}", "content": "x", "is_error": failed}
        blocks.append(answer)
    view = view_of([Said(role="user", blocks=blocks)])
    told = digest(list(view), view.history, Standing(), 5_000)

    assert sections(told)["Problem solving"] == ["- bash: make (failed)", "- bash: make (2 times)"]
    short = digest(list(view), view.history, Standing(), 0)
    assert "(2 older ones: see the archive)" in short


@given(histories(max_rounds=8), st.lists(words, max_size=4), st.integers(0, 4_000))
def test_a_digest_keeps_its_size(said: list[Said], active: list[str], most: int) -> None:
    """Whatever happened: within its room but for the headings and notes, and the same each time."""
    view = view_of(said)
    standing = Standing(active=active, todos=active, earlier="e" * 3_000)
    told = digest(list(view), view.history, standing, most)

    assert len(told) <= max(most, 0) + MOST_FIXED_CHARS
    assert told == digest(list(view), view.history, standing, most)


@given(st.dictionaries(words, words))
def test_a_call_line_is_one_short_line(given: dict[str, str]) -> None:
    """Whatever the input, the line stays a line and short."""
    line = call_line({"type": "tool_use", "id": "a", "name": "bash", "input": dict(given)})

    assert "\n" not in line
    assert len(line) <= MAX_TARGET_CHARS + len("bash: ")


@pytest.mark.parametrize(
    ("todos", "told"),
    [
        (
            [
                {"content": "find it", "status": "completed"},
                {"content": "mend\nit", "status": "in_progress"},
                {"content": "test it", "status": "pending"},
            ],
            "1 of 3 done, at work: mend it",
        ),
        ([{"content": "find it", "status": "completed"}], "1 of 1 done"),
        ([], "cleared"),
        ([{"title": "find it"}], "0 of 1 done"),
        (["find it"], '{"todos": ["find it"]}'),
        ("[]", '{"todos": "[]"}'),
    ],
)
def test_a_todo_list_is_told_in_words(todos: Any, told: str) -> None:
    """How far it is and what is at work; what is no list stands as it was sent."""
    assert target({"todos": todos}) == told
