"""Paths of inputs: links, `..`, odd names, lookalikes; inside is decided on the resolved path."""

import os
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.base import Access, ResolvedPath, ToolError
from tools.lookalikes import fold
from tools.paths import is_inside, resolve, show

NARROW = "Shot 10.00\u202fAM.txt"
PLAIN = "Shot 10.00 AM.txt"
FIXED = "Shot 10.00\u00a0AM.txt"


def look_up(raw: str, project: Path, access: Access = "read", base: Path | None = None) -> ResolvedPath:
    return resolve(
        raw, access=access, project=project, base=base, is_own_file=lambda path: path.name == "own.txt"
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a sibling whose name begins alike and links that lead out and in."""
    root = tmp_path.resolve()
    for folder in ("w/proj/sub", "w/proj-evil", "out"):
        (root / folder).mkdir(parents=True)
    (root / "w/proj/l").symlink_to(root / "out")
    (root / "w/proj/t").symlink_to(root / "out/t.txt")
    (root / "wl").symlink_to(root / "w/proj")
    return root / "w/proj"


def test_inside_is_shown_relative_outside_absolute(project: Path) -> None:
    """What the model is shown works again as an input."""
    inside = look_up("sub/./a.txt", project)
    assert (inside.path, inside.shown, inside.is_inside) == (project / "sub/a.txt", "sub/a.txt", True)
    assert look_up(".", project).shown == "."
    outside = look_up("../x", project)
    assert (outside.path, outside.shown, outside.is_inside) == (
        project.parent / "x",
        str(project.parent / "x"),
        False,
    )


@pytest.mark.parametrize(
    ("letter", "raw", "lands"),
    [
        ("a", "{w}/proj-evil/a", "w/proj-evil/a"),
        ("b", "../out.txt", "w/out.txt"),
        ("c", "sub/../../out.txt", "w/out.txt"),
        ("d", "l/new.txt", "out/new.txt"),
        ("e", "l/n1/n2/new.txt", "out/n1/n2/new.txt"),
        ("f", "t", "out/t.txt"),
        ("i", "{w}/PROJ/ok.txt", "w/PROJ/ok.txt"),
    ],
)
@pytest.mark.parametrize("access", ["read", "write"])
def test_f37_outside(letter: str, raw: str, lands: str, access: Access, project: Path) -> None:
    """F37 a-f, i, j: siblings, `..` and links lead outside, whatever is still to be made."""
    found = look_up(raw.format(w=project.parent), project, access)
    assert (found.path, found.is_inside, found.access) == (project.parent.parent / lands, False, access)


@pytest.mark.parametrize("raw", ["~/x", "~root/x", "~", "$HOME/x", "${HOME}/x", "$PWD"])
def test_f37_g_shell_words_are_not_expanded_silently(raw: str, project: Path) -> None:
    """F37 g: `~` and `$HOME` are refused with what to write instead; nothing is guessed."""
    with pytest.raises(ToolError, match="is not expanded"):
        look_up(raw, project, "write")


def test_names_like_shell_words_are_names(project: Path) -> None:
    """A file that is really called so is found, and `./` makes one; other names with `$` are plain."""
    (project / "~tmp").write_text("x")
    assert look_up("~tmp", project).path == project / "~tmp"
    assert look_up("./~new", project, "write").path == project / "~new"
    assert look_up("$id.tsx", project, "write").path == project / "$id.tsx"


def test_f37_h_project_through_a_link_is_inside(project: Path) -> None:
    """F37 h: the project reached through a link is the project, as an input and as the project itself."""
    link = project.parent.parent / "wl"
    assert look_up(f"{link}/ok.txt", project).shown == "ok.txt"
    assert look_up("ok.txt", link).path == project / "ok.txt"


def test_base_and_own_files(project: Path) -> None:
    """A base other than the project can be given; the registry is asked about the resolved path."""
    found = look_up("own.txt", project, base=project / "sub")
    assert (found.shown, found.is_own) == ("sub/own.txt", True)
    assert not look_up("other.txt", project).is_own


@pytest.mark.parametrize("raw", ["a\0b", "\ud800", "x" * 300, "x/" * 3000, "loop", "loop/a"])
def test_unusable_paths_are_refused(raw: str, project: Path) -> None:
    """NUL, lone surrogates, too long, a link to itself: an error the model can act on, not an exception."""
    (project / "loop").symlink_to("loop")
    with pytest.raises(ToolError) as caught:
        look_up(raw, project)
    assert len(str(caught.value)) < 400


def test_one_spelling_of_the_root(project: Path) -> None:
    """Two slashes at the head are one."""
    assert look_up("//etc/hosts", project).path == Path("/etc/hosts").resolve()
    assert look_up(f"/{project}/a", project).shown == "a"


def test_below_a_file_resolves(project: Path) -> None:
    """A path below a file resolves; the tool says what is wrong when it opens it."""
    (project / "f").write_text("x")
    assert look_up("f/g", project).path == project / "f/g"


def test_f12_a_exact_names_win(tmp_path: Path) -> None:
    """F12 a: of two lookalikes each is found by its exact name."""
    for name in (NARROW, PLAIN):
        (tmp_path / name).write_text(name)
    for name in (NARROW, PLAIN):
        found = look_up(name, tmp_path)
        assert (found.path.name, found.note) == (name, "")


@pytest.mark.parametrize("access", ["read", "write"])
def test_f12_b_d_only_lookalike_is_taken_and_said(access: Access, tmp_path: Path) -> None:
    """F12 b, d: the only lookalike is taken, for a write too, and the note says which."""
    (tmp_path / NARROW).write_text("REAL")
    found = look_up(PLAIN, tmp_path, access)
    assert found.path.name == NARROW
    assert found.note == f"`{NARROW}` was taken for `{PLAIN}` (with U+202F NARROW NO-BREAK SPACE)"


@pytest.mark.parametrize("access", ["read", "write"])
def test_f12_c_d_several_lookalikes_are_listed(access: Access, tmp_path: Path) -> None:
    """F12 c, d: several candidates are listed with what tells them apart; none is taken."""
    for name in (NARROW, FIXED):
        (tmp_path / name).write_text(name)
    with pytest.raises(ToolError) as caught:
        look_up(PLAIN, tmp_path, access)
    assert NARROW in str(caught.value)
    assert f"`{FIXED}` (with U+00A0 NO-BREAK SPACE)" in str(caught.value)


@pytest.mark.parametrize(
    ("real", "typed"),
    [
        ("it’s.txt", "it's.txt"),
        ("“q”.txt", '"q".txt'),
        (unicodedata.normalize("NFD", "é.txt"), unicodedata.normalize("NFC", "é.txt")),
        (unicodedata.normalize("NFC", "é.txt"), unicodedata.normalize("NFD", "é.txt")),
        ("a b.txt", "a\u3000b.txt"),
    ],
)
def test_quotes_letters_and_spaces_look_alike(real: str, typed: str, tmp_path: Path) -> None:
    """Typographic quotes, composed letters and any Unicode space, in either direction, in folders too."""
    (tmp_path / "dir’s").mkdir()
    (tmp_path / "dir’s" / real).write_text("x")
    found = look_up(f"dir's/{typed}", tmp_path)
    assert found.path == tmp_path.resolve() / "dir’s" / real
    assert "; " in found.note


def test_a_name_without_lookalike_stays(tmp_path: Path) -> None:
    """A new file keeps the name it was given, odd characters and all; case makes another name."""
    (tmp_path / "README.md").write_text("x")
    for name in (NARROW, "readme.md"):
        assert look_up(name, tmp_path, "write").path.name == name


names = st.sampled_from(["a", "b", "..", ".", "in", "out", "up", "missing", "x y"])


@given(parts=st.lists(names, min_size=1, max_size=8), is_absolute=st.booleans())
def test_nothing_outside_is_called_inside(parts: list[str], is_absolute: bool) -> None:
    """For any path through links and `..`: inside iff the system itself ends up inside; shown leads back there."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        project = root / "p"
        (project / "a" / "b").mkdir(parents=True)
        (root / "p2").mkdir()
        (project / "out").symlink_to(root / "p2")
        (project / "a" / "in").symlink_to(project)
        (root / "p2" / "in").symlink_to(project / "a")
        (project / "up").symlink_to("..")
        raw = "/".join([str(project), *parts] if is_absolute else parts)
        found = look_up(raw, project)
        actual = os.path.realpath(project / raw)
        assert str(found.path) == actual
        assert found.is_inside == (actual == str(project) or actual.startswith(f"{project}/"))
        assert look_up(found.shown, project).path == found.path


@given(st.text(max_size=30))
def test_any_text_resolves_or_is_refused(raw: str) -> None:
    """No text makes anything but a path or a ToolError."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = look_up(raw, Path(folder))
        except ToolError:
            return
        assert found.is_inside == is_inside(found.path, project=Path(folder).resolve())
        assert show(found.path, project=Path(folder).resolve()) == found.shown


@given(st.text(max_size=20))
def test_folding_is_stable(name: str) -> None:
    """A folded name folds to itself, so that lookalikes form groups."""
    assert fold(fold(name)) == fold(name)
