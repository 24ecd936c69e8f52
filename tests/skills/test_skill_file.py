"""A SKILL.md: what is tolerated, what is refused."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills.frontmatter import FrontMatterError
from skills.skill_file import FrontMatter, parse
from skills.standard import breaches

GOOD = "---\nname: good\ndescription: Does good\n---\nBody.\n\nMore.\n"
BOMB = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
MERGE_BOMB = "a0: &a0 {k: v}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{','.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 10)
)


def skill(head: str) -> FrontMatter:
    return parse(f"---\n{head}\n---\nBody.".encode(), "a")


def test_name_description_and_body() -> None:
    """The parts of a plain skill."""
    assert parse(GOOD.encode(), "good") == FrontMatter(
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
    front = parse(data, "good")

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
        pytest.param(b"---\ndescription: d\n---\n", "needs a `name`", id="f-none"),
        pytest.param(b"---\nname: a\ndescription: [a, b]\n---\n", "needs a `description`", id="g"),
        pytest.param(b"---\nname: a\n---\n", "needs a `description`", id="g-none"),
        pytest.param(b"", "is empty", id="i"),
        pytest.param(b"\n \n", "is empty", id="i-blank"),
        pytest.param(b"# Title\n", "does not begin with a `---` line", id="none"),
        pytest.param(b"---\n---\n", "needs a `name`", id="empty head"),
        pytest.param(b"---\n- a\n---\n", "no list of `key: value` lines", id="list"),
        pytest.param(b"---\nname: \xff\n---\n", "not UTF-8 text (byte 10)", id="bytes"),
        pytest.param(b"---\nname: [a\ndescription: d\n---\n", "no YAML", id="broken"),
        pytest.param(b'---\nname: a\ndescription: "d\n---\n', "no YAML", id="open quote"),
        pytest.param(b"---\nname: a\ndescription: d\nx:\n  y: z: 1\n---\n", "no YAML", id="nested colon"),
        pytest.param(b"---\n  name: a\n b: c\nname: d\n---\n", "no YAML", id="between the fields"),
        pytest.param(b"---\nname: a\n...\ndescription: d\n---\n", "front matter that", id="two documents"),
        pytest.param(b"---\n? [a]\n: b\n---\n", "cannot be used", id="list as a key"),
        pytest.param(b"---\nname: a\x00\n---\n", "cannot be used", id="control"),
        pytest.param(b"---\nx: " + b"[" * 9_000 + b"\n---\n", "nesting", id="deep"),
        pytest.param(b"---\nx: 2020-99-99\n---\n", "cannot be used", id="date"),
        pytest.param(b"---\n" + b"x" * 17_000 + b"\n---\n", "more than 16,384", id="long"),
    ],
)
def test_f29_what_cannot_be_used_is_said(data: bytes, words: str) -> None:
    """Each cause in its own words."""
    with pytest.raises(FrontMatterError) as caught:
        parse(data, "a b")

    assert words in str(caught.value)


def test_f29_k_tags_run_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tag that would call a function is refused, not run."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(FrontMatterError, match=r"tags .* are not accepted"):
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
        assert parse(text.encode("utf-8", "replace"), "a").name


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("Use when: asked", "Use when: asked"),
        ("Use when: asked\n  and: then", "Use when: asked and: then"),
        ("`git` at work", "`git` at work"),
        ("**Ships** it", "**Ships** it"),
        ("@file at work", "@file at work"),
        ('"Ships" it', '"Ships" it'),
        ("[a] [b]", "[a] [b]"),
    ],
)
def test_f29_a_text_that_is_no_yaml_is_taken_as_text(value: str, meant: str) -> None:
    """Only that field: the others keep their types and their shapes. It is said, with what to do."""
    front = skill(f"name: a\ndescription: {value}\nallowed-tools: [Read]\nmetadata:\n  n: 1\nx: 20")

    assert front.description == meant
    assert (front.allowed_tools, front.metadata, front.others) == (("Read",), {"n": "1"}, {"x": 20})
    assert front.remarks[0].startswith("is no YAML (")
    assert "put `description` in quotes" in front.remarks[0]


def test_fields_are_kept() -> None:
    """The optional ones of the standard as text, others as they are; what is beside the standard is said."""
    front = skill(
        "name: a\ndescription: d\nlicense: MIT\ncompatibility: Needs git.\n"
        "metadata:\n  version: 1.0\n  stable: true\n  needs:\n    bins: [git]\nargument-hint: <x>\nhooks:\n  Stop: []"
    )

    assert (front.license, front.compatibility) == ("MIT", "Needs git.")
    assert front.metadata == {"version": "1.0", "stable": "true", "needs": '{"bins": ["git"]}'}
    assert front.others == {"argument-hint": "<x>", "hooks": {"Stop": []}}
    assert front.remarks == (
        "has fields beside the standard: `argument-hint`, `hooks`; its place for them is `metadata`",
        "has lists or maps in `metadata` (`needs`): its values are text",
    )


@pytest.mark.parametrize(
    ("head", "folder", "name"),
    [
        ("", "my-skill", "my-skill"),
        ("name: Company Portrait\n", "company", "company"),
        ("name: tools:check\n", "check", "check"),
        ("name: My_Skill.v2\n", "my-skill", "My_Skill.v2"),
        ("name: ' caf\u0065\u0301 '\n", "café", "café"),
        ("name: " + "x" * 70 + "\n", "a", "x" * 70),
    ],
)
def test_a_skill_has_a_name_that_can_be_typed(head: str, folder: str, name: str) -> None:
    """Its own where that is one word, else that of its folder; what the standard forbids is said."""
    front = parse(f"---\n{head}description: d\n---\n".encode(), folder)

    assert front.name == name
    assert bool(front.remarks) is (name != "café")


def test_what_other_agents_have_fields_for() -> None:
    """When to use it stands beside the description; who may call it is known."""
    front = skill(
        "name: a\ndescription: d\nwhen_to_use: >\n  often\n  enough\ndisable-model-invocation: true"
    )

    assert front.about == "d often enough"
    assert (front.is_for_model, front.is_for_user) == (False, True)
    assert skill("name: a\ndescription: d\nuser-invocable: false").is_for_user is False
    assert skill("name: a\ndescription: d\ndisable-model-invocation: false").is_for_model is True


def test_tools_that_are_none_are_said() -> None:
    """They are for reading only: the skill loads without them, and its author is told."""
    front = skill("name: a\ndescription: d\nallowed-tools: {a: b}")

    assert front.allowed_tools == ()
    assert "`allowed-tools`" in front.remarks[0]


@pytest.mark.parametrize(
    "head",
    [
        "name: a\ndescription: d\n" + "".join(f"k{number}: a: b\n" for number in range(1_000)),
        "name: a\ndescription: d\n" + "".join(f"k{number}: b\n" for number in range(800)) * 2,
        f"name: {'x ' * 7_000}\ndescription: d\n",
        f"name: a\ndescription: d\n{'k' * 15_000}: d\n",
        f"name: a\ndescription: !{'k' * 15_000} d\n",
        f"name: a\ndescription: &{'k' * 9_000} d\nx: *{'k' * 100}\n",
    ],
)
def test_what_is_said_of_a_file_is_short(head: str) -> None:
    """However many and long the names in it are: it is shown at the start, and in lists."""
    try:
        said = parse(f"---\n{head}---\n".encode(), "b").remarks
    except FrontMatterError as problem:
        said = (str(problem),)

    assert said
    assert len("".join(said)) < 1_000


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("my-skill", "my-skill"),
        ("a b", "a-b"),
        ("MySkill_v2", "my-skill-v2"),
        ("x" * 200, "x" * 64),
        ("…", "my-skill"),
    ],
)
def test_a_name_that_is_missing_is_proposed(folder: str, name: str) -> None:
    """One that the standard allows, made of the folder's."""
    said = next(breaches({"description": "d"}, folder))

    assert said == f"has no `name`: write `name: {name}`"
