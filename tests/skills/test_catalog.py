"""The catalog: look-ups by name, and the list for the model."""

from pathlib import Path

import pytest

from skills.catalog import Catalog
from skills.discover import SkillPlaces, discover
from tests.skills.test_discover import write_skill


def catalog_in(root: Path) -> Catalog:
    return Catalog(discover([root]))


def test_the_body(tmp_path: Path) -> None:
    """It says where the skill lies and which tools it states."""
    write_skill(tmp_path / "a", "a", body="Do it.")
    write_skill(tmp_path / "b", "b", description="d\nallowed-tools: Read Bash(git:*)")

    catalog = catalog_in(tmp_path)

    assert catalog.names() == ("a", "b")
    assert catalog.load("a").text.startswith(f"Skill `a`.\nIts folder is `{tmp_path.resolve() / 'a'}`")
    assert catalog.load("a").text.endswith("\n\nDo it.")
    assert "Tools it states: Read, Bash(git:*) (permissions decide)." in catalog.load("b").text


def test_the_list_for_the_model(tmp_path: Path) -> None:
    """A line a skill; one that its author keeps for the user is not in it; without skills there is no text."""
    write_skill(tmp_path / "a", "a", description=">\n  one\n  two\nwhen_to_use: often")
    write_skill(tmp_path / "b", "b", description="x" * 2_000)
    write_skill(tmp_path / "c", "c", description="d\ndisable-model-invocation: true")

    text = catalog_in(tmp_path).text(budget_tokens=1_000, count=len_in_tokens)

    assert text == f"- a: one two often\n- b: {'x' * 1_023}…"
    assert catalog_in(tmp_path / "none").text(budget_tokens=1_000, count=len_in_tokens) == ""


@pytest.mark.parametrize("budget_tokens", [2_000, 300])
def test_no_root_takes_all_the_room(tmp_path: Path, budget_tokens: int) -> None:
    """Where not every description, or not every name, fits, a project with very many skills leaves the user's own theirs."""
    for number in range(400):
        write_skill(
            tmp_path / "project" / f"p{number:03d}", f"p{number:03d}", description="of the project " * 9
        )
    for name in ("mine", "yours"):
        write_skill(tmp_path / "own" / name, name, description="of the user " * 9)
    found = discover([tmp_path / "project", tmp_path / "own"])

    text = Catalog(found).text(budget_tokens=budget_tokens, count=len_in_tokens)

    assert len_in_tokens(text) <= budget_tokens
    lines = [line for line in text.split("\n") if line.startswith("- ")]
    assert [line[:6].rstrip(":") for line in lines[:4]] == ["- p000", "- mine", "- p001", "- your"]
    assert len(lines) == 402 or "more skills have no room here" in text


def len_in_tokens(text: str) -> int:
    return len(text) // 4


@pytest.mark.parametrize(
    "name",
    [
        "../../../tmp/s-secret",
        "/tmp/s-secret",
        "good/../../x",
        "../R-evil/a",
        "",
        ".",
        "a\0b",
        "x" * 5_000,
        "GOOD",
    ],
)
def test_f30_only_names_of_the_list(tmp_path: Path, name: str) -> None:
    """a, b, c, f, g, h: a name is looked up, no path is made of it; `good` still loads afterwards."""
    write_skill(tmp_path / "R" / "good", "good", body="fine")
    write_skill(tmp_path / "R-evil" / "a", "evil", body="SECRET")
    catalog = catalog_in(tmp_path / "R")

    with pytest.raises(KeyError):
        catalog.load(name)

    assert catalog.load("good").text.endswith("fine")


def live_catalog(root: Path) -> Catalog:
    places = SkillPlaces.of(root / "project", root / "home", root / "user")
    return Catalog(places.found(), places)


def test_what_was_added_is_found(tmp_path: Path) -> None:
    """A new skill, a changed description, one that is gone, one that breaks and is mended: at the next look."""
    root = tmp_path / "project" / ".agent" / "skills"
    catalog = live_catalog(tmp_path)
    seen = []
    write_skill(root / "a", "a", description="one")
    write_skill(root / "b", "b")
    for change in (
        lambda: None,
        lambda: write_skill(root / "a", "a", description="two"),
        (root / "b" / "SKILL.md").unlink,
        lambda: (root / "a" / "SKILL.md").write_text("no head"),
        lambda: write_skill(root / "a", "a", description="six"),
    ):
        change()
        catalog.refresh()
        seen.append([skill.front.description for skill in catalog.found.skills if skill.root == root])

    assert seen == [["one", "d"], ["two", "d"], ["two"], [], ["six"]]
    assert catalog.found.broken == ()


def test_nothing_is_read_again_without_need(tmp_path: Path) -> None:
    """Where nothing changed the skills are those that there were."""
    write_skill(tmp_path / "home" / "skills" / "a", "a")
    catalog = live_catalog(tmp_path)
    found = catalog.found

    catalog.refresh()

    assert catalog.found is found


def test_a_name_that_is_not_there_is_looked_for(tmp_path: Path) -> None:
    """What was written a moment ago can be loaded, also by the model that wrote it."""
    catalog = live_catalog(tmp_path)
    write_skill(tmp_path / "user" / ".agents" / "skills" / "new", "new", body="Do it.")

    assert catalog.load("new").front.body == "Do it."
