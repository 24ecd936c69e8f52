"""`agent doctor` as a command: its lines, its exit code, and that it looks without leaving a trace."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from agent.doctor.skills import ALL
from agent.offline import MessagesServer, Script
from tests.support.command import NOBODY, Command, Ran
from tests.support.many_skills import make_skills
from tests.support.trusting import REVIEWER, put


def doctor(command: Command, *args: str) -> Ran:
    return command.here("doctor", "--cwd", str(command.project), *args)


def findings(ran: Ran) -> dict[str, list[str]]:
    """What is said of each thing: `mark text`."""
    found: dict[str, list[str]] = {}
    for line in ran.text.partition("\n\n")[0].splitlines():
        mark, about, text = line.split(maxsplit=2)
        found.setdefault(about, []).append(f"{mark} {text}")
    return found


def settings(command: Command, value: Any) -> Path:
    path = command.home / "settings.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def test_where_all_is_well_nothing_has_to_be_done(tmp_path: Path) -> None:
    """Exit code 0; the server was asked for its models alone; nothing was written, no secret shown."""
    with MessagesServer(Script()) as server:
        command = Command(root=tmp_path, url=server.url)
        ran = doctor(command)
        assert [request.path for request in server.requests] == ["/v1/models"]
    assert (ran.code, ran.err) == (0, "")
    assert ran.text.endswith("\n\nnothing has to be done\n")
    found = findings(ran)
    about = "version environment trust agents skills instructions model prompt server terminal bash git rg"
    about += " sandbox transcripts tokens"
    assert list(found) == about.split()
    assert found["server"][0].startswith(f"ok {server.url}, ")
    assert found["server"][0].endswith(" s: the key is accepted")
    assert found["model"][0].startswith("ok `claude-sonnet-5-5` (the default): window 1,000,000 tokens, $")
    assert found["transcripts"] == [f"ok the first session makes {command.project}/.transcripts"]
    assert command.key not in ran.text
    assert list(command.project.iterdir()) + list(command.home.iterdir()) == []


def test_the_head_of_every_request_is_measured(tmp_path: Path) -> None:
    """System prompt and tools in tokens of the meter, and what the strongest settings file adds to them."""
    command = Command(root=tmp_path)
    alone = r"ok 3\.\dk tokens at the head of every request: system prompt 1\.\dk, tools 2\.\dk"
    [found] = findings(doctor(command))["prompt"]
    assert re.fullmatch(alone, found)
    settings(command, {"append_system_prompt": "Speak German."})
    named = tmp_path / "named.json"
    named.write_text(json.dumps({"append_system_prompt": "Speak plainly. " * 400}))
    [found] = findings(doctor(command, "--settings", str(named)))["prompt"]
    assert re.fullmatch(r"ok \d\.\dk .*, append_system_prompt \d\.\dk \(--settings .*named\.json\)", found)
    [found] = findings(doctor(command))["prompt"]
    assert found.endswith(f", append_system_prompt 5 ({command.home}/settings.json)")


def test_every_key_is_told_with_its_origin(tmp_path: Path) -> None:
    """The stronger file's value, the rules of all; variables that count; the model of the environment before files."""
    command = Command(root=tmp_path, more={"ANTHROPIC_MODEL": "some-model"})
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}] * 2}
    own = settings(
        command, {"model": "claude-opus-5-5", "bell": False, "permissions": {"deny": ["read(.env)"]}}
    )
    named = tmp_path / "named.json"
    named.write_text(json.dumps({"bell": True, "permissions": {"mode": "plan"}, "hooks": hooks}))
    found = findings(doctor(command, "--settings", str(named)))
    assert found["settings"] == [
        f"ok {own}: bell, model, permissions",
        f"ok --settings {named}: bell, hooks, permissions",
    ]
    assert found["setting"][:4] == [
        f'ok model "claude-opus-5-5" ({own})',
        f'ok permissions {{"deny": ["read(.env)"]}} ({own})',
        f'ok permissions {{"mode": "plan"}} (--settings {named})',
        f"ok bell true (--settings {named})",
    ]
    assert found["hooks"] == [f"ok --settings {named}: Stop 2; `agent hooks list` names them"]
    assert found["environment"] == [
        "ok ANTHROPIC_BASE_URL is set (not shown)",
        "ok ANTHROPIC_MODEL some-model",
        f"ok AGENT_HOME {command.home}",
        "ok ANTHROPIC_API_KEY is set (not shown)",
    ]
    assert found["model"][0].startswith(
        "note `some-model` (ANTHROPIC_MODEL) is not known here: window taken as 200,000"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is no JSON"),
        ('{"modle": 1}', "there is no key `modle`"),
        ('{"hooks": {"X": []}}', "no such event"),
    ],
)
def test_a_broken_settings_file_is_a_finding_among_others(text: str, said: str, tmp_path: Path) -> None:
    """Everything else is looked at all the same."""
    command = Command(root=tmp_path)
    path = settings(command, text)
    ran = doctor(command)
    assert ran.code == 1
    found = findings(ran)
    assert said in found["settings"][0]
    assert found["settings"][0].startswith(f"fault settings file {path}")
    assert found["tokens"][0].startswith("ok")


def test_settings_of_a_project_that_is_not_trusted_are_not_read(tmp_path: Path) -> None:
    """Whatever stands in them; it is said that they wait, and for what."""
    command = Command(root=tmp_path)
    (command.project / ".agent").mkdir()
    (command.project / ".agent" / "settings.json").write_text('{"model": "evil"}')
    found = findings(doctor(command))
    assert found["trust"][0].startswith("note ")
    assert "--trust turns it on for one run" in found["trust"][0]
    assert "evil" not in "".join(found["model"] + found.get("setting", []))


def test_everything_at_once(tmp_path: Path) -> None:
    """No key, no server, no programs, broken settings: each has its line, and the count is right."""
    command = Command(root=tmp_path, url="", key="", more={"PATH": str(tmp_path)})
    settings(command, "[]")
    ran = doctor(command)
    found = findings(ran)
    assert ran.code == 1
    assert found["server"][0].startswith("fault there is no API key: set ANTHROPIC_API_KEY")
    assert found["bash"][0].startswith("fault not found: install it")
    assert [found[name][0].split(":")[0] for name in ("git", "rg")] == ["note not found"] * 2
    faults = sum(line.startswith("fault") for lines in found.values() for line in lines)
    assert ran.text.endswith(f"\n\n{faults} faults: their lines say what to do\n")
    assert faults == 3


def test_a_program_that_fails_is_not_there(tmp_path: Path) -> None:
    """A wrapper that ends with an error, as of a version manager, is said as what it is."""
    for name in ("rg", "git", "bash"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 127\n")
        (tmp_path / name).chmod(0o755)
    found = findings(doctor(Command(root=tmp_path, more={"PATH": str(tmp_path)})))
    assert found["rg"][0].startswith(f"note {tmp_path}/rg does not run: install ripgrep")
    assert found["bash"][0].startswith(f"fault {tmp_path}/bash does not run")


def test_modules_that_run_before_us_are_warned_of(tmp_path: Path) -> None:
    """A `sitecustomize` on PYTHONPATH is run by Python itself."""
    (tmp_path / "sitecustomize.py").touch()
    found = findings(doctor(Command(root=tmp_path, more={"PYTHONPATH": f"/nowhere{os.pathsep}{tmp_path}"})))
    assert found["PYTHONPATH"] == [
        f"note {tmp_path} has `sitecustomize`, which runs before any Python program: is it yours? Else unset PYTHONPATH"
    ]


def test_sessions_that_are_open_are_counted(tmp_path: Path) -> None:
    """By another process; and a folder that git would take along is a fault. What the repository prepared is not run."""
    command = Command(root=tmp_path)
    subprocess.run(["git", "init", "-q", str(command.project)], check=True)
    folder = command.project / ".transcripts"
    folder.mkdir()
    for number in (1, 2):
        (folder / f"20261130-10000{number}-abcdef.jsonl").write_text("{}\n")
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\n: > {tmp_path}/spied\n")
    spy.chmod(0o755)
    subprocess.run(["git", "-C", str(command.project), "config", "core.fsmonitor", str(spy)], check=True)
    said = f"fault git would take {folder} along: start `agent` once, or put `*` into its .gitignore"
    code = "import fcntl, sys; f = open(sys.argv[1]); fcntl.flock(f, 2); print('held', flush=True); sys.stdin.read()"
    holding = ["python3", "-c", code, str(folder / "20261130-100001-abcdef.jsonl")]
    with subprocess.Popen(holding, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        found = findings(doctor(command))["transcripts"]
        holder.communicate()
    assert found == [said, f"ok {folder}: 2 sessions, 1 of them open now"]
    (folder / ".gitignore").write_text("*\n")
    assert findings(doctor(command))["transcripts"] == [f"ok {folder}: 2 sessions, 0 of them open now"]
    assert not (tmp_path / "spied").exists()


def test_folders_that_cannot_be_written_are_said(tmp_path: Path) -> None:
    """Not the project: sessions go to the home folder; neither: a fault. (/sys refuses everybody, root too.)"""
    command = Command(root=tmp_path)
    ran = command.here("doctor", "--cwd", "/sys")
    assert findings(ran)["transcripts"] == [
        f"note the project cannot be written: sessions go to {command.home}/projects"
    ]
    ran = Command(root=tmp_path, more={"AGENT_HOME": "/sys/none"}).here("doctor", "--cwd", "/sys")
    assert findings(ran)["transcripts"][0].startswith("fault neither the project nor /sys can be written")


def test_for_programs_each_finding_is_an_object(tmp_path: Path) -> None:
    """`--json`: the same findings, one a line, and the same exit code."""
    command = Command(root=tmp_path, url=NOBODY)
    ran = doctor(command, "--json")
    assert ran.code == 1
    assert {message["mark"] for message in ran.messages} <= {"ok", "note", "fault"}
    assert [message["about"] for message in ran.messages] == [
        about for about, lines in findings(doctor(command)).items() for _ in lines
    ]


def test_a_folder_that_is_none_is_a_wrong_command_line(tmp_path: Path) -> None:
    """Exit code 2, one line."""
    ran = Command(root=tmp_path).here("doctor", "--cwd", str(tmp_path / "none"))
    assert ran.code == 2
    assert ran.complaints == [f"agent: --cwd {tmp_path}/none cannot be used: name the folder of the project"]


def test_agent_types_are_told(tmp_path: Path) -> None:
    """Which there are, what one stands in place of, which file is none; those of an untrusted project are off."""
    command = Command(root=tmp_path)
    put(command.project, ".claude/agents/evil.md", REVIEWER)
    put(command.home, "agents/plan.md", "---\ndescription: d\n---\n")
    put(command.home, "agents/notes.md", "no head")
    told = findings(doctor(command))["agents"]
    assert told[0] == "ok plan, explore, general; /agents tells all of them"
    assert told[1].endswith("agents/plan.md stands in place of the one built in")
    assert told[2].endswith("agents/notes.md does not begin with a `---` line")
    assert told[3] == "note off, for this project is not trusted: .claude/agents/evil.md"


def test_skills_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    """The first broken one by its path and cause, how many more there are, and where all are listed; it is no fault."""
    command = Command(root=tmp_path)
    good = "---\nname: {}\ndescription: {}\n---\nDo it.\n"
    for folder, text in {
        ".agent/skills/a": "no head",
        ".agent/skills/b": "",
        ".agent/skills/c": good.format("c", "d"),
        ".claude/skills/c": good.format("c", "d"),
        ".claude/skills/d": good.format("e", "d"),
    }.items():
        (command.project / folder).mkdir(parents=True)
        (command.project / folder / "SKILL.md").write_text(text)
    first, *others = findings(doctor(command))["skills"]
    assert re.fullmatch(r"ok \d+ skills: their list for the model takes \d+ tokens", first)
    assert others == [
        f"note {command.project}/.agent/skills/a/SKILL.md does not begin with a `---` line, and 1 more cannot be used; {ALL}",
        f"note 1 skill shadowed by another of the same name; {ALL}",
        f"note 1 skill with warnings; {ALL}",
    ]


def test_a_list_of_skills_without_room_is_said(tmp_path: Path) -> None:
    """Descriptions that the model does not see whole are worth a word, and what can be done."""
    command = Command(root=tmp_path)
    make_skills(command.home / "skills", 60)
    assert re.fullmatch(
        r"note 6\d skills: their list for the model is cut from \S+k to 4k tokens, the longest descriptions first: shorten "
        "some, or remove skills",
        findings(doctor(command))["skills"][0],
    )


def test_instruction_files_are_named(tmp_path: Path) -> None:
    """Each that is told, and why one is not: cut, missing, outside of a project that is not trusted."""
    with MessagesServer(Script()) as server:
        command = Command(root=tmp_path, url=server.url)
        assert findings(doctor(command))["instructions"] == [
            "ok none: AGENTS.md in the project is told to the model"
        ]
        (command.project / "AGENTS.md").write_text("@a.md @gone.md @../out.md")
        (command.project / "a.md").write_text("x" * 40_000)
        (tmp_path / "out.md").write_text("x")
        found = findings(doctor(command))
    cut, missing, outside, own = found["instructions"]
    assert cut.startswith(
        "note a.md, imported by AGENTS.md: 32,743 bytes told; cut after 32,743 of 40,000 bytes"
    )
    assert missing == "note gone.md, imported by AGENTS.md: nothing told; not read: there is no such file"
    assert outside.startswith(
        f"note {tmp_path.resolve()}/out.md, imported by AGENTS.md: nothing told; not read: it lies"
    )
    assert own == "ok AGENTS.md: 25 bytes told"
    (trust,) = found["trust"]
    assert trust.startswith("note this project is not trusted: 1 import (its instruction files); ")
