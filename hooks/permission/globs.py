"""Path patterns: `**`, `*` and `?` as a regular expression; a backslash makes the next character literal."""

import re


def path_regex(pattern: str, *, has_classes: bool = False) -> re.Pattern[str]:
    """Return what ``pattern`` matches, as a whole and case-sensitively; with ``has_classes``, `[…]` is any character.

    `*` and `?` do not cross `/`; `**` as a whole segment stands for any number of folders, none included,
    and at the end for the folder itself and all below it. `[` and `{` are literal: file names hold them.
    """
    segments = pattern.split("/")
    regex = ""
    for i, segment in enumerate(segments):
        is_last = i == len(segments) - 1
        if segment != "**":
            regex += segment_regex(segment, has_classes=has_classes) + ("" if is_last else "/")
        elif is_last:
            regex = regex.removesuffix("/") + ("(?:/.*)?" if i else ".*")
        elif i == 0 or segments[i - 1] != "**":
            regex += "(?:.*/)?"
    return re.compile(regex, re.DOTALL)


def segment_regex(segment: str, *, has_classes: bool = False) -> str:
    """Return the regular expression of one path segment; with ``has_classes``, `[…]` is any character."""
    token = r"\\.|\*+|\?|\[[!^]?\]?[^\]]*\]|." if has_classes else r"\\.|\*+|\?|."
    return "".join(_one(part, has_classes=has_classes) for part in re.findall(token, segment, re.DOTALL))


def escaped(path: str) -> str:
    """Return the pattern that matches exactly ``path``."""
    return re.sub(r"[*?\\]|^~", lambda match: "\\" + match[0], path)


def _one(part: str, *, has_classes: bool) -> str:
    if part.startswith("\\") and part[1:]:
        return re.escape(part[1:])
    if part.startswith("*"):
        return "[^/]*"
    if part == "?" or (has_classes and part.startswith("[") and part.endswith("]")):
        return "[^/]"
    return re.escape(part)
