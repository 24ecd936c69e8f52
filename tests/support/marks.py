"""Texts that try to end the marks around them, and how a lenient reader sees the marks of a text."""

import re
from typing import get_args

from hypothesis import strategies as st

from compaction.quoted import TAG, DataTag

NAMES = (*get_args(DataTag), TAG, "system-reminder")
TAGS = st.sampled_from(NAMES)
BLANKS = st.text(st.sampled_from(" \t\n\u200b\u00ad\ufeff"), max_size=2)
SPELT = st.builds(
    lambda before, slash, after, tag, rest: f"<{before}{slash}{after}{tag}{rest}",
    BLANKS,
    st.sampled_from(["", "/"]),
    BLANKS,
    TAGS.flatmap(
        lambda tag: st.sampled_from(
            [tag, tag.upper(), tag.title(), "\u200b".join(tag), f"{tag[:2]}\u00ad{tag[2:]}"]
        )
    ),
    st.sampled_from([">", " >", ' path="x">', "\n>", "/>", ""]),
)
HOSTILE = st.lists(SPELT | st.text(max_size=10), max_size=8).map("".join)
"""Tags of ours in every spelling, among other text."""


def tags_in(text: str) -> list[tuple[str, str]]:
    """Return the tags of ours in a text, as ("", name) or ("/", name), read over what cannot be seen."""
    seen = re.sub("[\u00ad\u200b-\u200f\u2060\ufeff]", "", text).lower()
    return re.findall(rf"<\s*(/?)\s*({'|'.join(NAMES)})\b", seen)
