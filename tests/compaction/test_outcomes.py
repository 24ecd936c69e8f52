"""Outputs of commands and tools: what is read off them, in the forms of the common programs."""

import pytest

from compaction.outcomes import changed_lines, outcome_of, stretches, subagent_log, written_lines


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ("ok\n[exit code 0]", 0),
        ("[exit code 3]\nno\n[exit code 1]", 1),
        ("[now in `src`]\n[exit code 137, as when killed by SIGKILL]", 137),
        ("said [exit code 7] in passing", None),
        ("Refused by the user.", None),
    ],
)
def test_the_exit_code_is_the_tools_own(output: str, code: int | None) -> None:
    """The last line of the form that the bash tool prints counts, not one that a program printed before."""
    assert outcome_of("make", output).exit_code == code


@pytest.mark.parametrize(
    ("command", "output", "failing"),
    [
        (
            "cd x && pytest -q",
            "FAILED tests/a.py::test_b[one two] - Error: x\nERROR tests/c.py - Error\nERROR    root:a.py:3 logged",
            ("tests/a.py::test_b[one two]", "tests/c.py"),
        ),
        ("uv run pytest -v", "tests/a.py::test_b FAILED   [ 50%]", ("tests/a.py::test_b",)),
        (
            "python -m unittest",
            "FAIL: test_b (tests.test_a.TestA.test_b)\n",
            ("test_b (tests.test_a.TestA.test_b)",),
        ),
        (
            "go test ./...",
            "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/sub (0.00s)\nFAIL",
            ("TestA", "TestA/sub"),
        ),
        ("cargo test", "test a::b ... ok\ntest a::c ... FAILED", ("a::c",)),
        ("cargo nextest run", "        FAIL [   0.004s] crate a::c", ("crate a::c",)),
        ("npx jest", "  ● sums › adds two\n  ● Console\n  ● sums › adds two", ("sums › adds two",)),
        ("npm test", " FAIL  src/a.test.ts > sums > adds 12ms", ("src/a.test.ts > sums > adds",)),
        ("make test", "--- FAIL: TestA (0.00s)", ("TestA",)),
    ],
)
def test_failing_tests_of_the_common_runners(command: str, output: str, failing: tuple[str, ...]) -> None:
    """Each runner's own way to name what failed, each name once."""
    found = outcome_of(command, output)

    assert (found.is_test, found.failing) == (True, failing)


@pytest.mark.parametrize(
    "command", ["grep -rn pytest .", "pip install pytest", "uv add pytest", "cat pytest.ini", "", "X=1"]
)
def test_a_runner_that_is_only_named_runs_no_test(command: str) -> None:
    """To look for a runner, or to install one, is no test run."""
    found = outcome_of(command, "FAILED a.py::b")

    assert (found.is_test, found.failing) == (False, ())


@pytest.mark.parametrize(
    ("command", "output", "branch"),
    [
        ("git status", "On branch feat/x\nnothing to commit", "feat/x"),
        ("git status -sb", "## main...origin/main [ahead 1]\n M a.py", "main"),
        ("git checkout -b fix", "Switched to a new branch 'fix'", "fix"),
        ("git branch", "  main\n* work\n", "work"),
        ("git branch --show-current", "trunk\n[exit code 0]", "trunk"),
        ("git commit -m x", "[main 1a2b3c4] x\n 1 file changed", "main"),
        ("git diff", "nothing", ""),
        ("ls", "On branch main", ""),
    ],
)
def test_the_branch_is_what_git_says(command: str, output: str, branch: str) -> None:
    """Status, switch, list and commit name it; other programs do not."""
    assert outcome_of(command, output).branch == branch


def test_commits_are_what_git_lists() -> None:
    """Made, listed, or come back to: each with its subject, the newest last; blobs and numbers are none."""
    output = (
        "[main (root-commit) 1a2b3c4] first\nHEAD is now at 2b3c4d5 second\n"
        "index 3c4d5e6..4d5e6f7 100644\n1234567 lines\n* 5e6f7a8 third\ncommit " + "6a" * 20
    )

    assert outcome_of("git log", output).commits == (
        ("6a" * 20, ""),
        ("5e6f7a8", "third"),
        ("2b3c4d5", "second"),
        ("1a2b3c4", "first"),
    )
    assert outcome_of("git rev-parse --short HEAD", "abc1234\n[exit code 0]").commits == (("abc1234", ""),)


def test_changed_lines_are_the_new_ones() -> None:
    """An edit's lines are those it put in place; where it only took out, those that were there."""
    assert changed_lines("edited a: +2 −1\n    9   kept\n   10 - old\n   10 + new\n   11 + more\n  ...") == [
        (10, 11)
    ]
    assert changed_lines("    4 - old\n    7 -") == [(4, 4), (7, 7)]
    assert changed_lines("edited a.py") == []


def test_what_else_tools_say() -> None:
    """The lines of a written file, and the log of a subagent."""
    assert written_lines("created a.py: 1,234 lines, 9,000 bytes") == 1_234
    assert written_lines("write a.py") == 0
    assert (
        subagent_log("done\n(log of the subagent: .transcripts/s/task-001.jsonl)")
        == ".transcripts/s/task-001.jsonl"
    )
    assert subagent_log("done") == ""


def test_stretches_that_touch_are_one() -> None:
    """In order, overlaps joined; of too many the nearest are joined first."""
    assert stretches([(5, 9), (1, 4), (20, 30), (25, 40)]) == [(1, 9), (20, 40)]
    assert stretches([(1, 1), (10, 10), (12, 12), (30, 30), (50, 50)]) == [
        (1, 1),
        (10, 12),
        (30, 30),
        (50, 50),
    ]
