"""Which files and commits the log has named: what a summary names beside these was made up."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from compaction.messages import Block, result_text

SUFFIXES = (
    "bash|c|cc|cfg|cjs|cpp|cs|css|csv|eex|env|erl|ex|exs|go|gradle|h|heex|hpp|hs|html|ini|ipynb|java|js|json|jsonl|"
    "jsx|kt|lock|log|lua|md|mdx|mjs|ml|php|pl|png|proto|py|pyi|rb|rs|rst|scala|scss|sh|sql|svelte|svg|swift|tex|toml|"
    "ts|tsx|txt|vue|xml|yaml|yml|zig"
)
"""Of a name without a folder: others are attributes and abbreviations as often as files."""
_CHARS = r"\w~@+.-"
PATH = re.compile(
    # A token is tried at its start only, and no part of it twice: long runs of data cost no more than their length.
    rf"(?<![{_CHARS}/])(?:[{_CHARS}]*+/[{_CHARS}/]*+|[\w+-][{_CHARS}]*\.(?:{SUFFIXES})(?![{_CHARS}/]|\())"
)
FILE = re.compile(rf"(?:[{_CHARS}]*/)+[{_CHARS}]*\w\.[A-Za-z]\w{{0,7}}|[^/]+")
"""A path that names a file: after a folder any suffix will do."""
HASH = re.compile(r"(?<![\w./-])[0-9a-f]{7,40}(?![\w/-])")
MAX_PATH_CHARS = 300


@dataclass(slots=True)
class Seen:
    """Paths and hashes in anything the log holds: words, inputs, results."""

    paths: set[str] = field(default_factory=set)
    hashes: set[str] = field(default_factory=set)

    def see(self, block: Block) -> None:
        """Take in a block as it was appended."""
        for text in texts_in(block):
            self.read(text)

    def read(self, text: str) -> None:
        """Take in a text."""
        self.paths |= {name for _, name in paths_in(text)}
        self.hashes |= {found[0] for found in hashes_in(text)}

    def knows_path(self, path: str) -> bool:
        """True for a path that was seen, as it is or with more or fewer folders before it."""
        if path in self.paths:
            return True
        longer = f"/{path.lstrip('/')}"
        return any(
            seen.endswith(longer) or ("/" in seen and path.endswith(f"/{seen}")) for seen in self.paths
        )

    def knows_hash(self, hash_: str) -> bool:
        """True for a hash that was seen, whole or cut short."""
        return any(seen.startswith(hash_) or hash_.startswith(seen) for seen in self.hashes)


def paths_in(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield where a file is named in ``text``, and the path without `./` and the dot that ends a sentence."""
    for match in PATH.finditer(text):
        name = match[0].rstrip(".").removeprefix("./")
        is_address = match[0].startswith("//")
        if not is_address and len(name) <= MAX_PATH_CHARS and FILE.fullmatch(name):
            yield match, name


def hashes_in(text: str) -> Iterator[re.Match[str]]:
    """Yield what looks like the hash of a commit in ``text``: neither a word nor a number."""
    for match in HASH.finditer(text):
        if not match[0].isdigit() and not match[0].isalpha():
            yield match


def texts_in(block: Block) -> Iterator[str]:
    """Yield every text in a block: its own, a result's, the strings of an input."""
    if block["type"] == "text":
        yield block["text"]
    elif block["type"] == "tool_result":
        yield result_text(block)
    elif block["type"] == "tool_use":
        yield from _strings(block["input"].values())


def _strings(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield from _strings(value.values())
        elif isinstance(value, list):
            yield from _strings(value)
