"""Pastes from the terminal: where they end, in whatever pieces they come, and what of them is text."""

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys

from agent.surrogates import is_encodable
from agent.terminal.pasting import END, QUIET_S, PasteParser, cleaned

BEGIN = "\x1b[200~"


def fed(*reads: str, quiet_before: int | None = None) -> list[tuple[str, str]]:
    """Return (key, text) for what comes in these reads, with a long pause before one of them."""
    return asyncio.run(_fed(reads, quiet_before))


async def _fed(reads: tuple[str, ...], quiet_before: int | None) -> list[tuple[str, str]]:
    keys: list[KeyPress] = []
    stalled = asyncio.Event()
    parser = PasteParser(keys.append, stalled.set)
    for number, data in enumerate(reads):
        if number == quiet_before:
            async with asyncio.timeout(QUIET_S * 10):
                await stalled.wait()
        parser.feed(data)
    parser.flush()
    return [(str(getattr(one.key, "value", one.key)), one.data) for one in keys]


PASTE = Keys.BracketedPaste.value


@given(
    text=st.text(st.characters(exclude_characters="\x1b"), max_size=30),
    cuts=st.sets(st.integers(min_value=0, max_value=45), max_size=6),
)
def test_cuts_make_no_difference(text: str, cuts: set[int]) -> None:
    """In however many reads a paste comes, it is one, and the key behind it is a key."""
    stream = f"{BEGIN}{text}{END}k"
    edges = [0, *sorted(cut for cut in cuts if cut < len(stream)), len(stream)]
    reads = [stream[a:b] for a, b in pairwise(edges)]
    pasted = [(PASTE, text)] if text else []
    assert fed(*reads) == [*pasted, ("k", "k")]


def test_the_end_mark_never_comes() -> None:
    """After a while what has come is handed over, and one single key ends the paste: it is a key again."""
    assert fed(f"{BEGIN}one\n", "two\n", "\x03", "x", quiet_before=2) == [
        (PASTE, "one\ntwo\n"),
        ("c-c", "\x03"),
        ("x", "x"),
    ]


def test_a_sequence_is_one_key() -> None:
    """An arrow key ends such a paste too."""
    assert fed(f"{BEGIN}one\n", "\x1b[A", quiet_before=1) == [(PASTE, "one\n"), ("up", "\x1b[A")]


def test_a_paste_that_comes_late_sends_nothing() -> None:
    """More text after the pause is still pasted, line ends and all, until the mark comes."""
    assert fed(f"{BEGIN}one\n", "two\r/quit\r", f"three\r{END}", "k", quiet_before=1) == [
        (PASTE, "one\n"),
        (PASTE, "two\r/quit\rthree\r"),
        ("k", "k"),
    ]


def test_a_late_mark_ends_it() -> None:
    """Nothing of the mark is text."""
    assert fed(f"{BEGIN}one\n", END, "\r", quiet_before=1) == [(PASTE, "one\n"), ("c-m", "\r")]


@pytest.mark.parametrize(
    ("pasted", "text"),
    [
        ("a\r\nb\rc\td", "a\nb\nc\td"),
        ("\x1b[31mred\x1b[0m \x1b]0;title\x07x\x1b[2J", "red x"),
        ("a\x1bb\x00c\x7fd\x9b2Je\x07", "abcd2Je"),
        ("caf\udcc3\udca9 \udcff", "caf\ufffd\ufffd \ufffd"),
        ("\ud83d\ude00", "\U0001f600"),
        ("\x1b]8;;" + "x" * 10_000, "]8;;" + "x" * 10_000),
    ],
)
def test_cleaned(pasted: str, text: str) -> None:
    """Line ends become one kind; tabs stay; control characters, terminal sequences and bytes that are no text go."""
    assert cleaned(pasted) == text


@given(st.text(st.characters(), max_size=60))
def test_cleaned_is_text(pasted: str) -> None:
    """Whatever was pasted: it can be sent, holds no control character but tab and newline, and stays as it is then."""
    text = cleaned(pasted)
    assert is_encodable(text)
    assert not [one for one in text if (ord(one) < 0x20 and one not in "\t\n") or 0x7F <= ord(one) <= 0x9F]
    assert cleaned(text) == text
