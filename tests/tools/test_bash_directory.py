"""bash: the directory is kept from call to call, learnt without touching the command."""

import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.tools import Bench, count_descriptors, make_bench, text_of
from tools.bash import BASH
from tools.shell_directory import DirectoryReport, startup_text


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    (tmp_path / "sub").mkdir()
    return make_bench(tmp_path)


async def run(bench: Bench, command: str) -> str:
    return text_of(await bench.call(BASH, command=command))


async def test_directory_is_kept_and_said(bench: Bench) -> None:
    """`cd` lasts until the next call; a change is said once."""
    assert await run(bench, "cd sub") == "(no output)\n[now in `sub`]\n[exit code 0]"
    assert await run(bench, "pwd") == f"{bench.project}/sub\n[exit code 0]"
    assert "[now in `.`]" in await run(bench, "cd ..")
    assert "[now in `/`]" in await run(bench, "cd /")
    assert bench.facts.cwd == Path("/")


async def test_variables_are_not_kept(bench: Bench) -> None:
    """Variables, exported or not, are gone with their call."""
    await run(bench, "export kept=yes")
    assert (await run(bench, 'echo "[$kept]"')).startswith("[]\n")


@pytest.mark.parametrize(
    "command",
    [
        "cd sub && exit 3",
        "cd sub; set -e; false; echo no",
        "cd sub; nosuchprogram",
        "cd sub; set -u; echo $nosuch",
        "cd sub; kill -TERM $$",
        "cd sub; exec 2>/dev/null 1>/dev/null",
        "cd sub; pwd() { echo /; }; PATH=",
        "pushd sub",
    ],
)
async def test_directory_is_learnt_however_the_shell_ends(command: str, bench: Bench) -> None:
    """An exit code, an error, a signal that can be trapped, or shadowed names do not hide the directory."""
    await run(bench, command)
    assert bench.facts.cwd == bench.project / "sub"


@pytest.mark.parametrize(
    "command",
    [
        "cd sub; exec true",
        "cd sub; kill -9 $$",
        "cd sub; trap : EXIT",
        "(cd sub)",
        "cd sub; echo 'echo' >/dev/null | cat; cd ..",
        "bash -c 'cd sub'",
        "cd sub; exec 230>&-",
        "mkdir gone; cd gone; rmdir ../gone",
    ],
)
async def test_directory_stays_when_the_shell_cannot_say(command: str, bench: Bench) -> None:
    """A command that replaces the shell or the trap leaves the directory as it was."""
    await run(bench, command)
    assert bench.facts.cwd == bench.project


async def test_a_links_target_is_kept(bench: Bench) -> None:
    """The directory is the physical one, as permission judges it."""
    (bench.project / "link").symlink_to("sub")
    await run(bench, "cd link")
    assert bench.facts.cwd == bench.project / "sub"


async def test_odd_names_of_directories(bench: Bench) -> None:
    """A newline in the name is kept; a name that is not UTF-8 is not learnt."""
    await run(bench, "mkdir $'a\\nb '; cd $'a\\nb '")
    assert bench.facts.cwd == bench.project / "a\nb "
    (bench.project / os.fsdecode(b"\xff")).mkdir()
    await run(bench, "cd ../$'\\xff'")
    assert bench.facts.cwd == bench.project / "a\nb "


async def test_a_vanished_directory_falls_back_to_the_project(bench: Bench) -> None:
    """The next call runs in the project and says why."""
    await run(bench, "cd sub")
    shutil.rmtree(bench.project / "sub")
    text = await run(bench, "pwd")
    assert (
        text
        == f"[the directory `{bench.project}/sub` is gone; this ran in the project]\n{bench.project}\n[exit code 0]"
    )
    assert bench.facts.cwd == bench.project


async def test_nothing_is_left_behind(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The startup file is removed after the call, odd characters in its path do no harm."""
    folder = tmp_path / 'tmp $HOME `x` "q"'
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    await run(bench, "cd sub")
    assert bench.facts.cwd == bench.project / "sub"
    assert list(folder.iterdir()) == []


async def test_without_room_for_the_file_the_command_runs(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the temporary file cannot be made, only the directory is not learnt; nothing leaks."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    before = count_descriptors()
    assert await run(bench, "cd sub; echo ok") == "ok\n[exit code 0]"
    assert bench.facts.cwd == bench.project
    assert count_descriptors() == before


def test_without_a_descriptor_nothing_leaks() -> None:
    """If the descriptor cannot be had, the pipe is closed again."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    before = count_descriptors()
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))
    try:
        with pytest.raises(OSError, match="Invalid argument"):
            DirectoryReport(None)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert count_descriptors() == before


@pytest.mark.parametrize("value", [None, "", "/x y/$HOME/it's\n", '"$x'])
def test_startup_text_is_valid_bash(value: str | None) -> None:
    """Whatever the user's BASH_ENV holds, our file parses."""
    done = subprocess.run(
        ["bash", "-n"], input=startup_text(value, 230).encode(), capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
