"""The system prompt is a function of our own text, of the tools that an agent has, and of nothing else."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from agent.prompt import Role, system_blocks
from tools.registry import ToolRegistry, default_tools
from tools.told import fitting

NAMES = [tool.name for tool in default_tools()]
PRINTED = """
import json, locale, time
locale.setlocale(locale.LC_ALL, "")
time.tzset()
from agent.prompt import system_blocks
from tools.registry import ToolRegistry, default_tools
tools = default_tools()
names = {tool.name for tool in tools}
print(json.dumps([system_blocks("system", names), system_blocks("subagent", names), ToolRegistry(tools).schemas()]))
"""


def subsets() -> Iterator[list[str]]:
    """Every choice of tools that an agent could have."""
    for size in range(len(NAMES) + 1):
        for chosen in combinations(NAMES, size):
            yield list(chosen)


@pytest.mark.parametrize("role", ["system", "subagent"])
def test_the_system_prompt(role: Role) -> None:
    """One block: our own text, then what is added, each part as it is, blank ones left out."""
    [plain], [more] = (
        system_blocks(role, NAMES),
        system_blocks(role, NAMES, " You test. ", " \n", "Use `task`."),
    )
    assert more["text"] == plain["text"] + "\n\nYou test.\n\nUse `task`."
    assert "Palimpsest" in plain["text"]
    assert "{" not in plain["text"]


@pytest.mark.parametrize("role", ["system", "subagent"])
def test_nothing_is_said_of_tools_that_are_not_there(role: Role) -> None:
    """Whatever tools an agent has: prompt and descriptions name no other, and no heading stands over nothing."""
    for names in subsets():
        tools = [tool for tool in default_tools() if tool.name in names]
        told = [block["text"] for block in system_blocks(role, names)]
        told += [schema["description"] for schema in ToolRegistry(tools).schemas()]
        for text in told:
            assert text
            assert not [name for name in NAMES if name not in names and f"`{name}`" in text]
            lines = [line for line in text.split("\n") if line]
            assert not [a for a, b in zip(lines, [*lines[1:], "#"], strict=True) if a[0] == b[0] == "#"]


def test_a_line_is_left_out_whole_and_nothing_else() -> None:
    """A line that names a missing tool goes, with its heading when that has no other; a word in backticks alone is no tool."""
    text = "First.\n\n# One\n- Use `edit` or `write`.\n\n# Two\n- `cat` and `edit_all`.\n- `write` it.\n\n# Three\n- `read`"
    assert fitting(text, set()) == text
    assert fitting(text, {"edit", "read"}) == "First.\n\n# Two\n- `cat` and `edit_all`.\n- `write` it."
    assert fitting(text, {"edit", "write", "cat"}) == "First.\n\n# Three\n- `read`"


def test_it_is_the_same_bytes_everywhere(tmp_path: Path) -> None:
    """In another process, with another hash seed, folder, home, language and time zone, every byte is the same."""
    one = {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C", "HOME": "/"}
    other = {"PYTHONHASHSEED": "4242", "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "HOME": str(tmp_path)}
    first, second = (_printed(one, Path.cwd()), _printed(other, tmp_path))
    assert first == second
    here = [system_blocks("system", NAMES), system_blocks("subagent", NAMES)]
    assert json.loads(first) == [*here, ToolRegistry(default_tools()).schemas()]


def _printed(environment: dict[str, str], cwd: Path) -> bytes:
    env = {**os.environ, **environment, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(
        [sys.executable, "-c", PRINTED], env=env, cwd=cwd, capture_output=True, check=True
    ).stdout
