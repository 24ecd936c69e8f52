"""Which files instructions may be taken from: the project's own, the user's own, and what he trusts the project with."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from agent.home import user_home
from agent.instructions.finding import git_root, is_at
from tools.secret_places import secrets

NEVER = "secrets lie there, which are never told"
OUTSIDE = "it lies outside of the project, which is not trusted with it: `agent` in a terminal asks at its start, if it is there"
_NOTES_OF_AGENTS = (".claude", ".codex", ".gemini")
"""Below the home folder, beside keys and logs: people keep instructions there, as Markdown."""
_OF_THE_SYSTEM = tuple(map(Path, ("/dev", "/proc", "/run", "/sys")))
"""Files that are none: processes with their variables, devices, sockets."""
_MEMORY = Path("/dev") / "shm"
"""Files all the same, kept in memory."""


@dataclass(frozen=True, kw_only=True)
class Places:
    """One project and its user.

    ``trusted``: resolved paths outside of the project that the user trusts it with; None: whatever it wants, to find
    out what that is.
    """

    project: Path
    home: Path
    """The user's own folder of the program."""
    trusted: Iterable[str] | None = ()
    user_home: Path = field(default_factory=lambda: user_home({}))

    @cached_property
    def root(self) -> Path:
        """The git root of the project, or the project where there is none."""
        return git_root(self.project) or self.project

    def shown(self, path: Path) -> str:
        """Return a path as it is told: relative to the project where it lies in it."""
        return str(path.relative_to(self.project) if path.is_relative_to(self.project) else path)

    def is_outside(self, real: Path) -> bool:
        """Tell whether a resolved path is not the project's to give."""
        return not is_at(real, self._own)

    def is_users(self, real: Path) -> bool:
        """Tell whether a resolved path that the user named is his: what lies in the project, but for his own folder, is not."""
        return self.is_outside(real) or is_at(real, self.home.resolve())

    def refusal(self, real: Path, *, is_users: bool) -> str:
        """Return why nothing of a resolved path may be told; empty: it may.

        Args:  is_users: it is the user who names it, not the project.
        """
        if self._is_secret(real):
            return NEVER
        if is_users or not self.is_outside(real) or self.trusted is None or str(real) in self.trusted:
            return ""
        return OUTSIDE

    @cached_property
    def _own(self) -> Path:
        return self.root.resolve()

    @cached_property
    def _secrets(self) -> frozenset[Path]:
        """The places of secrets, also where they are links, in small letters: some disks take any case for the same."""
        return frozenset(_small(one) for place in secrets(self.user_home) for one in (place, place.resolve()))

    @cached_property
    def _notes_of_agents(self) -> frozenset[Path]:
        return frozenset(_small((self.user_home / name).resolve()) for name in _NOTES_OF_AGENTS)

    def _is_secret(self, real: Path) -> bool:
        is_outside = self.is_outside(real)
        names = real.parts if is_outside else real.relative_to(self._own).parts
        is_system = any(is_at(real, place) for place in _OF_THE_SYSTEM) and not is_at(real, _MEMORY)
        if ".git" in names or (is_outside and is_system):
            return True
        around = {place: _small(place) for place in (real, *real.parents)}
        if self._secrets.isdisjoint(around.values()):
            return False
        # Markdown is no key: neither what people keep beside those of other agents, nor a project's own among them.
        below = {small for place, small in around.items() if is_outside or not is_at(self._own, place)}
        is_meant = self._secrets.isdisjoint(below) or not self._notes_of_agents.isdisjoint(below)
        return not (is_meant and real.suffix.lower() == ".md")


def _small(path: Path) -> Path:
    return Path(str(path).casefold())
