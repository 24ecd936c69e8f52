"""Finding skills: every folder with a `SKILL.md` under a root; the first that has a name wins."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from skills.frontmatter import FrontMatterError
from skills.skill_file import FrontMatter, parse
from skills.walk import FILE_NAME, BrokenSkill, SkillPath, Walk, stat_of

MAX_FILE_BYTES = 1_000_000
MAX_ALL_BYTES = 50_000_000
"""Of all skills together: they stay in memory, and a clone could bring any number of them."""
BUILTIN = Path(__file__).with_name("builtin")
Mark = tuple[str, str | tuple[int, int, int]]
"""A path that was found, with what is wrong with it, or inode, size and time of change of the file."""
State = frozenset[Mark]


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A skill that can be loaded."""

    front: FrontMatter
    path: Path
    """Its `SKILL.md`, absolute, as found under its root."""
    root: Path
    """The one of the roots that it was found under, as it was given."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with it and was put up with, each the end of a sentence that begins with the path."""
        case = f"is not called `{FILE_NAME}`: other agents do not find it"
        return self.front.remarks if self.path.name == FILE_NAME else (case, *self.front.remarks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadowed:
    """A skill that cannot be loaded, for another one before it has its name."""

    skill: Skill
    by: Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """All that was found, in the order of the roots."""

    skills: tuple[Skill, ...]
    broken: tuple[BrokenSkill, ...]
    shadowed: tuple[Shadowed, ...] = ()
    state: State = frozenset()
    """What it was made of: another one later says that something changed."""


def skill_roots(project: Path, agent_home: Path, user_home: Path) -> tuple[Path, ...]:
    """Return where skills lie, first wins: the project's, the user's, ours."""
    own = tuple(project / folder / "skills" for folder in (".agent", ".claude", ".agents"))
    return (*own, *user_roots(agent_home, user_home), BUILTIN)


def user_roots(agent_home: Path, user_home: Path) -> tuple[Path, ...]:
    """Return where the user's skills lie, first wins.

    ``agent_home`` is `~/.agent` unless the user moved it; in `~/.agents` installers put what every agent is to have.
    """
    return (agent_home / "skills", user_home / ".agents" / "skills")


@dataclass(frozen=True, slots=True)
class SkillPlaces:
    """Where skills lie, first wins, and what is there.

    Inside a root nothing may lead out of the roots. A root may itself be a link, but not one of the ``project`` that leads
    out of it: that is the word of whoever wrote the project, not of the user.
    """

    roots: Sequence[Path]
    project: Path | None = None

    @classmethod
    def of(cls, project: Path, agent_home: Path, user_home: Path) -> "SkillPlaces":
        """Return those of a project and its user; see `skill_roots`."""
        own = user_roots(agent_home, user_home)
        # As when started in `~`: the project's folders are the user's.
        is_users = any(root.is_relative_to(project) for root in own)
        return cls(skill_roots(project, agent_home, user_home), None if is_users else project)

    def found(self) -> Found:
        """Read all of them. Never raises: what cannot be used is listed with its error."""
        search = _Search(self.roots, self.project)
        search.read()
        return search.found()

    def state(self) -> State:
        """Return what `Found.state` would be now, without reading any."""
        return frozenset(mark for *_, mark in _Search(self.roots, self.project).entries())


def discover(roots: Sequence[Path], *, project: Path | None = None) -> Found:
    """Read the skills under ``roots``, as `SkillPlaces` has them."""
    return SkillPlaces(roots, project).found()


def load(path: Path, root: Path, *, most_bytes: int = MAX_FILE_BYTES) -> Skill:
    """Read the skill at ``path``. Raises FrontMatterError when it cannot be used.

    That it does not lead out of its root is looked at before.
    """
    data = content(path)
    if len(data) > most_bytes:
        raise FrontMatterError(f"is not read: all skills together have more than {MAX_ALL_BYTES:,} bytes")
    return Skill(front=parse(data, path.parent.name), path=path, root=root)


@dataclass(slots=True)
class _Search:
    roots: Sequence[Path]
    project: Path | None
    real: dict[Path, Path] = field(default_factory=dict)
    """Root -> where it really lies; each place once."""
    skills: dict[str, Skill] = field(default_factory=dict)
    broken: list[BrokenSkill] = field(default_factory=list)
    shadowed: list[Shadowed] = field(default_factory=list)
    left_bytes: int = MAX_ALL_BYTES
    state: set[Mark] = field(default_factory=set)
    _files: set[str] = field(default_factory=set)
    """Where the files that were read really lie: by links one can be found twice."""

    def __post_init__(self) -> None:
        refused: dict[Path, Path] = {}
        for root in self.roots:
            real = Path(os.path.realpath(root))
            if self._is_led_out(root, real):
                refused[root] = real
            elif real not in self.real.values() and os.path.lexists(root):
                self.real[root] = real
        self.broken += [
            BrokenSkill(
                path=root, error=f"leads out of the project by a link, to {real}: copy the skills instead"
            )
            for root, real in refused.items()
            if real not in self.real.values()
        ]

    def _is_led_out(self, root: Path, real: Path) -> bool:
        if self.project is None or not root.is_relative_to(self.project):
            return False
        return not real.is_relative_to(os.path.realpath(self.project))

    def is_inside(self, path: str) -> bool:
        """Whether ``path``, which has no link in it, lies in one of the roots."""
        return any(path.startswith(f"{root}{os.sep}") for root in self.real.values())

    def entries(self) -> Iterator[tuple[SkillPath | BrokenSkill, Path, Path, Mark]]:
        """Yield all that lies in the roots: what it is, its root, where that really lies, and its part of the state."""
        for root, real in self.real.items():
            for entry in Walk(str(real), is_inside=self.is_inside).files():
                yield entry, root, real, _mark(entry)

    def read(self) -> None:
        """Read all of it."""
        for entry, root, real, mark in self.entries():
            self.state.add(mark)
            self.add(entry, root, real)

    def add(self, entry: SkillPath | BrokenSkill, root: Path, real: Path) -> None:
        """Take in what was found under ``root``, which really lies at ``real``."""
        if isinstance(entry, BrokenSkill):
            self.broken.append(BrokenSkill(path=_under(entry.path, root, real), error=entry.error))
            return
        if entry.real in self._files:
            return
        self._files.add(entry.real)
        path = _under(entry.path, root, real)
        try:
            skill = load(path, root, most_bytes=self.left_bytes)
        except FrontMatterError as problem:
            self.broken.append(BrokenSkill(path=path, error=str(problem)))
            return
        self.left_bytes -= len(skill.front.body)
        first = self.skills.setdefault(skill.front.name, skill)
        if first is not skill:
            self.shadowed.append(Shadowed(skill=skill, by=first))

    def found(self) -> Found:
        """Return all of it."""
        return Found(
            skills=tuple(self.skills.values()),
            broken=tuple(self.broken),
            shadowed=tuple(self.shadowed),
            state=frozenset(self.state),
        )


def _mark(entry: SkillPath | BrokenSkill) -> Mark:
    if isinstance(entry, BrokenSkill):
        return str(entry.path), entry.error
    kind = stat_of(entry.real)
    return str(entry.path), (kind.st_ino, kind.st_size, kind.st_ctime_ns) if kind else ""


def _under(path: Path, root: Path, real: Path) -> Path:
    return path if root == real else root / path.relative_to(real)


def content(path: Path) -> bytes:
    """Return the content of a file of bounded size; nothing that could block, or never end, is read.

    Raises:    FrontMatterError: it cannot be read.
    """
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", 0) as file:
            kind = os.fstat(file.fileno())
            if not stat.S_ISREG(kind.st_mode):
                raise FrontMatterError("is no file but a pipe or device")
            if kind.st_size > MAX_FILE_BYTES:
                raise FrontMatterError(f"is larger than {MAX_FILE_BYTES:,} bytes")
            return file.read(kind.st_size + 1)
    except OSError as problem:
        raise FrontMatterError(f"cannot be read: {problem.strerror}") from problem
