"""Characters that are drawn nowhere: who looks at a file cannot see what they tell a model."""

import re

HIDDEN = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Tags, fillers, blanks without width; joiners aside, which scripts and pictures need."""


def seen(words: str) -> tuple[str, int]:
    """Return ``words`` without what cannot be seen, and how many characters that was."""
    return HIDDEN.subn("", words)


def all_seen(value: object) -> tuple[object, int]:
    """Return a value of YAML with nothing in its texts that cannot be seen, and how many characters were taken out."""
    if isinstance(value, str):
        return seen(value)
    if isinstance(value, list):
        items = [all_seen(item) for item in value]
        return [item for item, _ in items], sum(count for _, count in items)
    if isinstance(value, dict):
        values = {key: all_seen(item) for key, item in value.items()}
        return {key: item for key, (item, _) in values.items()}, sum(count for _, count in values.values())
    return value, 0


def left_out(count: int) -> tuple[str, ...]:
    """Return that so many characters were taken out, as the end of a sentence that begins with the path; nothing for none."""
    what = "1 character" if count == 1 else f"{count:,} characters"
    return (f"holds {what} that cannot be seen: left out",) if count else ()
