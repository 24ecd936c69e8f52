"""A SKILL.md: what is tolerated, what is refused."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills.frontmatter import FrontMatterError
from skills.skill_file import FrontMatter, parse

GOOD = "---\nname: good\ndescription: Does good\n---\nBody.\n\nMore.\n"
BOMB = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
MERGE_BOMB = "a0: &a0 {k: v}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{','.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 10)
)


def skill(head: str) -> FrontMatter:
    return parse(f"---\n{head}\n---\nBody.".encode())


def test_name_description_and_body() -> None:
    """The parts of a plain skill."""
    assert parse(GOOD.encode()) == FrontMatter(
        name="good", description="Does good", allowed_tools=(), body="Body.\n\nMore."
    )


@pytest.mark.parametrize(
    ("data", "description"),
    [
        pytest.param(
            GOOD.replace("Does good", "Use when: the user asks").encode(), "Use when: the user asks", id="a"
        ),
        pytest.param(GOOD.replace("Does good", "Does: x # y").encode(), "Does: x # y", id="a-hash"),
        pytest.param(b"\xef\xbb\xbf" + GOOD.encode(), "Does good", id="b"),
        pytest.param(GOOD.replace("\n", "\r\n").encode(), "Does good", id="c"),
        pytest.param(GOOD.replace("Does good", ">\n  first\n  second").encode(), "first second", id="d"),
        pytest.param(
            GOOD.replace("Does good", "|\n  first\n  second").encode(), "first second", id="d-literal"
        ),
        pytest.param(GOOD.replace("---", "--- \t").encode(), "Does good", id="j"),
        pytest.param(GOOD.replace("Does good", "'it''s: \"so\"'").encode(), 'it\'s: "so"', id="quoted"),
    ],
)
def test_f29_what_authors_write_is_taken(data: bytes, description: str) -> None:
    """A colon, a byte order mark, CRLF, block scalars, blanks after the fence."""
    front = parse(data)

    assert (front.name, front.description, front.body) == ("good", description, "Body.\n\nMore.")


@pytest.mark.parametrize(
    ("line", "tools"),
    [
        ("allowed-tools: Read, Bash", ("Read", "Bash")),
        ("allowed-tools: [Read, Bash]", ("Read", "Bash")),
        ("allowed-tools:\n  - Read\n  - Bash(git add:*)", ("Read", "Bash(git add:*)")),
        ("allowed-tools: Bash(git add:*) Read", ("Bash(git add:*)", "Read")),
        ("license: MIT", ()),
    ],
)
def test_f29_h_stated_tools_are_kept(line: str, tools: tuple[str, ...]) -> None:
    """As text or as a list."""
    assert skill(f"name: a\ndescription: d\n{line}").allowed_tools == tools


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(b"---\nname: a\ndescription: d\n", "no closing `---`", id="e"),
        pytest.param(b"---\nname: 123\ndescription: d\n---\n", "needs a `name`", id="f"),
        pytest.param(b"---\nname:\ndescription: d\n---\n", "needs a `name`", id="f-empty"),
        pytest.param(b"---\nname: a/b\ndescription: d\n---\n", "needs a `name`", id="f-path"),
        pytest.param(b"---\nname: a\ndescription: [a, b]\n---\n", "needs a `description`", id="g"),
        pytest.param(b"---\nname: a\n---\n", "needs a `description`", id="g-none"),
        pytest.param(
            b"---\nname: a\ndescription: d\nallowed-tools: {a: b}\n---\n", "`allowed-tools`", id="h"
        ),
        pytest.param(b"", "is empty", id="i"),
        pytest.param(b"\n \n", "is empty", id="i-blank"),
        pytest.param(b"# Title\n", "does not begin with a `---` line", id="none"),
        pytest.param(b"---\n---\n", "needs a `name`", id="empty head"),
        pytest.param(b"---\n- a\n---\n", "no list of `key: value` lines", id="list"),
        pytest.param(b"---\nname: \xff\n---\n", "not UTF-8 text (byte 10)", id="bytes"),
        pytest.param(b"---\nname: [a\ndescription: d\n---\n", "no YAML", id="broken"),
        pytest.param(b"---\nname: a\x00\n---\n", "cannot be used", id="control"),
        pytest.param(b"---\nx: " + b"[" * 9_000 + b"\n---\n", "deep nesting", id="deep"),
        pytest.param(b"---\nx: 2020-99-99\n---\n", "cannot be used", id="date"),
        pytest.param(b"---\n" + b"x" * 17_000 + b"\n---\n", "more than 16,384", id="long"),
    ],
)
def test_f29_what_cannot_be_used_is_said(data: bytes, words: str) -> None:
    """Each cause in its own words."""
    with pytest.raises(FrontMatterError) as caught:
        parse(data)

    assert words in str(caught.value)


def test_f29_k_tags_run_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tag that would call a function is refused, not run."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(FrontMatterError, match="could not determine a constructor"):
        skill('name: a\ndescription: !!python/object/apply:os.system ["touch pwned"]')

    assert not (tmp_path / "pwned").exists()


@pytest.mark.timeout(10)
@pytest.mark.parametrize("bomb", [BOMB, MERGE_BOMB])
def test_f29_l_an_alias_bomb_is_refused(bomb: str) -> None:
    """Aliases are not accepted at all."""
    with pytest.raises(FrontMatterError, match="aliases"):
        skill(f"name: a\ndescription: d\n{bomb}")


@given(st.text(max_size=60), st.sampled_from(["\n", "\r\n"]))
def test_any_head_is_a_skill_or_an_error(head: str, end: str) -> None:
    """No text gets another exception out of the parser."""
    text = f"---\nname: a\ndescription: d\n{head}\n---\nBody.".replace("\n", end)
    with suppress(FrontMatterError):
        assert parse(text.encode("utf-8", "replace")).name
