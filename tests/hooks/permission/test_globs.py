"""Path patterns."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.permission.globs import escaped, path_regex, segment_regex

MATCHES = [
    ("a", "a"),
    ("src/*.py", "src/a.py"),
    ("src/*.py", "src/.py"),
    ("*", "a b\nc"),
    ("?", "é"),
    ("**", "."),
    ("**", "a/b/c"),
    ("src/**", "src"),
    ("src/**", "src/a"),
    ("src/**", "src/a/b.py"),
    ("**/x", "x"),
    ("**/x", "a/b/x"),
    ("a/**/b", "a/b"),
    ("a/**/b", "a/x/y/b"),
    ("a/**/**/b", "a/b"),
    ("**/*.py", "a.py"),
    ("/etc/**", "/etc/a/b"),
    ("/**", "/x/y"),
    ("a**b", "axxb"),
    ("[id].tsx", "[id].tsx"),
    ("{a,b}", "{a,b}"),
    (r"\*", "*"),
    (r"a\?", "a?"),
    ("a.b", "a.b"),
    ("a\\", "a\\"),
]
MISSES = [
    ("a", "A"),
    ("a", "b/a"),
    ("src/*.py", "src/a/b.py"),
    ("src/*", "src"),
    ("*", "a/b"),
    ("?", "/"),
    ("a?", "a"),
    ("src/**", "src2/a"),
    ("src/**", "xsrc/a"),
    ("**/x", "ax"),
    ("a/**/b", "ab"),
    ("/etc/**", "etc/a"),
    ("a**b", "a/b"),
    ("[id]", "i"),
    ("{a,b}", "a"),
    (r"\*", "a"),
    ("a.b", "axb"),
]


@pytest.mark.parametrize(("pattern", "path"), MATCHES)
def test_matches(pattern: str, path: str) -> None:
    """`**` spans folders, `*` and `?` stay within one name, everything else is itself."""
    assert path_regex(pattern).fullmatch(path)


@pytest.mark.parametrize(("pattern", "path"), MISSES)
def test_does_not_match(pattern: str, path: str) -> None:
    """Whole paths are compared, and case counts."""
    assert not path_regex(pattern).fullmatch(path)


@given(st.text(min_size=1).filter(lambda path: "\0" not in path), st.text())
def test_an_escaped_path_matches_itself_alone(path: str, other: str) -> None:
    """A rule made from a path means that path, whatever characters its name holds."""
    regex = path_regex(escaped(path))
    assert regex.fullmatch(path)
    assert bool(regex.fullmatch(other)) == (path == other)


@pytest.mark.parametrize("segment", ["[a-c]x", "[!a]x", "[]]x", "?x", r"*\x"])
def test_classes_stand_for_any_character(segment: str) -> None:
    """Where shell patterns are read, a class may match anything: the more dangerous reading."""
    assert re.fullmatch(segment_regex(segment, has_classes=True), "bx")
