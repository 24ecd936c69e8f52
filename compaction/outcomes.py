"""What the outcome of a call says: exit code, failing tests, branch and commits, changed lines.

Only forms that the tools and the common programs print are read; what does not fit is left unsaid, never guessed.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

MOST_FAILING = 50
"""Names of failing tests that are kept of one run."""
MOST_COMMITS = 50
"""Commits that are taken from one output, its first ones: a log begins with the newest."""
EXIT = re.compile(r"^\[exit code (\d+)(?:, [^\]\n]*)?\]$", re.MULTILINE)
"""The line with which the bash tool ends; the last one counts, for a command may print such a line itself."""
CHANGED = re.compile(r"^ *(\d+) ([+-])(?: |$)", re.MULTILINE)
"""A changed line in the diff of the edit tool."""
WRITTEN = re.compile(r"^(?:created|wrote|unchanged) .*: ([\d,]+) lines?, ", re.MULTILINE)
BACKGROUND = re.compile(
    r"^Started in the background as pid (\d+);.*\nIts output goes to (\S+) ", re.MULTILINE
)
"""What the bash tool says of a command that it does not wait for."""
LOG = re.compile(r"^\(log of the subagent: (.+)\)$", re.MULTILINE)

PARTS = re.compile(r"[;&|\n]+")
ASSIGNMENT = re.compile(r"\w+=\S*")
LOOKING = frozenset(
    (
        "cat",
        "echo",
        "find",
        "git",
        "grep",
        "head",
        "ls",
        "man",
        "pip",
        "pip3",
        "rg",
        "sed",
        "tail",
        "type",
        "which",
    )
)
"""Programs that name a test runner without running it."""
INSTALLING = re.compile(r"\b(?:install|add|remove|upgrade)\b")


@dataclass(frozen=True, slots=True)
class Runner:
    """A program that runs tests: how it is called, and how it names those that fail."""

    command: re.Pattern[str]
    failing: re.Pattern[str]


def _runner(command: str, failing: str) -> Runner:
    return Runner(re.compile(rf"(?:^|[\s/])(?:{command})(?=\s|$)"), re.compile(failing, re.MULTILINE))


RUNNERS = (
    _runner(
        r"pytest|py\.test",
        r"^(?:FAILED|ERROR) (\S+::.+?|\S+\.py)(?: - .*)?$|^(\S+::.+?) (?:FAILED|ERROR)\b",
    ),
    _runner(r"unittest|manage\.py test", r"^(?:FAIL|ERROR): (\S+ \([\w.]+\))"),
    _runner(r"go test", r"^ *--- FAIL: (\S+)"),
    _runner(r"cargo (?:test|nextest)", r"^test (\S+) \.\.\. FAILED$|^ *FAIL \[[^\]]*\] (\S+ \S+)"),
    _runner(
        r"jest|vitest|(?:npm|pnpm|yarn|bun)(?: run)? test\S*",
        r"^ *(?:FAIL|×|✗) +(\S+\.\w+ > .+?)(?: \d+ ?ms)?$|^ *● (?!Console$|Test suite failed)(.+?)$",
    ),
)
ANY_RUNNER = re.compile(r"(?:^|[\s/])(?:(?:make|just|task) (?:test|check)\S*|tox|nox|ctest)(?=\s|$)")
"""Programs behind which any runner may stand."""

HASH = r"[0-9a-f]{7,40}"
BRANCHES = (
    re.compile(r"^On branch (\S+)$", re.MULTILINE),
    re.compile(r"^## ([^\s.]+(?:\.(?!\.\.)[^\s.]*)*)(?:\.\.\.|$)", re.MULTILINE),
    re.compile(r"^Switched to (?:a new )?branch '([^'\n]+)'$", re.MULTILINE),
    re.compile(r"^\* ([^\s(]+)$", re.MULTILINE),
    re.compile(rf"^\[([^\s\]]+)(?: \([^)\n]*\))? {HASH}\] ", re.MULTILINE),
)
BRANCH_ASKED = re.compile(r"git (?:branch --show-current|rev-parse --abbrev-ref HEAD)\s*$")
COMMITS = re.compile(
    rf"^(?:\[[^\]\n]*? ({HASH})\] (.*)|HEAD is now at ({HASH}) (.*)"
    rf"|[*|\\/ ]*(?:commit )?({HASH})(?:$| (.*)))$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the output of a command says."""

    exit_code: int | None = None
    """None when the output names none: it was refused, was interrupted, or runs in the background."""
    is_test: bool = False
    failing: tuple[str, ...] = ()
    branch: str = ""
    commits: tuple[tuple[str, str], ...] = ()
    """(hash, subject), the newest last."""


def exit_code_of(output: str) -> int | None:
    """Return the exit code that the bash tool reports; None when the command did not end."""
    codes = EXIT.findall(output)
    return int(codes[-1]) if codes else None


def outcome_of(command: str, output: str) -> Outcome:
    """Return what ``output`` says of ``command``."""
    runners, is_test = _runners(command)
    branch, commits = _git(command, output) if re.search(r"\bgit\b", command) else ("", ())
    return Outcome(
        exit_code=exit_code_of(output),
        is_test=is_test,
        failing=_failing(runners, output),
        branch=branch,
        commits=commits,
    )


def changed_lines(diff: str) -> list[tuple[int, int]]:
    """Return the stretches of lines that an edit put in place, or took out where it put none."""
    numbers: dict[str, list[int]] = {"+": [], "-": []}
    for number, sign in CHANGED.findall(diff):
        numbers[sign].append(int(number))
    return stretches((number, number) for number in numbers["+"] or numbers["-"])


def written_lines(answer: str) -> int:
    """Return how many lines a write says the file has; 0 when it does not say."""
    found = WRITTEN.search(answer)
    return int(found[1].replace(",", "")) if found else 0


def background_of(answer: str) -> tuple[str, str]:
    """Return (pid, path of its output) of a command that was started in the background; empty for others."""
    found = BACKGROUND.search(answer)
    return (found[1], found[2]) if found else ("", "")


def subagent_log(answer: str) -> str:
    """Return the path of a subagent's log; empty when its answer names none."""
    found = LOG.findall(answer)
    return str(found[-1]) if found else ""


def stretches(ranges: Iterable[tuple[int, int]], most: int = 4) -> list[tuple[int, int]]:
    """Return ``ranges`` in order, those that touch made one; over ``most`` the nearest become one, too."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    while len(merged) > most:
        gaps = [after[0] - before[1] for before, after in pairwise(merged)]
        at = gaps.index(min(gaps))
        merged[at : at + 2] = [(merged[at][0], merged[at + 1][1])]
    return merged


def _runners(command: str) -> tuple[list[Runner], bool]:
    """Return the runners whose output it may be, and whether it runs tests at all."""
    found: list[Runner] = []
    is_any = False
    for part in PARTS.split(command):
        words = [word for word in part.split() if not ASSIGNMENT.fullmatch(word)]
        if not words or words[0] in LOOKING or INSTALLING.search(part):
            continue
        found += [runner for runner in RUNNERS if runner.command.search(part)]
        is_any = is_any or bool(ANY_RUNNER.search(part))
    return (list(RUNNERS) if is_any else found), bool(found) or is_any


def _failing(runners: Iterable[Runner], output: str) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for runner in runners:
        for match in runner.failing.finditer(output):
            names.setdefault(next(group for group in match.groups() if group).strip())
    return tuple(names)[:MOST_FAILING]


def _git(command: str, output: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    branches = [match for pattern in BRANCHES for match in pattern.findall(output)]
    if not branches and BRANCH_ASKED.search(command):
        branches = [line for line in output.split("\n")[:1] if re.fullmatch(r"[^\s\[\](]+", line)]
    commits: dict[str, str] = {}
    for match in COMMITS.finditer(output):
        groups = [group for group in match.groups() if group is not None]
        if any(char.isalpha() for char in groups[0]):  # else a number
            commits.setdefault(groups[0], groups[1].strip() if len(groups) > 1 else "")
    newest = list(commits.items())[:MOST_COMMITS]
    return (branches[-1] if branches else ""), tuple(reversed(newest))
