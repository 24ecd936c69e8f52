"""Rules that keep files from being read hold for the files that commands name."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hooks.events import Decision
from hooks.permission.judge import Mode, Permission
from hooks.permission.narrowing import Narrowing
from hooks.permission.rules import PermissionRules, parse_rule
from tests.support.calls import bash_call

RULES = ("read(.env)", "Read(./secrets/**)", "read(sub/key.pem)")


@pytest.fixture(name="project")
def _project(tmp_path: Path) -> Path:
    for name in (".env", "a.txt", "secrets/token", "sub/key.pem"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "link.txt").symlink_to(".env")
    (tmp_path / "deep").symlink_to("secrets")
    return Path(os.path.realpath(tmp_path))


def judged(command: str, project: Path, decision: Decision, *, mode: Mode = "ask") -> Decision:
    rules = PermissionRules.parse({decision: RULES})
    return Permission(mode, rules, project=project).judge(bash_call(command, cwd=str(project))).decision


NAMING = [
    "cat .env",
    "cat ./.env",
    "cat sub/../.env",
    "head -n1 < .env",
    "cat .e*",
    "ls | cat - .env",
    "echo $(cat .env)",
    "cat 'link.txt'",
    "grep --file=.env x a.txt",
    "git show HEAD:.env",
    "cat secrets/token",
    "cat secrets/*",
    "rg x secrets",
    "cd secrets && cat token",
    "cd sub; cat key.pem",
    "cat sub/*",
    "cat deep/../.env",
]


@pytest.mark.parametrize("command", NAMING)
def test_what_may_not_be_read_is_not_read_by_a_command(command: str, project: Path) -> None:
    """However the file is named, in every mode; a rule that asks asks."""
    assert judged(command, project, "deny") == "deny"
    assert judged(command, project, "deny", mode="bypass") == "deny"
    assert judged(command, project, "ask", mode="bypass") == "ask"


@pytest.mark.parametrize("command", ["cat a.txt", "ls", "rg x a.txt", "cat *.md", "git log", "cd sub && ls"])
def test_other_files_are_read_as_before(command: str, project: Path) -> None:
    """A rule is about its files alone; and so is the word `.env` where there is none."""
    assert judged(command, project, "deny") == "allow"
    (project / ".env").unlink()
    assert judged("rg .env a.txt", project, "deny") == "allow"


def test_home_is_known(project: Path) -> None:
    """`~` of a command is the folder that it is of a rule."""
    home = os.path.relpath(Path.home(), project)
    rules = PermissionRules.parse({"deny": ("Read(~/**)",)})
    permission = Permission("bypass", rules, project=project)
    for command in ("cat ~", f"ls {home}"):
        assert permission.judge(bash_call(command, cwd=str(project))).decision == "deny"


def test_who_may_not_read_at_all_is_not_kept_from_commands(project: Path) -> None:
    """A rule without a pattern is about the tool."""
    rules = PermissionRules.parse({"deny": ("read",)})
    event = bash_call("cat a.txt", cwd=str(project))
    assert Permission("ask", rules, project=project).judge(event).decision == "allow"


def test_a_type_that_reads_some_files_reads_no_others_by_bash(project: Path) -> None:
    """Where `read` is held to a pattern, a command needs one of its own."""
    limits = {
        "read": (parse_rule("read(sub/**)", "allow", origin="a type"),),
        "bash": (parse_rule("bash(git log:*)", "allow", origin="a type"),),
    }
    narrowing = Narrowing(limits=limits)
    parent = Permission("bypass", project=project)
    decided = [
        narrowing.judge(parent, bash_call(command, cwd=str(project))).decision
        for command in ("cat a.txt", "git log", "git log | head -1")
    ]
    assert decided == ["deny", "allow", "deny"]


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab./~ '\"`$\\(){}[]<>|&;*?=:-\n\0\ud800é", max_size=30))
def test_any_text_is_judged(text: str) -> None:
    """Whatever a command names, permission decides and raises nothing."""
    for command in (f"cat {text}", f"cd {text}; cat {text}*", text):
        assert judged(command, Path("/"), "deny") in ("allow", "ask", "deny")
    assert judged(f"cat {'a' * 300_000}", Path("/"), "deny") in ("allow", "ask")
