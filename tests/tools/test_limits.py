"""The marker, the cut, the spill: within the limit, and nothing lost."""

import asyncio
import hashlib
import re
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.tools import Bench, make_bench
from tools.limits import (
    Fitted,
    count_lines,
    cut_head,
    cut_tail,
    find_marks,
    fit,
    marker,
    spill_id,
    spill_path,
    write_spill,
)
from tools.spill import SpillFile, make_private_folder

LIMIT = 2_000


async def fit_in(bench: Bench, text: str, limit_chars: int = LIMIT) -> Fitted:
    return await fit(text, limit_chars=limit_chars, tool_name="bash", ctx=bench.context())


def test_marker_is_found_again() -> None:
    """A marker is one line, and its id is read back from it, also in the middle of other text."""
    line = marker("12-0-bash", chars=123, lines=4, path=".task_outputs/a b.txt")
    assert line == "[[kept: 12-0-bash · 123 characters · 4 lines · read .task_outputs/a b.txt]]"
    assert find_marks(f"echo '{line}' && {line}\n  {line}") == ["12-0-bash"] * 3
    assert find_marks("[[cleared: 7-1-read · read · src/a.py · read x]]") == ["7-1-read"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[[kept: 1-0-bash]]",
        "[[ -f x ]] && [[ -n y ]]",
        "a[[0]]",
        "[[kept: \n1-0-bash · x]]",
        "[[wiki: page]]",
    ],
)
def test_other_brackets_are_no_marks(text: str) -> None:
    """Shell tests, wiki links and half a marker are not taken for marks."""
    assert find_marks(text) == []


async def test_short_text_stays(tmp_path: Path) -> None:
    """Up to the limit the text stays as it is, and no file is made."""
    bench = make_bench(tmp_path)
    assert await fit_in(bench, "x" * LIMIT) == ("x" * LIMIT, None, [])
    assert list(tmp_path.iterdir()) == []


async def test_long_text_is_cut_at_lines_and_kept(tmp_path: Path) -> None:
    """Head, marker and tail are whole lines; file, hash, size and ids are right; the file is private."""
    bench = make_bench(tmp_path)
    text = "".join(f"line {number}\n" for number in range(2_000))
    content, spill, marks = await fit_in(bench, text)
    assert spill is not None
    file = bench.project / spill.path
    assert spill.path == ".task_outputs/tool-results/s/0-0-bash.txt"
    assert content.startswith("line 0\nline 1\n")
    assert content.endswith("line 1999\n")
    [line] = [line for line in content.split("\n") if not re.fullmatch(r"(line \d+)?", line)]
    assert line == marker("0-0-bash", chars=len(text), lines=2_000, path=spill.path)
    assert (marks, find_marks(content)) == (["0-0-bash"], ["0-0-bash"])
    assert file.read_bytes() == text.encode()
    assert (spill.bytes, spill.sha256) == (len(text), hashlib.sha256(text.encode()).hexdigest())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


async def test_fitted_text_is_not_spilled_again(tmp_path: Path) -> None:
    """A text that carries its marker stays within the limit, and fitting it again changes nothing."""
    bench = make_bench(tmp_path)
    content, _, _ = await fit_in(bench, "ab\n" * LIMIT)
    assert await fit_in(bench, content) == (content, None, [])


async def test_name_of_a_spill(tmp_path: Path) -> None:
    """Step, place in the reply and tool make the name."""
    bench = make_bench(tmp_path)
    bench.step = 12
    ctx = bench.context(index=3)
    assert spill_id(ctx, "glob") == "12-3-glob"
    assert spill_path(ctx, "glob") == bench.services.spill_folder / "12-3-glob.txt"


async def test_spill_outside_the_project_is_shown_absolute(tmp_path: Path) -> None:
    """When the project cannot hold spills, the marker gives the absolute path."""
    (tmp_path / "p").mkdir()
    bench = make_bench(tmp_path / "p", spill_folder=tmp_path.resolve() / "home" / "s")
    _, spill, _ = await fit_in(bench, "x" * 5_000)
    assert spill is not None
    assert spill.path == str(tmp_path.resolve() / "home/s/0-0-bash.txt")


async def test_refusing_disk_leaves_head_and_tail_and_says_why(tmp_path: Path) -> None:
    """If the spill cannot be written, the view says how much is lost and why; no marker promises a file."""
    (tmp_path / "file").write_text("x")
    bench = make_bench(tmp_path, spill_folder=tmp_path / "file" / "s")
    content, spill, marks = await fit_in(bench, "a" * 3_000 + "b" * 3_000)
    assert (spill, marks, find_marks(content)) == (None, [], [])
    assert re.fullmatch(r"(?s)a+\n\[\d+ characters left out here; .*: Not a directory\]\nb+", content)
    assert (
        int(content.partition("[")[2].split()[0])
        == 6_000 - content.count("a" * 10) * 10 - content.count("b" * 10) * 10
    )


async def test_disk_that_fails_midway_leaves_nothing_behind(tmp_path: Path) -> None:
    """A write that fails removes what it had written."""
    folder = tmp_path / "s"
    (folder / "0-0-bash.txt").mkdir(parents=True)
    bench = make_bench(tmp_path, spill_folder=folder)
    content, spill, _ = await fit_in(bench, "x" * 9_000)
    assert spill is None
    assert "could not be kept on disk: Is a directory" in content
    assert [entry.name for entry in folder.iterdir()] == ["0-0-bash.txt"]


def test_private_folder_hides_itself_from_git(tmp_path: Path) -> None:
    """Folders are 0700; only the topmost one made gets a .gitignore; what exists stays as it is."""
    folder = tmp_path / ".task_outputs" / "tool-results" / "s"
    make_private_folder(folder)
    make_private_folder(folder)
    assert (tmp_path / ".task_outputs" / ".gitignore").read_text() == "*\n"
    assert [path.name for path in tmp_path.rglob(".gitignore")] == [".gitignore"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.parents[:2])} == {0o700}


@given(pieces=st.lists(st.binary(max_size=50), max_size=12), half=st.integers(1, 40))
def test_spill_keeps_first_and_last_bytes(pieces: list[bytes], half: int) -> None:
    """Whatever the sizes: up to two halves all bytes, beyond them the first and last half and what is missing."""
    data = b"".join(pieces)
    with tempfile.TemporaryDirectory() as folder:
        file = SpillFile(Path(folder) / "s", half_bytes=half)
        for piece in pieces:
            file.write(piece)
        spill = file.finish(project=Path(folder))
        kept = (Path(folder) / "s").read_bytes()
    if len(data) <= 2 * half:
        assert kept == data
    else:
        note = f"\n[{len(data) - 2 * half} bytes were not kept here]\n".encode()
        assert kept == data[:half] + note + data[-half:]
    assert (spill.bytes, spill.sha256) == (len(kept), hashlib.sha256(kept).hexdigest())


def test_discarded_spill_leaves_nothing(tmp_path: Path) -> None:
    """Before and after a first byte, discarding leaves no file."""
    file = SpillFile(tmp_path / "s")
    file.discard()
    file.write(b"x")
    file.discard()
    assert list(tmp_path.iterdir()) == []


lines = st.lists(st.text(alphabet=st.characters(exclude_characters="\n"), max_size=400), max_size=60)
texts = st.one_of(
    st.text(max_size=6_000),
    lines.map("\n".join),
    st.builds(lambda a, n: a * n, st.text(max_size=9), st.integers(0, 900)),
)


@given(text=texts, limit=st.integers(700, 3_000))
def test_any_text_fits_and_nothing_is_lost(text: str, limit: int) -> None:
    """For any text: the view keeps the limit, is beginning and end of the text, and the spill holds all of it."""
    with tempfile.TemporaryDirectory() as folder:
        bench = make_bench(Path(folder))
        content, spill, marks = asyncio.run(fit_in(bench, text, limit))
        assert len(content) <= limit
        if len(text) <= limit:
            assert (content, spill, marks) == (text, None, [])
            return
        assert spill is not None
        assert (bench.project / spill.path).read_bytes() == text.encode("utf-8", "surrogatepass")
        line = marker("0-0-bash", chars=len(text), lines=count_lines(text), path=spill.path)
        head, _, tail = content.partition(f"{line}\n")
        assert text.startswith((head, head[:-1]))
        assert text.endswith(tail)


@given(text=texts, limit=st.integers(0, 3_000))
def test_cuts_are_parts_of_the_text(text: str, limit: int) -> None:
    """A cut is never longer than asked, never other text, and loses at most one line."""
    head, tail = cut_head(text, limit), cut_tail(text, limit)
    assert text.startswith(head)
    assert text.endswith(tail)
    shortest = min(len(text), limit)
    for part in (head, tail):
        assert max(0, shortest - 2_000) <= len(part) <= shortest
    assert head in (text[:shortest], "") or head.endswith("\n") or "\n" not in text[:shortest][-2_000:]


def test_lines_are_counted_as_read_counts_them() -> None:
    """A last line without end counts."""
    assert [count_lines(text) for text in ("", "a", "a\n", "a\nb", "\n\n")] == [0, 1, 1, 2, 2]


def test_all_or_nothing(tmp_path: Path) -> None:
    """A spill that cannot be encoded or written raises and leaves no file."""
    (tmp_path / "f").write_text("x")
    with pytest.raises(OSError, match="Not a directory"):
        write_spill("x", path=tmp_path / "f" / "s.txt", project=tmp_path)
