"""Pages put together give back the file, whatever it holds."""

import asyncio
import hashlib
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.tools import Bench, make_bench, text_of
from tools.pages import Mark, Pager, parse_mark
from tools.read import READ
from tools.scan import scan

TEXTS = st.text(alphabet=st.sampled_from("ab\n\r\t \x0c\u2028é漢😀"), max_size=200)
_LINE = re.compile(r"(\d+)(?:\+\d+)?\t(.*)", re.DOTALL)


def join(pages: list[str]) -> str:
    """Put numbered pages together: a line of its own number each, pieces of one number in one line."""
    lines: dict[int, str] = {}
    for page in pages:
        for shown in page.split("\n") if page else []:
            match = _LINE.fullmatch(shown)
            assert match is not None, shown
            lines[int(match[1])] = lines.get(int(match[1]), "") + match[2]
    return "\n".join(lines[number] for number in sorted(lines))


def all_pages(data: bytes, *, chunk: int, max_lines: int, max_chars: int) -> tuple[list[str], bool]:
    """Read ``data`` page by page as its offsets lead; the second value: does it end without a newline."""
    pages, start, is_open = [], Mark(line=1), False
    while True:
        parts = (data[at : at + chunk] for at in range(0, len(data), chunk))
        found = scan(parts, start=start, max_lines=max_lines, max_chars=max_chars)
        pages.append("\n".join(f"{piece.mark}\t{piece.text}" for piece in found.pieces))
        is_open = found.is_open_ended
        if found.next is None:
            assert found.sha256 == hashlib.sha256(data).hexdigest()
            return pages, is_open
        assert all(start <= piece.mark < found.next for piece in found.pieces)
        assert found.next > start
        start = found.next


@given(TEXTS, st.integers(1, 50), st.integers(1, 5), st.integers(1, 60))
def test_pages_give_back_any_text(text: str, chunk: int, max_lines: int, max_chars: int) -> None:
    """For any text, any chunks from the disk and any page size; with the note on the final newline."""
    pages, is_open = all_pages(text.encode(), chunk=chunk, max_lines=max_lines, max_chars=max_chars)

    assert join(pages) + ("\n" if text and not is_open else "") == text


@given(st.lists(st.integers(0, 9_000), max_size=4), st.integers(1, 9_000), st.booleans())
def test_pages_give_back_long_lines(lengths: list[int], max_chars: int, is_closed: bool) -> None:
    """Lines of any length, cut into pieces and pages."""
    text = "\n".join("x" * (length - 1) + "é" if length else "" for length in lengths) + "\n" * is_closed

    pages, is_open = all_pages(text.encode(), chunk=777, max_lines=3, max_chars=max_chars)

    assert join(pages) + ("\n" if text and not is_open else "") == text


@given(st.binary(max_size=60), st.integers(1, 7))
def test_chunks_make_no_difference(data: bytes, chunk: int) -> None:
    """Encodings are told the same however the bytes arrive."""
    parts = [data[at : at + chunk] for at in range(0, len(data), chunk)]

    assert scan(parts, start=Mark(line=1), max_lines=99, max_chars=9_999) == scan(
        [data], start=Mark(line=1), max_lines=99, max_chars=9_999
    )


@given(st.integers(1, 10**9), st.integers(0, 10**9))
def test_a_mark_is_read_as_it_is_written(line: int, column: int) -> None:
    """Writing and parsing a mark are inverse."""
    mark = Mark(line=line, column=column)

    assert parse_mark(str(mark)) == mark


def test_a_page_keeps_nothing_of_what_it_passes_over() -> None:
    """Before and after the page the pager holds no text, however much is fed."""
    pager = Pager(Mark(line=1_000), max_lines=2, max_chars=50_000)
    for _ in range(2_000):
        pager.feed("some text that is long enough\n")
    pager.finish()

    assert pager.lines == 2_000
    assert [str(piece.mark) for piece in pager.pieces] == ["1000", "1001"]
    assert pager.next == Mark(line=1_002)


async def read_own(bench: Bench, data: bytes) -> list[str]:
    path = bench.project / "spill.txt"
    path.write_bytes(data)
    bench.facts.own_files.add(path)
    pages: list[str] = []
    offset: str | None = "1"
    while offset is not None:
        page = text_of(await bench.call(READ, file_path="spill.txt", offset=offset))
        *lines, last = page.split("\n")
        match = re.fullmatch(r"\(.*; next offset (\S+)\)", last)
        offset = match[1] if match else None
        pages.append("\n".join(lines if match else [*lines, last]))
    return pages


@pytest.mark.parametrize(
    "text",
    ["\n" * 50_000, "a\n" * 25_000, "é" * 50_000, "\x00" * 50_000, "\x00\n" * 25_000, "word " * 10_000],
)
async def test_own_files_come_back_in_three_reads(tmp_path: Path, text: str) -> None:
    """A spill of up to 50,000 characters takes at most three reads, of whatever lines it is made."""
    pages = await read_own(make_bench(tmp_path), text.encode())

    assert len(pages) <= 3
    shown = join(["\n".join(line for line in page.split("\n") if "\t" in line) for page in pages])
    assert shown == text.replace("\x00", "\\x00").removesuffix("\n")


async def test_own_files_have_no_limit_of_lines(tmp_path: Path) -> None:
    """A page of the session's own file ends at its characters only, unless a limit is given."""
    bench = make_bench(tmp_path)
    (bench.project / "spill.txt").write_text("ab\n" * 3_000)
    bench.facts.own_files.add(bench.project / "spill.txt")

    assert text_of(await bench.call(READ, file_path="spill.txt")).endswith("3000\tab")
    assert text_of(await bench.call(READ, file_path="spill.txt", limit=1)).startswith("1\tab\n(2,999 more")


@settings(deadline=None)
@given(st.binary(max_size=80))
def test_own_files_are_always_readable(data: bytes) -> None:
    """Images, binaries, anything: as text with escapes, never refused."""
    with tempfile.TemporaryDirectory() as folder:
        pages = asyncio.run(read_own(make_bench(Path(folder)), data))

    assert pages
    assert "\x00" not in pages[0]
    pages[0].encode()


async def test_large_own_files_have_pages_of_the_usual_size(tmp_path: Path) -> None:
    """Only small files get the larger pages."""
    pages = await read_own(make_bench(tmp_path), b"\n" * 100_000)

    assert max(map(len, pages)) <= 50_000
