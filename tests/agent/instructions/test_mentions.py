"""Which `@path` in the words of a file may be imports."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.instructions.mentions import is_surely_path, mentioned, spellings


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See @README for all, @package.json for scripts.", ["README", "package.json"]),
        ("@AGENTS.md", ["AGENTS.md"]),
        (
            "- git: @docs/git.md\n- more: @~/.claude/mine.md\n- @/etc/notes.md",
            ["docs/git.md", "~/.claude/mine.md", "/etc/notes.md"],
        ),
        ("# Title @a.md\n\n> quoted @b.md\n\n| cell | @c.md |", ["a.md", "b.md", "c.md"]),
        ("twice @a.md and @a.md", ["a.md"]),
        (r"@docs/with\ blanks/a\ file.md and on", ["docs/with blanks/a file.md"]),
        ('(@a.md) [@b.md] **@c.md** "@d.md"', ["a.md)", "b.md]", "c.md**", 'd.md"']),
        ("me@example.org joe_@host.md git@github.com:a/b.md", []),
        ("@\n@ a\n@@b.md", ["@b.md"]),
        ("`@a.md` ``x ` @b.md`` @c.md", ["c.md"]),
        ("one ` tick @a.md, to here ` \\`@b.md @c.md", ["c.md"]),
        ("a lone ` tick @a.md", ["a.md"]),
        ("```python\n@cached\ndef x(): ...\n```\n@a.md", ["a.md"]),
        ("~~~\n@a.md\n~~~\n\n    @b.md\n\n- item\n\n      @c.md\n", []),
        ("```\n@never/closed.md", []),
        ("<!-- @a.md -->\n\nwords <!-- @b.md --> @c.md\n\n<!--\n\n@d.md\n-->\n", ["c.md"]),
        ("<details>\n@a.md\n</details>", ["a.md"]),
        ("@" + "x" * 1_001, []),
    ],
)
def test_what_is_mentioned(text: str, found: list[str]) -> None:
    """After an `@` that begins a word, to the next blank that is not escaped; not in code, comments or addresses."""
    assert mentioned(text) == found


@pytest.mark.parametrize(
    ("mention", "paths"),
    [
        ("README", ["README"]),
        ("docs/a.md,", ["docs/a.md,", "docs/a.md"]),
        ("a.md).", ["a.md).", "a.md"]),
        ("a.md#setup.", ["a.md#setup.", "a.md#setup", "a.md"]),
        ("...", ["..."]),
    ],
)
def test_punctuation_may_be_the_sentences(mention: str, paths: list[str]) -> None:
    """A path is tried as it stands, without what ends a sentence, and without a heading's name."""
    assert spellings(mention) == paths


@pytest.mark.parametrize("mention", ["./a", "../a", "~/a", "a.md", "/x/A.MD", "notes.txt"])
def test_what_can_only_be_a_path(mention: str) -> None:
    """By how it begins or ends."""
    assert is_surely_path(mention)


@pytest.mark.parametrize(
    "mention", ["property", "scope/package", "types/node", "/components/ui", "me", "vue/x.js"]
)
def test_what_is_likely_no_path(mention: str) -> None:
    """Decorators, packages, aliases of bundlers, people: nobody is told that there is no such file."""
    assert not is_surely_path(mention)


@given(before=st.text("ab `~<!->\\\n@*_[](", max_size=60), name=st.from_regex(r"\A[a-z]{1,8}\.md\Z"))
def test_a_line_of_its_own_is_an_import_unless_code_or_a_comment_goes_on(before: str, name: str) -> None:
    """After an empty line and words that open nothing, `@name` is found whatever stands before."""
    if not any(sign in before for sign in ("`", "~", "<")) and not before.startswith(" "):
        assert name in mentioned(f"{before}\n\nwords\n@{name}")


@pytest.mark.parametrize("sign", ["`", "\\`", "[", "> ", "<!--", "@", "@a ", "- ", "*", "``x` "])
def test_no_text_takes_long(sign: str) -> None:
    """What an attacker would write to hold us up is read like any other text, in far less than a test may take."""
    assert mentioned(f"@a.md\n\n{sign * (256_000 // len(sign))}")[0] == "a.md"
