"""Finding skills in their roots."""

import codecs
import os
import tempfile
from pathlib import Path

import pytest

from skills.catalog import Catalog
from skills.discover import BUILTIN, discover, skill_roots


def write_skill(folder: Path, name: str, *, body: str = "Body.", description: str = "d") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\n{body}\n")


def test_the_roots_in_their_order(tmp_path: Path) -> None:
    """The project's three folders, the user's, ours."""
    roots = skill_roots(tmp_path, tmp_path / "home")

    assert [str(root.relative_to(tmp_path)) for root in roots[:4]] == [
        ".agent/skills",
        ".claude/skills",
        ".agents/skills",
        "home/skills",
    ]
    assert roots[4] == BUILTIN
    assert BUILTIN.is_dir()


def test_the_first_root_wins(tmp_path: Path) -> None:
    """The same name further down is passed over without a word."""
    write_skill(tmp_path / "a" / "x", "x", body="first")
    write_skill(tmp_path / "b" / "x", "x", body="second")
    write_skill(tmp_path / "b" / "y", "y")

    found = discover([tmp_path / "none", tmp_path / "a", tmp_path / "b"])

    assert [(skill.front.name, skill.front.body) for skill in found.skills] == [
        ("x", "first"),
        ("y", "Body."),
    ]
    assert found.broken == ()


def test_two_of_a_name_in_one_root_are_said(tmp_path: Path) -> None:
    """Here one of them is a mistake."""
    write_skill(tmp_path / "a", "x")
    write_skill(tmp_path / "b", "x")

    (broken,) = discover([tmp_path]).broken

    assert broken.path == tmp_path.resolve() / "b" / "SKILL.md"
    assert broken.error.startswith("has the name `x`")


def test_f29_a_bad_skill_hides_no_good_one(tmp_path: Path) -> None:
    """Each broken one is listed with path and cause; other files in a root are nothing."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "SKILL.md").write_text("")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "SKILL.md").write_bytes(b"x" * 1_000_001)
    (tmp_path / "c").mkdir()
    os.mkfifo(tmp_path / "c" / "SKILL.md")
    (tmp_path / "d").symlink_to("d")
    (tmp_path / "e.md").write_text("no folder")
    write_skill(tmp_path / "z", "z")

    found = discover([tmp_path])

    assert [skill.front.name for skill in found.skills] == ["z"]
    assert [(broken.path.parent.name, broken.error) for broken in found.broken] == [
        ("a", "is empty"),
        ("b", "is larger than 1,000,000 bytes"),
    ]


def test_f30_links_out_of_the_root_are_refused(tmp_path: Path) -> None:
    """A link of the folder or of the file; a root that is itself a link is fine."""
    write_skill(tmp_path / "out", "out")
    write_skill(tmp_path / "real" / "good", "good")
    (tmp_path / "real" / "linked").symlink_to(tmp_path / "out")
    (tmp_path / "real" / "l2").mkdir()
    (tmp_path / "real" / "l2" / "SKILL.md").symlink_to(tmp_path / "out" / "SKILL.md")
    (tmp_path / "root").symlink_to("real")

    found = discover([tmp_path / "root"])

    assert [skill.front.name for skill in found.skills] == ["good"]
    assert [broken.path.parent.name for broken in found.broken] == ["l2", "linked"]
    assert all("leads out of its skills folder" in broken.error for broken in found.broken)


@pytest.mark.skipif(os.getuid() != 0, reason="takes on another user to be refused")
def test_what_may_not_be_read_is_listed() -> None:
    """A root, a folder and a file without permission each give an error, not an exception."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        check_permissions(folder)


def check_permissions(folder: Path) -> None:
    write_skill(folder / "root" / "file", "a")
    write_skill(folder / "root" / "folder", "b")
    write_skill(folder / "root" / "good", "c")
    write_skill(folder / "locked" / "x", "d")
    for path in ("root/file/SKILL.md", "root/folder", "locked"):
        (folder / path).chmod(0)
    codecs.lookup("utf-8-sig")  # the other user may not be able to import it
    os.setresuid(-1, 65534, -1)
    try:
        found = discover([folder / "locked", folder / "root"])
    finally:
        os.setresuid(-1, 0, -1)
        (folder / "root/folder").chmod(0o755)
        (folder / "locked").chmod(0o755)

    assert [skill.front.name for skill in found.skills] == ["c"]
    assert [broken.error.split(":")[0] for broken in found.broken] == [
        "cannot be listed",
        *["cannot be read"] * 2,
    ]


def test_the_catalog(tmp_path: Path) -> None:
    """One line a skill; the body says where the skill lies and which tools it states."""
    write_skill(tmp_path / "a", "a", description=">\n  one\n  two", body="Do it.")
    write_skill(tmp_path / "b", "b", description="x" * 2_000 + "\nallowed-tools: Read Bash(git:*)")
    root = tmp_path.resolve()

    catalog = Catalog(discover([tmp_path]))

    assert catalog.names() == ("a", "b")
    assert catalog.lines() == ("- a: one two", f"- b: {'x' * 1_023}…")
    assert catalog.body("a") == f"Skill `a`; its folder is `{root / 'a'}`.\n\nDo it."
    assert "Tools it states: Read, Bash(git:*) (permissions decide)." in catalog.body("b")
    with pytest.raises(KeyError):
        catalog.body("../a")
