"""The compact tool only asks."""

from pathlib import Path

import pytest

from tests.support.tools import make_bench, text_of
from tools import compact, edit, load_skill, read, task, todo_write, write
from tools.compact import COMPACT


@pytest.mark.parametrize(("arguments", "focus"), [({}, ""), ({"focus": " the API "}, "the API")])
async def test_the_focus_is_a_fact(tmp_path: Path, arguments: dict[str, str], focus: str) -> None:
    """The session does the work after the batch."""
    result = await make_bench(tmp_path).call(COMPACT, **arguments)

    assert text_of(result) == "The history will be summarised after this batch."
    assert result.facts["compact"] == focus


def test_the_descriptions_stay_short() -> None:
    """Every request carries them: seven tools in 4,500 characters."""
    tools = [
        read.READ,
        write.WRITE,
        edit.EDIT,
        todo_write.TODO_WRITE,
        task.TASK,
        load_skill.LOAD_SKILL,
        compact.COMPACT,
    ]

    assert sum(len(tool.description) for tool in tools) <= 4_500
    assert [tool.name for tool in tools if tool.is_read_only] == ["read", "load_skill"]
