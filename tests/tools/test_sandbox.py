"""The sandbox: what commands can write, see and reach, and how they end."""

import asyncio
import gc
import os
import socket
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.sandboxes import NEEDS_SANDBOX, grounds_of, sandbox_of
from tests.support.tools import Bench, make_bench, text_of
from tools.bash import BASH
from tools.jobs import end_jobs, look
from tools.process import is_group_alive
from tools.sandbox import Sandbox

pytestmark = NEEDS_SANDBOX


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
async def bench(tmp_path: Path, home: Path) -> AsyncIterator[Bench]:
    """A session whose project is `project`, beside the home folder `home`, of which `bin` can be seen."""
    for name in ("project", "home/bin"):
        (tmp_path / name).mkdir()
    bench = make_bench(tmp_path / "project", sandbox=sandbox_of(tmp_path / "project"))
    yield bench
    await end_jobs(bench.services.jobs)


async def run(bench: Bench, command: str) -> str:
    return text_of(await bench.call(BASH, command=command))


async def test_the_project_and_a_temporary_folder_can_be_written(bench: Bench, tmp_path: Path) -> None:
    """What is written to the project is there; what is written to /tmp is there for the next command, and nowhere else."""
    name = f"palimpsest-{os.getpid()}"
    text = await run(
        bench, f"echo a >a; echo b >/tmp/{name}; echo c >$TMPDIR/{name}-c; echo d >/var/tmp/{name}-d"
    )
    assert text == "(no output)\n[exit code 0]"
    assert (bench.project / "a").read_text() == "a\n"
    assert await run(bench, f"cat /tmp/{name} /tmp/{name}-c /tmp/{name}-d") == "b\nc\nd\n[exit code 0]"
    assert not list(Path("/tmp").glob(f"{name}*")) + list(Path("/var/tmp").glob(f"{name}*"))


async def test_the_temporary_folder_goes_with_the_session(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its end leaves nothing, and the next command gets a new one."""
    (tmp_path / "made").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "made"))
    await run(bench, "echo a >/tmp/a")
    assert [folder.name.startswith("palimpsest-sandbox-") for folder in (tmp_path / "made").iterdir()] == [
        True
    ]
    await end_jobs(bench.services.jobs)
    assert list((tmp_path / "made").iterdir()) == []
    assert await run(bench, "ls -d /tmp /tmp/a") != "/tmp\n/tmp/a\n[exit code 0]"


def test_a_temporary_folder_that_nobody_ended_goes_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its sandbox, or at the latest with the program."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "project").mkdir()
    sandbox = sandbox_of(tmp_path / "project")
    sandbox.launch("true", cwd=tmp_path / "project", env={})
    assert len(list(tmp_path.glob("palimpsest-sandbox-*"))) == 1
    del sandbox
    gc.collect()
    assert list(tmp_path.glob("palimpsest-sandbox-*")) == []


@pytest.mark.parametrize("place", ["bin/f", ".bashrc", ".config/git/config"])
async def test_the_rest_is_read_only(place: str, bench: Bench, home: Path) -> None:
    """A file elsewhere can be read, but neither changed, removed, made nor renamed."""
    path = home / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("as it was\n")
    bench.services.jobs.sandbox = sandbox_of(bench.project)
    assert await run(bench, f"cat {path}") == "as it was\n[exit code 0]"
    for command in (
        "echo x >{0}",
        "rm -f {0}",
        "mv {0} {0}.old",
        "chmod 777 {0}",
        "ln {0} hard",
        "cp /etc/passwd {0}",
    ):
        assert "[exit code 0]" not in await run(bench, command.format(path)), command
    assert path.read_text() == "as it was\n"


@pytest.mark.parametrize(
    "secret",
    [
        ".ssh/id_ed25519",
        ".aws/credentials",
        ".gnupg/key",
        ".netrc",
        ".kube/config",
        ".docker/config.json",
        ".config/gcloud/token",
        ".mozilla/p/cookies",
        ".agent/settings.json",
        ".local/share/keyrings/k",
        ".bash_history",
    ],
)
async def test_places_with_secrets_cannot_be_looked_into(secret: str, bench: Bench, home: Path) -> None:
    """Neither read nor listed nor copied, also by another name, also when it was made after the first command."""
    path = home / secret
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("geheim")
    (bench.project / "link").symlink_to(path)
    for command in (
        "cat {0}",
        "cat link",
        "cp {0} copy; cat copy",
        "grep -r geheim {0} {1}",
        "cat /proc/self/root{0}",
    ):
        text = await run(bench, command.format(path, path.parent))
        assert "geheim" not in text, command
        assert "[exit code 0]" not in text, command
    await run(bench, f"chmod -R 700 {path}; echo other >{path}")
    assert path.read_text() == "geheim"


async def test_a_link_in_place_of_a_folder_with_secrets_is_followed(
    bench: Bench, home: Path, tmp_path: Path
) -> None:
    """`~/.ssh` may be a link: what it leads to is hidden."""
    (tmp_path / "home" / "bin" / "keys").mkdir()
    (tmp_path / "home" / "bin" / "keys" / "id").write_text("geheim")
    (home / ".ssh").symlink_to(tmp_path / "home" / "bin" / "keys")
    for path in (home / ".ssh" / "id", tmp_path / "home" / "bin" / "keys" / "id"):
        assert "geheim" not in await run(bench, f"cat {path}")


async def test_secrets_in_the_environment_are_left_out(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys, tokens, passwords and the way to agents; not what merely sounds alike."""
    secret = (
        "ANTHROPIC_API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "PGPASSWORD",
        "MYSQL_PWD",
        "SSH_AUTH_SOCK",
    )
    plain = ("TOKENIZERS_PARALLELISM", "KEYBOARD_LAYOUT", "MY_PATH", "MONKEY")
    for name in (*secret, *plain):
        monkeypatch.setenv(name, "there")
    lines = set((await run(bench, "env; ls -d $PWD")).splitlines())
    assert {f"{name}=there" for name in plain} <= lines
    assert not {f"{name}=there" for name in secret} & lines
    assert str(bench.project) in lines


async def test_the_network_is_off(bench: Bench) -> None:
    """Neither a local port of the machine nor an abstract socket is reached."""
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0palimpsest-{os.getpid()}")
        abstract.listen()
        port = tcp.getsockname()[1]
        assert "exit code 0" not in await run(bench, f"exec 3<>/dev/tcp/127.0.0.1/{port}")
        code = f"import socket; socket.socket(socket.AF_UNIX).connect('\\0palimpsest-{os.getpid()}'); print('rea' + 'ched')"
        (bench.project / "connect.py").write_text(code)
        assert "reached" not in (text := await run(bench, "python3 connect.py"))
        assert "ConnectionRefusedError" in text


async def test_the_network_can_be_allowed(bench: Bench) -> None:
    """Then a port of the machine is reached."""
    bench.services.jobs.sandbox = sandbox_of(bench.project, has_network=True)
    with socket.create_server(("127.0.0.1", 0)) as tcp:
        text = await run(bench, f"exec 3<>/dev/tcp/127.0.0.1/{tcp.getsockname()[1]} && echo reached")
    assert text == "reached\n[exit code 0]"


async def test_more_can_be_allowed_to_be_written(bench: Bench, tmp_path: Path, home: Path) -> None:
    """A folder that the user names is written to; places with secrets in it stay hidden."""
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id").write_text("geheim")
    (home / ".bashrc").touch()
    (home / ".profile").touch()
    bench.services.jobs.sandbox = sandbox_of(bench.project, write=(home, home / ".bashrc"))
    text = await run(
        bench, f"echo a >{home}/a && echo b >{home}/.bashrc; echo c >{home}/.profile; cat {home}/.ssh/id"
    )
    assert (home / "a").read_text() + (home / ".bashrc").read_text() == "a\nb\n"
    assert (home / ".profile").read_text() == ""
    assert "geheim" not in text


async def test_the_folder_is_kept_also_where_only_commands_see_it(bench: Bench) -> None:
    """`cd` into the temporary folder lasts until the next call, and into one that is hidden it cannot be done."""
    assert "[now in `/tmp/made`]" in await run(bench, "mkdir /tmp/made; cd /tmp/made")
    assert await run(bench, "pwd") == "/tmp/made\n[exit code 0]"
    assert "is gone; this ran in the project" in (await run(bench, "rmdir /tmp/made")) + await run(
        bench, "pwd"
    )


async def test_what_a_command_leaves_running_ends_with_it(bench: Bench) -> None:
    """Also what left its session and ignores signals: nothing outlives a command."""
    script = 'trap "" TERM HUP; while :; do echo x >>beat; sleep 0.02; done'
    text = await run(bench, f"setsid nohup bash -c '{script}' >/dev/null 2>&1 & sleep 0.3; echo done")
    assert text == "done\n[exit code 0]"
    size = (bench.project / "beat").stat().st_size
    await asyncio.sleep(0.3)
    assert (bench.project / "beat").stat().st_size == size > 0
    assert look(bench.services.jobs) == {}


async def test_a_background_process_runs_in_it_and_is_ended_by_its_number(
    bench: Bench, tmp_path: Path
) -> None:
    """It has a log, is as confined, and ends by the command that its result names, which no other command can do."""
    command = (
        f"trap 'echo tidied; exit' TERM; touch {tmp_path}/home/bin/f; echo up; while :; do sleep 0.05; done"
    )
    result = await bench.call(BASH, command=command, run_in_background=True)
    job = result.facts["job"]
    assert "it still runs" in text_of(result)
    assert await run(bench, f"kill -- -{job['pid']}") == f"Ended pid {job['pid']} and all it started."
    assert look(bench.services.jobs) == {}
    assert not is_group_alive(job["pid"])
    assert (bench.project / job["log"]).read_text().endswith("tidied\n")
    assert not (tmp_path / "f").exists()


async def test_only_processes_of_the_session_are_ended_so(bench: Bench) -> None:
    """The number of any other process means nothing in the sandbox."""
    other = await asyncio.create_subprocess_exec("sleep", "30", start_new_session=True)
    assert "exit code 0" not in await run(bench, f"kill -- -{other.pid}")
    assert other.returncode is None
    other.kill()
    await other.wait()


async def test_everything_ends_with_the_agent(bench: Bench, tmp_path: Path) -> None:
    """A program that dies by KILL takes its commands along."""
    launch = bench.services.jobs.sandbox.launch(  # type: ignore[union-attr]
        "while :; do echo x >>beat; sleep 0.02; done", cwd=bench.project, env=os.environ
    )
    code = (
        "import subprocess, os, time\n"
        f"subprocess.Popen({[str(word) for word in launch.argv]!r}, start_new_session=True)\n"
        "while not os.path.exists('beat'): time.sleep(0.02)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    await asyncio.to_thread(subprocess.run, ["python3", "-c", code], check=False, cwd=bench.project)
    await asyncio.sleep(0.3)
    size = (bench.project / "beat").stat().st_size
    await asyncio.sleep(0.3)
    assert (bench.project / "beat").stat().st_size == size > 0


@pytest.mark.parametrize("project", ["/", "~/.ssh"])
def test_a_project_that_cannot_be_confined_is_said(project: str, home: Path) -> None:
    """The root of the system, or a folder that would be hidden."""
    (home / ".ssh").mkdir()
    folder = Path(project.replace("~", str(home)))
    problem = Sandbox.tried(grounds_of(folder), has_network=False).problem
    assert problem.startswith(f"the project is `{folder}`")


async def test_without_bubblewrap_nothing_is_run(bench: Bench) -> None:
    """No program, or one in a place that commands can write to: each call is refused in one line that says why."""
    fake = bench.project / "bwrap"
    fake.write_text("#!/bin/sh\ntouch ran\n")
    fake.chmod(0o755)
    for path, said in ((str(bench.project / "none"), "is not installed"), (str(bench.project), "can write")):
        bench.services.jobs.sandbox = Sandbox.tried(grounds_of(bench.project), has_network=False, path=path)
        result = await bench.call(BASH, command="touch ran")
        assert result.is_error
        assert said in text_of(result)
        assert "\n" not in text_of(result)
        assert (await bench.call(BASH, command="touch ran", run_in_background=True)).is_error
    assert not (bench.project / "ran").exists()


async def test_a_bubblewrap_that_fails_is_no_sandbox(bench: Bench, home: Path) -> None:
    """As where the system allows no user namespaces: its own words are the reason, and nothing is run."""
    fake = home / "bin" / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    fake.chmod(0o755)
    sandbox = Sandbox.tried(grounds_of(bench.project), has_network=False, path=str(fake.parent))
    assert sandbox.problem == "bubblewrap does not work here (bwrap: No permissions to create new namespace)"


async def test_a_project_below_a_hidden_folder_is_there(home: Path) -> None:
    """As of a plug-in in another agent's folder: it is worked on, what lies beside it stays hidden."""
    project = home / ".claude" / "plugins" / "mine"
    project.mkdir(parents=True)
    (home / ".claude" / "secret").write_text("geheim")
    bench = make_bench(project, sandbox=sandbox_of(project))
    text = await run(
        bench, f"echo a >a; cat a; pwd; cat {home}/.claude/secret; ls {home}/.claude; touch ../new"
    )
    assert text.startswith(f"a\n{project}\n")
    assert "geheim" not in text
    assert not (project.parent / "new").exists()
    await end_jobs(bench.services.jobs)


async def test_the_home_folder_can_be_the_project(home: Path) -> None:
    """It is written to; secrets in it stay hidden, and what runs at the next login stays as it is."""
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id").write_text("geheim")
    (home / ".bashrc").write_text("as it was\n")
    bench = make_bench(home, sandbox=sandbox_of(home))
    text = await run(bench, "echo a >a; cat .ssh/id; echo x >>.bashrc; mv .bashrc b; rm -rf .ssh")
    assert "geheim" not in text
    assert (home / "a").read_text() == "a\n"
    assert (home / ".bashrc").read_text() == "as it was\n"
    assert (home / ".ssh" / "id").read_text() == "geheim"
    await end_jobs(bench.services.jobs)


async def test_calls_at_one_time_do_not_disturb_each_other(bench: Bench) -> None:
    """They share the temporary folder and nothing else; each gets its own output and directory."""
    texts = await asyncio.gather(
        *(
            bench.call(BASH, command=f"echo {number} >/tmp/{number}; sleep 0.2; cat /tmp/{number}")
            for number in range(6)
        )
    )
    assert [text_of(text) for text in texts] == [f"{number}\n[exit code 0]" for number in range(6)]


async def test_skills_of_the_user_can_be_read_and_run(home: Path) -> None:
    """Their scripts are meant to be run; nothing else of the agent's own folder is there, and none of it is changed."""
    skill = home / ".agent" / "skills" / "pdf"
    skill.mkdir(parents=True)
    (skill / "fill.sh").write_text("echo filled")
    (home / ".agent" / "settings.json").write_text("geheim")
    project = home / "project"
    project.mkdir()
    bench = make_bench(project, sandbox=sandbox_of(project))
    text = await run(
        bench, f"bash {skill}/fill.sh; cat {home}/.agent/settings.json; touch {skill}/new; rm {skill}/fill.sh"
    )
    assert text.startswith("filled\n")
    assert "geheim" not in text
    assert [path.name for path in skill.iterdir()] == ["fill.sh"]
