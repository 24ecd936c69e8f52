"""Folders outside of the project that are read unasked: those of the user's own skills."""

import os
from pathlib import Path

import pytest

from hooks.events import PreToolUse
from hooks.permission.judge import Mode, Permission
from hooks.permission.rules import PermissionRules
from tests.support.calls import HOME, bash_call, path_call, resolved_use


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A project, skills of the user beside it, and links between them and a secret."""
    root = Path(os.path.realpath(tmp_path))
    for name in ("proj/.agent/skills", "home/skills/pdf/references", "home/skills-evil", "secret"):
        (root / name).mkdir(parents=True)
    for name in ("home/skills/pdf/references/a.md", "home/skills/pdf/.env", "secret/s", "home/settings.json"):
        (root / name).write_text("x")
    (root / "proj/.agent/skills/out").symlink_to(root / "secret")
    (root / "proj/.agent/skills/mine").symlink_to(root / "home/skills/pdf")
    (root / "home/skills/leads").symlink_to(root / "secret")
    return root


def permission(world: Path, mode: Mode = "ask", **rules: tuple[str, ...]) -> Permission:
    """A permission that lets the user's skills be read."""
    skills = (str(world / "home/skills"),)
    return Permission(mode, PermissionRules.parse(rules), home=Path(HOME), readable=skills)


@pytest.mark.parametrize("mode", ["ask", "accept-edits", "plan"])
@pytest.mark.parametrize(
    ("raw", "decision"),
    [
        ("{w}/home/skills/pdf/references/a.md", "allow"),
        ("{w}/home/skills", "allow"),
        ("{w}/home/skills/pdf/not-there.md", "allow"),
        (".agent/skills/mine/references/a.md", "allow"),
        ("{w}/home/skills/pdf/.env", "ask"),
        ("{w}/home/skills/leads/s", "ask"),
        ("{w}/home/skills/pdf/../../settings.json", "ask"),
        ("{w}/home/skills-evil/a.md", "ask"),
        ("{w}/home/settings.json", "ask"),
        (".agent/skills/out/s", "ask"),
    ],
)
def test_what_is_read_unasked(world: Path, mode: Mode, raw: str, decision: str) -> None:
    """What really lies in the user's skills and is not hidden there; no link, `..` or like name leads further."""
    use = resolved_use(raw.format(w=world), "read", project=world / "proj")
    for tool in ("read", "glob"):
        assert permission(world, mode).judge(path_call(tool, use)).decision == decision


def test_only_reading(world: Path) -> None:
    """A change is asked about, and running what lies there, too; a rule that denies counts before."""
    path = f"{world}/home/skills/pdf/references/a.md"
    write = resolved_use(path, "write", project=world / "proj")
    assert permission(world, "accept-edits").judge(path_call("edit", write)).decision == "ask"
    assert permission(world).judge(bash_call(f"python {path}")).decision == "ask"
    assert permission(world).judge(bash_call(f"cat {path}")).decision == "ask"
    read = resolved_use(path, "read", project=world / "proj")
    assert permission(world, deny=(f"read({path})",)).judge(path_call("read", read)).decision == "deny"


@pytest.mark.parametrize(
    ("pattern", "decision"),
    [("**/*.md", "allow"), ("../*", "allow"), ("../../*", "ask"), ("{w}/secret/*", "ask")],
)
def test_patterns_do_not_lead_out(world: Path, pattern: str, decision: str) -> None:
    """A glob in a skill's folder stays in the folder of the skills."""
    base = resolved_use(f"{world}/home/skills/pdf", "read", project=world / "proj")
    call = PreToolUse(
        tool_name="glob",
        tool_input={"pattern": pattern.format(w=world)},
        paths=(base,),
        cwd=str(world / "proj"),
        is_read_only=True,
        call_id="c",
    )
    assert permission(world).judge(call).decision == decision
