"""The names in a result: they stay when it leaves, so that the model writes them right without reading it again.

Names that the model wrote itself, or was told, stand in the view anyway and are left out.
"""

import re
from collections import Counter
from collections.abc import Collection

from compaction.messages import Block

NAME = re.compile(r"\b[A-Za-z_][A-Za-z0-9_]{5,47}\b")
"""An identifier; shorter ones are words as often as not, longer runs are data."""
HEADING = "names in it: "
MOST = 40
CHARS_A_NAME = 100
"""A result has one name listed for so many of its characters. Source: trials on real sessions."""


def names_line(text: str, known: Collection[str]) -> str:
    """Return a line of the most frequent names in ``text``, less ``known``; empty when there are none.

    A placeholder that has such a line already keeps it.
    """
    for line in text.split("\n"):
        if line.startswith(HEADING):
            return line
    counted = Counter(name for name in NAME.findall(text) if name not in known)
    ranked = sorted(counted, key=lambda name: (-counted[name], name))
    names = ranked[: min(MOST, len(text) // CHARS_A_NAME)]
    return HEADING + " ".join(names) if names else ""


def names_said(block: Block) -> set[str]:
    """Return the names in words and in the inputs of a call."""
    if block["type"] == "text":
        return set(NAME.findall(block["text"]))
    if block["type"] == "tool_use":
        texts = [value for value in block["input"].values() if isinstance(value, str)]
        return {name for text in texts for name in NAME.findall(text)}
    return set()
