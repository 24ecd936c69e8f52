"""Which instruction files are told, in which order, with which imports, and how much of each."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.instructions.budget import BUDGET_BYTES, LEAST_BYTES
from agent.instructions.gathering import (
    MAX_DEPTH,
    MAX_IMPORTS,
    NO_ROOM,
    OUT_FROM_BELOW,
    TOO_DEEP,
    TOO_MANY,
    notes_of,
    outside_of,
)
from agent.instructions.note import Note
from agent.instructions.places import NEVER, OUTSIDE, Places

Put = dict[str, str | bytes]


class Disk:
    """A project in a repository, `repo/sub/project`, and its user, `me`, below one folder."""

    def __init__(self, root: Path, files: Put) -> None:
        self.root = root.resolve()
        self.project = self.root / "repo/sub/project"
        self.me = self.root / "me"
        self.project.mkdir(parents=True)
        (self.root / "repo/.git").mkdir()
        for name, content in files.items():
            self.write(name, content)

    def write(self, name: str, content: str | bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def link(self, name: str, target: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def notes(self, *, trusted: Sequence[str] | None = ()) -> list[Note]:
        found = None if trusted is None else [str(self.root / name) for name in trusted]
        return notes_of(
            Places(project=self.project, home=self.me / ".agent", trusted=found, user_home=self.me)
        )

    def told(self, *, trusted: Sequence[str] | None = ()) -> list[tuple[str, str]]:
        """Return place, below the root, and text or remark of each file."""
        pairs = [
            (self.project / note.shown, note.text or note.remark) for note in self.notes(trusted=trusted)
        ]
        return [(os.path.relpath(path, self.root), said) for path, said in pairs]


HERE = "repo/sub/project/"


def test_the_nearest_is_last(tmp_path: Path) -> None:
    """The user's own, then from the git root down; what nobody looks for, and what lies above, is not told."""
    disk = Disk(
        tmp_path,
        {
            "me/.agent/AGENTS.md": "MINE",
            "AGENTS.md": "ABOVE",
            "repo/AGENTS.md": "ROOT",
            "repo/CLAUDE.md": "NOT THIS",
            "repo/sub/CLAUDE.md": "SUB",
            f"{HERE}AGENTS.md": "HERE",
            f"{HERE}below/AGENTS.md": "BELOW",
        },
    )
    assert disk.told() == [
        ("me/.agent/AGENTS.md", "MINE"),
        ("repo/AGENTS.md", "ROOT"),
        ("repo/sub/CLAUDE.md", "SUB"),
        ("repo/sub/project/AGENTS.md", "HERE"),
    ]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md"], ["AGENTS.md"]),
        (["CLAUDE.md", ".claude/CLAUDE.md"], ["CLAUDE.md"]),
        ([".claude/CLAUDE.md"], [".claude/CLAUDE.md"]),
        (["AGENTS.override.md", "AGENTS.md"], ["AGENTS.override.md"]),
        (["AGENTS.md", "AGENTS.local.md", "CLAUDE.local.md"], ["AGENTS.md", "AGENTS.local.md"]),
        (["CLAUDE.local.md"], ["CLAUDE.local.md"]),
        (["agents.md", "README.md"], []),
    ],
)
def test_names(tmp_path: Path, names: list[str], told: list[str]) -> None:
    """One file of each folder, and the user's own notes on it: other agents' names are taken where ours are not used."""
    disk = Disk(tmp_path, {f"{HERE}{name}": name for name in names})
    assert [note.shown for note in disk.notes()] == told


@pytest.mark.parametrize("content", [b"", b" \n\n", b"\xef\xbb\xbf\r\n"])
def test_a_file_that_says_nothing_is_passed_over(tmp_path: Path, content: bytes) -> None:
    """An empty AGENTS.md does not hide a CLAUDE.md that says something."""
    assert Disk(tmp_path, {f"{HERE}AGENTS.md": content, f"{HERE}CLAUDE.md": "x"}).told() == [
        (f"{HERE}CLAUDE.md", "x")
    ]


def test_imports_stand_before_what_imports_them(tmp_path: Path) -> None:
    """Relative to the file that imports, home and absolute paths of the user's own, blanks; each says who imports it."""
    disk = Disk(
        tmp_path,
        {
            f"{HERE}CLAUDE.md": r"@docs/a.md then @docs/b\ c.md, and @../up.md.",
            f"{HERE}docs/a.md": "A @deep/d.md",
            f"{HERE}docs/b c.md": "B",
            f"{HERE}docs/deep/d.md": "D",
            "repo/sub/up.md": "UP",
        },
    )
    disk.write("me/.agent/AGENTS.md", f"@rules.md @~/home.md @{disk.root}/anywhere.md")
    for name in ("me/.agent/rules.md", "me/home.md", "anywhere.md"):
        disk.write(name, name)
    assert [
        (os.path.relpath(disk.project / note.shown, disk.root), note.by and Path(note.by).name)
        for note in disk.notes()
    ] == [
        ("me/.agent/rules.md", "AGENTS.md"),
        ("me/home.md", "AGENTS.md"),
        ("anywhere.md", "AGENTS.md"),
        ("me/.agent/AGENTS.md", ""),
        (f"{HERE}docs/deep/d.md", "a.md"),
        (f"{HERE}docs/a.md", "CLAUDE.md"),
        (f"{HERE}docs/b c.md", "CLAUDE.md"),
        ("repo/sub/up.md", "CLAUDE.md"),
        (f"{HERE}CLAUDE.md", ""),
    ]


@pytest.mark.parametrize(
    ("files", "links"),
    [
        ({"AGENTS.md": "TEXT", "CLAUDE.md": "@AGENTS.md"}, {}),
        ({"CLAUDE.md": "TEXT"}, {"AGENTS.md": "CLAUDE.md", "CLAUDE.local.md": "CLAUDE.md"}),
        ({"AGENTS.md": "@b.md", "b.md": "TEXT @AGENTS.md @./b.md"}, {}),
        ({"../../AGENTS.md": "TEXT", "CLAUDE.md": "@../../AGENTS.md"}, {}),
        ({"AGENTS.md": "@b.md @./b.md @../project/b.md", "b.md": "TEXT"}, {}),
        ({"AGENTS.md": "@b.md @c.md", "b.md": "TEXT"}, {"c.md": "b.md"}),
        ({"../AGENTS.md": "TEXT"}, {"AGENTS.md": "../AGENTS.md"}),
    ],
)
def test_no_text_is_told_twice(tmp_path: Path, files: Put, links: dict[str, str]) -> None:
    """A CLAUDE.md that only points to AGENTS.md, as an import or a link; a circle; what a farther file tells; a second name."""
    disk = Disk(tmp_path, {f"{HERE}{name}": content for name, content in files.items()})
    for name, target in links.items():
        disk.link(f"{HERE}{name}", target)
    assert sum("TEXT" in said for _, said in disk.told()) == 1
    assert not [note.problem for note in disk.notes() if note.problem]


def test_a_missing_import_is_said(tmp_path: Path) -> None:
    """In one line, where it can be nothing but a path; decorators, packages, aliases and people are no imports."""
    words = "@missing.md @./gone @property @scope/package @/components/ui @src/ @someone me@example.org"
    disk = Disk(tmp_path, {f"{HERE}AGENTS.md": words, f"{HERE}src/a.py": ""})
    assert disk.told() == [
        (f"{HERE}missing.md", "not read: there is no such file"),
        (f"{HERE}gone", "not read: there is no such file"),
        (f"{HERE}AGENTS.md", words),
    ]


def test_depth_and_number_are_bounded(tmp_path: Path) -> None:
    """Five imports of imports; what is deeper, or one too many, is named."""
    chain = {f"{HERE}{n}.md": f"level {n} @{n + 1}.md" for n in range(1, MAX_DEPTH + 2)}
    told = Disk(tmp_path / "a", {f"{HERE}AGENTS.md": "@1.md", **chain}).told()
    assert [said for _, said in told] == [
        f"not read: {TOO_DEEP}",
        *(f"level {n} @{n + 1}.md" for n in range(MAX_DEPTH, 0, -1)),
        "@1.md",
    ]
    many = {f"{HERE}{n}.md": "x" for n in range(MAX_IMPORTS + 20)}
    words = " ".join(f"@{n}.md" for n in range(MAX_IMPORTS + 20))
    told = Disk(tmp_path / "b", {f"{HERE}AGENTS.md": words, **many}).told()
    assert [said for _, said in told] == [*["x"] * MAX_IMPORTS, f"not read: {TOO_MANY}", words]


@pytest.mark.parametrize("how", ["home", "absolute", "up", "link", "AGENTS.md is a link", "over another"])
def test_outside_of_the_project_only_when_trusted(tmp_path: Path, how: str) -> None:
    """Whatever leads out counts by where it ends; not trusted it is named and stays out, trusted it is told."""
    disk = Disk(tmp_path, {"me/mine.md": "MINE"})
    paths = {"home": "~/mine.md", "absolute": f"{disk.me}/mine.md", "up": "../../../me/mine.md"}
    if how == "AGENTS.md is a link":
        disk.link(f"{HERE}AGENTS.md", f"{disk.me}/mine.md")
    else:
        disk.write(f"{HERE}AGENTS.md", f"@{paths.get(how, 'docs/inside.md')}")
    if how == "link":
        disk.link(f"{HERE}docs/inside.md", f"{disk.me}/mine.md")
    if how == "over another":
        disk.write(f"{HERE}docs/inside.md", "@~/mine.md")
    assert outside_of_it(disk) == ["me/mine.md"]
    assert f"not read: {OUTSIDE}" in [said for _, said in disk.told()]
    assert "MINE" not in str(disk.told())
    assert "MINE" in [said for _, said in disk.told(trusted=["me/mine.md"])]
    assert "MINE" not in str(disk.told(trusted=["me/other.md"]))


def outside_of_it(disk: Disk) -> list[str]:
    """What the project would be trusted with, below the root."""
    wanted = [note.outside for note in disk.notes(trusted=None) if note.outside and not note.problem]
    return [os.path.relpath(path, disk.root) for path in wanted]


def test_what_an_outside_file_imports_is_asked_about_too(tmp_path: Path) -> None:
    """Also where the user's own file brings in one of the project: what lies in the project does not speak for him."""
    disk = Disk(
        tmp_path,
        {
            "me/.agent/AGENTS.md": f"@{tmp_path}/{HERE}notes.md",
            f"{HERE}notes.md": "@~/private.md",
            "me/private.md": "PRIVATE",
            f"{HERE}AGENTS.md": "@~/a.md",
            "me/a.md": "A @b.md",
            "me/b.md": "B",
        },
    )
    assert sorted(outside_of_it(disk)) == ["me/a.md", "me/b.md", "me/private.md"]
    assert "PRIVATE" not in str(disk.told(trusted=["me/a.md"]))
    assert "'B'" not in str(disk.told(trusted=["me/a.md"]))


def test_nothing_tells_whether_there_is_a_file_outside(tmp_path: Path) -> None:
    """What an untrusted project learns of a path is the same whether there is a file or not."""
    words = "@~/a.md @~/notes @../../../me/plain"
    disk = Disk(tmp_path, {f"{HERE}AGENTS.md": words})
    before = disk.told()
    for name in ("a.md", "notes", "plain"):
        disk.write(f"me/{name}", "x")
    assert disk.told() == before


@pytest.mark.parametrize(
    "path",
    [
        ".ssh/id.md",
        ".aws/credentials",
        ".netrc",
        ".claude/.credentials.json",
        ".codex/auth.json",
        ".SSH/id.md",
    ],
)
def test_secrets_are_never_told(tmp_path: Path, path: str) -> None:
    """Neither to a trusted project nor by the user's own file, nor where the home folder is the project."""
    disk = Disk(
        tmp_path,
        {f"me/{path}": "SECRET", f"{HERE}AGENTS.md": f"@~/{path}", "me/.agent/AGENTS.md": f"@~/{path}"},
    )
    assert (outside_of_it(disk), f"not read: {NEVER}" in str(disk.told(trusted=None))) == ([], True)
    disk.link(f"{HERE}link.md", f"{disk.me}/{path}")
    disk.write(f"{HERE}AGENTS.md", "@link.md")
    assert "SECRET" not in str(disk.told(trusted=None))
    disk.project = disk.me
    disk.write("me/AGENTS.md", f"@./{path}")
    assert "SECRET" not in str(disk.told(trusted=None))


def test_a_project_among_secrets_has_notes_all_the_same(tmp_path: Path) -> None:
    """Who opens a folder there means it: its own files are told, what lies around it is not."""
    disk = Disk(
        tmp_path,
        {
            "me/.ssh/tool/AGENTS.md": "HERE @a.md @../id.md @./key",
            "me/.ssh/tool/a.md": "A",
            "me/.ssh/id.md": "SECRET",
        },
    )
    disk.write("me/.ssh/tool/key", "SECRET")
    disk.project = disk.me / ".ssh/tool"
    told = [said for _, said in disk.told(trusted=None)]
    assert told == ["A", f"not read: {NEVER}", f"not read: {NEVER}", "HERE @a.md @../id.md @./key"]


def test_notes_that_lie_with_other_agents_are_no_secrets(tmp_path: Path) -> None:
    """`@~/.claude/mine.md` is what people write: Markdown beside their keys is asked about like any other file."""
    disk = Disk(tmp_path, {"me/.claude/mine.md": "MINE", f"{HERE}CLAUDE.md": "@~/.claude/mine.md"})
    assert outside_of_it(disk) == ["me/.claude/mine.md"]
    assert "MINE" in str(disk.told(trusted=["me/.claude/mine.md"]))


@pytest.mark.parametrize(
    "path", ["/proc/self/environ", "/etc/shadow", "/sys/kernel/notes.md", "../../.git/config"]
)
def test_what_is_no_file_of_anybodys_is_never_told(tmp_path: Path, path: str) -> None:
    """Processes, the system's secrets, what git keeps: a remote's address can hold a key."""
    disk = Disk(tmp_path, {"repo/.git/config": "url = https://key@host", f"{HERE}AGENTS.md": f"@{path}"})
    assert [said for _, said in disk.told(trusted=None)] in ([f"@{path}"], [f"not read: {NEVER}", f"@{path}"])
    assert outside_of(disk.project, disk.me / ".agent") == []


def test_the_nearest_have_the_budget_first(tmp_path: Path) -> None:
    """The nearest and what it imports are told as a whole, the next is cut at a line, the farthest only named."""
    long = "".join(f"line {n}\n" for n in range(BUDGET_BYTES // 8))
    disk = Disk(
        tmp_path,
        {
            "me/.agent/AGENTS.md": "MINE",
            "repo/AGENTS.md": f"\n\n{long}",
            f"{HERE}AGENTS.md": "NEAR @a.md",
            f"{HERE}a.md": "IMPORTED",
        },
    )
    mine, root, imported, near = disk.notes()
    assert (near.remark, imported.remark) == ("", "")
    last = root.text.rpartition("\n")[2]
    line = int(last.removeprefix("line ")) + 3 + 1
    assert root.rest.endswith(f"when you need the rest, read {disk.root}/repo/AGENTS.md from line {line}")
    assert (disk.root / "repo/AGENTS.md").read_text().split("\n")[line - 2] == last
    assert (mine.text, mine.rest) == ("", f"not told, 4 bytes: {NO_ROOM}")
    assert sum(len(note.text.encode()) for note in disk.notes()) > BUDGET_BYTES - LEAST_BYTES - 20


def test_a_long_import_leaves_something_to_others(tmp_path: Path) -> None:
    """What a project imports silences neither its other imports nor the user's own file: short ones are told as a whole."""
    disk = Disk(
        tmp_path,
        {
            "me/.agent/AGENTS.md": "BE BRIEF",
            f"{HERE}AGENTS.md": "@long.md @short.md",
            f"{HERE}long.md": "word\n" * 20_000,
            f"{HERE}short.md": "SHORT",
        },
    )
    mine, long, short, near = disk.notes()
    assert (mine.remark, short.remark, near.remark) == ("", "", "")
    told = sum(len(note.text.encode()) for note in (mine, long, short, near))
    assert BUDGET_BYTES - 40 < told <= BUDGET_BYTES


def test_folders_below_have_a_budget_of_their_own(tmp_path: Path) -> None:
    """Where the work gets to later takes nothing from what was told, and is not silenced by it."""
    disk = Disk(
        tmp_path,
        {
            f"{HERE}AGENTS.md": "near\n" * 20_000,
            f"{HERE}a/AGENTS.md": "A",
            f"{HERE}b/AGENTS.md": "b\n" * 20_000,
        },
    )
    places = Places(project=disk.project, home=disk.me / ".agent", user_home=disk.me)
    near, first, second = notes_of(places, [disk.project / "a", disk.project / "b"])
    assert (near.text, first.text) == (disk.notes()[0].text, "A")
    assert [note.is_below for note in (near, first, second)] == [False, True, True]
    assert BUDGET_BYTES - 40 < len(first.text + second.text) <= BUDGET_BYTES


def test_what_a_folder_below_wants_from_outside(tmp_path: Path) -> None:
    """Nobody is asked about it, for it is met on the way: it says what to do, and is told where the project has it, too."""
    disk = Disk(tmp_path, {f"{HERE}a/AGENTS.md": "@~/mine.md", "me/mine.md": "MINE"})
    places = Places(project=disk.project, home=disk.me / ".agent", user_home=disk.me)
    assert [note.problem for note in notes_of(places, [disk.project / "a"])] == [OUT_FROM_BELOW, ""]
    trusting = Places(
        project=disk.project, home=disk.me / ".agent", user_home=disk.me, trusted=[f"{disk.me}/mine.md"]
    )
    assert [note.text for note in notes_of(trusting, [disk.project / "a"])] == ["MINE", "@~/mine.md"]


@given(sizes=st.lists(st.integers(1, BUDGET_BYTES * 2), min_size=4, max_size=4))
def test_the_budget_holds_and_names_everything(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int]
) -> None:
    """Never more than the budget; a file is told as a whole unless the nearer ones leave too little; none is dropped."""
    names = ["me/.agent/AGENTS.md", "repo/AGENTS.md", "repo/sub/AGENTS.md", f"{HERE}AGENTS.md"]
    disk = Disk(
        tmp_path_factory.mktemp("sizes"), {name: "x" * size for name, size in zip(names, sizes, strict=True)}
    )
    notes = disk.notes()
    room = BUDGET_BYTES
    for note, size in zip(reversed(notes), reversed(sizes), strict=True):
        expected = size if size <= room else room if room >= LEAST_BYTES else 0
        assert len(note.text) == expected
        assert bool(note.rest) == (expected < size)
        room -= expected


NAMES = [f"{n}.md" for n in range(6)]


@given(graph=st.lists(st.lists(st.sampled_from(NAMES), max_size=4), min_size=len(NAMES), max_size=len(NAMES)))
def test_whatever_imports_whatever(tmp_path_factory: pytest.TempPathFactory, graph: list[list[str]]) -> None:
    """Each file that is reached over at most five imports is told once, before the first that imports it; no other is."""
    files: Put = {
        f"{HERE}{name}": f"I am {name}: {' '.join(f'@{one}' for one in wanted)}"
        for name, wanted in zip(NAMES, graph, strict=True)
    }
    disk = Disk(tmp_path_factory.mktemp("graph"), {f"{HERE}AGENTS.md": "@0.md", **files})
    reached, level = set[str](), ["0.md"]
    for _ in range(MAX_DEPTH):
        reached.update(level)
        level = [one for name in level for one in graph[NAMES.index(name)]]
    order = [note.shown for note in disk.notes() if not note.problem]
    assert sorted(order) == sorted([*reached, "AGENTS.md"])
    assert all(
        order.index(note.shown) < order.index(note.by)
        for note in disk.notes()
        if note.by and not note.problem
    )


def test_roots(tmp_path: Path) -> None:
    """A worktree's `.git` is a file; a submodule is a project of its own; without git only the folder counts."""
    disk = Disk(
        tmp_path,
        {
            "repo/AGENTS.md": "ROOT",
            "repo/sub/AGENTS.md": "SUB",
            f"{HERE}AGENTS.md": "HERE",
            "repo/sub/.git": "gitdir: x",
        },
    )
    assert [said for _, said in disk.told()] == ["SUB", "HERE"]
    (disk.root / "repo/sub/.git").unlink()
    (disk.root / "repo/.git").rmdir()
    assert [said for _, said in disk.told()] == ["HERE"]


def test_the_users_folder_in_the_project(tmp_path: Path) -> None:
    """Where the home folder is the project, his own file is told once and is his."""
    disk = Disk(
        tmp_path, {"me/.agent/AGENTS.md": f"MINE @{tmp_path}/out.md", "out.md": "OUT", "me/AGENTS.md": "HOME"}
    )
    disk.project = disk.me
    assert [said for _, said in disk.told()] == ["OUT", f"MINE @{tmp_path}/out.md", "HOME"]
    disk.project = disk.me / ".agent"
    assert [said for _, said in disk.told()] == ["OUT", f"MINE @{tmp_path}/out.md"]
