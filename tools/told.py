"""What is said of tools, to an agent that may have only some of them."""

import re
from collections.abc import Collection

_NAMED = re.compile(r"`([a-z_]+)`")
_HEADING = re.compile(r"^#.*(?:\n+(?=#)|\n*\Z)", re.MULTILINE)


def fitting(text: str, missing: Collection[str]) -> str:
    """Return ``text`` for an agent without the tools ``missing``.

    A line that names one of them in backticks is left out, and a heading under which nothing is left. So a line of such
    a text is one thought, and needs all tools that it names.
    """
    kept = [line for line in text.split("\n") if not set(missing) & set(_NAMED.findall(line))]
    return _HEADING.sub("", "\n".join(kept)).strip()
