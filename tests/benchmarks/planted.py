"""Facts that a session names once, at its start, and where they stand later: in the view, in a file, or nowhere."""

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from tests.support.rolling_recovery import PATH

Place = Literal["view", "one_file", "two_files", "lost"]
"""In the view; in a file that the view names; in a file that only an archive named in the view names; nowhere."""
FACTS: Mapping[str, tuple[str, ...]] = {
    "paths": (
        "src/export/resume.py",
        "src/export/cursor.py",
        "src/export/writer.py",
        "config/nightly.toml",
        "docs/adr/0007-resumable-exports.md",
        "db/migrations/0042_cursor.sql",
    ),
    "numbers": ("750 ms", "1,250 rows", "12.5 %", "90 days", "48 files", "€ 3,100"),
    "tests": (
        "test_resume_after_crash",
        "test_cursor_is_kept",
        "test_no_row_twice",
        "test_amounts_in_cents",
    ),
    "commits": ("4f2a9c1", "b81e07d", "9d3c5fa", "0c77be4d1f6a29385b1e4c0d7a9f3e2b6c5d8a10"),
}
"""Kind -> facts, none of them a part of another or of any text that fills the session."""


def places(shown: str, disk: Mapping[str, bytes]) -> dict[str, Place]:
    """Return the nearest place of each fact.

    Args:  shown: all texts of the view; disk: path -> bytes of the session's own files.
    """
    named = _named(shown, disk)
    archives = "\n".join(_texts((path for path in named if path.endswith(".md")), disk))
    levels: tuple[tuple[Place, str], ...] = (
        ("view", shown),
        ("one_file", "\n".join(_texts(named, disk))),
        ("two_files", "\n".join(_texts(_named(archives, disk), disk))),
    )
    return {
        fact: next((place for place, text in levels if fact in text), "lost")
        for facts in FACTS.values()
        for fact in facts
    }


def shares(found: Mapping[str, Place]) -> dict[str, dict[str, float]]:
    """Return for each kind of fact which share of it stands at which place."""
    return {
        kind: {
            place: round(sum(found[fact] == place for fact in facts) / len(facts), 4)
            for place in get_args(Place)
        }
        for kind, facts in FACTS.items()
    }


def _named(text: str, disk: Mapping[str, bytes]) -> list[str]:
    return sorted({path for path in PATH.findall(text) if path in disk})


def _texts(paths: Iterable[str], disk: Mapping[str, bytes]) -> list[str]:
    return [disk[path].decode("utf-8", "replace") for path in paths]
