"""What the documents say is so."""

import re
import subprocess
import sys
import tomllib

from agent.exits import Exit
from agent.session.records import decode
from agent.session.replay import EFFECTS, apply, empty_state
from agent.version import __version__
from tests.norms.tree import DOCUMENT, document
from tests.support.sources import ROOT

SET_UP = ["pip install . && agent demo", "pip install -e '.[test]' && pytest"]
TOP_LINES = 15
README_LINES = 200


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def test_the_readme_begins_with_two_commands() -> None:
    """The two set-up commands stand near the top, and no other ones anywhere."""
    lines = read("README.md").splitlines()
    assert [line.strip() for line in lines[:TOP_LINES] if line.startswith("    ")] == SET_UP
    assert [line.strip() for line in lines if "pip install" in line] == SET_UP
    assert len(lines) <= README_LINES


def test_the_readme_names_every_flag() -> None:
    """The flags of the help are those of the README."""
    command = [sys.executable, "-m", "agent", "--help"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    table = read("README.md").partition("| flag |")[2].partition("\n\n")[0]
    assert set(re.findall(r"--[a-z-]{2,}", table)) == set(re.findall(r"--[a-z-]{2,}", shown))


def test_the_readme_names_every_exit_code() -> None:
    """The exit codes that are told are those of the program."""
    told = read("README.md").partition("Exit codes: ")[2].partition("\n\n")[0]
    assert {int(code) for code in re.findall(r"\d+", told)} == set(Exit)


def test_the_tree_is_true() -> None:
    """ARCHITECTURE.md has every module with its own first line; `python -m tests.norms.tree` writes it anew."""
    text = DOCUMENT.read_text("utf-8")
    assert text == document(text)


def test_the_record_examples_are_a_session() -> None:
    """The examples hold every record type and can be replayed."""
    block = read("ARCHITECTURE.md").partition("```jsonl\n")[2].partition("```")[0]
    decoded = [decode(line.encode()) for line in block.splitlines()]
    assert [is_damaged for _, is_damaged in decoded if is_damaged] == []
    records = [record for records, _ in decoded for record in records]
    assert {record["type"] for record in records} == EFFECTS.keys()
    state = empty_state(ROOT, count=lambda _block: 1, price=lambda _model, _usage: None)
    for record in records:
        apply(state, record)
    assert (state.mode, state.compactions, state.waiting) == ("accept-edits", 1, {})


def test_agents_read_one_map() -> None:
    """CLAUDE.md is AGENTS.md."""
    assert read("CLAUDE.md") == "@AGENTS.md\n"


def test_the_changelog_knows_this_version() -> None:
    """There is a section for what is to come, or for the version as it is."""
    assert re.search(rf"(?m)^## \[(Unreleased|{re.escape(__version__)})\]", read("CHANGELOG.md"))


def test_every_dependency_has_a_reason() -> None:
    """A line of `pyproject.toml` that names a dependency says what it is for; pytest itself speaks for itself."""
    text = read("pyproject.toml")
    project = tomllib.loads(text)["project"]
    named = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    bare = [name for name in named if not re.search(rf'(?m)^ *"{re.escape(name)}", +# \S', text)]
    assert bare == [name for name in named if name.startswith("pytest>=")]
