"""`agent skills check`: each problem of a skill on a line, and an exit code."""

import os
from pathlib import Path

from agent.errors import UsageError
from agent.exits import Exit
from agent.models import DEFAULT_MODEL, row
from agent.output import Output
from agent.terminal.columns import one_line
from agent.terminal.figures import times
from agent.token_counter import Counter
from skills.check import Checked, Problem, check
from skills.walk import FILE_NAME


def run_check(output: Output, path: Path) -> Exit:
    """Check what lies at ``path`` and print what is wrong with it.

    Raises:    UsageError: there is neither a folder nor a skill's file.
    """
    is_file = path.is_file() and path.name.lower() == FILE_NAME.lower()
    if not is_file and not path.is_dir():
        raise UsageError(f"{path} is no skill: name its folder, its `{FILE_NAME}`, or a folder of skills")
    checked = check(path, Counter(row(DEFAULT_MODEL).family).text_tokens)
    lines = [_line(problem) for problem in checked.problems]
    output.lines("\n".join([*lines, *([""] if lines else []), _summed(checked)]))
    return Exit.FAILED if checked.errors or output.fault is not None else Exit.DONE


def _line(problem: Problem) -> str:
    grade = "error" if problem.is_error else "note "
    return one_line(f"{grade}  {_near(problem.path)} {problem.text}")


def _near(path: Path) -> str:
    """Return a path as it is shortest: from here, or from the root."""
    return min(str(path), os.path.relpath(path), key=len)


def _summed(checked: Checked) -> str:
    looked = f"{times(checked.skills, 'skill')} checked: "
    notes = len(checked.problems) - checked.errors
    found = [times(number, word) for number, word in ((checked.errors, "error"), (notes, "note")) if number]
    return looked + (", ".join(found) or "nothing to do")
