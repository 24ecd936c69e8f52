"""Glob patterns: braces as in bash, classes, and parts that match names."""

import subprocess
import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tools.base import ToolError
from tools.glob_pattern import MAX_ALTERNATIVES, expand_braces, find_breaks, parse


def matches(pattern: str, name: str) -> bool:
    [[part]] = parse(pattern)
    return part.matches(name, ())


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("*.py", ["*.py"]),
        ("*.{ts,tsx}", ["*.ts", "*.tsx"]),
        ("{a,b}/{c,d}", ["a/c", "a/d", "b/c", "b/d"]),
        ("a{,b{c,d}}", ["a", "abc", "abd"]),
        ("a{b}.txt", ["a{b}.txt"]),
        ("{a,{b,c}", ["{a,b", "{a,c"]),
        ("{{a,b}}", ["{a}", "{b}"]),
        ("*.{ts", ["*.{ts"]),
        ("}{", ["}{"]),
        (r"\{a,b\}", [r"\{a,b\}"]),
        ("{1..3}", ["{1..3}"]),
        ("", [""]),
    ],
)
def test_braces(pattern: str, words: list[str]) -> None:
    """Lists are written out in order; what is no list stays."""
    assert expand_braces(pattern) == words


letters = st.text(alphabet="abc", max_size=2)
lists = st.recursive(
    letters,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda items: "{" + ",".join(items) + "}"),
        st.lists(inner, min_size=2, max_size=3).map("".join),
    ),
    max_leaves=6,
)


@given(head=st.sampled_from(["x", "{x", "x,y}"]), body=lists)
def test_braces_are_those_of_bash(head: str, body: str) -> None:
    """Any nesting of lists gives the words that bash gives, also beside a brace that never closes or opens."""
    pattern = head + body
    words = expand_braces(pattern)
    done = subprocess.run(
        ["bash", "-c", f"printf '%s\\n' {pattern}"], capture_output=True, text=True, check=True
    )
    assert "\n".join(words) + "\n" == done.stdout


@pytest.mark.parametrize(
    "pattern", ["{a,b}" * 20, "{" * 200, "{a,{b,{" * 40, "{" + ",".join("a" * 1_500) + "}" + "{a,b}"]
)
def test_too_many_alternatives_are_refused(pattern: str) -> None:
    """Braces that would multiply without end are refused at once."""
    started = time.monotonic()
    with pytest.raises(ToolError, match="use fewer"):
        expand_braces(pattern)
    assert time.monotonic() - started < 5


def test_literal_braces_are_an_alternative() -> None:
    """The pattern as written is tried beside what its braces make."""
    assert [[part.text for part in parts] for parts in parse("./{a,b}//c")] == [
        ["a", "c"],
        ["b", "c"],
        ["{a,b}", "c"],
    ]
    assert len(parse("a{b,c}" * 3)) <= MAX_ALTERNATIVES


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("*", ".hidden", True),
        ("*", "a\nb", True),
        ("*.md", "a.md", True),
        ("*.md", "A.MD", False),
        ("*.md", "a.md~", False),
        ("a?c", "abc", True),
        ("a?c", "ac", False),
        ("[ab]x", "bx", True),
        ("[!ab]x", "cx", True),
        ("[^ab]x", "ax", False),
        ("[a-c]x", "bx", True),
        ("[z-a]x", "mx", False),
        ("[!z-a]x", "mx", True),
        ("[]]", "]", True),
        ("[!]]", "]", False),
        ("[a-]", "-", True),
        ("[&&]", "&", True),
        ("[^]", "[^]", True),
        ("[]", "[]", True),
        ("a[b", "a[b", True),
        (r"\[id\]", "[id]", True),
        (r"\*", "x", False),
        ("a**b", "axxb", True),
        ("(x)+", "(x)+", True),
        ("*a*b*", "xaxbx", True),
        ("*a*b*", "xbxax", False),
        ("a*?", "ab", True),
    ],
)
def test_parts(pattern: str, name: str, expected: bool) -> None:
    """Stars, marks, classes and escapes, within one name."""
    assert matches(pattern, name) is expected


def test_the_literal_name_wins() -> None:
    """Where a name equal to the part exists, only that one matches; elsewhere the class works."""
    [[part]] = parse("[id]")
    assert [part.matches(name, {"[id]", "i"}) for name in ("[id]", "i")] == [True, False]
    assert [part.matches(name, {"i", "x"}) for name in ("i", "x")] == [True, False]


@pytest.mark.parametrize(
    ("pattern", "chars"),
    [
        ("**/*.{ts", "{"),
        ("a[b/c", "["),
        ("{[", "{["),
        ("[a]{b}", ""),
        (r"\{\[", ""),
        ("}", ""),
        ("[]", "["),
        ("a}{", "{"),
    ],
)
def test_breaks_are_said(pattern: str, chars: str) -> None:
    """A bracket that never closes is named."""
    assert find_breaks(pattern) == [
        f"`{char}` is never closed in the pattern and was taken literally" for char in chars
    ]


def test_many_stars_are_quick() -> None:
    """No name makes a pattern search for ever."""
    started = time.monotonic()
    assert not matches("*a" * 60 + "b", "a" * 255)
    assert matches("*a" * 60, "a" * 255)
    assert time.monotonic() - started < 5


@given(st.text(alphabet="ab*", max_size=8), st.text(alphabet="ab", max_size=8))
def test_stars_match_as_they_should(pattern: str, name: str) -> None:
    """Against the plain definition: a star is any run of characters."""

    def fits(rest: str, left: str) -> bool:
        if not rest:
            return not left
        if rest[0] == "*":
            return fits(rest[1:], left) or (bool(left) and fits(rest, left[1:]))
        return bool(left) and rest[0] == left[0] and fits(rest[1:], left[1:])

    assume("**" not in pattern and pattern)
    assert matches(pattern, name) == fits(pattern, name)


@given(st.text(max_size=20), st.text(max_size=10))
def test_any_pattern_parses(pattern: str, name: str) -> None:
    """No pattern makes anything but parts that can be tried on a name, without a warning."""
    for parts in parse(pattern):
        for part in parts:
            part.matches(name, ())
    find_breaks(pattern)
