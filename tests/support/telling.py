"""Sessions told in a few lines: steps with their calls and answers, in the form in which a view grows."""

from collections.abc import Iterable
from typing import Any

from compaction.history import History
from compaction.messages import text
from compaction.view import View
from tests.support.histories import Said, view_of

Told = tuple[str, dict[str, Any], str]
"""(tool, input, answer) of a call."""


def step(number: int, *calls: Told, words: str = "", failed: bool = False) -> list[Said]:
    """One reply with its calls, and the message that answers it."""
    uses: list[Any] = [
        {"type": "tool_use", "id": f"t{number}_{index}", "name": name, "input": given}
        for index, (name, given, _) in enumerate(calls)
    ]
    results: list[Any] = [
        {"type": "tool_result", "tool_use_id": f"t{number}_{index}", "content": answer, "is_error": failed}
        for index, (_, _, answer) in enumerate(calls)
    ]
    said = [text(words)] if words else []
    return [Said(role="assistant", blocks=[*said, *uses]), Said(role="user", blocks=results)]


def session(*steps: Iterable[Said], asked: str = "fix the bug") -> View:
    """The view of a session that begins with a prompt."""
    return view_of([Said(role="user", blocks=[text(asked)]), *(said for one in steps for said in one)])


def history(*calls: Told) -> History:
    """The history of a session that made these calls, one a step."""
    return session(*(step(number, call) for number, call in enumerate(calls, 1))).history


def bash(command: str, output: str = "", code: int = 0) -> Told:
    """A command as the bash tool answers it."""
    return "bash", {"command": command}, f"{output or '(no output)'}\n[exit code {code}]"


def read(path: str, start: int = 1, end: int = 3) -> Told:
    """A read as the tool shows it."""
    return "read", {"file_path": path}, "\n".join(f"{number}\tline" for number in range(start, end + 1))


def edit(path: str, *lines: int) -> Told:
    """An edit that put lines in place, with its diff."""
    diff = "\n".join(f"{number:>5} + new" for number in lines)
    given = {"file_path": path, "old_string": "a", "new_string": "b"}
    return "edit", given, f"edited {path}: +{len(lines)} −0\n    1   kept\n{diff}"


def write(path: str, lines: int = 2) -> Told:
    """A write as the tool answers it."""
    given = {"file_path": path, "content": "x\n" * lines}
    return "write", given, f"created {path}: {lines:,} lines, {lines * 2:,} bytes"
