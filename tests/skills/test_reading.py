"""Skills read anew when they are loaded: where they may lie, and what their fields say of the words behind their names."""

from pathlib import Path

import pytest

from skills.catalog import Catalog
from skills.discover import discover
from skills.reading import SkillGone
from tests.skills.test_discover import write_skill


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("arguments: [issue, branch]", ("issue", "branch")),
        ("arguments: issue branch", ("issue", "branch")),
        ("arguments: 7", ()),
        ("license: MIT", ()),
    ],
)
def test_names_of_arguments(tmp_path: Path, field: str, names: tuple[str, ...]) -> None:
    """As a list or as words; what is neither gives none."""
    write_skill(tmp_path / "a", "a", description=f"d\n{field}")
    assert Catalog(discover([tmp_path])).load("a").names == names


def test_a_link_between_roots_is_followed(tmp_path: Path) -> None:
    """A skill may lie in another of the roots, as where two agents share their skills; not outside of all."""
    write_skill(tmp_path / "one" / "a", "a", body="A")
    write_skill(tmp_path / "two" / "b", "b", body="B")
    write_skill(tmp_path / "else" / "b", "b", body="SECRET")
    catalog = Catalog(discover([tmp_path / "one", tmp_path / "two"]))
    folder = tmp_path / "two" / "b"
    (folder / "SKILL.md").unlink()
    folder.rmdir()

    folder.symlink_to(tmp_path / "one" / "a")
    assert catalog.load("b").front.body == "A"

    folder.unlink()
    folder.symlink_to(tmp_path / "else" / "b")
    with pytest.raises(SkillGone, match="leads out of its skills folder by a link"):
        catalog.load("b")
