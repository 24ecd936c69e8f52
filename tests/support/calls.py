"""Calls as hooks and permission see them, for tests."""

import os
from pathlib import Path
from typing import Literal

from agent.calls.admission import as_use
from hooks.events import PathUse, PreToolUse, Verdict
from hooks.permission.judge import Mode, Permission
from hooks.permission.rules import PermissionRules
from tools.paths import resolve

HOME = "/home/me"
"""The home folder of tests that only judge; it need not exist."""
PROJECT = f"{HOME}/proj"


def bash_call(command: str, *, cwd: str = PROJECT) -> PreToolUse:
    """A bash call."""
    return PreToolUse(tool_name="bash", tool_input={"command": command}, cwd=cwd, call_id="call-1")


def path_call(tool_name: str, use: PathUse) -> PreToolUse:
    """A call of a tool with one path."""
    is_read_only = use.access == "read"
    return PreToolUse(
        tool_name=tool_name,
        tool_input={},
        paths=(use,),
        cwd=PROJECT,
        is_read_only=is_read_only,
        call_id="call-1",
    )


def use_of(shown: str, access: Literal["read", "write"] = "write", *, is_own: bool = False) -> PathUse:
    """A path use in PROJECT when ``shown`` is relative, else outside."""
    is_inside = not shown.startswith("/")
    path = os.path.normpath(f"{PROJECT}/{shown}") if is_inside else shown
    return PathUse(path=path, shown=shown, access=access, is_inside=is_inside, is_own=is_own)


def resolved_use(raw: str, access: Literal["read", "write"], *, project: Path) -> PathUse:
    """Resolve ``raw`` on the real disk, as a call would."""
    root = Path(os.path.realpath(project))
    return as_use(resolve(raw, access=access, project=root, base=None, is_own_file=lambda _: False), root)


def permission(
    mode: Mode = "ask", *, allow: tuple[str, ...] = (), ask: tuple[str, ...] = (), deny: tuple[str, ...] = ()
) -> Permission:
    """A permission with these rules, for HOME."""
    rules = PermissionRules.parse({"allow": allow, "ask": ask, "deny": deny})
    return Permission(mode, rules, home=Path(HOME))


def judge_bash(command: str, mode: Mode = "ask", *, cwd: str = PROJECT, **rules: tuple[str, ...]) -> Verdict:
    """What permission says of ``command``."""
    return permission(mode, **rules).judge(bash_call(command, cwd=cwd))
