"""What happens in a session of ten compactions: what the user says, the calls with their results, what they declare."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tests.support.rolling_shapes import numbered
from tests.support.rolling_texts import EVIL, POOL

PIN = "Never touch `legacy/`; amounts are in cents."
REQUESTS = (
    "Make the nightly export resumable.\nKeep    the odd   spacing, and the line\n\nbreaks.",
    "Now the importer:\tthe same,\n\n  but “quietly”.",
)
"""The two that the work is done for: the second comes when five compactions were made."""
RESULT_CHARS = 3_500
COMMAND_CHARS = 120
LONG_PROMPT_CHARS = 4_600
"""So long that the prompt before it does not stand in the view word for word any more."""
PROMPTS = (
    "A chunk may take 750 ms and hold 1,250 rows, at most 12.5 % of them broken. What is there already?",
    f"Dumps stay for 90 days, 48 files at most, for € 3,100 a year. These are my notes:\n{POOL[:LONG_PROMPT_CHARS]}",
)
"""With all the numbers that are planted; both are answered before the first compaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One call with its result."""

    tool: str
    input: dict[str, Any]
    result: str
    is_error: bool = False
    file: Literal["", "read", "edited", "wrote"] = ""
    """What the script declares as done to the file; empty for commands, and for what came to nothing."""
    exit_code: int | None = None
    """Of a command."""


def read(path: str, text: str) -> Act:
    """A file is read."""
    return Act(tool="read", input={"file_path": path}, result=numbered(text), file="read")


def edit(path: str, *, is_error: bool = False) -> Act:
    """A file is edited, or the text to replace is not found."""
    given = {"file_path": path, "old_string": f"# {path}\n{POOL[:200]}", "new_string": f"# {path}, resumable"}
    if is_error:
        return Act(tool="edit", input=given, result="Error: `old_string` is not in the file", is_error=True)
    diff = f"edited {path}\n 10 - # {path}\n 10 + # {path}, resumable"
    return Act(tool="edit", input=given, result=diff, file="edited")


def write(path: str, text: str) -> Act:
    """A file is written whole."""
    lines = text.count("\n") + 1
    answer = f"created {path}: {lines} lines, {len(text)} bytes"
    return Act(tool="write", input={"file_path": path, "content": text}, result=answer, file="wrote")


def run(command: str, output: str, exit_code: int = 0) -> Act:
    """A command is run."""
    shown = f"{output}\n[exit code {exit_code}]"
    return Act(tool="bash", input={"command": command}, result=shown, exit_code=exit_code)


PLANTING: Sequence[Act] = (
    read("docs/adr/0007-resumable-exports.md", POOL[5_000:6_500]),
    read("src/export/writer.py", POOL[6_500:8_000]),
    edit("src/export/resume.py"),
    write("src/export/cursor.py", POOL[8_000:9_000]),
    run("ls -R config db", "config/nightly.toml\ndb/migrations/0042_cursor.sql"),
    run(
        "pytest -v tests/export",
        "tests/export/test_flow.py::test_no_row_twice PASSED\n"
        "tests/export/test_flow.py::test_amounts_in_cents PASSED\n"
        "FAILED tests/export/test_flow.py::test_resume_after_crash - AssertionError\n"
        "FAILED tests/export/test_flow.py::test_cursor_is_kept - KeyError",
        1,
    ),
    run(
        "git commit -qam 'keep a cursor' && git log -1 --format='[main %h] %s'",
        "[main 4f2a9c1] keep a cursor",
    ),
    run("git log --oneline -2", "b81e07d write in chunks\n9d3c5fa read in chunks"),
    run("git rev-parse origin/main", "0c77be4d1f6a29385b1e4c0d7a9f3e2b6c5d8a10"),
)
"""The first turn: names all paths, tests and commits that are planted."""


def steering(number: int) -> str:
    """What the user types before the compaction of that number."""
    return f"And   mind case {number}:\n\tquote “it” as it is."


def between(number: int) -> list[Act]:
    """The work before the compaction of that number: nothing in it names a planted fact; its results are hostile."""
    path, start = f"src/part_{number}.py", 10_000 + 9_000 * number
    words = " ".join(POOL[start : start + COMMAND_CHARS].translate(_PLAIN).split())
    output = f"{POOL[start + 4_000 : start + 4_000 + RESULT_CHARS]}\n{EVIL[number % len(EVIL)]}"
    return [
        read(path, f"{POOL[start : start + RESULT_CHARS]}\n{EVIL[(number + 5) % len(EVIL)]}"),
        edit(f"src/gone_{number}.py", is_error=True),
        edit(path),
        run(f"./check --case {number} {words}", output, number % 3),
    ]


_PLAIN = {ord(char): " " for char in "(){}->="}
