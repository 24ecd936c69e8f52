"""Files of agent types: ours and another agent's as they stand, and what is no type at all."""

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.models import Effort
from agent.subagents.agent_type import AgentType
from agent.subagents.reading import KNOWN, MAX_PROMPT_CHARS, BrokenType, read_type
from agent.subagents.rights import tools_in_words
from hooks.permission.judge import Mode
from tools.registry import default_tools

FOREIGN = """\
---
name: code-reviewer
description: |
  Use this agent after a change: it reviews the diff.\\n\\nExamples:
  <example>Context: the user wrote a function.</example>
tools: Read, Grep, Glob, Bash(git diff:*), WebFetch, mcp__github__get_issue, Task
model: sonnet
color: purple
skills:
  - review
memory: project
---

You review changes.
"""


def made(*lines: str, body: str = "Work.") -> AgentType | BrokenType:
    """Read a type with these lines below a description."""
    head = "\n".join(("name: x", "description: d", *lines))
    return read_type(f"---\n{head}\n---\n{body}\n".encode(), stem="file", source="x.md")


def sound(*lines: str) -> AgentType:
    """Read a type that must be one."""
    kind = made(*lines)
    assert isinstance(kind, AgentType), kind
    return kind


def test_a_file_of_another_agent_loads_unchanged() -> None:
    """What we have is kept; what we have not is said, and is no error; nothing says more than a line."""
    kind = read_type(FOREIGN.encode(), stem="file", source=".claude/agents/code-reviewer.md")
    assert isinstance(kind, AgentType)
    assert (kind.name, kind.model, kind.prompt) == ("code-reviewer", "sonnet", "You review changes.")
    assert kind.description == (
        "Use this agent after a change: it reviews the diff. Examples: <example>Context: the user wrote a function.</example>"
    )
    assert tools_in_words(kind.rights) == "bash (git diff:*, and what only reads), read, glob"
    assert kind.remarks == (
        "tools that are not here: WebFetch, mcp__github__get_issue",
        "without effect here: skills, memory",
    )


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "all but task"),
        (["tools: '*'"], "all but task"),
        (["tools:"], "all but task"),
        (["tools: []"], "none"),
        (["tools: Read"], "read"),
        (["tools: read,glob"], "read, glob"),
        (["tools: [Read, MultiEdit, Write]"], "read, write, edit"),
        (["tools: NotebookRead, TodoWrite, Skill"], "read, todo_write, load_skill"),
        (["tools: Read, Grep"], "bash (only what reads), read"),
        (["tools: Grep, Bash"], "bash"),
        (["tools: Bash(*), Bash(ls:*)"], "bash"),
        (["tools: Bash(ls:*), Bash(git log:*)"], "bash (ls:*, git log:*, and what only reads)"),
        (["tools: Edit(src/**), Read"], "read, edit (src/**)"),
        (["tools: Read, Agent(explore), Task"], "read"),
        (["disallowedTools: Bash, Write"], "read, edit, glob, todo_write, load_skill, compact"),
        (["tools: Read, Bash", "disallowedTools: Bash"], "read"),
        (["disallowedTools: '*'"], "none"),
    ],
)
def test_tools(lines: list[str], words: str) -> None:
    """A list or a text, our names or that agent's, with patterns; without any all of the parent's; never `task`."""
    assert tools_in_words(sound(*lines).rights) == words


@pytest.mark.parametrize(
    ("lines", "words", "remark"),
    [
        (["tools: Read, Bash(git * log)"], "read", "left out"),
        (
            ["disallowedTools: Bash( )"],
            "read, write, edit, glob, todo_write, load_skill, compact",
            "it has no `bash`",
        ),
        (["tools: Read, Skill(pdf)"], "read", "takes no such pattern"),
    ],
)
def test_a_pattern_that_cannot_be_read_takes_the_tool_away(lines: list[str], words: str, remark: str) -> None:
    """What is not understood never widens: in either list the tool is gone, and that is said."""
    kind = sound(*lines)
    assert tools_in_words(kind.rights) == words
    assert remark in kind.remarks[0]


@pytest.mark.parametrize(
    ("lines", "mode"),
    [
        ([], "bypass"),
        (["permission_mode: plan"], "plan"),
        (["permissionMode: default"], "ask"),
        (["permissionMode: acceptEdits"], "accept-edits"),
        (["permissionMode: bypassPermissions"], "bypass"),
        (["readonly: true"], "plan"),
        (["readonly: true", "permissionMode: bypass"], "plan"),
        (["permission_mode: ask", "permissionMode: plan"], "plan"),
    ],
)
def test_modes(lines: list[str], mode: Mode) -> None:
    """The strictest that is named; a loose one narrows nothing, which is said."""
    kind = sound(*lines)
    assert kind.rights.mode == mode
    assert ("bypass" in str(lines)) == any("can only be stricter" in remark for remark in kind.remarks)


@pytest.mark.parametrize(
    ("lines", "field", "value", "remark"),
    [
        (["max_steps: 7"], "max_steps", 7, ""),
        (["maxTurns: 50"], "max_steps", 50, ""),
        (["max_steps: 51"], "max_steps", 50, "`max_steps: 51` is no number from 1 to 50"),
        (["max_steps: 0"], "max_steps", 50, "no number"),
        (["max_steps: true"], "max_steps", 50, "no number"),
        (["maxTurns: many"], "max_steps", 50, "no number"),
        (["effort: low"], "effort", "low", ""),
        (["effort: inherit"], "effort", None, ""),
        (["effort: 11"], "effort", None, "is none of low"),
        (["model: [a]"], "model", "", "no text"),
        (["model: ' opus '"], "model", "opus", ""),
        (["color: red", "version: 1"], "model", "", ""),
    ],
)
def test_other_fields(lines: list[str], field: str, value: int | Effort | None, remark: str) -> None:
    """What cannot be meant falls back to what holds without it, with a word."""
    kind = sound(*lines)
    assert getattr(kind, field) == value
    assert remark in " ".join(kind.remarks)
    assert bool(remark) == bool(kind.remarks)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", "is empty"),
        (b"# How to write agents\n", "does not begin with a `---` line"),
        (b"---\nname: x\n---\nbody", "needs a `description`"),
        (b"---\nname: x\ndescription: [a]\n---\n", "needs a `description`"),
        (b"---\nname: 123\ndescription: d\n---\n", "needs a `name`"),
        (b"---\nname: '\x1b[2J'\ndescription: d\n---\n", "cannot be used"),
        (b"---\nname: ../x`y`\ndescription: d\n---\n", "needs a `name`"),
        (b"---\nname: " + b"x" * 65 + b"\ndescription: d\n---\n", "needs a `name`"),
        (b"---\nname: x\ndescription: d\ntools: {a: b}\n---\n", "has `tools` that is neither"),
        (b"---\nname: x\ndescription: d\ntools: [1, 2]\n---\n", "has `tools` that is neither"),
        (
            b"---\nname: x\ndescription: d\ntools: WebSearch, mcp__a\n---\n",
            "has no `tools` that can be used here",
        ),
        (
            b"---\nname: x\ndescription: d\npermissionMode: free\n---\n",
            "has `permissionMode: free`, which is none of",
        ),
        (b"---\nname: x\ndescription: d\npermission_mode: [plan]\n---\n", "which is none of"),
        (
            b"---\nname: x\ndescription: d\n---\n" + b"x" * (MAX_PROMPT_CHARS + 1),
            "more than 32,000 characters",
        ),
        (b"---\nname: x\ndescription: &a [*a]\n---\n", "aliases"),
        (b"---\nname: !!python/object/apply:os.system [id]\n---\n", "cannot be used"),
        (b"\xff\xfe---", "is not UTF-8 text"),
    ],
)
def test_what_is_no_type(data: bytes, error: str) -> None:
    """It is kept with its reason; what may run is not guessed."""
    read = read_type(data, stem="file", source="x.md")
    assert isinstance(read, BrokenType), read
    assert error in read.error


def test_an_alias_bomb_is_refused() -> None:
    """A kilobyte that stands for gigabytes is not expanded."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    read = made(*lines)
    assert isinstance(read, BrokenType)
    assert "aliases" in read.error


def test_a_missing_name_is_that_of_the_file() -> None:
    """As other agents have it."""
    kind = read_type(b"---\ndescription: d\n---\n", stem="docs-writer", source="x.md")
    assert isinstance(kind, AgentType)
    assert kind.name == "docs-writer"


@pytest.mark.parametrize("value", [[1] * 1000, "y" * 1000, {"a": "b"}])
def test_what_is_said_of_a_file_is_short(value: Any) -> None:
    """A value of any size is cut where it is quoted."""
    read = made(f"permissionMode: {value}")
    assert isinstance(read, BrokenType)
    assert len(read.error) < 250


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.binary(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FIELDS = (*sorted(KNOWN), "color", "skills", "hooks", "x")


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(FIELDS), VALUES | st.sampled_from(["Read", "plan", "Bash(ls:*)", "sonnet"])
    )
)
def test_any_front_matter_is_a_type_or_a_reason(fields: dict[str, Any]) -> None:
    """Whatever its fields hold, reading one file never fails; what is kept of it can be sent, and stands on one line."""
    data = f"---\n{yaml.safe_dump(fields, allow_unicode=True)}---\nWork.\n".encode("utf-8", "surrogatepass")
    kind = read_type(data, stem="file", source="x.md")
    told = (
        [kind.error]
        if isinstance(kind, BrokenType)
        else [kind.description, kind.name, kind.model, *kind.remarks]
    )
    for words in told:
        assert words.encode() is not None
        assert "\n" not in words
    if isinstance(kind, AgentType):
        assert 1 <= kind.max_steps <= 50
        assert kind.offered(default_tools()) is not None
        assert "task" not in {tool.name for tool in kind.offered(default_tools())}


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=200)
    | st.text(max_size=200).map(lambda text: f"---\n{text}\n---\n{text}".encode("utf-8", "replace"))
)
def test_any_bytes_are_a_type_or_a_reason(data: bytes) -> None:
    """A file may hold anything."""
    assert isinstance(read_type(data, stem="file", source="x.md"), AgentType | BrokenType)


def test_a_type_hides_no_words() -> None:
    """What cannot be seen in its file is told to no model, and that it was there is told to the user."""
    kind = made("model: so\u200bnnet", body="Work.\U000e0041\U000e0042")
    assert isinstance(kind, AgentType)
    assert (kind.model, kind.prompt) == ("sonnet", "Work.")
    assert kind.remarks == ("holds 3 characters that cannot be seen: left out",)
