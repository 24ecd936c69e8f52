"""The edit tool: which place is changed, and what is kept around it."""

import hashlib
import os
from pathlib import Path

import pytest

from tests.support.tools import Bench, make_bench, text_of
from tools.base import ToolResult
from tools.edit import EDIT
from tools.read import READ
from tools.write import WRITE

BOM = b"\xef\xbb\xbf"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


async def edit(bench: Bench, old: str, new: str, **arguments: object) -> ToolResult:
    return await bench.call(EDIT, file_path="f", old_string=old, new_string=new, **arguments)


async def edited(bench: Bench, before: bytes, old: str, new: str, **arguments: object) -> ToolResult:
    """Make a file, read it, edit it."""
    (bench.project / "f").write_bytes(before)
    await bench.call(READ, file_path="f")
    return await edit(bench, old, new, **arguments)


def content(bench: Bench) -> bytes:
    return (bench.project / "f").read_bytes()


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        pytest.param(b"a\r\nb\r\nc\r\n", "a\nb", "a\nX\nY", b"a\r\nX\r\nY\r\nc\r\n", id="a"),
        pytest.param(BOM + b"a\r\nb\r\nc\r\n", "a\nb", "a\nX\nY", BOM + b"a\r\nX\r\nY\r\nc\r\n", id="b"),
        pytest.param(b"a\r\nb\nc\r\n", "b", "B", b"a\r\nB\nc\r\n", id="c"),
        pytest.param(b"x\ny", "x", "z", b"z\ny", id="d"),
        pytest.param(b"a\r\nb\r\nc\r\n", "a\r\nb", "a\r\nX\r\nY", b"a\r\nX\r\nY\r\nc\r\n", id="e"),
        pytest.param(b"a\r\nb\r\nc\r\n", "a", "a\r\nX\nY", b"a\r\nX\r\nY\r\nb\r\nc\r\n", id="e-half"),
        pytest.param(b"a\r\nb\r\n", "\nb", "\nc", b"a\r\nc\r\n", id="e-start"),
        pytest.param(b"a\r\nb\r\n", "a\r", "c\r", b"c\r\nb\r\n", id="e-end"),
        pytest.param(b"a\r\nb\r\n", "a\r", "c", b"c\r\nb\r\n", id="e-end-gone"),
        pytest.param(b"a\rb\n", "b", "c", b"a\rc\n", id="g"),
        pytest.param(b"a\r\nb\nc\r\n", "a\nb\nc", "a\nB\nc", b"a\r\nB\nc\r\n", id="mixed"),
        pytest.param(b"a\nb\r\na\r\n", "a\n", "x\n", b"x\nb\r\na\r\n", id="mixed-exact-first"),
        pytest.param(b"a\r\nb", "b", "b\nc", b"a\r\nb\r\nc", id="last-line"),
        pytest.param(b"a\nb\n", "a\r\nb", "a\r\nc", b"a\nc\n", id="lf-file"),
        pytest.param(b"a\nb\n", "a", "a\r\nc", b"a\r\nc\nb\n", id="lf-file-literal"),
        pytest.param(b"caf\xe9 \x93a\x94\n", "é “a", "é “b", b"caf\xe9 \x93b\x94\n", id="windows-1252"),
        pytest.param(
            "ä".encode() + b"\xff a\n", "a", "ö", "ä".encode() + b"\xff " + "ö\n".encode(), id="bad byte"
        ),
        pytest.param(
            "\ufeffä\n".encode("utf-16-le"),
            "ä",
            "ö€",
            "\ufefföx\n".replace("x", "€").encode("utf-16-le"),
            id="utf-16",
        ),
    ],
)
async def test_f13_all_else_keeps_its_bytes(
    bench: Bench, before: bytes, old: str, new: str, after: bytes
) -> None:
    """Line ends, byte order mark, encoding and final newline are those of the file."""
    result = await edited(bench, before, old, new)

    assert (content(bench), result.is_error) == (after, False)


async def test_f13_what_is_copied_from_the_view_matches(bench: Bench) -> None:
    """A line as read shows it, carriage return and all, is found."""
    (bench.project / "f").write_bytes(b"one\r\n\ttwo \x0c\r\nthree\r\n")
    page = text_of(await bench.call(READ, file_path="f"))
    copied = "\n".join(line.partition("\t")[2] for line in page.split("\n")[:2])

    result = await edit(bench, copied, "ONE\n\ttwo")

    assert (content(bench), result.is_error) == (b"ONE\r\n\ttwo\r\nthree\r\n", False)


async def test_line_ends_alone_are_not_changed(bench: Bench) -> None:
    """What edit keeps it cannot change, and says so."""
    result = await edited(bench, b"a\r\nb\r\n", "a\r\n", "a\n")

    assert result.is_error
    assert "differ only in what edit keeps" in text_of(result)


async def test_a_character_the_encoding_cannot_hold_is_refused(bench: Bench) -> None:
    """The file stays as it is."""
    result = await edited(bench, b"caf\xe9\n", "é", "→")

    assert result.is_error
    assert "windows-1252 and cannot hold '→' (U+2192)" in text_of(result)
    assert content(bench) == b"caf\xe9\n"


async def test_a_lone_surrogate_becomes_a_replacement_character(bench: Bench) -> None:
    """Half of an emoji never reaches the disk as a raw byte."""
    await edited(bench, b"a\xff\xc3\xa4\n", "a", "b\udc80")

    assert content(bench) == "b\ufffd".encode() + b"\xff\xc3\xa4\n"


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        pytest.param("say “hi” it’s\n", 'say "hi" it\'s', 'say "ho" it\'s', "say “ho” it’s\n", id="a"),
        pytest.param("it's\nit’s\n", "it's", "IT", "IT\nit’s\n", id="c"),
        pytest.param("it's\n", "it’s", "it was", "it was\n", id="d"),
        pytest.param("a\u00a0–\u202fb\r\n", "a - b", "a - c", "a\u00a0–\u202fc\r\n", id="blanks"),
    ],
)
async def test_f15_lookalikes(bench: Bench, before: str, old: str, new: str, after: str) -> None:
    """Exact first; the only lookalike next, and what old and new share keeps the file's characters."""
    result = await edited(bench, before.encode(), old, new)

    assert (content(bench).decode(), result.is_error) == (after, False)


async def test_f15_a_the_lookalike_is_said(bench: Bench) -> None:
    """The result names the code points that differ."""
    result = await edited(bench, "say “hi”\n".encode(), '"hi"', '"ho"')

    assert "U+201C for U+0022, U+201D for U+0022" in text_of(result)


@pytest.mark.parametrize("everywhere", [False, True])
async def test_f15_e_several_lookalikes_are_ambiguous(bench: Bench, everywhere: bool) -> None:
    """Lookalikes are never changed in bulk."""
    result = await edited(bench, "“a”\n“a”\n".encode(), '"a"', "b", replace_all=everywhere)

    assert result.is_error
    assert "2 lookalikes are (lines 1, 2)" in text_of(result)
    assert content(bench) == "“a”\n“a”\n".encode()


@pytest.mark.parametrize(
    ("before", "old", "new", "words"),
    [
        pytest.param(b"abc", "", "X", "`old_string` is empty", id="a"),
        pytest.param(b"", "", "X", "use write", id="c"),
        pytest.param(b"aaa", "aa", "b", "occurs 2 times (lines 1)", id="d"),
        pytest.param(b"foo\nfoo\n", "foo", "x", "occurs 2 times (lines 1, 2)", id="e"),
        pytest.param(b"abc", "b", "b", "are the same", id="h"),
        pytest.param(b"  a\n  b\n    c\n", "  ", "\t", "occurs 5 times (lines 1, 2, 3)", id="j"),
        pytest.param(b"x\n" * 11, "x", "y", "(lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)", id="many"),
        pytest.param(b"a" * 10_001, "a", "b", "occurs 10,000 or more times", id="very many"),
    ],
)
async def test_f17_refusals_leave_the_file(
    bench: Bench, before: bytes, old: str, new: str, words: str
) -> None:
    """An unclear place is refused with count and lines; the file is not even touched."""
    path = bench.project / "f"
    path.write_bytes(before)
    await bench.call(READ, file_path="f")
    stamp = path.stat().st_mtime_ns

    result = await edit(bench, old, new)

    assert result.is_error
    assert words in text_of(result)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, stamp)


@pytest.mark.parametrize("old", ["", "x"])
async def test_f17_b_a_missing_file_is_for_write(bench: Bench, old: str) -> None:
    """edit makes no files."""
    result = await edit(bench, old, "X")

    assert result.is_error
    assert "use write" in text_of(result)
    assert not (bench.project / "f").exists()


@pytest.mark.parametrize(
    ("before", "old", "new", "after", "words"),
    [
        pytest.param(b"foo\nfoo\n", "foo", "x", b"x\nx\n", "2 replacements", id="f"),
        pytest.param(b"aba", "a", "aa", b"aabaa", "2 replacements", id="i"),
        pytest.param(b"aaa", "aa", "b", b"ba", "edited f: +1", id="overlap"),
        pytest.param(b"a\r\nb\na\r\n", "a\n", "x\n", b"x\r\nb\nx\r\n", "2 replacements", id="mixed"),
        pytest.param(b"a" * 10_003, "a", "b", b"b" * 10_003, "10,003 replacements", id="very many"),
    ],
)
async def test_f17_replace_all(
    bench: Bench, before: bytes, old: str, new: str, after: bytes, words: str
) -> None:
    """One pass from left to right, and the count is said."""
    result = await edited(bench, before, old, new, replace_all=True)

    assert content(bench) == after
    assert words in text_of(result)


async def test_f17_g_the_new_text_is_literal(bench: Bench) -> None:
    """Nothing in it is expanded."""
    await edited(bench, b"a\n", "a", r"\1 \g<0> $& $1 \n")

    assert content(bench) == rb"\1 \g<0> $& $1 \n" + b"\n"


async def test_f20_only_the_hash_decides(bench: Bench, tmp_path: Path) -> None:
    """(a) a new time stamp is nothing, (c) two edits in a row need no read."""
    (bench.project / "f").write_text("one\ntwo\nthree\n")
    await bench.call(READ, file_path="f", limit=1)
    (bench.project / "f").touch()

    assert not (await edit(bench, "two", "2")).is_error
    assert not (await edit(bench, "three", "3")).is_error
    assert content(bench) == b"one\n2\n3\n"


@pytest.mark.parametrize("keeps_stamp", [pytest.param(False, id="b"), pytest.param(True, id="e")])
async def test_f20_an_outside_change_is_not_overwritten(bench: Bench, keeps_stamp: bool) -> None:
    """(b) refused, (e) also with the same size and time stamp, (d) one read later it works."""
    path = bench.project / "f"
    path.write_text("one\ntwo\n")
    await bench.call(READ, file_path="f")
    stat = path.stat()
    path.write_text("one\nTWO\n")
    if keeps_stamp:
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    refused = await edit(bench, "one", "1")

    assert refused.is_error
    assert "changed on disk since it was read; read it again" in text_of(refused)
    assert content(bench) == b"one\nTWO\n"
    await bench.call(READ, file_path="f")
    assert not (await edit(bench, "one", "1")).is_error


async def test_f20_a_file_that_changed_back_can_be_read_again(bench: Bench) -> None:
    """A stub for an older content makes that content known again: no endless loop."""
    path = bench.project / "f"
    for text in ("one\n", "two\n", "one\n"):
        path.write_text(text)
        await bench.call(READ, file_path="f")

    assert not (await edit(bench, "one", "1")).is_error


async def test_f20_f_a_deleted_file_is_said(bench: Bench) -> None:
    """Gone is not the same as never there."""
    (bench.project / "f").write_text("one\n")
    await bench.call(READ, file_path="f")
    (bench.project / "f").unlink()

    assert "deleted since it was read" in text_of(await edit(bench, "one", "1"))


async def test_a_miss_leaves_the_file(bench: Bench) -> None:
    """The refusal explains; nothing is written."""
    result = await edited(bench, b"a\r\n\tb\r\n", "a\n    b", "x")

    assert result.is_error
    assert "was not found; nothing was changed.\nLines 1-2 of the file: the same except for" in text_of(
        result
    )
    assert content(bench) == b"a\r\n\tb\r\n"


async def test_an_unread_file_is_refused(bench: Bench) -> None:
    """edit needs to have seen some of the file."""
    (bench.project / "f").write_text("one\n")

    assert "was not read in this session; read it first" in text_of(await edit(bench, "one", "1"))


async def test_the_result_is_a_numbered_diff(bench: Bench) -> None:
    """The model sees what changed where; the screen gets the same."""
    before = "".join(f"l{n}\n" for n in range(1, 30)).encode()

    result = await edited(bench, before, "l5\n", "L5\nnew\n")

    diff = "    2   l2\n    3   l3\n    4   l4\n    5 - l5\n    5 + L5\n    6 + new\n    6   l6\n    7   l7\n    8   l8"
    assert text_of(result) == f"edited f: +2 −1\n{diff}"
    assert (result.facts["diff"], result.facts["note"]) == (diff, "+2 −1")


async def test_what_is_known_follows_the_edit(bench: Bench) -> None:
    """Ranges move with their lines, so that reading on completes the file."""
    (bench.project / "f").write_text("".join(f"l{n}\n" for n in range(1, 11)))
    await bench.call(READ, file_path="f", offset=3, limit=4)
    await edit(bench, "l4\n", "a\nb\nc\n")
    known = bench.facts.known[str(bench.project / "f")]

    assert (known["ranges"], known["lines"], known["is_whole"]) == ([[3, 8]], 12, False)
    await bench.call(READ, file_path="f", limit=2)
    await bench.call(READ, file_path="f", offset=9)
    assert not (await bench.call(WRITE, file_path="f", content="x\n")).is_error


async def test_a_whole_file_stays_whole(bench: Bench) -> None:
    """After an edit of a file it wrote, the model may write over it."""
    await bench.call(WRITE, file_path="f", content="a\nb\n")
    await edit(bench, "a", "c")

    assert not (await bench.call(WRITE, file_path="f", content="x\n")).is_error


async def test_f12_d_a_lookalike_name_is_edited_and_said(bench: Bench) -> None:
    """The note on the name stands in the result."""
    odd = "Shot 10.00\u202fAM.txt"
    (bench.project / odd).write_text("one\n")
    await bench.call(READ, file_path=odd)

    result = await bench.call(EDIT, file_path="Shot 10.00 AM.txt", old_string="one", new_string="two")

    assert odd in text_of(result)
    assert (bench.project / odd).read_text() == "two\n"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x7fELF\x00", "an ELF program"),
        (b"\xff\xd8\xff\xe0", "a JPEG image"),
        (b"\xff\xfea", "broken UTF-16"),
    ],
)
async def test_what_is_no_text_cannot_be_edited(bench: Bench, data: bytes, words: str) -> None:
    """Also when its hash is known."""
    (bench.project / "f").write_bytes(b"text\n")
    await bench.call(READ, file_path="f")
    known = bench.facts.known[str(bench.project / "f")]
    (bench.project / "f").write_bytes(data)
    known["sha256"] = hashlib.sha256(data).hexdigest()

    result = await edit(bench, "a", "b")

    assert result.is_error
    assert words in text_of(result)
