"""Output as text: nothing raw reaches the screen or the model."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.terminal import render
from tools import visible
from tools.visible import VisibleText, escape_controls, escape_line


def show(*pieces: bytes) -> str:
    visible = VisibleText()
    return "".join([visible.feed(piece) for piece in pieces] + [visible.feed(b"", is_last=True)])


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain\ttext\n", "plain\ttext\n"),
        ("é漢😀".encode(), "é漢😀"),
        (b"ok \351\377 \000 end", "ok \\xe9\\xff \\x00 end"),
        (b"a\r\nb\rc\r", "a\nb\nc\n"),
        (b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "red link"),
        (b"\x1b(B\x1b7\x1b=x\x1bM", "x"),
        (b"\x1bPq#0\x1b\\x", "x"),
        (b"\x1b\x1b[31mx \x1b]open\nend\x1b", "\\x1bx \\x1b]open\nend\\x1b"),
        (b"bell\x07 back\x08 del\x7f \xc2\x9b31m", "bell\\x07 back\\x08 del\\x7f \\u009b31m"),
        (b"\xed\xa0\x80", "\\xed\\xa0\\x80"),
        (b"50%\r\x1b[K100%\r\x1b[K\n", "50%\n100%\n"),
    ],
)
def test_what_becomes_of_bytes(data: bytes, text: str) -> None:
    """Colours and titles go, odd bytes and controls become escapes, carriage returns end lines."""
    assert show(data) == text


def test_long_titles_are_shown() -> None:
    """A terminal string without end does not swallow the output."""
    assert show(b"\x1b]0;" + b"x" * 9_000).count("x") == 9_000 + 1


tricky = st.lists(
    st.sampled_from(
        [
            b"\r",
            b"\n",
            b"\x1b",
            b"[",
            b"31m",
            b"]0;t",
            b"\x07",
            b"\\",
            b"P",
            b"a",
            b"\xe2",
            b"\x82",
            b"\xac",
            b"\xff",
        ]
    )
).map(b"".join)


@given(data=st.one_of(st.binary(max_size=200), tricky), cuts=st.lists(st.integers(0, 200), max_size=6))
def test_cuts_between_pieces_make_no_difference(data: bytes, cuts: list[int]) -> None:
    """However the bytes arrive, the text is the same, encodes, and holds no control but tab and newline."""
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    whole = show(data)
    assert show(*(data[a:b] for a, b in pairwise(places))) == whole
    whole.encode()
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", whole)


@given(
    st.text(max_size=50).map(
        lambda text: text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
    )
)
def test_a_name_is_one_line(name: str) -> None:
    """Any name is shown as one line that encodes."""
    shown = escape_line(name)
    assert len(shown.splitlines() or [""]) == 1
    shown.encode()


def test_controls_keep_tabs_and_newlines() -> None:
    """Tabs and newlines are text; a name's are not."""
    assert escape_controls("a\tb\nc\x00") == "a\tb\nc\\x00"
    assert escape_line("a\tb\nc\u2028d\udcff") == "a\\x09b\\x0ac\\u2028d\\xff"


@pytest.mark.parametrize("shown", [visible.plain, render.plain])
def test_what_turns_text_round_is_an_escape(shown: Callable[[str], str]) -> None:
    """Wherever text from outside stands: marks, embeddings, overrides, isolates, and line ends that no line counts."""
    turning = "\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069"
    assert shown(f"a{turning}\tb\n") == "".join(["a", *(f"\\u{ord(one):04x}" for one in turning), "\tb\n"])
    assert shown("שלום café ➜ \u200d") == "שלום café ➜ \u200d"


@pytest.mark.parametrize("shown", [visible.plain, render.plain])
def test_what_is_drawn_nowhere_is_an_escape(shown: Callable[[str], str]) -> None:
    """Blanks without width, fillers, tags and bytes in selectors; not the joiners and selectors that are seen at work."""
    assert shown("a\u200b\u2060\ufeff\u3164\xad\U000e0041\U000e0100") == (
        "a\\u200b\\u2060\\ufeff\\u3164\\u00ad\\U000e0041\\U000e0100"
    )
    assert shown("می\u200cخواهم 👩\u200d💻 ❤\ufe0f") == "می\u200cخواهم 👩\u200d💻 ❤\ufe0f"
