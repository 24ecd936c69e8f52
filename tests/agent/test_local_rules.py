"""Rules by "always": where they are kept, for how long, and what becomes of the file."""

import os
import subprocess
import threading
from pathlib import Path

import pytest

from agent.local_rules import NAME, LocalRules, NotKeptError
from agent.trust import standing_of
from hooks.permission.judge import Permission
from hooks.permission.rules import RuleError
from tests.support.calls import bash_call

KEPT = f"kept in {NAME}"


class Place:
    """A git project of a user, as it is when a session starts."""

    def __init__(self, root: Path) -> None:
        self.project = root.resolve() / "project"
        self.home = root.resolve() / "agent-home"
        self.project.mkdir(exist_ok=True)
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        self.file = self.project / NAME

    def rules(self, *, is_run: bool = False) -> LocalRules:
        """Begin a session; ``is_run``: with --trust."""
        standing = standing_of(self.project, self.home)
        return LocalRules(Permission(home=self.home.parent), standing.for_run() if is_run else standing)

    def is_trusted(self) -> bool:
        """Tell whether what the project says now is in force at the next start."""
        return standing_of(self.project, self.home).is_on

    def untracked(self) -> str:
        """Return what git shows as new."""
        command = ["git", "-C", str(self.project), "status", "--porcelain", "-uall"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_it_holds_now_and_at_the_next_start(place: Place) -> None:
    """The rule answers at once, stands in the file, is trusted there as our own writing, and git does not see it."""
    rules = place.rules()
    assert rules.duration == "always"
    assert rules.allow("bash(git push:*)") == KEPT
    assert rules.permission.judge(bash_call("git push -f")).decision == "allow"
    assert place.file.read_text() == (
        '{\n  "permissions": {\n    "allow": [\n      "bash(git push:*)"\n    ]\n  }\n}\n'
    )
    assert place.is_trusted()
    assert place.untracked() == ""
    assert place.file.stat().st_mode & 0o777 == 0o600
    again = place.rules()
    assert again.allow("bash(make)") == KEPT
    assert again.allow("bash(make)") == KEPT
    assert place.file.read_text().count("bash(make)") == 1
    assert place.is_trusted()


def test_what_stands_in_the_file_stays(place: Place) -> None:
    """Comments, other settings, the mark of the byte order, ends of lines: only the rule comes in between."""
    place.rules().allow("bash(ls)")
    text = '\ufeff// mine\r\n{"permissions": {"deny": ["bash(rm:*)"], // never\r\n"allow": ["bash(ls)"]}}\r\n'
    place.file.write_bytes(text.encode())
    standing_of(place.project, place.home).trusted()
    assert place.rules().allow("bash(make)") == KEPT
    assert place.file.read_bytes().decode() == text.replace('"bash(ls)"]', '"bash(ls)", "bash(make)"]')
    assert place.is_trusted()


@pytest.mark.parametrize("is_run", [False, True])
def test_in_a_project_that_is_not_trusted_it_lasts_for_the_session(place: Place, *, is_run: bool) -> None:
    """It is said; nothing is written; it holds meanwhile. With --trust, which is for one run, the same."""
    (place.project / ".agent").mkdir()
    (place.project / ".agent/settings.json").write_text('{"model": "theirs"}')
    rules = place.rules(is_run=is_run)
    assert rules.duration == "this session"
    why = "is trusted for this run only" if is_run else "is not trusted"
    assert rules.allow("bash(make)") == f"not kept: this project {why}"
    assert rules.permission.judge(bash_call("make")).decision == "allow"
    assert not place.file.exists()
    assert not place.is_trusted()


def test_what_somebody_changed_meanwhile_is_not_trusted_by_it(place: Place) -> None:
    """The rule is kept, but the project is asked about at the next start, for the other change."""
    rules = place.rules()
    (place.project / ".agent").mkdir()
    (place.project / ".agent/settings.json").write_text('{"permissions": {"allow": ["*"]}}')
    assert rules.allow("bash(make)") == f"{KEPT}, which will be asked about at the next start"
    assert not place.is_trusted()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"permissions": {"allow": "all"}}', "is no list"),
        (b"nonsense", "was not changed"),
        (b"\xff\xfe{}", "is not UTF-8"),
        (b" " * 1_000_001, "is larger than 1,000,000 bytes"),
    ],
)
def test_a_file_that_is_not_understood_is_left_alone(place: Place, data: bytes, why: str) -> None:
    """The rule holds for the session, and it is said why it is not kept."""
    rules = place.rules()
    place.file.parent.mkdir()
    place.file.write_bytes(data)
    assert why in rules.allow("bash(make)")
    assert place.file.read_bytes() == data
    assert [rule.origin for rule in rules.permission.rules.rules] == ["session"]


@pytest.mark.parametrize("what", ["file", "folder", "pipe"])
def test_nothing_is_written_through_a_link_or_to_a_pipe(place: Place, tmp_path: Path, what: str) -> None:
    """What the project puts in the file's place leads us nowhere."""
    target = tmp_path / "target"
    if what == "folder":
        target.mkdir()
        (place.project / ".agent").symlink_to(target)
    else:
        place.file.parent.mkdir()
        if what == "pipe":
            os.mkfifo(place.file)
        else:
            target.write_text("{}")
            place.file.symlink_to(target)
    rules = LocalRules(Permission(home=tmp_path), standing_of(place.project, place.home).for_run())
    assert rules.allow("bash(make)").startswith("not kept: ")
    assert what == "pipe" or (target.read_text() == "{}" if target.is_file() else not list(target.iterdir()))


def test_the_users_own_ignore_file_stays_as_it_is(place: Place) -> None:
    """Where `.agent` has one, git is told by its own list; where that ignores the file already, not at all."""
    ignore = place.project / ".agent/.gitignore"
    ignore.parent.mkdir()
    ignore.write_text("cache\n")
    place.rules().allow("bash(make)")
    assert ignore.read_text() == "cache\n"
    assert NAME not in place.untracked()
    assert NAME in (place.project / ".git/info/exclude").read_text()
    place.file.unlink()
    place.rules().allow("bash(make)")
    assert (place.project / ".git/info/exclude").read_text().count(NAME) == 1


def test_a_full_or_closed_disk_costs_only_the_keeping(place: Place) -> None:
    """A folder that cannot be made: said, and the rule holds for the session."""
    rules = place.rules()
    (place.project / ".agent").write_text("a file in the folder's place")
    assert rules.allow("bash(make)").startswith("not kept: ")
    assert rules.permission.judge(bash_call("make")).decision == "allow"


def test_a_rule_is_taken_back(place: Place) -> None:
    """Of the file and of the session, now and for the next start; of elsewhere none; what is gone already is said."""
    rules = place.rules()
    rules.allow("bash(make)")
    rules.allow("bash(ls)")
    rules.permission.allow_always("bash(pwd)")
    rules.permission.allow_always("bash(id)", origin="--allow")
    kept, other, session, flag = rules.permission.rules.rules
    assert [rules.can_remove(rule) for rule in (kept, other, session, flag)] == [True, True, True, False]
    rules.remove(kept)
    rules.remove(session)
    assert rules.permission.rules.rules == (other, flag)
    assert "make" not in place.file.read_text()
    assert place.is_trusted()
    place.file.write_text("{}")
    with pytest.raises(NotKeptError, match="not in"):
        rules.remove(other)
    assert other in rules.permission.rules.rules


def test_two_sessions_at_once(place: Place) -> None:
    """Each rule of each of them is kept."""
    sessions = [place.rules() for _ in range(4)]
    threads = [
        threading.Thread(target=lambda one=one, at=at: [one.allow(f"bash(make {at}{n})") for n in range(5)])
        for at, one in enumerate(sessions)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    text = place.file.read_text()
    assert all(f'"bash(make {at}{n})"' in text for at in range(4) for n in range(5))
    assert place.is_trusted()


def test_what_is_no_rule_is_said(place: Place) -> None:
    """Before it is kept; nothing holds then."""
    rules = place.rules()
    assert rules.problem("bash(ls:*)") == ""
    assert "there is no tool `bsh`" in rules.problem("bsh(ls)")
    with pytest.raises(RuleError):
        rules.allow("bash(")
    assert not place.file.exists()
