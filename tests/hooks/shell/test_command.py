"""Command hooks as real programs: what they answer, and that none of them holds the session or fails open unseen."""

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from hooks.commands.command import RUNNING, CommandHooks, Ran
from hooks.commands.config import parse_hooks
from hooks.commands.payload import Scene
from hooks.events import HookEvent, Outcome, SessionStart, Stop
from tests.support.calls import bash_call
from tests.support.hook_scripts import script, settings

EVENT = bash_call("touch ran")
TIMEOUT_S = 1
HELD_S = 20
"""A hook that held us would take longer than this, on any machine."""


def hooks_of(value: dict[str, Any], **env: str) -> CommandHooks:
    """The hooks of such settings."""
    return CommandHooks(parse_hooks(value, origin="settings.json"), env={**os.environ, **env})


async def ran(folder: Path, text: str, *, event: HookEvent = EVENT, mode: int = 0o755, **handler: Any) -> Ran:
    """Run one script as the hook of ``event``."""
    command = script(folder, text, name="a hook/run it.sh", mode=mode)
    hooks = hooks_of(settings(event.event_name, command, **handler))
    [one] = await hooks.run(event, Scene(project=str(folder)))
    return one


async def outcome(folder: Path, text: str, **how: Any) -> Outcome:
    """What that comes to."""
    return (await ran(folder, text, **how)).outcome


PRETTY = '{\n  "decision": "block",\n  "reason": "x"\n}'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("echo no >&2; exit 2", "no"),
        ("exit 2", "refuses this and gives no reason"),
        ("""echo '{"decision":"block","reason":"x"}'""", "x"),
        ("""echo loading…; echo '{"decision":"block","reason":"x"}'""", "x"),
        (f"echo '{PRETTY}'", "x"),
        (f"echo loading…; echo '{PRETTY}'; exit 1", "x"),
        ("""echo '{"decision":"blok"}'; echo stop >&2; exit 2""", "stop"),
        ("""echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'; exit 2""", "refuses this"),
        ("echo rubbish; echo no >&2; exit 2", "no"),
    ],
)
async def test_f32_what_refuses(tmp_path: Path, text: str, reason: str) -> None:
    """Exit 2 with and without words, JSON in one line or more, behind other output, with another exit code."""
    said = await outcome(tmp_path, text)
    assert said.decision == "deny"
    assert reason in said.reason


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("exit 1", "exit code 1"),
        ("echo oh >&2; echo more >&2; exit 7", "exit code 7: oh"),
        ("""echo '{"decision":"blok"}'""", "`decision` is `blok`; it may be approve or block"),
        ("""echo '{"decision":3}'""", "`decision` is 3, no text"),
        ("""echo '{"desicion":"block"}'""", "its JSON has no field that is known, but `desicion`"),
        ("""echo '{"decision":"block"'; exit 0""", "its output is no JSON"),
        ("kill -9 $$", "killed by signal 9"),
        ("sleep 30", "no answer within 1 s; it was ended"),
        ("exec no-such-program", "exit code 127"),
        ("""echo '{"hookSpecificOutput":{"hookEventName":"Stop"}}'""", "is for Stop, and this is PreToolUse"),
        (
            """echo '{"hookSpecificOutput":{"permissionDecision":"defer"}}'""",
            "`defer`; it may be allow or ask or deny",
        ),
        (
            """echo '{"hookSpecificOutput":{"updatedInput":"x"}}'""",
            '`hookSpecificOutput.updatedInput` is "x", no object',
        ),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
async def test_f32_what_fails(tmp_path: Path, text: str, problem: str, strict: bool) -> None:
    """Is shown with the name of the hook and its fault, and goes on; a hook that is `strict` denies."""
    said = await outcome(tmp_path, text, timeout=TIMEOUT_S, strict=strict)
    assert said.decision == ("deny" if strict else None)
    [notice] = said.notices
    assert problem in notice
    assert notice.startswith("hook `")
    assert "run it.sh'` failed on PreToolUse: " in notice
    assert problem in said.reason or not strict


@pytest.mark.parametrize("strict", [False, True])
async def test_f32_i_not_executable(tmp_path: Path, strict: bool) -> None:
    """A script with blanks in its path runs; one that may not be run is shown, and denies where it is strict."""
    assert (await ran(tmp_path, "exit 0")).problem == ""
    said = await outcome(tmp_path, "exit 0", mode=0o600, strict=strict)
    assert "Permission denied" in said.notices[0]
    assert said.decision == ("deny" if strict else None)


async def test_silence_decides_nothing(tmp_path: Path) -> None:
    """Exit 0 leaves the call to permission, whatever is printed as plain text."""
    assert await outcome(tmp_path, "echo all is well; echo really >&2") == Outcome()


async def within(folder: Path, text: str, **how: Any) -> tuple[Ran, float]:
    """Run a script; return also how long it took."""
    began = time.monotonic()
    one = await asyncio.wait_for(ran(folder, text, timeout=TIMEOUT_S, **how), 30)
    return one, time.monotonic() - began


async def test_100_mb_of_output(tmp_path: Path) -> None:
    """It is read and dropped: the hook ends, nothing is kept of it, and that is said."""
    one = await ran(tmp_path, "head -c 100M /dev/zero; head -c 100M /dev/zero >&2; exit 3", timeout=50)
    assert one.ended is not None
    assert (one.ended.code, one.ended.is_late) == (3, False)
    assert one.ended.is_cut
    assert "it printed more than 8 MB" in one.problem


@pytest.mark.parametrize(
    "text",
    [
        "sleep 61 & sleep 61",
        "trap '' TERM; sleep 61 & wait; sleep 61",
        "trap '' TERM; while true; do echo x; done",
        "cat /dev/zero",
    ],
)
async def test_a_hook_that_hangs(tmp_path: Path, text: str) -> None:
    """It is ended with all that it started, whether it listens to TERM or not."""
    one, took_s = await within(tmp_path, f"echo $$ > group\n{text}")
    assert one.ended is not None
    assert one.ended.is_late
    assert took_s < HELD_S
    assert not group_of(int((tmp_path / "group").read_text()))


def group_of(group: int) -> list[str]:
    """Return what still runs of a process group."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, member_of = stat.read_text().rpartition(")")[2].split()[:3]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(member_of) == group and state not in "ZX":
            found.append(stat.parent.name)
    return found


async def test_a_child_that_holds_the_pipe(tmp_path: Path) -> None:
    """The answer stands as soon as the hook itself has ended."""
    one, took_s = await within(tmp_path, """sleep 25 & echo '{"decision":"block","reason":"x"}'""")
    assert (one.outcome.decision, one.problem) == ("deny", "")
    assert took_s < HELD_S


async def test_a_child_in_a_session_of_its_own(tmp_path: Path) -> None:
    """One that left the group and holds the pipes does not hold us when the hook's time is up."""
    one, took_s = await within(tmp_path, "setsid sleep 25 & sleep 61")
    assert one.ended is not None
    assert one.ended.is_late
    assert took_s < HELD_S


async def test_a_hook_that_deletes_itself(tmp_path: Path) -> None:
    """It answers; the next time it is gone, and that is shown."""
    command = script(tmp_path, 'rm "$0"; echo gone >&2; exit 2')
    hooks = hooks_of(settings("PreToolUse", command))
    first, second = [await hooks.run(EVENT, Scene(project=str(tmp_path))) for _ in range(2)]
    assert first[0].outcome.reason == "gone"
    assert "exit code 127" in second[0].outcome.notices[0]


async def test_input_that_is_not_read(tmp_path: Path) -> None:
    """A hook may leave its input alone, however long it is."""
    event = bash_call("x" * 5_000_000)
    assert await outcome(tmp_path, "exec <&-; exit 0", event=event) == Outcome()


async def test_input_that_is_read(tmp_path: Path) -> None:
    """It is one JSON object and an end, also with what is no text; the hook has no terminal."""
    event = bash_call("echo \ud800 é")
    await ran(tmp_path, "cat > told; tty > terminal; exit 0", event=event)
    told = json.loads((tmp_path / "told").read_text())
    assert told["tool_input"]["command"] == "echo \ud800 é"
    assert "not a tty" in (tmp_path / "terminal").read_text()


async def test_where_it_runs(tmp_path: Path) -> None:
    """In the project, in a group of its own, with the project in the environment by both names."""
    text = 'pwd; echo "$CLAUDE_PROJECT_DIR"; echo "$AGENT_PROJECT_DIR"; ps -o pgid= -p $$; echo $$'
    one = await ran(tmp_path, text)
    assert one.ended is not None
    place, *projects, group, process = one.ended.stdout.split()
    assert [place, *projects] == [str(tmp_path)] * 3
    assert group == process


async def test_arguments_without_a_shell(tmp_path: Path) -> None:
    """With `args` nothing is split or expanded but the placeholders of the project."""
    script(tmp_path, 'printf "%s\\n" "$@" >&2; exit 2', name="my hook")
    args = ["a b", "$HOME", "${CLAUDE_PROJECT_DIR}/x", "`id`"]
    hooks = hooks_of(settings("PreToolUse", "${CLAUDE_PROJECT_DIR}/my hook", args=args))
    [one] = await hooks.run(EVENT, Scene(project=str(tmp_path)))
    assert one.outcome.reason.split("\n") == ["a b", "$HOME", f"{tmp_path}/x", "`id`"]


async def test_the_same_command_runs_once(tmp_path: Path) -> None:
    """Whatever matchers and files name it, and strict if one of these says so; others run side by side, in order."""
    mark = script(tmp_path, "echo once >> marks; exit 1", name="mark")
    wait = 'touch here-{0}; until [ -e here-{1} ]; do sleep 0.01; done; echo "{0}" >&2; exit 2'
    first, second = (script(tmp_path, wait.format(*pair), name=pair[0]) for pair in ("ab", "ba"))
    value = settings("PreToolUse", mark, first, second, matcher="Bash", timeout=20)
    value["PreToolUse"] += settings("PreToolUse", mark, strict=True)["PreToolUse"]
    said = [one.outcome for one in await hooks_of(value).run(EVENT, Scene(project=str(tmp_path)))]
    assert (tmp_path / "marks").read_text() == "once\n"
    assert [one.decision for one in said] == ["deny"] * 3
    assert [one.reason for one in said[1:]] == ["a", "b"]


async def test_only_what_matches_runs(tmp_path: Path) -> None:
    """Events and matchers choose; an event without a name to match has all of its hooks run."""
    value = {
        **settings("PreToolUse", "exit 2", matcher="Edit"),
        **settings("Stop", "exit 2", matcher="never"),
    }
    hooks = hooks_of(value)
    scene = Scene(project=str(tmp_path))
    assert await hooks.run(EVENT, scene) == []
    assert await hooks.run(SessionStart(source="startup"), scene) == []
    assert [one.outcome.decision for one in await hooks.run(Stop(last_text=""), scene)] == ["deny"]


async def test_a_hook_inside_of_itself(tmp_path: Path) -> None:
    """An agent that it starts does not run it again and says so once; others run there, for they may guard."""
    text = f'[ -z "${RUNNING}" ] || echo ${RUNNING} >&2; exit 2'
    first = script(tmp_path, text, name="first")
    guard = script(tmp_path, "exit 2", name="guard")
    scene = Scene(project=str(tmp_path))
    [outer, _] = await hooks_of(settings("PreToolUse", first, guard)).run(EVENT, scene)
    inner = hooks_of(settings("PreToolUse", first, guard), **{RUNNING: outer.outcome.reason})
    left_out, guarded = await inner.fire(EVENT, scene)
    assert left_out.decision is None
    assert "it is not run again inside of it" in left_out.notices[0]
    assert guarded.decision == "deny"
    assert (await inner.fire(EVENT, scene))[0] == Outcome()


async def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    """Nothing can be started there: shown, and a deny of a strict hook."""
    hooks = hooks_of(settings("PreToolUse", "exit 0", strict=True))
    [said] = await hooks.fire(EVENT, Scene(project=str(tmp_path / "gone")))
    assert said.decision == "deny"
    assert "it cannot be started" in said.notices[0]


async def test_interrupted(tmp_path: Path) -> None:
    """Cancelled, it ends the hook with its group at once."""
    command = script(tmp_path, "echo $$ > group; trap '' TERM; sleep 61 & wait; sleep 61")
    hooks = hooks_of(settings("PreToolUse", command))
    firing = asyncio.create_task(hooks.fire(EVENT, Scene(project=str(tmp_path))))
    group = tmp_path / "group"
    for _ in range(2000):
        if group.exists() and group.read_text().strip():
            break
        await asyncio.sleep(0.01)
    firing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await firing
    assert not group_of(int(group.read_text()))
