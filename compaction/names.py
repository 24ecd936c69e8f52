"""The names in a result: they stay when it leaves, so that the model writes them right without reading it again.

Names that the model wrote itself, or was told, stand in the view anyway and are left out.
"""

import re
from collections import Counter
from collections.abc import Collection

from compaction.messages import Block, result_text

NAME = re.compile(r"\b[A-Za-z_][A-Za-z0-9_]{5,47}\b")
"""An identifier; shorter ones are words as often as not, longer runs are data."""
HEADING = "names in it: "
MOST = 40
CHARS_A_NAME = 100
"""A result has one name listed for so many of its characters. Source: trials on real sessions."""


def names_line(text: str, known: Collection[str]) -> str:
    """Return a line of the most frequent names in ``text``, less ``known``; empty when there are none.

    A placeholder that has such a line already hands its names on.
    """
    listed = names_listed(text)
    counted = Counter(listed or NAME.findall(text))
    ranked = sorted(counted, key=lambda name: (-counted[name], name))
    most = MOST if listed else min(MOST, len(text) // CHARS_A_NAME)
    names = [name for name in ranked if name not in known][:most]
    return HEADING + " ".join(names) if names else ""


def names_listed(text: str) -> list[str]:
    """Return the names in the lines that `names_line` made."""
    lines = [line for line in text.split("\n") if line.startswith(HEADING)]
    return [name for line in lines for name in line.removeprefix(HEADING).split() if NAME.fullmatch(name)]


def names_in(block: Block) -> list[str]:
    """Return the names that a placeholder or marker lists."""
    if block["type"] == "text":
        return names_listed(block["text"])
    return names_listed(result_text(block)) if block["type"] == "tool_result" else []


def names_said(block: Block) -> set[str]:
    """Return the names in words and in the inputs of a call."""
    if block["type"] == "text":
        return set(NAME.findall(block["text"]))
    if block["type"] == "tool_use":
        texts = [value for value in block["input"].values() if isinstance(value, str)]
        return {name for text in texts for name in NAME.findall(text)}
    return set()
