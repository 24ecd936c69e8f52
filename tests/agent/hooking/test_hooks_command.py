"""`agent hooks list` and `test`, and `/hooks`: what is in force, and what it would do."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent.hooking.lines import NONE
from hooks.commands.config import EVENTS
from tests.support.command import Command, Ran
from tests.support.hook_scripts import script, settings
from tests.support.rig import rig

GUARD = 'case "$(cat)" in *"rm -r"*) echo "no removing" >&2; exit 2;; esac'


def command_with(root: Path, hooks: dict[str, Any], *, project: dict[str, Any] | None = None) -> Command:
    """A user whose settings hold ``hooks``, and a project with its own."""
    command = Command(root=root)
    (command.home / "settings.json").write_text(json.dumps({"hooks": hooks}))
    if project is not None:
        (command.project / ".agent").mkdir()
        (command.project / ".agent" / "settings.json").write_text(json.dumps({"hooks": project}))
    return command


def agent_hooks(command: Command, *args: str) -> Ran:
    """Run `agent hooks ARGS` in the project."""
    return command.here("hooks", *args, "--cwd", str(command.project))


def test_list(tmp_path: Path) -> None:
    """Two lines a hook, in the order in which they count: event, matcher, time, file; and the command whole."""
    hooks = {
        **settings("PreToolUse", "./check.py\n--strictly", matcher="Bash|Edit", timeout=10, strict=True),
        **settings("Stop", "x" * 100),
    }
    command = command_with(tmp_path, hooks)
    ran = agent_hooks(command, "list")
    place = command.home / "settings.json"
    assert (ran.code, ran.err) == (0, "")
    assert ran.text.splitlines() == [
        f"PreToolUse  Bash|Edit  (within 10 s, strict)  {place}",
        "    ./check.py --strictly",
        f"Stop  (within 600 s)  {place}",
        f"    {'x' * 100}",
    ]


def test_list_nothing(tmp_path: Path) -> None:
    """Without hooks it says how there would be some."""
    ran = agent_hooks(command_with(tmp_path, {}), "list")
    assert (ran.code, ran.text) == (0, f"{NONE}\n")


def test_a_project_that_is_not_trusted(tmp_path: Path) -> None:
    """Its hooks are neither listed nor tried, which is said; --trust turns them on."""
    mark = tmp_path / "mark"
    command = command_with(tmp_path, {}, project=settings("Stop", f"touch {mark}"))
    for args in (("list",), ("test", "Stop")):
        ran = agent_hooks(command, *args)
        assert ran.code == 0
        assert "touch" not in ran.text
        assert "this project is not trusted: 1 hook of .agent/settings.json off" in ran.err
    assert not mark.exists()
    assert f"touch {mark}" in agent_hooks(command, "list", "--trust").text
    assert "1 of 1 hooks match" in agent_hooks(command, "test", "Stop", "--trust").text
    assert mark.exists()


def tried(root: Path, *args: str, hooks: dict[str, Any] | None = None) -> Ran:
    """Try the guard of these tests, or other hooks."""
    guard = settings("PreToolUse", script(root, GUARD), "echo silent", matcher="Bash")
    guard["PreToolUse"] += settings("PreToolUse", "exit 2", matcher="Write")["PreToolUse"]
    return agent_hooks(command_with(root, guard if hooks is None else hooks), "test", *args)


@pytest.mark.parametrize(("tool", "timeout"), [("bash", 5), ("Bash", 5000), ("BASH", 5000)])
def test_a_call_that_is_refused(tmp_path: Path, tool: str, timeout: int) -> None:
    """Which hooks match, how each ended and what it wrote, the decision; exit code 1. Input is spelled as the tool is."""
    given = json.dumps({"command": "rm -rf src", "timeout": timeout})
    ran = tried(tmp_path, "pretooluse", "--tool", tool, "--input", given)
    assert ran.code == 1
    lines = ran.text.splitlines()
    assert lines[0] == "PreToolUse: 2 of 3 hooks match"
    assert lines[2].startswith("    exit code 2 after ")
    assert lines[3:5] == ["    stderr: no removing", "    = deny: no removing"]
    assert lines[-2:] == [
        "together = deny: no removing",
        "with permission = deny: no removing (it does not run)",
    ]


def test_a_call_that_nothing_refuses(tmp_path: Path) -> None:
    """Permission has the last word; exit code 0, also where the user would be asked."""
    ran = tried(tmp_path, "PreToolUse", "--tool", "bash", "--input", '{"command": "touch x"}')
    assert ran.code == 0
    assert "    stdout: silent" in ran.text.splitlines()
    assert (
        ran.text.splitlines()[-1] == "with permission = ask: no rule allows this command (the user is asked)"
    )


def test_a_rewritten_call_is_judged_as_it_would_run(tmp_path: Path) -> None:
    """The new input is shown, and permission sees that one; one that the tool does not take is refused."""
    for updated, words in (
        ({"command": "rm -rf /"}, "(it does not run)"),
        ({"cmd": "ls"}, "with permission = deny: the new input cannot be used"),
    ):
        answer = {"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": updated}}
        hooks = settings("PreToolUse", f"echo '{json.dumps(answer)}'")
        ran = tried(tmp_path, "PreToolUse", "--tool", "bash", "--input", '{"command": "ls"}', hooks=hooks)
        assert ran.code == 1
        assert f"    = new input: {updated}" in ran.text.splitlines()
        assert words in ran.text.splitlines()[-1]


def test_a_hook_that_fails(tmp_path: Path) -> None:
    """Its fault is shown; exit code 1."""
    ran = tried(tmp_path, "Stop", hooks=settings("Stop", "echo oh >&2; exit 3"))
    assert ran.code == 1
    assert "failed on Stop: exit code 3: oh" in ran.text


@pytest.mark.parametrize("event", EVENTS)
def test_every_event_can_be_tried(tmp_path: Path, event: str) -> None:
    """With what is given, or with something that stands for it; the hook reads it as in a session."""
    args = ("--tool", "bash", "--input", '{"command": "ls"}') if "ToolUse" in event else ()
    ran = tried(tmp_path, event, *args, hooks=settings(event, f"cat > {tmp_path}/told"))
    assert ran.code == 0
    assert json.loads((tmp_path / "told").read_text())["hook_event_name"] == event


def test_fields_of_an_event(tmp_path: Path) -> None:
    """They are given by the names that hooks are told."""
    hooks = settings("SessionEnd", "echo matched", matcher="clear")
    assert "matched" in tried(tmp_path, "SessionEnd", "--input", '{"reason": "clear"}', hooks=hooks).text
    assert "0 of 1 hooks match" in tried(tmp_path, "SessionEnd", hooks=hooks).text


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("Nope",), "there is no event `Nope`; there are SessionStart"),
        (("PreToolUse",), "PreToolUse is about a call: name the tool"),
        (("PreToolUse", "--tool", "nope"), "--input: There is no tool `nope`"),
        (("PreToolUse", "--tool", "bash"), "--input: "),
        (("Stop", "--tool", "bash"), "--tool goes with the events of a call"),
        (("Stop", "--input", "{"), "--input is no JSON"),
        (("Stop", "--input", "[" * 100_000), "--input nests too deeply"),
        (("Stop", "--input", "[]"), "--input must be one JSON object"),
        (("Stop", "--input", '{"x": 1}'), "--input: Stop has no `x`; it has last_assistant_message"),
        (("Stop", "--input", '{"stop_hook_active": "yes"}'), "`stop_hook_active` must be true or false"),
    ],
)
def test_what_cannot_be_tried(tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    """Exit code 2 and one line; nothing is run."""
    hooks = settings("Stop", f"touch {tmp_path}/ran")
    ran = tried(tmp_path, *args, hooks=hooks)
    assert (ran.code, ran.out) == (2, b"")
    assert words in ran.err
    assert ran.err.count("\n") == 1
    assert not (tmp_path / "ran").exists()


def test_output_of_hooks_is_text(tmp_path: Path) -> None:
    """Control characters of a hook never reach the terminal; long output is cut, and how much is said."""
    ran = tried(
        tmp_path, "Stop", hooks=settings("Stop", r"printf '\033[2J\007'; head -c 5000 /dev/zero | tr '\0' x")
    )
    assert b"\x1b" not in ran.out
    assert b"\x07" not in ran.out
    assert "… 3,005 characters more" in ran.text


async def test_slash_hooks(tmp_path: Path) -> None:
    """`/hooks` is the same list, in the session."""
    async with rig(tmp_path, commands=settings("Stop", "true", matcher="x")) as it:
        await it.says("/hooks", "Stop  x  (within 600 s)  settings.json\n    true")
    async with rig(tmp_path) as it:
        await it.says("/hooks", "no hooks: name commands")
