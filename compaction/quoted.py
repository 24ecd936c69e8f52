"""Words of others in a text of ours: they cannot end their mark, nor be taken for a marker or a heading of ours."""

import re
from collections.abc import Sequence

TAG = "conversation_summary"
"""Stands around a summary."""
_TAGS = re.compile(rf"<(?=\s*/?\s*(?:{TAG}|summary|analysis|system-reminder)\b)", re.IGNORECASE)
_MARKERS = re.compile(r"\[(?=\s*\[\s*(?:kept|archived)\s*:)", re.IGNORECASE)


def harmless(words: str, headings: Sequence[str] = ()) -> str:
    """Return ``words`` with nothing in them that means something where they will stand.

    Args:  headings: beginnings of lines that only we may write.
    """
    words = _MARKERS.sub("[ ", _TAGS.sub("‹", words))
    if not headings:
        return words
    ours = "|".join(re.escape(heading) for heading in headings)
    return re.sub(rf"^(?=[^\w\n]*(?:{ours}))", "> ", words, flags=re.MULTILINE | re.IGNORECASE)


def tagged(words: str) -> str:
    """Return words between the tags of a summary; they must be harmless."""
    return f"<{TAG}>\n{words}\n</{TAG}>"


def untagged(block: str) -> str:
    """Return what stands between the tags of a summary in ``block``; empty without them."""
    found = re.search(rf"^<{TAG}>\n(.*)\n</{TAG}>$", block, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def ends(words: str, most: int, line: str) -> str:
    """Return ``words`` if they are within ``most`` characters, else their head and tail with ``line`` between."""
    if len(words) <= most:
        return words
    head = most * 3 // 4
    return f"{words[:head]}\n{line}\n{words[len(words) - (most - head) :]}"
