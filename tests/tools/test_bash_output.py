"""bash: large, endless and odd output stays bounded, and the spill keeps it."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.tools import Bench, make_bench, text_of
from tools.bash import BASH
from tools.collector import Collector
from tools.limits import BASH_CHARS, find_marks

MEMORY = """\
import asyncio, pathlib, resource, sys
from tests.support.tools import make_bench
from tools.bash import BASH
bench = make_bench(pathlib.Path(sys.argv[1]))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
result = asyncio.run(bench.call(BASH, command=sys.argv[2], timeout=float(sys.argv[3])))
print(len(result.content), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
print(result.content[-300:])
"""


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("letter", "command", "timeout", "end"),
    [
        ("a", "yes | head -c 2000000000", "200", "y\n[exit code 0]"),
        ("b", "yes", "3", "timed out after 3 s"),
    ],
)
def test_f06_memory_is_bounded(letter: str, command: str, timeout: str, end: str, tmp_path: Path) -> None:
    """F06 a, b: two gigabytes and an endless stream cost less than 200 MB and come back cut."""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(tmp_path), command, timeout],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    figures, _, text = done.stdout.partition("\n")
    length, megabytes = map(int, figures.split())
    assert length <= BASH_CHARS + 1_000
    assert megabytes < 200
    assert end in text
    [spill] = tmp_path.rglob("*.txt")
    most = 64 * 1024 * 1024
    least = most if letter == "a" else 1024 * 1024  # how much comes in 3 s is the machine's affair
    assert least < spill.stat().st_size < most + 100


async def test_f06_c_odd_bytes(bench: Bench) -> None:
    """F06 c: bytes that are not UTF-8 and NUL are shown as escapes."""
    result = await bench.call(BASH, command=r"printf 'ok \351\377 \000 end'")
    assert result.content == "ok \\xe9\\xff \\x00 end\n[exit code 0]"


@pytest.mark.parametrize(("letter", "char", "count"), [("d", "é", 40_000), ("e", "😀", 40_000)])
@pytest.mark.parametrize("shift", range(4))
async def test_f06_characters_are_never_cut(
    letter: str, char: str, count: int, shift: int, bench: Bench
) -> None:
    """F06 d, e: wherever the limit falls, head and tail hold whole characters; the spill holds all bytes."""
    program = f"import sys; sys.stdout.write('a' * {shift} + '{char}' * {count})"
    result = await bench.call(BASH, command=f'PYTHONIOENCODING=utf-8 {sys.executable} -c "{program}"')
    head, line, tail, code = text_of(result).split("\n")
    assert set(head.lstrip("a")) == set(tail) == {char}
    assert find_marks(line) == ["1-0-bash"]
    assert code == "[exit code 0]"
    assert len(text_of(result)) <= BASH_CHARS + 1_000
    assert result.spill is not None
    assert (bench.project / result.spill.path).read_bytes() == ("a" * shift + char * count).encode()
    assert result.facts["marks"] == ["1-0-bash"]


async def test_f06_f_one_line_without_end(bench: Bench) -> None:
    """F06 f: three million characters in one line are cut, counted and kept."""
    result = await bench.call(BASH, command=r"head -c 3000000 /dev/zero | tr '\0' x")
    assert "3000000 characters · 1 lines · read .task_outputs/tool-results/s/1-0-bash.txt" in text_of(result)
    assert len(text_of(result)) <= BASH_CHARS + 1_000
    assert result.spill is not None
    assert result.spill.bytes == 3_000_000


async def test_spill_holds_raw_bytes(bench: Bench) -> None:
    """The view is made visible; the spill is what the program wrote."""
    program = r"import os; os.write(1, b'\x1b[31m\xff\r\n' * 20000)"
    result = await bench.call(BASH, command=f'{sys.executable} -c "{program}"')
    assert text_of(result).startswith("\\xff\n\\xff\n")
    assert result.spill is not None
    assert (bench.project / result.spill.path).read_bytes() == b"\x1b[31m\xff\r\n" * 20_000


async def test_much_that_is_not_seen_makes_no_spill(bench: Bench) -> None:
    """Output that is long only in colours is whole in the view, so nothing stays on disk."""
    program = r"import os; os.write(1, b'\x1b[31m' * 100000 + b'done')"
    result = await bench.call(BASH, command=f'{sys.executable} -c "{program}"')
    assert result.content == "done\n[exit code 0]"
    assert list(bench.services.spill_folder.rglob("*bash*")) == []


async def test_refusing_disk_is_said(tmp_path: Path) -> None:
    """Without room for the spill the command still runs, and the view says what is lost."""
    (tmp_path / "file").write_text("x")
    bench = make_bench(tmp_path, spill_folder=tmp_path / "file" / "s")
    for command in ("seq 10000", "seq 1000000"):
        result = await bench.call(BASH, command=command)
        assert not result.is_error
        assert result.spill is None
        assert "could not be kept on disk: Not a directory" in text_of(result)
        assert text_of(result).startswith("1\n2\n")
        assert find_marks(text_of(result)) == []


async def test_flood_shows_its_newest_part(bench: Bench) -> None:
    """The screen is never sent more than one screenful a tick."""
    await bench.call(BASH, command="seq 1000000")
    assert max(map(len, bench.live)) <= 4_000
    assert bench.live[-1].endswith("1000000\n")


@given(pieces=st.lists(st.binary(max_size=400), max_size=12), factor=st.integers(1, 400))
async def test_any_bytes_are_bounded_and_kept(
    pieces: list[bytes], factor: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever arrives in whatever pieces: the view keeps its limit, and view or spill hold every byte."""
    folder = tmp_path_factory.mktemp("c")
    collector = Collector(folder / "s.txt", limit_chars=1_000)
    pieces = [piece * factor for piece in pieces]
    shown = "".join(collector.feed(piece) for piece in pieces)
    content, spill, marks = await collector.finish(mark_id="1-0-bash", project=folder)
    assert len(content) <= 1_000
    content.encode()
    if spill is None:
        assert marks == []
        assert content.startswith(shown)
        assert list(folder.iterdir()) == []
    else:
        assert (folder / spill.path).read_bytes() == b"".join(pieces)
        assert (
            f"[[kept: 1-0-bash · {collector.chars} characters · {collector.lines} lines · read s.txt]]"
            in content
        )
