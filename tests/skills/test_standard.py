"""`check` beside the standard's reference validator, on a table of examples."""

from pathlib import Path

import pytest

from skills.check import check
from skills.discover import discover
from skills.frontmatter import FrontMatterError
from skills.skill_file import parse
from tests.skills.table import EXAMPLES, Example


def no_tokens(text: str) -> int:
    return 0


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.id for example in EXAMPLES])
def test_the_verdict_is_that_of_the_reference(example: Example, tmp_path: Path) -> None:
    """Both refuse or both accept; where we differ there is a reason."""
    folder = tmp_path / example.folder
    folder.mkdir()
    (folder / example.file).write_bytes(example.data)

    checked = check(folder, no_tokens)

    assert checked.skills == 1
    assert (bool(checked.errors) is not bool(example.reference)) is bool(example.differs)
    assert all(problem.path == folder / example.file for problem in checked.problems)


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.id for example in EXAMPLES])
def test_what_is_put_up_with_is_what_the_check_says(example: Example, tmp_path: Path) -> None:
    """A skill that loads warns of every error; one without errors always loads."""
    folder = tmp_path / example.folder
    folder.mkdir()
    (folder / example.file).write_bytes(example.data)
    errors = {problem.text for problem in check(folder, no_tokens).problems if problem.is_error}

    found = discover([tmp_path])

    assert len(found.skills) + len(found.broken) == 1
    if found.skills:
        assert errors <= set(found.skills[0].warnings)
    else:
        assert errors
        with pytest.raises(FrontMatterError):
            parse(example.data, example.folder)


def test_the_table_is_large_enough() -> None:
    """Good and bad ones, each with an id of its own."""
    assert len({example.id for example in EXAMPLES}) == len(EXAMPLES) >= 90
    assert sum(not example.reference for example in EXAMPLES) >= 30
