"""The paths of a project as git lists them, kept ready to be searched and listed anew when they may have changed."""

import re
import subprocess
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from agent.terminal.path_index import PathIndex

GIT = ("git", "--no-optional-locks", "-c", "core.fsmonitor=false", "ls-files", "-z")
LISTED = ("--cached", "--others", "--exclude-standard")
LIST_TIMEOUT_S = 10.0
FRESH_S = 1.0
"""For so long a list is taken to be right."""
QUICK_S = 0.25
"""Who can list as fast as this is listed anew at once; a larger project while its last list is searched."""
UNSAYABLE = re.compile("[\x00-\x1f\x7f-\x9f\ufffd]")
"""What no line can hold, and what stands for bytes of a name that are no text."""


class ProjectPaths:
    """Files and folders below ``project``. To be used on a thread: listing may take a while."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._index: PathIndex | None = None
        self._names: frozenset[str] = frozenset()
        self._listed_at = self._took_s = 0.0
        self._is_listing = threading.Lock()

    def find(self, wanted: str, most: int) -> list[str]:
        """Return at most ``most`` paths that hold the letters of ``wanted``, the likeliest first."""
        return self._current().find(wanted, most)

    def _current(self) -> PathIndex:
        index = self._index
        if index is None or (self._is_old and self._took_s < QUICK_S):
            return self._list()
        if self._is_old and not self._is_listing.locked():
            threading.Thread(target=self._list, daemon=True).start()
        return index

    @property
    def _is_old(self) -> bool:
        return time.monotonic() - self._listed_at > FRESH_S + self._took_s

    def _list(self) -> PathIndex:
        with self._is_listing:
            began = time.monotonic()
            names = frozenset(with_folders(listed(self._project)))
            if self._index is None or names != self._names:
                self._names, self._index = names, PathIndex(names)
            self._listed_at = time.monotonic()
            self._took_s = self._listed_at - began
            return self._index


def listed(project: Path) -> list[str]:
    """Return the files of ``project``, relative: tracked or not, without those ignored and those that are gone.

    Without git: those of the first two levels.
    """
    try:
        gone = set(_git(project, "--deleted"))
        return [name for name in _git(project, *LISTED) if name not in gone]
    except (OSError, subprocess.SubprocessError):
        found = [path for pattern in ("*", "*/*") for path in project.glob(pattern) if path.is_file()]
        return sorted(str(path.relative_to(project)) for path in found if ".git" not in path.parts)


def with_folders(files: Iterable[str]) -> set[str]:
    """Return the files and all folders that they are in, these with a `/` at the end; none that cannot be written."""
    paths: set[str] = set()
    for name in files:
        if UNSAYABLE.search(name):
            continue
        path = name
        while path and path not in paths:
            paths.add(path)
            path = path[: path.rfind("/", 0, -1) + 1]
    return paths


def _git(project: Path, *arguments: str) -> list[str]:
    done = subprocess.run(
        [*GIT, *arguments],
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LIST_TIMEOUT_S,
        check=True,
    )
    return [name for name in done.stdout.decode("utf-8", "replace").split("\0") if name]
