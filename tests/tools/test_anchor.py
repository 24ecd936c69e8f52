"""What is opened is what was judged, though somebody changes the way to it at that very moment."""

import ctypes
import threading
from pathlib import Path

import pytest

from tests.support.tools import make_bench
from tools.anchor import MovedError, anchored, refuse_link
from tools.read import READ
from tools.registry import ToolRegistry
from tools.write import WRITE

ROUNDS = 60
LIBC = ctypes.CDLL(None)
HERE, EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE."""


def has_descriptors() -> bool:
    """Whether this system has paths by descriptor."""
    return Path("/proc/self/fd").is_dir()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a folder `d`, and a folder outside that holds a secret."""
    root = tmp_path.resolve()
    for folder, text in (("proj/d", "public\n"), ("out", "secret\n")):
        (root / folder).mkdir(parents=True)
        (root / folder / "a").write_text(text)
    return root / "proj"


@pytest.mark.skipif(not has_descriptors(), reason="needs paths by descriptor")
def test_a_held_folder_stays_itself(project: Path) -> None:
    """A folder that is moved away and replaced by a link while it is held: the file lands in the folder that was meant."""
    out = project.parent / "out"
    with anchored(project / "d" / "new") as held:
        (project / "d").rename(project / "moved")
        (project / "d").symlink_to(out)
        held.write_text("x")
    assert (project / "moved" / "new").read_text() == "x"
    assert not (out / "new").exists()


def test_a_link_on_the_way_is_no_way(project: Path) -> None:
    """A resolved path holds no links; one that does now leads elsewhere."""
    (project / "l").symlink_to(project / "d")
    with pytest.raises(MovedError), anchored(project / "l" / "a"):
        pass
    (project / "a").symlink_to(project / "d" / "a")
    with pytest.raises(MovedError), anchored(project / "a") as held:
        refuse_link(held)


def test_missing_folders_are_made_only_when_wanted(project: Path) -> None:
    """A new file may lie in new folders; reading makes none."""
    with pytest.raises(FileNotFoundError), anchored(project / "x" / "y" / "new"):
        pass
    assert not (project / "x").exists()
    with anchored(project / "x" / "y" / "new", makes_folders=True) as held:
        held.write_text("x")
    assert (project / "x" / "y" / "new").read_text() == "x"


def flip(folder: Path, link: Path, stop: threading.Event) -> None:
    """Exchange ``folder`` and ``link`` an even number of times."""
    while not stop.is_set():
        for _ in range(2):
            LIBC.renameat2(HERE, bytes(folder), HERE, bytes(link), EXCHANGE)


@pytest.mark.skipif(not hasattr(LIBC, "renameat2"), reason="needs Linux, to exchange two names at once")
async def test_nothing_outside_is_reached_while_links_come_and_go(project: Path) -> None:
    """A program in the background swaps a folder for a link without pause: no call reads or writes outside."""
    bench, registry, out = make_bench(project), ToolRegistry([READ, WRITE]), project.parent / "out"
    (project / "l").symlink_to(out)
    shown = []
    for number in range(ROUNDS):
        given = [("read", {"file_path": "d/a"}), ("write", {"file_path": f"d/{number}", "content": "x"})]
        ready = [registry.prepare(*one, facts=bench.facts, project=bench.project) for one in given]
        stop = threading.Event()
        thread = threading.Thread(target=flip, args=(bench.project / "d", bench.project / "l", stop))
        thread.start()
        shown += [await registry.run(one, bench.context(paths=one.paths)) for one in ready]
        stop.set()
        thread.join()
    assert [one for one in shown if "secret" in str(one.content)] == []
    assert [path.name for path in out.iterdir()] == ["a"]
