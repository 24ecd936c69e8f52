"""Ways out of the sandbox that are known: none of them leads anywhere. Each is tried by a real command."""

import os
import socket
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.sandboxes import NEEDS_SANDBOX, PYTHON, grounds_of, sandbox_of
from tests.support.tools import Bench, make_bench, text_of
from tools.bash import BASH
from tools.jobs import end_jobs
from tools.sandbox import Sandbox

pytestmark = NEEDS_SANDBOX
GIT = (
    "git",
    "-c",
    "user.name=n",
    "-c",
    "user.email=e",
    "-c",
    "init.defaultBranch=main",
    "-c",
    "protocol.file.allow=always",
)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    """A session with a repository as its project; `~/bin`, a folder that can be seen, holds the file `f`."""
    for folder in (tmp_path / "project", other()):
        folder.mkdir()
    (other() / "f").write_text("as it was\n")
    git(tmp_path / "project", "init", "-q")
    bench = make_bench(tmp_path / "project", sandbox=sandbox_of(tmp_path / "project"))
    yield bench
    await end_jobs(bench.services.jobs)


def other() -> Path:
    return Path(os.environ["HOME"]) / "bin"


def git(folder: Path, *words: str) -> str:
    return subprocess.run(
        [*GIT, "-C", str(folder), *words], check=True, capture_output=True, text=True
    ).stdout


async def run(bench: Bench, command: str) -> str:
    return text_of(await bench.call(BASH, command=command))


WAYS = [
    "echo x >/proc/self/root{other}/f",
    "echo x >/proc/1/root{other}/f",
    "echo x >/proc/1/cwd{other}/f",
    "ln -s {other} way; echo x >way/f",
    "ln {other}/f hard && echo x >hard",
    "cd {other} && echo x >f",
    "mount -o remount,rw / && echo x >{other}/f",
    "mount -o remount,rw,bind {other} && echo x >{other}/f",
    "umount -l {other}; echo x >{other}/f",
    "unshare -Urm sh -c 'mount -o remount,rw /; mount -o remount,rw,bind /; echo x >{other}/f'",
    "unshare -Urm sh -c 'mount --bind {other} /mnt && mount -o remount,rw,bind /mnt; echo x >/mnt/f'",
    "nsenter -t 1 -m -U sh -c 'echo x >{other}/f'",
    "chroot /proc/1/root sh -c 'echo x >{other}/f'",
    "sudo -n sh -c 'echo x >{other}/f'",
    "su -c 'echo x >{other}/f'",
    "cp /bin/sh sh; chmod u+s sh; ./sh -pc 'echo x >{other}/f'",
    "bwrap --bind / / sh -c 'echo x >{other}/f'",
    "mknod disk b 254 0 && echo x >disk",
    "exec 9<>{other}/f; echo x >&9",
    "for fd in /proc/*/fd/*; do [ -d $fd ] && echo x >$fd{other}/f; done",
]


@pytest.mark.parametrize("way", WAYS)
async def test_nothing_elsewhere_is_written(way: str, bench: Bench) -> None:
    """By another root, a link, another mount, another namespace, more rights, or a descriptor that was left open."""
    assert await run(bench, f"cat {other()}/f") == "as it was\n[exit code 0]"
    await run(bench, way.format(other=other()))
    assert (other() / "f").read_text() == "as it was\n"


@pytest.mark.parametrize(
    "way",
    [
        "umount {0}",
        "umount -l {0}",
        "unshare -Urm sh -c 'umount -l {0}; cat {0}/id'",
        "mount --bind /proc/1/root{0} /mnt; cat /mnt/id",
    ],
)
async def test_what_is_hidden_is_not_uncovered(way: str, bench: Bench) -> None:
    """The cover of a place with secrets cannot be taken off."""
    folder = Path(os.environ["HOME"]) / ".ssh"
    folder.mkdir()
    (folder / "id").write_text("geheim")
    text = await run(bench, f"{way.format(folder)}; cat {folder}/id")
    assert "geheim" not in text


async def test_processes_outside_cannot_be_seen_or_touched(bench: Bench) -> None:
    """Neither the environment nor the memory of the agent, and no signal reaches it; not even its number is known."""
    script = """
        ls /proc | grep -x {pid}; cat /proc/{pid}/environ; cat /proc/{parent}/environ | tr '\\0' '\\n'
        kill -9 {pid}; kill -9 -{pid}; for e in /proc/[0-9]*/environ; do tr '\\0' '\\n' <$e; done
    """
    os.environ["PALIMPSEST_CANARY_TOKEN"] = "geheim"
    try:
        text = await run(bench, script.format(pid=os.getpid(), parent=os.getppid()))
    finally:
        del os.environ["PALIMPSEST_CANARY_TOKEN"]
    assert "geheim" not in text
    assert not [line for line in text.splitlines() if line == str(os.getpid())]


async def test_no_process_outside_is_traced(bench: Bench) -> None:
    """ptrace of the agent and of what started it fails."""
    code = (
        "import ctypes, os\n"
        "c = ctypes.CDLL(None, use_errno=True)\n"
        f"for pid in ({os.getpid()}, {os.getppid()}):\n"
        "    print(pid, c.ptrace(16, pid, 0, 0))\n"
    )
    (bench.project / "trace.py").write_text(code)
    lines = (await run(bench, "python3 trace.py")).splitlines()
    assert [line.split()[1] for line in lines[:2]] == ["-1", "-1"]


async def test_sockets_of_the_system_are_not_there(bench: Bench) -> None:
    """No docker, no message bus, no ssh agent: the folder of sockets is empty, those in /tmp stay outside."""
    path = Path("/tmp") / f"palimpsest-{os.getpid()}.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        try:
            text = await run(bench, f"ls -A /run /var/run; ls {path}; find /run /tmp -type s")
        finally:
            path.unlink()
    assert ".sock" not in text.replace(f"cannot access '{path}'", "").replace(f"`{path}`", "")


async def test_the_systems_settings_cannot_be_changed(bench: Bench) -> None:
    """Nothing in /sys and no setting in /proc is writable, also for root, who is known to the system as such."""
    text = await run(
        bench,
        "find /sys /proc/sys -type f -writable 2>/dev/null | head -3; cat /proc/sys/kernel/core_pattern",
    )
    assert text.count("\n") == 1
    refused = await run(bench, "cp /proc/sys/kernel/core_pattern p; cat p >/proc/sys/kernel/core_pattern")
    assert "exit code 1" in refused


async def test_the_terminal_is_out_of_reach(bench: Bench) -> None:
    """A command has no terminal, and those of the user are not in its /dev."""
    text = await run(bench, "ls /dev/pts; cat </dev/tty")
    assert [line for line in text.splitlines() if line.isdigit()] == []
    assert "No such device or address" in text


GIT_WAYS = [
    "echo x >.git/hooks/pre-commit",
    "mv .git old; mkdir .git; cp -r old/. .git; echo x >.git/hooks/pre-commit; git config core.fsmonitor x",
    "rm -rf .git/hooks; mkdir .git/hooks; echo x >.git/hooks/pre-commit",
    "mv .git/hooks .git/old; mkdir .git/hooks; echo x >.git/hooks/pre-commit",
    "git config core.fsmonitor x; echo '[core] fsmonitor = x' >>.git/config",
    "cp .git/config .git/c; echo '[core] fsmonitor = x' >>.git/c; mv -f .git/c .git/config",
    "git init -q --template=/dev/null; git config --local core.hooksPath x",
    "ln -sf ../evil .git/hooks; ln -sfn ../evil .git/hooks",
    "mount --bind evil .git/hooks; echo x >.git/hooks/pre-commit",
]


@pytest.mark.parametrize("way", GIT_WAYS)
async def test_git_is_not_made_to_run_something_later(way: str, bench: Bench) -> None:
    """Neither hooks nor settings of the repository change, by whichever detour; what was there stays."""
    folder = bench.project / ".git"
    before = (folder / "config").read_bytes(), sorted(path.name for path in (folder / "hooks").iterdir())
    await run(bench, way)
    after = (folder / "config").read_bytes(), sorted(path.name for path in (folder / "hooks").iterdir())
    assert after == before


async def test_our_own_files_cannot_be_changed(bench: Bench) -> None:
    """Settings and transcripts in the project can be read, but not changed, nor be put in another's place."""
    for name in (".agent", ".transcripts", ".task_outputs"):
        (bench.project / name).mkdir()
        (bench.project / name / "f").write_text("as it was\n")
    bench.services.jobs.sandbox = sandbox_of(bench.project)
    for name in (".agent", ".transcripts", ".task_outputs"):
        for way in ("echo x >{0}/f", "rm -rf {0}", "mv {0} old; mkdir {0}; echo x >{0}/f", "echo x >{0}/new"):
            await run(bench, way.format(name))
        assert await run(bench, f"cat {name}/f") == "as it was\n[exit code 0]"
        assert [path.name for path in (bench.project / name).iterdir()] == ["f"]


async def test_a_git_file_that_points_elsewhere_opens_nothing(tmp_path: Path) -> None:
    """A project can come with a `.git` file that names any folder: it is written to only if it says that it belongs here."""
    for name in ("project", "other"):
        (tmp_path / name).mkdir()
    git(tmp_path / "other", "init", "-q")
    (tmp_path / "project" / ".git").write_text(f"gitdir: {tmp_path}/other/.git\n")
    bench = make_bench(tmp_path / "project", sandbox=sandbox_of(tmp_path / "project"))
    await run(
        bench,
        f"touch {tmp_path}/other/.git/evil; touch {tmp_path}/other/evil; git commit --allow-empty -qm x",
    )
    assert not list((tmp_path / "other").rglob("evil"))
    assert list((tmp_path / "other" / ".git" / "refs" / "heads").iterdir()) == []
    await end_jobs(bench.services.jobs)


async def test_a_git_file_made_by_a_command_opens_nothing(tmp_path: Path) -> None:
    """Which folders are git's is decided before any command has run."""
    for name in ("project", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "other" / "f").write_text("as it was\n")
    bench = make_bench(tmp_path / "project", sandbox=sandbox_of(tmp_path / "project"))
    await run(bench, f"mkdir g; touch g/HEAD; echo 'gitdir: {tmp_path}/other' >.git")
    await run(bench, f"echo x >{tmp_path}/other/f")
    assert (tmp_path / "other" / "f").read_text() == "as it was\n"
    await end_jobs(bench.services.jobs)


async def test_a_link_in_place_of_what_is_ours_uncovers_nothing(bench: Bench) -> None:
    """A command can make `.agent` a link to a secret; the next one can read it as little as before."""
    secret = Path(os.environ["HOME"]) / ".ssh" / "id"
    secret.parent.mkdir()
    secret.write_text("geheim")
    for way in (
        "ln -s {0} .agent",
        "ln -s {0}/id .claude",
        "mkdir -p .git/modules/x; ln -s {0}/id .git/modules/x/config",
    ):
        await run(bench, way.format(secret.parent))
        for sandbox in (bench.services.jobs.sandbox, sandbox_of(bench.project)):
            bench.services.jobs.sandbox = sandbox
            assert "geheim" not in await run(bench, f"cat .agent/id .claude .git/modules/x/config {secret}")


async def test_in_a_writable_home_nothing_is_moved_out_of_its_place(bench: Bench) -> None:
    """Of hidden and of fixed places the folders around are fixed, too: moved away, the next command would find them open."""
    home = Path(os.environ["HOME"])
    for name in (".config/gcloud", ".config/git", ".local/share/keyrings"):
        (home / name).mkdir(parents=True)
        (home / name / "f").write_text("geheim")
    bench.services.jobs.sandbox = sandbox_of(bench.project, write=(home,))
    for way in (
        "mv {0}/.config {0}/c",
        "mv {0}/.local {0}/l",
        "mv {0}/.local/share {0}/s",
        "mv {0} {0}2",
        "rm -rf {0}/.config",
    ):
        await run(bench, way.format(home))
    text = await run(
        bench, f"cat {home}/*/gcloud/f {home}/.[a-z]*/gcloud/f {home}/l/share/keyrings/f {home}/s/keyrings/f"
    )
    assert "geheim" not in text
    await run(bench, f"echo x >{home}/.config/git/f; echo y >{home}/.config/new")
    assert (home / ".config" / "git" / "f").read_text() == "geheim"
    assert (home / ".config" / "new").read_text() == "y\n"


async def test_what_the_user_removes_meanwhile_is_not_missed(bench: Bench) -> None:
    """A place of a rule may go: the next command runs all the same."""
    folder = Path(os.environ["HOME"]) / ".aws"
    folder.mkdir()
    bench.services.jobs.sandbox = sandbox_of(bench.project)
    assert "[exit code 0]" in await run(bench, "true")
    folder.rmdir()
    other().rename(other().with_name("elsewhere"))
    assert "[exit code 0]" in await run(bench, "true")


@pytest.mark.parametrize(
    "command", ["echo x >check", "rm check", "mv check other", "chmod +x check; echo x >>check"]
)
async def test_a_program_that_runs_outside(tmp_path: Path, command: str) -> None:
    """What hooks run can be read in the project, and neither written, removed nor moved away."""
    project = tmp_path / "project"
    project.mkdir()
    check = project.resolve() / "check"
    check.write_text("as it was\n")
    grounds = grounds_of(project, write=(PYTHON,), fixed=(check,))
    bench = make_bench(project, sandbox=Sandbox(grounds=grounds, has_network=False))
    told = await run(bench, f"cat check; {command}; touch made")
    assert "as it was" in told
    assert check.read_text() == "as it was\n"
    assert (project / "made").exists()
