"""Finding skills in their roots."""

import codecs
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills.discover import BUILTIN, Found, SkillPlaces, discover, skill_roots
from skills.walk import MAX_FOLDERS


def write_skill(
    folder: Path, name: str, *, body: str = "Body.", description: str = "d", file: str = "SKILL.md"
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(f"---\nname: {name}\ndescription: {description}\n---\n{body}\n")


def names(found: Found) -> list[str]:
    return [skill.front.name for skill in found.skills]


def errors(found: Found, root: Path) -> dict[str, str]:
    return {str(broken.path.relative_to(root)): broken.error for broken in found.broken}


def test_the_roots_in_their_order(tmp_path: Path) -> None:
    """The project's three folders, the user's two, ours."""
    roots = skill_roots(tmp_path, tmp_path / "home", tmp_path / "user")

    assert [str(root.relative_to(tmp_path)) for root in roots[:5]] == [
        ".agent/skills",
        ".claude/skills",
        ".agents/skills",
        "home/skills",
        "user/.agents/skills",
    ]
    assert roots[5] == BUILTIN
    assert BUILTIN.is_dir()


def test_the_first_root_wins(tmp_path: Path) -> None:
    """The same name further down is listed, with what has it."""
    write_skill(tmp_path / "a" / "x", "x", body="first")
    write_skill(tmp_path / "b" / "x", "x", body="second")
    write_skill(tmp_path / "b" / "y", "y")

    found = discover([tmp_path / "none", tmp_path / "a", tmp_path / "b"])

    assert [(skill.front.name, skill.front.body) for skill in found.skills] == [
        ("x", "first"),
        ("y", "Body."),
    ]
    assert [(one.skill.path, one.by.path) for one in found.shadowed] == [
        (tmp_path / "b/x/SKILL.md", tmp_path / "a/x/SKILL.md")
    ]
    assert found.broken == ()


def test_two_of_a_name_in_one_root(tmp_path: Path) -> None:
    """The first by name wins there too, and the other says that its folder is called otherwise."""
    write_skill(tmp_path / "a", "x")
    write_skill(tmp_path / "x", "x")

    found = discover([tmp_path])

    assert [skill.path.parent.name for skill in found.skills] == ["a"]
    assert "its folder `a`" in found.skills[0].warnings[0]
    assert [one.skill.path.parent.name for one in found.shadowed] == ["x"]


def test_skills_in_groups(tmp_path: Path) -> None:
    """A skill may lie in a folder of a group of them, three folders deep; what lies below a skill is its own."""
    write_skill(tmp_path / "one", "one")
    write_skill(tmp_path / "one" / "examples" / "inner", "inner")
    write_skill(tmp_path / "docs" / "two", "two")
    write_skill(tmp_path / "docs" / "deep" / "three", "three")
    write_skill(tmp_path / "docs" / "deep" / "deeper" / "four", "four")
    write_skill(tmp_path / "node_modules" / "five", "five")

    found = discover([tmp_path])

    assert names(found) == ["one", "two", "three"]
    assert found.broken == ()
    assert {skill.root for skill in found.skills} == {tmp_path}


def test_where_no_skill_can_lie(tmp_path: Path) -> None:
    """Files in a root are none, a `SKILL.md` there is said; one in other letters is taken, with a warning."""
    (tmp_path / "flat.md").write_text("---\nname: flat\ndescription: d\n---\n")
    (tmp_path / "README.md").write_text("# Skills")
    write_skill(tmp_path, "root")
    write_skill(tmp_path / "lower", "lower", file="skill.md")
    write_skill(tmp_path / "both", "both")
    write_skill(tmp_path / "both", "other", file="skill.md")

    found = discover([tmp_path])

    assert names(found) == ["both", "lower"]
    assert found.skills[1].warnings == ("is not called `SKILL.md`: other agents do not find it",)
    assert errors(found, tmp_path) == {"SKILL.md": "lies beside the skills: give it a folder of its own name"}


def test_f29_a_bad_skill_hides_no_good_one(tmp_path: Path) -> None:
    """Each broken one is listed with path and cause, whatever stands there in place of a file; nothing is waited for."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "SKILL.md").write_text("")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "SKILL.md").write_bytes(b"x" * 1_000_001)
    (tmp_path / "c").mkdir()
    os.mkfifo(tmp_path / "c" / "SKILL.md")
    (tmp_path / "d").symlink_to("d")
    (tmp_path / "e.md").write_text("no folder")
    (tmp_path / "f" / "SKILL.md").mkdir(parents=True)
    (tmp_path / "g").symlink_to("/nowhere/at/all")
    write_skill(tmp_path / "z", "z")

    found = discover([tmp_path])

    assert names(found) == ["z"]
    assert errors(found, tmp_path) == {
        "a/SKILL.md": "is empty",
        "b/SKILL.md": "is larger than 1,000,000 bytes",
        "c/SKILL.md": "is no file but a pipe or device",
        "f/SKILL.md": "cannot be read: Is a directory",
        "d": "cannot be read: Too many levels of symbolic links",
        "g": "is a link that leads nowhere",
    }


@given(st.binary(max_size=200) | st.binary(max_size=200).map(lambda data: b"---\n" + data + b"\n---\nBody."))
def test_f29_no_file_breaks_the_search(data: bytes) -> None:
    """Whatever bytes a file has, it is a skill or a broken one, and the good one beside it is there."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        write_skill(root / "good", "good")
        (root / "any").mkdir()
        (root / "any" / "SKILL.md").write_bytes(data)

        found = discover([root])

    assert "good" in names(found)
    assert len(found.skills) + len(found.broken) + len(found.shadowed) == 2


def test_a_flood_has_an_end(tmp_path: Path) -> None:
    """Of a root with more folders than anybody has, the first are looked into, and it is said."""
    for number in range(MAX_FOLDERS + 10):
        (tmp_path / f"f{number:05}").mkdir()
    write_skill(tmp_path / "f00007", "early")
    write_skill(tmp_path / "f99999", "late")

    found = discover([tmp_path])

    assert names(found) == ["early"]
    assert errors(found, tmp_path) == {
        ".": f"holds too much: only {MAX_FOLDERS:,} folders are looked into, the rest is not"
    }


def test_all_together_have_a_bound(tmp_path: Path) -> None:
    """What would fill the memory is not kept: the first that fit are there, each of the others says why it is not."""
    for number in range(60):
        write_skill(tmp_path / f"s{number:02}", f"s{number:02}", body="x" * 900_000)

    found = discover([tmp_path])

    assert names(found) == [f"s{number:02}" for number in range(55)]
    assert set(errors(found, tmp_path).values()) == {
        "is not read: all skills together have more than 50,000,000 bytes"
    }


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A folder beside the roots that holds what no skill may give away."""
    write_skill(tmp_path / "s-secret", "secret", body="SECRET")
    return tmp_path / "s-secret"


def test_f30_links_out_of_the_root_are_refused(tmp_path: Path, secret: Path) -> None:
    """d: of the folder; e: of the file; f: into a sibling whose name begins like the root's; good ones stay."""
    root = tmp_path / "R"
    write_skill(root / "good", "good")
    write_skill(tmp_path / "R-evil" / "a", "evil", body="SECRET")
    (root / "linked").symlink_to(secret)
    (root / "l2").mkdir()
    (root / "l2" / "SKILL.md").symlink_to(secret / "SKILL.md")
    (root / "l3").symlink_to("../R-evil/a")
    (root / "group").mkdir()
    (root / "group" / "l4").symlink_to(secret)

    found = discover([root])

    assert names(found) == ["good"]
    assert "SECRET" not in repr(found)
    assert errors(found, root) == dict.fromkeys(
        ("group/l4/SKILL.md", "l2/SKILL.md", "l3/SKILL.md", "linked/SKILL.md"),
        "leads out of the skills folders by a link: copy it there instead",
    )


def test_links_within_the_roots(tmp_path: Path) -> None:
    """As installers make them: from one root into another. The skill is there once, without a word of it."""
    write_skill(tmp_path / "agents" / "tidy", "tidy")
    (tmp_path / "claude").mkdir()
    (tmp_path / "claude" / "tidy").symlink_to("../agents/tidy")
    (tmp_path / "claude" / "round").symlink_to(".")

    found = discover([tmp_path / "claude", tmp_path / "agents"])

    assert [skill.path for skill in found.skills] == [tmp_path / "claude/tidy/SKILL.md"]
    assert (found.broken, found.shadowed) == ((), ())


def test_f30_a_projects_root_that_leads_out_is_refused(tmp_path: Path, secret: Path) -> None:
    """Whoever wrote a clone would name any folder of the disk; within the project, and for the user's own, a link is fine."""
    project, home = tmp_path / "project", tmp_path / "home"
    write_skill(tmp_path / "dotfiles" / "mine", "mine")
    write_skill(project / "shared" / "ours", "ours")
    for folder, target in ((".agent", secret.parent), (".claude", project / "shared")):
        (project / folder).mkdir()
        (project / folder / "skills").symlink_to(target)
    home.mkdir()
    (home / "skills").symlink_to(tmp_path / "dotfiles")

    found = discover(skill_roots(project, home, home)[:-1], project=project)

    assert [(skill.front.name, skill.path) for skill in found.skills] == [
        ("ours", project / ".claude/skills/ours/SKILL.md"),
        ("mine", home / "skills/mine/SKILL.md"),
    ]
    assert errors(found, project) == {
        ".agent/skills": f"leads out of the project by a link, to {secret.parent}: copy the skills instead"
    }


def test_a_projects_root_that_is_the_users(tmp_path: Path) -> None:
    """A link to where the user's own skills lie takes nothing that would not be there: they are read once, as the user's."""
    write_skill(tmp_path / "home" / "skills" / "mine", "mine")
    (tmp_path / "project" / ".agent").mkdir(parents=True)
    (tmp_path / "project" / ".agent" / "skills").symlink_to(tmp_path / "home" / "skills")

    found = discover(
        skill_roots(tmp_path / "project", tmp_path / "home", tmp_path)[:-1], project=tmp_path / "project"
    )

    assert [skill.root for skill in found.skills] == [tmp_path / "home/skills"]
    assert (found.broken, found.shadowed) == ((), ())


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

    assert names(found) == ["c"]
    assert {path: error.split(":")[0] for path, error in errors(found, folder).items()} == {
        "locked": "cannot be listed",
        "root/file/SKILL.md": "cannot be read",
        "root/folder/SKILL.md": "cannot be read",
    }


def test_what_an_installer_links_for_each_agent(tmp_path: Path) -> None:
    """A skill for all agents, and a link to it in the folder of one: there once, however many ways lead to it."""
    write_skill(tmp_path / ".agents/skills/tidy", "tidy")
    (tmp_path / "home/skills").mkdir(parents=True)
    (tmp_path / "home/skills/tidy").symlink_to("../../.agents/skills/tidy")

    found = discover(
        skill_roots(tmp_path / "project", tmp_path / "home", tmp_path)[:-1], project=tmp_path / "project"
    )

    assert [skill.path for skill in found.skills] == [tmp_path / "home/skills/tidy/SKILL.md"]
    assert (found.broken, found.shadowed) == ((), ())


def test_started_in_the_users_home(tmp_path: Path) -> None:
    """There the project's folders are the user's: a link of theirs may lead anywhere, and each is read once."""
    write_skill(tmp_path / "mnt" / "mine", "mine")
    (tmp_path / "home" / ".agent").mkdir(parents=True)
    (tmp_path / "home" / ".agent" / "skills").symlink_to(tmp_path / "mnt")

    found = SkillPlaces.of(tmp_path / "home", tmp_path / "home/.agent", tmp_path / "home").found()

    assert [skill.front.name for skill in found.skills if skill.root != BUILTIN] == ["mine"]
    assert (found.broken, found.shadowed) == ((), ())
