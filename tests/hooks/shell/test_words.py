"""What counts as one provably simple command; bash itself is the witness."""

import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hooks.shell.words import plain_words

PROVED = [
    ("ls", ("ls",)),
    ("  git\tstatus \n", ("git", "status")),
    ("echo 'a; b && c'", ("echo", "a; b && c")),
    ('echo "x | y"', ("echo", "x | y")),
    ("echo '$(x)'", ("echo", "$(x)")),
    ("echo 'a\nb'", ("echo", "a\nb")),
    ("echo ''", ("echo", "")),
    ("gi't' st\"at\"us", ("git", "status")),
    ("git diff HEAD~1 a^ @ x:y", ("git", "diff", "HEAD~1", "a^", "@", "x:y")),
    ("pip install a==1.0", ("pip", "install", "a==1.0")),
    ("echo '`' '\\' '!'", ("echo", "`", "\\", "!")),
]
UNPROVED = [
    *("", "  ", "a;b", "a&b", "a|b", "a\nb", "a\rb", "a`b`", "a $(b)", "a ${b}", "a $b", "a <b", "a >b"),
    *("a (b)", "a {b,c}", "a \\\nb", "a \\b", "a 'b", 'a "b', "a # b", "a#b", "a *", "a ?", "a [b]", "a !b"),
    *(
        'a "$b"',
        'a "`b`"',
        'a "!b"',
        'a "\\b"',
        "a ~",
        "~/a",
        "a x=~/b",
        "a x:~",
        "a $'b'",
        "A=b",
        "A=b c",
        "A+=b c",
    ),
    *("a\0b", "a '\0'", "a\x0bb", "a\xa0b", "a\u3000b", "a''~"),
]


@pytest.mark.parametrize(("command", "words"), PROVED)
def test_words_of_a_simple_command(command: str, words: tuple[str, ...]) -> None:
    """Quotes are taken off, and what they hold is literal."""
    assert plain_words(command) == words


@pytest.mark.parametrize("command", UNPROVED)
def test_nothing_is_proved(command: str) -> None:
    """Operators, expansions, escapes, comments, assignments and open quotes prove nothing."""
    assert plain_words(command) is None


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="ab'\" \t~^=:@%+,-./é\n$!\\`#*;&|<>(){}[]?", max_size=12))
@example("a'\n'~")
@example("-a @b%c^d~e")
@example("a~b=~c:~d")
def test_bash_reads_the_same_words(tail: str) -> None:
    """Whatever is proved is exactly what bash passes on."""
    command = "printf '%s\\0' x " + tail
    words = plain_words(command)
    if words is not None:
        run = subprocess.run(["bash", "-c", command], capture_output=True, check=True, env={"HOME": "/h"})
        assert tuple(run.stdout.decode().split("\0")[:-1]) == words[2:]
