"""The read tool on texts."""

from pathlib import Path

import pytest

from tests.support.tools import Bench, make_bench, text_of
from tools.read import READ


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


async def read(bench: Bench, name: str = "f", **arguments: object) -> str:
    result = await bench.call(READ, file_path=name, **arguments)
    assert not result.is_error, result.content
    return text_of(result)


async def refusal(bench: Bench, name: str = "f", **arguments: object) -> str:
    result = await bench.call(READ, file_path=name, **arguments)
    assert result.is_error, result.content
    return text_of(result)


async def test_lines_are_numbered(bench: Bench) -> None:
    """A line is its number, a tab and its text; nothing else is said of a plain file."""
    (bench.project / "f").write_text("one\n\n\ttwo\n")

    assert await read(bench) == "1\tone\n2\t\n3\t\ttwo"


async def test_a_page_ends_after_two_thousand_lines(bench: Bench) -> None:
    """The last line of a page says how many lines remain and the offset that goes on."""
    (bench.project / "f").write_text("".join(f"{n}\n" for n in range(1, 2082)))

    first = (await read(bench)).split("\n")
    rest = (await read(bench, offset=2001)).split("\n")

    assert first[-2:] == ["2000\t2000", "(81 more lines; next offset 2001)"]
    assert (rest[0], rest[-1], len(rest)) == ("2001\t2001", "2081\t2081", 81)


async def test_a_page_ends_before_fifty_thousand_characters(bench: Bench) -> None:
    """A page is never longer as sent, its last lines included."""
    (bench.project / "f").write_text(("x" * 999 + "\n") * 60)

    page = await read(bench)

    assert 47_000 < len(page) <= 50_000
    assert page.endswith(" more lines; next offset 49)")


async def test_one_more_line_is_singular(bench: Bench) -> None:
    """`limit` ends a page early."""
    (bench.project / "f").write_text("a\nb\nc\n")

    assert await read(bench, offset=1, limit=2) == "1\ta\n2\tb\n(1 more line; next offset 3)"


async def test_a_long_line_comes_in_pieces(bench: Bench) -> None:
    """Pieces carry marks, and a mark is an offset."""
    (bench.project / "f").write_text("a\n" + "x" * 2000 + "y" * 2000 + "z\n")

    page = await read(bench)

    assert page == f"1\ta\n2\t{'x' * 2000}\n2+2000\t{'y' * 2000}\n2+4000\tz"
    assert await read(bench, offset="2+4000") == "2+4000\tz"
    assert await read(bench, offset=" 2+3999 ") == "2+3999\tyz"


async def test_a_page_can_end_inside_a_line(bench: Bench) -> None:
    """The next offset is then a mark."""
    (bench.project / "f").write_text("x" * 100_000 + "\nend\n")

    page = await read(bench)

    assert page.endswith("(line 1 goes on, 1 more line; next offset 1+48000)")


@pytest.mark.parametrize("text", ["a\x0cb\x0bc\x85d\u2028e\rf\n", "a\r\nb\r\n"])
async def test_only_a_newline_ends_a_line(bench: Bench, text: str) -> None:
    """Form feeds, carriage returns and Unicode's line ends are characters like others."""
    (bench.project / "f").write_bytes(text.encode())

    page = await read(bench)

    assert page == "\n".join(f"{n}\t{line}" for n, line in enumerate(text.split("\n")[:-1], start=1))


async def test_an_empty_file_is_said(bench: Bench) -> None:
    """Empty is not an error, and is known whole."""
    (bench.project / "f").write_bytes(b"")

    assert await read(bench, offset=3) == "(empty file)"
    assert bench.facts.known[str(bench.project / "f")]["is_whole"]


@pytest.mark.parametrize(
    ("offset", "words"),
    [
        (4, "`offset` 4 is past the end: `f` has 3 lines; give one of them."),
        ("9+2000", "past the end: `f` has 3 lines"),
        ("2+1", "past the end of its line, which has 1 characters"),
    ],
)
async def test_an_offset_past_the_end_is_said(bench: Bench, offset: int | str, words: str) -> None:
    """The refusal says how much there is."""
    (bench.project / "f").write_text("a\nb\nc\n")

    assert words in await refusal(bench, offset=offset)


@pytest.mark.parametrize("offset", ["x", "-1", "1+", "2.5", -3, 1.5, "9" * 20])
async def test_a_wrong_offset_is_refused(bench: Bench, offset: object) -> None:
    """What is neither a number nor a mark never reaches the file."""
    (bench.project / "f").write_text("a\n")

    assert "offset" in await refusal(bench, offset=offset)


async def test_offset_zero_is_the_first_line(bench: Bench) -> None:
    """Models count from zero at times."""
    (bench.project / "f").write_text("a\n")

    assert await read(bench, offset=0) == "1\ta"


async def test_a_missing_final_newline_is_said(bench: Bench) -> None:
    """Only on the page that holds the end."""
    (bench.project / "f").write_text("a\nb")

    assert await read(bench) == "1\ta\n2\tb\n(no newline at the end of the file)"
    assert await read(bench, limit=1) == "1\ta\n(1 more line; next offset 2)"


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"caf\xe9 \x93x\x94\n", "1\tcafé “x”\n(encoding: windows-1252; edit and write keep it)"),
        (b"caf\xe9 \x81\n", "1\tcafé \x81\n(encoding: latin-1; edit and write keep it)"),
        ("ä".encode() + b"\xff\n", "1\tä\\xff\n(bytes that are no UTF-8 text are shown as \\xNN)"),
        (
            b"\xef\xbb\xbfa\n",
            "1\ta\n(encoding: utf-8 with a byte order mark; edit and write keep it)",
        ),
        (
            "\ufeffä\n".encode("utf-16-le"),
            "1\tä\n(encoding: utf-16-le with a byte order mark; edit and write keep it)",
        ),
        (
            b"\xe9",
            "1\té\n(no newline at the end of the file)\n(encoding: windows-1252; edit and write keep it)",
        ),
    ],
)
async def test_other_encodings_are_shown_and_named(bench: Bench, data: bytes, shown: str) -> None:
    """Text that is not plain UTF-8 is still text."""
    (bench.project / "f").write_bytes(data)

    assert await read(bench) == shown


async def test_a_nul_far_into_a_text_is_an_escape(bench: Bench) -> None:
    """Logs get NULs in a crash; the rest of them is still worth reading."""
    (bench.project / "f").write_bytes(b"line\n" * 3000 + b"\x00\n")

    page = await read(bench, offset=3001)

    assert page == "3001\t\\x00\n(bytes that are no UTF-8 text are shown as \\xNN)"


async def test_a_repeated_read_is_a_stub_while_the_first_stands(bench: Bench) -> None:
    """Same range, same content, still in view: a short note that names what it stands for."""
    (bench.project / "f").write_text("a\nb\n")
    await read(bench)

    again = await bench.call(READ, file_path="f")

    assert text_of(again) == "`f`, lines 1 to 2 of 2, is unchanged since it was read above."
    assert again.facts["stub_of"] == "call_1"
    assert again.facts["known"][str(bench.project / "f")]["is_whole"]


async def test_no_stub_for_another_range_or_content_or_when_it_left_the_view(bench: Bench) -> None:
    """In each of these cases the text itself comes."""
    path = bench.project / "f"
    path.write_text("a\nb\n")
    await read(bench)

    assert await read(bench, limit=1) == "1\ta\n(1 more line; next offset 2)"
    bench.facts.shown.clear()
    assert await read(bench) == "1\ta\n2\tb"
    path.write_text("c\n")
    assert await read(bench) == "1\tc"


async def test_pages_together_make_the_file_known_whole(bench: Bench) -> None:
    """Ranges grow page by page; a long line counts once its pieces were read in order."""
    (bench.project / "f").write_text("x" * 60_000 + "\nb\n")
    key = str(bench.project / "f")

    await read(bench)
    assert bench.facts.known[key] | {"sha256": ""} == {
        "sha256": "",
        "ranges": [],
        "is_whole": False,
        "lines": 2,
        "cut_at": "1+48000",
    }
    await read(bench, offset="1+48000")

    assert bench.facts.known[key]["ranges"] == [[1, 2]]
    assert bench.facts.known[key]["is_whole"]


async def test_the_end_of_a_long_line_alone_does_not_make_it_known(bench: Bench) -> None:
    """Only a page that goes on where the last one broke off completes the line."""
    (bench.project / "f").write_text("x" * 60_000 + "\nb\n")

    await read(bench, offset="1+50000")

    assert bench.facts.known[str(bench.project / "f")]["ranges"] == [[2, 2]]
