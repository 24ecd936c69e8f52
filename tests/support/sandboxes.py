"""Sandboxes for tests: where bubblewrap does not work, the tests that need one say why they are skipped."""

import os
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tools.git_folders import GitFolders
from tools.sandbox import Sandbox
from tools.sandbox_places import Grounds

PYTHON = Path(sys.prefix).resolve()


def sandbox_of(project: Path, *, write: tuple[Path, ...] = (), has_network: bool = False) -> Sandbox:
    """Return a sandbox for ``project`` and the home folder of the test, for tests that need one.

    Our own interpreter may lie in the temporary folder, which is another one inside: it is among what can be written.
    """
    return Sandbox(grounds=grounds_of(project, write=(PYTHON, *write)), has_network=has_network)


def grounds_of(project: Path, **more: Any) -> Grounds:
    """Return what the places of a sandbox for ``project`` follow from."""
    home, root = Path(os.environ["HOME"]).resolve(), project.resolve()
    grounds = {"project": root, "home": home, "own": home / ".agent", "git": GitFolders.of(root), **more}
    return Grounds(**grounds)


@cache
def _problem() -> str:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        grounds = Grounds(project=root, home=root / "home", own=root / "home" / ".agent", git=None)
        return Sandbox.tried(grounds, has_network=False).problem


NEEDS_SANDBOX = pytest.mark.skipif(bool(_problem()), reason=_problem() or "a sandbox works here")
