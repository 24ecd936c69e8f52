"""Words of others in a text of ours: they cannot end their mark, nor be taken for a marker or a heading of ours."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

TAG = "conversation_summary"
"""Stands around a summary."""
DataTag = Literal[
    "environment", "skills", "skill", "agent-types", "project-notes", "user-shell", "hook", "result", "file"
]
"""What stands around all other words that are not the user's, where they are not a tool's result."""
_UNSEEN = r"\u00ad\u200b-\u200f\u2060\ufeff"
"""Characters that cannot be seen: a model may read over them."""


def _tags(*names: str) -> re.Pattern[str]:
    """Return what finds the bracket that one of these tags begins with, however it is spelt."""
    blank, unseen = rf"[\s{_UNSEEN}]*", f"[{_UNSEEN}]*"
    spelt = "|".join(unseen.join(re.escape(letter) for letter in name) for name in names)
    return re.compile(rf"<(?={blank}/?{blank}(?:{spelt})\b)", re.IGNORECASE)


_TAGS = _tags(TAG, "summary", "analysis", "system-reminder", *get_args(DataTag))
_DATA_TAGS = _tags(TAG, "system-reminder", *get_args(DataTag))
_MARKERS = re.compile(r"\[(?=\s*\[\s*(?:kept|archived)\s*:)", re.IGNORECASE)
_NO_ATTRIBUTE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def harmless(words: str, headings: Sequence[str] = ()) -> str:
    """Return ``words`` with nothing in them that means something where they will stand.

    Args:  headings: beginnings of lines that only we may write.
    """
    words = unmarked(_TAGS.sub("‹", words))
    if not headings:
        return words
    ours = "|".join(re.escape(heading) for heading in headings)
    return re.sub(rf"^(?=[^\w\n]*(?:{ours}))", "> ", words, flags=re.MULTILINE | re.IGNORECASE)


def unclosable(words: str) -> str:
    """Return ``words`` without a tag that one of our marks begins or ends with: its bracket is another sign."""
    return _DATA_TAGS.sub("‹", words)


def unmarked(words: str) -> str:
    """Return ``words`` without a line that looks like a placeholder of ours."""
    return _MARKERS.sub("[ ", words)


def as_data(tag: DataTag, words: str, *, about: str = "", attributes: Mapping[str, str] | None = None) -> str:
    """Return words of others between marks that say so, and that nothing in them can end.

    Args:  about: a line of ours that stands before them.
    """
    said = "".join(f' {name}="{_attribute(value)}"' for name, value in (attributes or {}).items())
    ours = f"{about}\n" if about else ""
    return f"<{tag}{said}>\n{ours}{unclosable(words)}\n</{tag}>"


def _attribute(value: str) -> str:
    return unclosable(_NO_ATTRIBUTE.sub(" ", value)).replace('"', "'").replace(">", "›")


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
