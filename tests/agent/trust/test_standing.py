"""Whether a project is trusted: bound to what its files say, where they lie, and to nobody's word but the user's."""

import json
import os
import shutil
from pathlib import Path

import pytest

from agent.trust import renew, standing_of, store
from agent.trust.gathered import MAX_FILE_BYTES, MAX_TYPES
from tests.support.trusting import HOSTILE, REVIEWER, made, put, trusted

LOCAL = ".agent/settings.local.json"
SETTINGS = ".agent/settings.json"


def test_a_project_without_such_files_has_nothing_to_trust(tmp_path: Path) -> None:
    """Nor has one whose files say nothing: nobody is asked about an empty object."""
    project, home = made(tmp_path)
    assert standing_of(project, home).state == "nothing"
    put(project, SETTINGS, {"permissions": {"allow": []}})
    assert standing_of(project, home).state == "nothing"
    assert standing_of(project, home).remarks == []


def test_nothing_is_in_force_before_trust(tmp_path: Path) -> None:
    """A new project: its files are read to be shown, and none of them is in force; one line says so."""
    project, home = made(tmp_path)
    put(project, SETTINGS, HOSTILE)
    put(project, ".claude/agents/reviewer.md", REVIEWER)
    standing = standing_of(project, home)
    assert (standing.state, standing.in_force.files) == ("new", ())
    (remark,) = standing.remarks
    assert remark == (
        "this project is not trusted: 2 rules, 2 settings, 1 agent type of .agent/settings.json, "
        ".claude/agents/reviewer.md off; --trust turns it on for this run, `agent` in a terminal asks"
    )


def test_what_was_trusted_is_what_is_used(tmp_path: Path) -> None:
    """Once trusted it is in force, with the bytes that were read, whatever is written between check and use."""
    project, home = made(tmp_path)
    path = put(project, SETTINGS, {"model": "m"})
    before = path.read_bytes()
    standing = trusted(project, home)
    assert (standing.state, standing.lasts) == ("trusted", True)
    put(project, SETTINGS, HOSTILE)
    assert [file.data for file in standing.in_force.files] == [before]


@pytest.mark.parametrize("name", [SETTINGS, LOCAL, ".agent/agents/a.md", ".claude/agents/a.md"])
def test_a_change_of_any_file_asks_again(tmp_path: Path, name: str) -> None:
    """Changed, added or gone: it is not trusted as it is now, and what was agreed to can be compared."""
    project, home = made(tmp_path)
    put(project, SETTINGS, {"model": "m"})
    path = put(project, name, {"model": "n"})
    assert trusted(project, home).is_on
    put(project, name, {"model": "evil"})
    changed = standing_of(project, home)
    assert (changed.state, changed.is_on, bool(changed.agreed)) == ("changed", False, True)
    assert "has changed since it was trusted" in changed.remarks[0]
    path.unlink()
    assert standing_of(project, home).state in ("changed", "nothing")
    put(project, name, {"model": "n"})
    assert standing_of(project, home).is_on


def test_moved_or_copied_it_is_another_project(tmp_path: Path) -> None:
    """The place counts: what rules and hooks mean depends on it. Moved back, it is trusted as before."""
    project, home = made(tmp_path)
    put(project, SETTINGS, HOSTILE)
    trusted(project, home)
    copy = project.with_name("copy")
    shutil.copytree(project, copy)
    assert standing_of(copy, home).state == "new"
    project.rename(project.with_name("moved"))
    assert standing_of(project.with_name("moved"), home).state == "new"
    project.with_name("moved").rename(project)
    assert standing_of(project, home).state == "trusted"


def test_a_file_that_is_a_link_is_named_with_where_it_leads(tmp_path: Path) -> None:
    """Its target is read and bound: another target, or other bytes there, ask again."""
    project, home = made(tmp_path)
    outside = put(tmp_path.resolve(), "outside.json", {"model": "m"})
    other = put(tmp_path.resolve(), "other.json", {"model": "m"})
    (project / ".agent").mkdir()
    link = project / SETTINGS
    link.symlink_to(outside)
    standing = trusted(project, home)
    assert standing.is_on
    assert standing.files == [f"{SETTINGS}, a link to {outside} outside the project"]
    link.unlink()
    link.symlink_to(other)
    assert standing_of(project, home).state == "changed"
    link.unlink()
    link.symlink_to(outside)
    put(tmp_path.resolve(), "outside.json", HOSTILE)
    assert standing_of(project, home).state == "changed"


def test_the_home_folder_as_project_is_the_users_own(tmp_path: Path) -> None:
    """`~/.agent` is no project's: it needs no trust. Agent types of another program's there do."""
    home = tmp_path.resolve() / ".agent"
    put(tmp_path.resolve(), SETTINGS, HOSTILE)
    assert standing_of(tmp_path.resolve(), home).state == "nothing"
    put(tmp_path.resolve(), ".claude/agents/a.md", REVIEWER)
    assert [file.name for file in standing_of(tmp_path.resolve(), home).gathered.files] == [
        ".claude/agents/a.md"
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_is_named_so(tmp_path: Path) -> None:
    """Who it belongs to stands beside its name, before it is trusted."""
    project, home = made(tmp_path)
    os.chown(put(project, SETTINGS, HOSTILE), 4711, 4711)
    assert standing_of(project, home).files == [f"{SETTINGS}, which belongs to user 4711"]


def test_what_is_no_file_is_a_problem_and_holds_nobody_up(tmp_path: Path) -> None:
    """A pipe, a folder, a huge file, a flood of agent types: named, never read to the end, never left out."""
    project, home = made(tmp_path)
    (project / ".agent").mkdir()
    os.mkfifo(project / SETTINGS)
    (project / LOCAL).mkdir()
    put(project, ".claude/agents/big.md", "x" * (MAX_FILE_BYTES + 1))
    for number in range(MAX_TYPES + 1):
        put(project, f".agent/agents/{number}.md", REVIEWER)
    assert {file.name: file.problem for file in standing_of(project, home).gathered.files} == {
        SETTINGS: "no regular file",
        LOCAL: "no regular file",
        ".claude/agents/big.md": "larger than 1,000,000 bytes",
        ".agent/agents": "more than 200 files",
    }


def test_imports_from_outside_are_bound_by_name(tmp_path: Path) -> None:
    """A new file outside the project that instructions want asks again; what is in it is not the project's."""
    project, home = made(tmp_path)
    notes = put(project.parent, "notes.md", "Use tabs.")
    more = put(project.parent, "more.md", "And more.")
    put(project, "AGENTS.md", "@../notes.md @missing.md @AGENTS.md")
    assert standing_of(project, home).line == (
        "this project is not trusted: 1 import (its instruction files); "
        "`agent` in a terminal asks, --trust turns it on for one run"
    )
    trusted(project, home)
    notes.write_text("Use blanks.")
    assert standing_of(project, home).in_force.imports == (str(notes),)
    put(project, "AGENTS.md", "@../notes.md @../more.md")
    now = standing_of(project, home)
    assert (now.state, [power.text for power in now.powers]) == ("changed", [str(more), str(notes)])
    put(project, "AGENTS.md", "nothing")
    assert standing_of(project, home).state == "nothing"


def test_what_we_write_ourselves_leaves_imports_trusted(tmp_path: Path) -> None:
    """An "always" in a trusted project: its settings change, and all it imports is as trusted as before."""
    project, home = made(tmp_path)
    put(project.parent, "notes.md", "Use tabs.")
    put(project, "AGENTS.md", "@../notes.md")
    trusted(project, home)
    put(project, LOCAL, "{}")
    assert renew(project, home, LOCAL, before=None, after=b"{}")
    assert standing_of(project, home).state == "trusted"


def test_for_one_run_nothing_is_kept(tmp_path: Path) -> None:
    """`--trust`: in force now, unknown again at the next look."""
    project, home = made(tmp_path)
    put(project, SETTINGS, HOSTILE)
    standing = standing_of(project, home).for_run()
    assert (standing.is_on, standing.lasts) == (True, False)
    assert not (home / store.FILE).exists()
    assert standing_of(project, home).state == "new"


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"version": 2, "projects": {}}',
        b'{"version": 1, "projects": []}',
        b'{"version": 1, "projects": {"/": {"sha256": 1, "lines": []}}}',
        b'{"version": 1, "projects": {"/": {"sha256": "a", "lines": "a"}}}',
    ],
)
def test_a_damaged_file_trusts_nothing(tmp_path: Path, damage: bytes) -> None:
    """It is said, it is put aside at the next agreement, and what is agreed to then is kept."""
    project, home = made(tmp_path)
    put(project, SETTINGS, HOSTILE)
    trusted(project, home)
    (home / store.FILE).write_bytes(damage)
    standing = standing_of(project, home)
    assert standing.state == "new"
    assert standing.remarks[0] == f"{home / store.FILE} is damaged: no project counts as trusted"
    assert trusted(project, home).is_on
    assert (home / f"{store.FILE}.unusable").read_bytes() == damage


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_trusts_nothing(tmp_path: Path, mode: int) -> None:
    """Whoever can write it could trust for the user; ours is private."""
    project, home = made(tmp_path)
    put(project, SETTINGS, HOSTILE)
    trusted(project, home)
    path = home / store.FILE
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(mode)
    standing = standing_of(project, home)
    assert (standing.is_on, "can be written by others" in standing.problem) == (False, True)


def test_where_it_cannot_be_kept_it_holds_for_the_run(tmp_path: Path) -> None:
    """The user's yes counts now, and that it is not kept is said."""
    project, home = made(tmp_path)
    put(project, SETTINGS, HOSTILE)
    home.parent.mkdir()
    home.write_text("no folder")
    standing = standing_of(project, home).trusted()
    assert (standing.state, standing.lasts) == ("for this run", False)
    assert "trusted for this run only" in standing.problem


def test_several_projects_stand_beside_one_another(tmp_path: Path) -> None:
    """Trusting one leaves the others as they are, also with names that are no text."""
    project, home = made(tmp_path)
    odd = tmp_path.resolve() / os.fsdecode(b"odd\xff")
    for place in (project, odd):
        put(place, SETTINGS, {"model": str(len(str(place)))})
        trusted(place, home)
    assert standing_of(project, home).is_on
    assert standing_of(odd, home).is_on
    assert len(json.loads((home / store.FILE).read_text())["projects"]) == 2


def test_our_own_write_leaves_a_trusted_project_trusted(tmp_path: Path) -> None:
    """An `always` in a trusted project is renewed; so is the first one in a project that had nothing to trust."""
    project, home = made(tmp_path)
    path = put(project, LOCAL, {"permissions": {"allow": ["read"]}})
    assert renew(project, home, LOCAL, before=None, after=path.read_bytes())
    assert standing_of(project, home).state == "trusted"
    before = path.read_bytes()
    put(project, LOCAL, {"permissions": {"allow": ["read", "glob"]}})
    assert renew(project, home, LOCAL, before=before, after=path.read_bytes())
    assert standing_of(project, home).state == "trusted"


def test_our_own_write_trusts_nothing_that_was_not(tmp_path: Path) -> None:
    """What somebody else put there, before, beside, or right after our write, is still asked about."""
    project, home = made(tmp_path)
    put(project, SETTINGS, HOSTILE)
    path = put(project, LOCAL, {"permissions": {"allow": ["read"]}})
    assert not renew(project, home, LOCAL, before=None, after=path.read_bytes())
    assert standing_of(project, home).state == "new"
    trusted(project, home)
    before = path.read_bytes()
    ours = b'{"permissions": {"allow": ["glob"]}}'
    put(project, SETTINGS, {**HOSTILE, "model": "another"})
    path.write_bytes(ours)
    assert not renew(project, home, LOCAL, before=before, after=ours)
    put(project, SETTINGS, HOSTILE)
    put(project, LOCAL, HOSTILE)
    assert renew(project, home, LOCAL, before=before, after=ours)
    assert standing_of(project, home).state == "changed"


def test_what_a_hook_runs_is_trusted_with_it(tmp_path: Path) -> None:
    """Another text in the script of a hook asks again, and shows; who opens the session protects it from changes."""
    project, home = made(tmp_path)
    put(
        project, SETTINGS, {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sh ./check.sh"}]}]}}
    )
    put(project, "check.sh", "echo fine")
    standing = trusted(project, home)
    assert (standing.is_on, standing.scripts) == (True, (str(project / "check.sh"),))
    put(project, "check.sh", "touch pwned")
    changed = standing_of(project, home)
    assert (changed.state, changed.scripts) == ("changed", ())
    (script,) = [power.text for power in changed.powers if power.kind == "script"]
    assert f"script: {script}" not in changed.agreed
    assert [line.partition(" (")[0] for line in changed.agreed if line.startswith("script")] == [
        "script: check.sh"
    ]


def test_a_file_that_says_nothing_is_no_hindrance_to_our_own_write(tmp_path: Path) -> None:
    """Beside an empty object the first `always` is renewed, too."""
    project, home = made(tmp_path)
    put(project, SETTINGS, {})
    path = put(project, LOCAL, {"permissions": {"allow": ["read"]}})
    assert renew(project, home, LOCAL, before=b"{}", after=path.read_bytes())
    assert standing_of(project, home).state == "trusted"
