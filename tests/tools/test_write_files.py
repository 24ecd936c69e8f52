"""How write and edit change the disk: whole or not at all, and as the file was."""

import asyncio
import os
import resource
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.tools import Bench, make_bench, text_of
from tools.base import ResolvedPath, ToolError
from tools.edit import EDIT
from tools.files import replace, run_to_end
from tools.read import READ
from tools.write import WRITE


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


async def edit(bench: Bench, name: str) -> str:
    await bench.call(READ, file_path=name)
    result = await bench.call(EDIT, file_path=name, old_string="one", new_string="two")
    return ("refused: " if result.is_error else "") + text_of(result)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_f19_a_the_mode_stays(bench: Bench) -> None:
    """An executable stays one."""
    path = bench.project / "run.sh"
    path.write_text("one\n")
    path.chmod(0o755)

    await edit(bench, "run.sh")

    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("two\n", 0o755)
    assert names(bench.project) == ["run.sh"]


async def test_f19_b_a_link_stays_a_link(bench: Bench) -> None:
    """Its target is changed."""
    (bench.project / "real.txt").write_text("one\n")
    (bench.project / "link").symlink_to("real.txt")

    await edit(bench, "link")

    assert (bench.project / "link").is_symlink()
    assert (bench.project / "real.txt").read_text() == "two\n"


async def test_f19_c_hard_links_stay(bench: Bench) -> None:
    """Both names keep one inode, and the result says that the file was written in place."""
    (bench.project / "h1").write_text("one and more\n")
    (bench.project / "h2").hardlink_to(bench.project / "h1")

    told = await edit(bench, "h1")

    assert (bench.project / "h1").samefile(bench.project / "h2")
    assert (bench.project / "h2").read_text() == "two and more\n"
    assert "written in place" in told


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
async def test_f19_d_a_new_file_heeds_the_umask(bench: Bench, mask: int, mode: int) -> None:
    """As any program's new file would."""
    before = os.umask(mask)
    try:
        await bench.call(WRITE, file_path="new", content="x")
    finally:
        os.umask(before)

    assert stat.S_IMODE((bench.project / "new").stat().st_mode) == mode


@pytest.mark.parametrize("name", ["old", "new"])
async def test_f19_e_a_read_only_folder_is_an_error(bench: Bench, name: str) -> None:
    """Nothing is changed and no other file is left."""
    folder = bench.project / "locked"
    folder.mkdir()
    (folder / "old").write_text("one\n")
    await bench.call(READ, file_path="locked/old")
    folder.chmod(0o555)
    try:
        result = await bench.call(WRITE, file_path=f"locked/{name}", content="two\n")
    finally:
        folder.chmod(0o755)

    assert result.is_error
    assert "Its folder is read-only (mode 0555)" in text_of(result)
    assert names(folder) == ["old"]
    assert (folder / "old").read_text() == "one\n"


async def test_f19_f_a_read_only_file_is_an_error(bench: Bench) -> None:
    """Its mode means something, though a rename could pass over it."""
    path = bench.project / "f"
    path.write_text("one\n")
    path.chmod(0o444)

    assert "It is read-only (mode 0444)" in await edit(bench, "f")
    assert (path.read_text(), names(bench.project)) == ("one\n", ["f"])


async def test_f19_g_a_write_through_a_dangling_link_makes_its_target(bench: Bench) -> None:
    """The link stays."""
    (bench.project / "link").symlink_to("target/file")

    await bench.call(WRITE, file_path="link", content="x\n")

    assert (bench.project / "link").is_symlink()
    assert (bench.project / "target/file").read_text() == "x\n"


async def test_f18_edits_side_by_side_are_done_one_after_the_other(bench: Bench) -> None:
    """Two edits of one file at the same time both stand afterwards, or one is told to read again."""
    for _ in range(20):
        path = bench.project / "n.txt"
        path.write_text("".join(f"{n}\n" for n in range(1, 101)))
        await bench.call(READ, file_path="n.txt")
        first, second = await asyncio.gather(
            bench.call(EDIT, file_path="n.txt", old_string="49\n50\n", new_string="49\nFIFTY\n"),
            bench.call(EDIT, file_path="n.txt", old_string="74\n75\n", new_string="74\nSEVENTY-FIVE\n"),
        )

        assert not first.is_error
        assert second.is_error == ("SEVENTY-FIVE" not in path.read_text())
        assert path.read_text().count("\n") == 100


async def test_a_cancelled_write_is_finished_and_told(bench: Bench) -> None:
    """A change is never left in the dark: the call ends with its result."""
    task = asyncio.create_task(bench.call(WRITE, file_path="f", content="x\n" * 100_000))
    await asyncio.sleep(0.001)
    task.cancel()

    done = await asyncio.gather(task, return_exceptions=True)

    is_written = (bench.project / "f").exists()
    assert isinstance(done[0], asyncio.CancelledError) != is_written
    assert names(bench.project) == (["f"] if is_written else [])


async def test_work_that_fails_after_a_cancellation_fails(bench: Bench) -> None:
    """The thread's own error comes out."""
    begun, go = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def work() -> None:
        loop.call_soon_threadsafe(begun.set)
        go.wait(5)
        raise ToolError("no")

    task = asyncio.create_task(run_to_end(work))
    await begun.wait()
    task.cancel()
    await asyncio.sleep(0)
    go.set()

    with pytest.raises(ToolError, match="no"):
        await task


@contextmanager
def small_files() -> Iterator[None]:
    """Let no write go beyond 64 KiB of a file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("links", [1, 2])
def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, links: int) -> None:
    """A write that fails half-way, renamed or in place, changes nothing and leaves nothing."""
    old = b"x" * 60_000
    (tmp_path / "f").write_bytes(old)
    if links > 1:
        (tmp_path / "g").hardlink_to(tmp_path / "f")

    with small_files(), pytest.raises(ToolError) as caught:
        replace(target_of(tmp_path / "f"), b"y" * 200_000, old=old)

    assert str(caught.value) == (
        "`f` could not be written (File too large); it is as it was before. Mend that first, or tell the user."
    )
    assert (tmp_path / "f").read_bytes() == old
    assert names(tmp_path) == ["f", "g"][:links]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_the_owner_stays(tmp_path: Path) -> None:
    """A file of somebody else is still theirs."""
    path = tmp_path / "f"
    path.write_text("one\n")
    os.chown(path, 65534, 65534)

    replace(target_of(path), b"two\n", old=b"one\n")

    assert (path.read_text(), path.stat().st_uid) == ("two\n", 65534)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can take on another user")
def test_a_file_whose_owner_cannot_be_kept_is_written_in_place() -> None:
    """Whoever may write but not give away changes the bytes and nothing else."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        check_write_in_place(folder)


def check_write_in_place(folder: Path) -> None:
    path = folder / "f"
    path.write_text("one\n")
    path.chmod(0o666)
    os.setresuid(-1, 65534, -1)
    try:
        told = replace(target_of(path), b"two\n", old=b"one\n")
    finally:
        os.setresuid(-1, 0, -1)

    assert "its owner could not be kept" in told
    assert (path.read_text(), path.stat().st_uid) == ("two\n", 0)
    assert names(folder) == ["f"]


def target_of(path: Path) -> ResolvedPath:
    return ResolvedPath(path=path, shown=path.name, access="write", is_inside=True, is_own=False)


async def test_a_file_too_large_to_hold_is_for_bash(bench: Bench) -> None:
    """write and edit work in memory, within a limit."""
    path = bench.project / "f"
    with path.open("wb") as file:
        file.truncate(64_000_001)

    result = await bench.call(WRITE, file_path="f", content="x")

    assert result.is_error
    assert "is larger than 64,000,000 bytes; work on it with bash" in text_of(result)
