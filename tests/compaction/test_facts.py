"""The fact check: what the log holds must stand in summary or view; what the log never saw is marked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction.facts import UNKNOWN, Fact, check, judged, missing_lines, must_facts, open_todos
from compaction.history import History
from compaction.seen import Seen
from tests.support.histories import words
from tests.support.telling import bash, edit, history, read, write

RUN = bash("pytest -q", "FAILED tests/test_a.py::test_b - x", 1)


def words_of(told: History, *, since: int = 0, todos: str = "", prompts: tuple[str, ...] = ()) -> list[str]:
    facts = must_facts(told, since=since, todos=open_todos(todos), prompts=prompts)
    return [fact.words for fact in facts]


def test_what_must_be_told() -> None:
    """Changed files, the last run of each test command, open todos, commits and branch; reads need not be."""
    told = history(
        read("a.py"), edit("b.py", 1), write("c.py"), RUN, bash("ls"), bash("git commit", "[main 1a2b3c4] x")
    )

    assert words_of(told, todos="- [completed] one\n- [pending] two\nlines\n- [in_progress] three") == [
        "b.py",
        "c.py",
        "pytest -q: exit code 1",
        "tests/test_a.py::test_b",
        "two lines",
        "three",
        "1a2b3c4",
        "main",
    ]


def test_files_count_from_the_last_summary_on() -> None:
    """What was changed before it is the ledger's business."""
    assert words_of(history(edit("a.py", 1), edit("b.py", 1)), since=4) == ["b.py"]


def test_only_the_last_run_of_a_command_counts() -> None:
    """A green run after a red one leaves no failing test behind."""
    assert words_of(history(RUN, bash("pytest -q"))) == ["pytest -q: exit code 0"]


@pytest.mark.parametrize(
    ("prompt", "facts"),
    [
        ("wait 30 s, not 250ms; VAT is 19 %", ["30 s", "250ms", "19 %"]),
        ("at most 1,000 rows in 3 files for $5 and 4.50 €", ["1,000 rows", "3 files", "4.50 €", "$5"]),
        ("rename \"old name\" to `new_name`, don't touch 'x y'", ["old name", "new_name", "x y"]),
        ("„Größe“ and “size” and «taille»", ["Größe", "size", "taille"]),
        ("python 3 in chapter 12 of v1.2.3", []),
    ],
)
def test_numbers_with_a_unit_and_quoted_strings(prompt: str, facts: list[str]) -> None:
    """What a user measures or quotes is meant exactly; other numbers are not judged."""
    assert sorted(words_of(History(), prompts=(prompt,))) == sorted(facts)


def test_the_score_is_the_share_that_stands() -> None:
    """Found anywhere, white space aside; a path only as a whole, a run only on one line."""
    facts = [
        Fact(words="a.py", parts=("a.py",), is_path=True),
        Fact(words="pytest: exit code 1", parts=("pytest", "exit code 1")),
        Fact(words="two lines", parts=("two lines",)),
        Fact(words="30 s", parts=("30 s",)),
    ]

    found = check(facts, ["data.py lib/a.py a.pyc", "pytest ran\nexit code 1", "twolines", "30\n s"])
    assert (found.score, found.missing) == (0.25, ("a.py", "pytest: exit code 1", "two lines"))
    found = check(facts, ["see ./a.py.", "pytest\npytest: exit code 1", "two\n  lines", "30 s"])
    assert (found.score, found.missing) == (1.0, ())
    assert check([], []).score == 1.0


def test_a_receipt_keeps_the_first_of_long_lists() -> None:
    """Records do not grow without limit."""
    facts = [Fact(words=str(number), parts=(f"<{number}>",)) for number in range(150)]
    receipt = check(facts, []).receipt(["x"] * 200)

    assert receipt["score"] == 0
    assert (len(receipt["missing"]), len(receipt["unknown"])) == (100, 100)


def test_missing_facts_are_listed_within_their_room() -> None:
    """One a line; what does not fit is counted."""
    assert missing_lines(["a.py", "30 s"], 100).split("\n")[1:] == ["- a.py", "- 30 s"]
    assert missing_lines(["a.py", "b" * 100, "c"], 50).split("\n")[1:] == [
        "- a.py",
        "- (2 more: see the ledger and the archive)",
    ]
    assert missing_lines([], 100) == ""


def test_what_the_log_never_saw_is_marked() -> None:
    """Made-up paths and commits, wherever they stand; known ones and other words stay as they are."""
    seen = Seen(paths={"src/a.py"}, hashes={"1a2b3c4d"})
    summary = "Fixed src/a.py, ./src/made_up.py and src/made_up.py. Commits 1a2b3c4 and 9f8e7d6; and/or 12."

    marked, unknown = judged(summary, seen)
    assert unknown == ["src/made_up.py", "9f8e7d6"]
    assert marked == (
        f"Fixed src/a.py, ./src/made_up.py{UNKNOWN} and src/made_up.py{UNKNOWN}. "
        f"Commits 1a2b3c4 and 9f8e7d6{UNKNOWN}; and/or 12."
    )


@given(st.text(max_size=300), st.lists(words, max_size=5))
def test_marking_adds_and_takes_nothing(summary: str, known: list[str]) -> None:
    """Less its marks, a judged summary is the summary; a log that saw its words marks none."""
    marked, unknown = judged(summary, Seen())
    assert marked.replace(UNKNOWN, "") == summary.replace(UNKNOWN, "")
    assert bool(unknown) == (marked != summary)

    seen = Seen()
    seen.read(summary)
    assert judged(summary, seen) == (summary, [])


@given(st.lists(words, max_size=8), st.lists(words, max_size=8))
def test_the_score_is_between_nothing_and_all(wanted: list[str], texts: list[str]) -> None:
    """0 to 1, and 1 exactly when nothing is missing; a text of all the facts misses none."""
    facts = must_facts(History(), since=0, todos=wanted, prompts=())
    found = check(facts, texts)

    assert 0 <= found.score <= 1
    assert (found.score == 1) == (not found.missing)
    assert check(facts, wanted).missing == ()
