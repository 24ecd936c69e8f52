"""The shipped skill `agent-help` is true: all that the program has is named in it, and nothing that it has not."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from agent import cli
from agent.exits import Exit
from agent.settings import PermissionSettings, SandboxSettings, Settings, settings_of
from agent.terminal.commands import COMMANDS
from agent.terminal.help import KEYS
from compaction.presets import PRESETS
from hooks.commands.config import EVENTS
from hooks.permission.rules import parse_rule
from skills.discover import BUILTIN
from skills.frontmatter import read
from tests.support.sources import program

FOLDER = BUILTIN / "agent-help"
PAGES = {path.name: path.read_text("utf-8") for path in sorted(FOLDER.rglob("*.md"))}
MANUAL = "\n".join(PAGES.values())
CODE = re.compile(r"`([^`\n]+)`")
VARIABLE = re.compile(r"(?:ANTHROPIC_[A-Z_]+|AGENT_HOME|NO_COLOR)")
PLACEHOLDERS = {"NAME", "skill:NAME"}
"""What stands in the manual for the name of a skill."""
OF_SKILLS = {"commit", "agent-help"}
PATHS = {"etc", "tmp"}


def literals() -> list[str]:
    """All that stands between backticks, code blocks aside."""
    prose = re.sub(r"```.*?```", "", MANUAL, flags=re.DOTALL)
    return CODE.findall(prose)


def flags_of(command: Any) -> Iterator[str]:
    """Yield the flags of a command and of those below it."""
    for parameter in command.params:
        yield from (flag for flag in (*parameter.opts, *parameter.secondary_opts) if flag.startswith("-"))
    for below in getattr(command, "commands", {}).values():
        yield from flags_of(below)


SUB: Any = get_command(cli._commands)
FLAGS = {*flags_of(get_command(cli._main)), *flags_of(SUB), "-h", "--help"}


def subcommands() -> Iterator[str]:
    """Yield the sub-commands as they are typed: `agent sessions list`."""
    for name, command in SUB.commands.items():
        yield from (f"agent {name} {below}".rstrip() for below in getattr(command, "commands", {"": None}))


def test_every_flag_is_named() -> None:
    """Long and short, of the program and of its sub-commands; and none that there is not."""
    named = {
        word for literal in literals() for word in literal.split() if re.fullmatch(r"--?[a-zA-Z][\w-]*", word)
    }
    foreign = {"--no-verify", "--amend"}
    assert (FLAGS - named, named - FLAGS - foreign) == (set(), set())


def test_every_command_is_named() -> None:
    """In the table of commands; and whatever begins with a slash is one, a skill, or a path."""
    table = PAGES["commands.md"]
    assert [name for name in COMMANDS if not re.search(rf"`/{name}[` ]", table)] == []
    named = {match[1] for literal in literals() if (match := re.match(r"/([\w:-]+)", literal))}
    assert named - COMMANDS.keys() - PLACEHOLDERS - OF_SKILLS - PATHS == set()


def test_every_subcommand_is_named() -> None:
    """As it is typed; and whatever follows `agent` is one, a flag, or a prompt."""
    known = list(subcommands())
    assert [command for command in known if not any(one.startswith(command) for one in literals())] == []
    typed = [one.split() for one in literals() if re.match(r"agent [a-z]", one)]
    first = {command.split()[1] for command in known}
    assert [words for words in typed if words[1] not in first] == []
    groups: dict[str, set[str]] = {command.split()[1]: set() for command in known}
    for command in known:
        groups[command.split()[1]] |= set(command.split()[2:3])
    assert [
        words for words in typed if groups[words[1]] and words[2:3] and words[2] not in groups[words[1]]
    ] == []


def test_every_key_of_the_settings_is_named() -> None:
    """With an example that the program takes, each alone and all together."""
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", PAGES["settings.md"], re.MULTILINE))
    assert rows.keys() == Settings.model_fields.keys()
    for key, example in rows.items():
        if code := CODE.fullmatch(example):
            settings_of(json.dumps({key: json.loads(code[1])}).encode(), "manual")
    for model in (PermissionSettings, SandboxSettings):
        assert [field for field in model.model_fields if f"`{field}`" not in PAGES["settings.md"]] == []


@pytest.mark.parametrize("page", [name for name in PAGES if "```json" in PAGES[name]])
def test_examples_of_settings_are_taken(page: str) -> None:
    """Every block of JSON is a settings file."""
    for block in re.findall(r"```json\n(.*?)```", PAGES[page], re.DOTALL):
        settings_of(block.encode(), page)


def test_every_variable_is_named() -> None:
    """Those of ours and of the vendor that the program reads; and none that it does not."""
    read_ = {name for module in program() for name in VARIABLE.findall(module.text)}
    assert {name for name in read_ if not name.endswith("_")} == set(VARIABLE.findall(MANUAL))


def test_names_of_closed_lists() -> None:
    """Presets, events, exit codes, keys, pages."""
    assert [name for name in PRESETS if f"| `{name}` |" not in PAGES["context.md"]] == []
    assert [name for name in EVENTS if f"`{name}`" not in PAGES["hooks.md"]] == []
    assert [int(code) for code in Exit if not re.search(rf"\b{int(code)}\b", PAGES["command-line.md"])] == []
    keys = [part for key, _ in KEYS for part in key.split(", ")]
    assert [key for key in keys if key not in PAGES["commands.md"]] == []
    pages = set(re.findall(r"`references/([\w-]+\.md)`", PAGES["SKILL.md"]))
    assert pages == PAGES.keys() - {"SKILL.md"}


def test_every_rule_is_one() -> None:
    """What the page on permissions gives as a rule can be written into the settings."""
    rules = re.findall(r"^\| `([^`]+)` \|", PAGES["permissions.md"].partition("## Rules")[2], re.MULTILINE)
    assert len(rules) >= 5
    for rule in rules:
        assert parse_rule(rule, "allow", origin="manual").text == rule


def test_examples_of_files_are_read() -> None:
    """The `SKILL.md` and the agent type that the manual shows have front matter as the program reads it."""
    blocks = re.findall(r"```markdown\n(.*?)```", PAGES["extending.md"], re.DOTALL)
    assert [set(read(block.encode()).fields) >= {"name", "description"} for block in blocks] == [True, True]


def test_the_pages_are_short() -> None:
    """An answer reads one or two of them: each is a few thousand tokens at most."""
    assert {name: len(text) for name, text in PAGES.items() if len(text) > 8_000} == {}


def test_nothing_is_said_of_where_it_was_made() -> None:
    """No page names a machine's folders."""
    assert [name for name, text in PAGES.items() if re.search(r"/(?:work|root|home/\w+)/", text)] == []
