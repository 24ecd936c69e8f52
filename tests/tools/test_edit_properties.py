"""For any text and any line ends: the right replacement, and not a byte more."""

from hypothesis import assume, given
from hypothesis import strategies as st

from tools.diffs import compare
from tools.match import FoldedText, apply, find
from tools.texts import decode, encode, visible

RAW = st.lists(st.sampled_from(["a", "b", " ", "\n", "\r\n", "\r", "’", "'", "é"]), max_size=30).map("".join)
SHORT = st.text(alphabet="ab \n'é", min_size=1, max_size=6)


def fold(text: str) -> str:
    return text.replace("\r\n", "\n")


@given(RAW, SHORT, SHORT)
def test_the_result_is_the_reference_replacement(text: str, old: str, new: str) -> None:
    """Line ends aside, an edit everywhere is `str.replace`."""
    folded = FoldedText(text)
    match = find(folded, old, new, everywhere=True)

    if match is None or match.is_lookalike:
        assert old not in fold(text)
        return
    changed, count = apply(folded, match, everywhere=True)
    assert fold(changed) == fold(text).replace(old, new)
    assert count == fold(text).count(old)


@given(RAW, SHORT, SHORT, RAW)
def test_the_bytes_around_are_untouched(before: str, old: str, new: str, after: str) -> None:
    """Whatever stands before and after the one place is there afterwards, byte for byte."""
    before, after = before.rstrip("\r"), after.lstrip("\n")
    text = before + old + after
    folded = FoldedText(text)
    match = find(folded, old, new, everywhere=False)
    assert match is not None
    if len(match.places) > 1:
        return

    changed, _ = apply(folded, match, everywhere=False)

    assert changed.startswith(before)
    assert changed.endswith(after)
    assert fold(changed) == fold(before + new + after)


@given(st.lists(st.sampled_from(["a", "bb", "c'", ""]), min_size=2, max_size=8), SHORT, SHORT)
def test_a_crlf_text_stays_one(lines: list[str], old: str, new: str) -> None:
    """No lone newline and no doubled carriage return ever comes in."""
    text = "\r\n".join(lines)
    folded = FoldedText(text)
    match = find(folded, old, new, everywhere=True)
    changed, _ = apply(folded, match, everywhere=True) if match else (text, 0)

    assert changed.count("\n") == changed.count("\r\n")
    assert "\r\r" not in changed


@given(
    st.text(alphabet="ab’'“\"", min_size=1, max_size=12), st.text(alphabet="ab'\"", min_size=1, max_size=12)
)
def test_lookalikes_change_only_what_the_model_changed(there: str, new: str) -> None:
    """Asked to replace the plain form of a text by itself, the text would stay as it is."""
    plain = there.replace("’", "'").replace("“", '"')
    assume(plain != there)
    folded = FoldedText(there)
    match = find(folded, plain, plain, everywhere=False)
    assert match is not None

    assert match.is_lookalike
    assert apply(folded, match, everywhere=False) == (there, 1)
    replaced = find(folded, plain, new, everywhere=False)
    assert replaced is not None
    assert len(apply(folded, replaced, everywhere=False)[0]) == len(new)


def test_long_changes_are_woven_by_lines() -> None:
    """Beyond a thousand words the lines that are shared keep their ends; beyond that nothing hangs."""
    lines = [f"word{n} and some more words" for n in range(900)]
    mixed = "\r\n".join(lines[:450]) + "\n" + "\n".join(lines[450:])
    old = "\n".join(lines)
    folded = FoldedText(mixed)
    new = "\n".join(["first", *lines[1:-1], "last"])
    match = find(folded, old, new, everywhere=False)
    assert match is not None

    assert (
        apply(folded, match, everywhere=False)[0]
        == mixed.replace(lines[0], "first", 1)[: -len(lines[-1])] + "last"
    )


def test_very_long_changes_are_made_as_a_whole() -> None:
    """They take the line end of their place."""
    old, new = (f"{word}\n" * 1_500 for word in ("x", "y"))
    folded = FoldedText(old.replace("\n", "\r\n"))
    match = find(folded, old, new, everywhere=False)
    assert match is not None

    assert apply(folded, match, everywhere=False)[0] == new.replace("\n", "\r\n")


@given(st.binary(max_size=60) | st.text(max_size=20).map(lambda text: ("\ufeff" + text).encode("utf-16")))
def test_encoding_undoes_decoding(data: bytes) -> None:
    """Any bytes that decode come back as they were, and can be shown."""
    try:
        text, layout = decode(data)
    except UnicodeDecodeError:
        assume(False)
    assert encode(text, layout) == data
    visible(text).encode()


LINES = st.lists(st.sampled_from("abcd"), max_size=12)


@given(LINES, LINES)
def test_a_diff_tells_the_change(old: list[str], new: list[str]) -> None:
    """Its changes turn the old lines into the new ones, and its counts are theirs."""
    diff = compare("".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new))
    built, done = [], 0
    for a, b, c, d in diff.changes:
        built += old[done:a] + new[c:d]
        done = b

    assert built + old[done:] == new
    assert diff.added - diff.removed == len(new) - len(old)
    assert sum(" + " in line for line in diff.lines) == diff.added


def test_a_long_diff_is_cut() -> None:
    """Long lines and many lines are cut, and the number left out is said."""
    diff = compare("", "x" * 400 + "\n" + "y\n" * 9)

    assert diff.lines[0] == f"    1 + {'x' * 300}…"
    assert diff.text(3).endswith("\n  ... 7 more lines")


def test_far_changes_have_a_gap_between() -> None:
    """Lines that are not shown are marked."""
    before = [f"{n}\n" for n in range(40)]
    after = ["x\n", *before[1:20], "y\n", *before[21:]]

    assert compare("".join(before), "".join(after)).lines.count("  ...") == 1


def test_huge_changes_are_compared_cheaply() -> None:
    """Many lines in place are paired; many lines for few are one block."""
    before = [f"{n}\n" for n in range(5_000)]
    paired = compare("".join(before), "".join("x\n" if n % 2 == 0 else line for n, line in enumerate(before)))
    block = compare("".join(before), "".join(f"y{n}\n" for n in range(3_000)))

    assert (paired.added, paired.removed) == (2_500, 2_500)
    assert (block.added, block.removed) == (3_000, 5_000)
