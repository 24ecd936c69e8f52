"""Finding paths by some of their letters."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.terminal.path_index import CHUNK, PathIndex

FILES = [
    "CHANGELOG.md",
    "README.md",
    "agent/",
    "agent/terminal/",
    "agent/terminal/keys.py",
    "agent/terminal/queue_keys.py",
    "hooks/permission/denylist.py",
    "src/HttpServer.java",
    "src/invoice.py",
    "src/my invoice totals.py",
    "tests/",
    "tests/agent/terminal/test_keys.py",
    "tests/test_invoice.py",
]


@pytest.mark.parametrize(
    ("wanted", "first"),
    [
        ("keys", "agent/terminal/keys.py"),
        ("KEYS", "agent/terminal/keys.py"),
        ("tk", "tests/agent/terminal/test_keys.py"),
        ("termkeys", "agent/terminal/keys.py"),
        ("agte", "agent/terminal/"),
        ("tests/a", "tests/agent/terminal/test_keys.py"),
        ("agent/", "agent/"),
        ("agent/k", "agent/terminal/keys.py"),
        ("inv", "src/invoice.py"),
        ("test_inv", "tests/test_invoice.py"),
        ("hs", "src/HttpServer.java"),
        ("totals", "src/my invoice totals.py"),
        ("mit", "src/my invoice totals.py"),
        ("rdme", "README.md"),
        ("chlog", "CHANGELOG.md"),
    ],
)
def test_the_likeliest_is_first(wanted: str, first: str) -> None:
    """Names that begin so, then whole pieces, then beginnings of words, then letters close together; short before long."""
    assert PathIndex(FILES).find(wanted, 5)[0] == first


def test_nothing_wanted() -> None:
    """The shortest paths."""
    assert PathIndex(FILES).find("", 3) == ["agent/", "tests/", "README.md"]


def is_subsequence(wanted: str, path: str) -> bool:
    """The rule, as plainly as it can be said."""
    left = iter(path.casefold())
    return all(one in left for one in wanted.casefold())


NAMES = st.text(st.sampled_from("abAB.-^]\\_ /é"), min_size=1, max_size=8)


@given(paths=st.sets(NAMES, max_size=12), wanted=NAMES)
def test_exactly_the_subsequences_are_found(paths: set[str], wanted: str) -> None:
    """Whatever the letters; each once."""
    found = PathIndex(paths).find(wanted, 100)
    assert sorted(found) == sorted(path for path in paths if is_subsequence(wanted, path))


def many() -> Sequence[str]:
    """More paths than are searched at once."""
    return [f"src/part{number % 97}/file_{number}.py" for number in range(CHUNK * 2 + 10)]


@pytest.mark.parametrize("number", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 9])
def test_over_the_borders_of_chunks(number: int) -> None:
    """The path that is asked for by its whole name is found first, wherever it lies."""
    paths = many()
    assert PathIndex(paths).find(paths[number], 3)[0] == paths[number]
