"""The load_skill tool: only names of the catalog."""

from pathlib import Path

import pytest

from tests.support.tools import Bench, make_bench, text_of
from tools.load_skill import CHANGED, LOAD_SKILL

SKILL = "---\nname: {name}\ndescription: d\n---\n{body}\n"


def write_skill(folder: Path, name: str, body: str) -> None:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL.format(name=name, body=body))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A project whose skills root holds `good` and links to a secret beside it."""
    root, secret = tmp_path / "R", tmp_path / "s-secret"
    write_skill(root / "good", "good", "GOOD BODY")
    write_skill(secret, "secret", "SECRET")
    write_skill(tmp_path / "R-evil" / "a", "evil", "SECRET")
    (root / "linked").symlink_to(secret)
    (root / "l2").mkdir()
    (root / "l2" / "SKILL.md").symlink_to(secret / "SKILL.md")
    return make_bench(tmp_path, skills=root)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("../../../tmp/s-secret", id="a"),
        pytest.param("../s-secret", id="a-near"),
        pytest.param("/tmp/s-secret", id="b"),
        pytest.param("good/../../s-secret", id="c"),
        pytest.param("linked", id="d"),
        pytest.param("l2", id="e"),
        pytest.param("secret", id="d-e"),
        pytest.param("../R-evil/a", id="f"),
        pytest.param("", id="g"),
        pytest.param(".", id="g-dot"),
        pytest.param("a\x00b", id="g-nul"),
        pytest.param("x" * 5_000, id="g-long"),
        pytest.param("GOOD", id="h"),
    ],
)
async def test_f30_only_names_of_the_catalog(bench: Bench, name: str) -> None:
    """Anything else is refused with the list of names, and nothing outside is ever read."""
    result = await bench.call(LOAD_SKILL, name=name)

    assert result.is_error
    assert "SECRET" not in text_of(result)
    assert text_of(result).endswith("The skills are: `good`.")
    assert len(text_of(result)) < 200
    assert "GOOD BODY" in text_of(await bench.call(LOAD_SKILL, name="good"))


async def test_without_skills_that_is_said(tmp_path: Path) -> None:
    """An empty list of names would help nobody."""
    assert "There are no skills here." in text_of(await make_bench(tmp_path).call(LOAD_SKILL, name="x"))


async def test_a_long_body_is_spilled(tmp_path: Path) -> None:
    """The limit holds for skills too, and the whole body is on disk."""
    write_skill(tmp_path / "R" / "long", "long", "line\n" * 10_000)
    bench = make_bench(tmp_path, skills=tmp_path / "R")

    result = await bench.call(LOAD_SKILL, name="long")

    assert len(text_of(result)) <= 30_000
    assert result.spill is not None
    assert result.facts["marks"]


async def test_what_comes_before_the_body(tmp_path: Path) -> None:
    """Where the skill lies, what lies beside it, which tools it states: its relative paths can be read then."""
    folder = tmp_path / "R" / "pdf"
    write_skill(
        folder, "pdf\nallowed-tools: Read, Bash(python:*)", "See references/forms.md in ${CLAUDE_SKILL_DIR}."
    )
    for name in ("references/forms.md", "scripts/fill.py", ".hidden", "node_modules/x.js"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")

    text = text_of(await make_bench(tmp_path, skills=tmp_path / "R").call(LOAD_SKILL, name="pdf"))

    assert text.split("\n") == [
        "Skill `pdf`.",
        f"Its folder is `{folder.resolve()}`: relative paths in it begin there; write them absolute.",
        "Files in it: `references/forms.md`, `scripts/fill.py`.",
        "Tools it states: Read, Bash(python:*) (permissions decide).",
        "",
        f"See references/forms.md in {folder.resolve()}.",
    ]


async def test_the_list_of_files_is_bounded(tmp_path: Path) -> None:
    """A skill may bring thousands of files: those nearest to it are named, and that there are more; names are one line."""
    folder = tmp_path / "R" / "many"
    write_skill(folder, "many", "b")
    (folder / "deep").mkdir()
    for number in range(100):
        (folder / "deep" / f"{number}.md").write_text("x")
    (folder / "odd\n`name`").write_text("x")

    text = text_of(await make_bench(tmp_path, skills=tmp_path / "R").call(LOAD_SKILL, name="many"))

    [files] = [line for line in text.split("\n") if line.startswith("Files in it: ")]
    assert files.startswith("Files in it: `odd??name?`, `deep/0.md`")
    assert files.endswith(", and more.")
    assert files.count(", ") == 40


async def test_a_skill_that_stands_in_the_view_is_not_given_again(tmp_path: Path) -> None:
    """A stub says that it stands above; once it left the view, the whole comes again."""
    write_skill(tmp_path / "R" / "good", "good", "GOOD BODY")
    bench = make_bench(tmp_path, skills=tmp_path / "R")
    await bench.call(LOAD_SKILL, name="good")

    again = await bench.call(LOAD_SKILL, name="good")
    assert text_of(again) == "The skill `good` stands above already, and is unchanged: follow it there."
    assert again.facts["stub_of"] == "call_1"

    bench.facts.shown.clear()
    assert "GOOD BODY" in text_of(await bench.call(LOAD_SKILL, name="good"))


async def test_a_skill_that_changed_on_disk_is_given_anew(tmp_path: Path) -> None:
    """What is followed is what is on disk, and that it is another text is said, once."""
    folder = tmp_path / "R" / "good"
    write_skill(folder, "good", "OLD")
    bench = make_bench(tmp_path, skills=tmp_path / "R")
    assert not text_of(await bench.call(LOAD_SKILL, name="good")).startswith(CHANGED)

    (folder / "SKILL.md").write_text(SKILL.format(name="good", body="NEW"))

    changed = text_of(await bench.call(LOAD_SKILL, name="good"))
    assert changed.startswith(CHANGED)
    assert "NEW" in changed
    assert "stands above" in text_of(await bench.call(LOAD_SKILL, name="good"))


@pytest.mark.parametrize("what", ["removed", "broken", "linked out"])
async def test_a_skill_that_is_gone_says_so(tmp_path: Path, what: str) -> None:
    """Removed, broken, or made a link to elsewhere since the start: an error that says why, and never what lies there."""
    file = tmp_path / "R" / "good" / "SKILL.md"
    write_skill(file.parent, "good", "b")
    write_skill(tmp_path / "else", "good", "SECRET")
    bench = make_bench(tmp_path, skills=tmp_path / "R")
    file.unlink()
    if what == "broken":
        file.write_text("no front matter")
    elif what == "linked out":
        file.symlink_to(tmp_path / "else" / "SKILL.md")

    result = await bench.call(LOAD_SKILL, name="good")

    assert result.is_error
    assert text_of(result).startswith("The skill `good` cannot be loaded: `")
    assert "SECRET" not in text_of(result)


async def test_of_many_names_the_nearest_come_first(tmp_path: Path) -> None:
    """The list is bounded, and what was probably meant is in it."""
    for number in range(60):
        write_skill(tmp_path / "R" / f"skill-{number}", f"skill-{number}", "b")
    write_skill(tmp_path / "R" / "zebra", "zebra", "b")

    text = text_of(await make_bench(tmp_path, skills=tmp_path / "R").call(LOAD_SKILL, name="Zebras"))

    assert text.startswith("There is no skill 'Zebras'. The skills are: `zebra`, `skill-0`")
    assert text.endswith(" and 31 more.")


async def test_commands_to_be_filled_in_are_named(tmp_path: Path) -> None:
    """Another agent runs a skill's commands before the model sees it; here nothing runs unasked, and the model is told."""
    write_skill(tmp_path / "R" / "pr", "pr", "Diff: !`touch pwned`")
    bench = make_bench(tmp_path, skills=tmp_path / "R")

    text = text_of(await bench.call(LOAD_SKILL, name="pr"))

    assert (
        "It was written for commands such as !`touch pwned` to be replaced by their output: run them." in text
    )
    assert not (tmp_path / "pwned").exists()


async def test_a_skill_for_the_user_alone(tmp_path: Path) -> None:
    """Its author keeps it from the model: that is said with how the user starts it, and it stands in no list."""
    write_skill(tmp_path / "R" / "deploy", "deploy\ndisable-model-invocation: true", "PUSH IT")
    write_skill(tmp_path / "R" / "good", "good", "b")
    bench = make_bench(tmp_path, skills=tmp_path / "R")

    refused = await bench.call(LOAD_SKILL, name="deploy")

    assert refused.is_error
    assert text_of(refused) == "The skill `deploy` is started by the user alone: tell them of `/deploy`."
    assert text_of(await bench.call(LOAD_SKILL, name="x")).endswith("The skills are: `good`.")


async def test_placeholders_that_nobody_filled(tmp_path: Path) -> None:
    """The model loads a skill without words: it is told what the placeholder in it stands for."""
    write_skill(tmp_path / "R" / "fix", "fix", "Fix $ARGUMENTS.")

    text = text_of(await make_bench(tmp_path, skills=tmp_path / "R").call(LOAD_SKILL, name="fix"))

    assert text.endswith("`$ARGUMENTS` in it stands for what the user asked for.\n\nFix $ARGUMENTS.")


async def test_a_skill_that_was_written_meanwhile(tmp_path: Path) -> None:
    """What the session itself has made can be loaded in it."""
    write_skill(tmp_path / "R" / "good", "good", "b")
    bench = make_bench(tmp_path, skills=tmp_path / "R")
    write_skill(tmp_path / "R" / "new", "new", "NEW BODY")

    assert "NEW BODY" in text_of(await bench.call(LOAD_SKILL, name="new"))
