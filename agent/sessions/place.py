"""Where a sub-command works, and who is told: kept apart, so that a list loads little."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TextIO

from agent.errors import UsageError
from agent.exits import Exit
from agent.home import agent_home
from agent.output import Output
from agent.session.store import Store

COLUMNS = 120
"""Where there is no terminal."""


class Around(Protocol):
    """What a sub-command finds around it."""

    @property
    def output(self) -> Output:
        """Where answers and complaints go."""

    @property
    def stdin(self) -> TextIO | None:
        """Where the user answers; None: closed."""

    @property
    def env(self) -> Mapping[str, str]:
        """The environment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The sessions of one project, and who is told of them."""

    store: Store
    output: Output
    stdin: TextIO | None

    @classmethod
    def of(cls, around: Around, cwd: Path | None) -> "Place":
        """Return the place of the project ``cwd``, None: the current folder. Raises UsageError for no folder."""
        project = project_at(cwd)
        store = Store.existing(project, agent_home(around.env))
        return cls(store=store, output=around.output, stdin=around.stdin)

    def ended(self) -> Exit:
        """Return how it went, as far as the answer is concerned."""
        return Exit.DONE if self.output.fault is None else Exit.FAILED


def columns() -> int:
    """Return the width to write for."""
    return shutil.get_terminal_size((COLUMNS, 24)).columns


def project_at(cwd: Path | None) -> Path:
    """Return the folder of the project, None: the current one; `choices.project_of` would load all that reads settings.

    Raises:    UsageError: it is no folder.
    """
    try:
        project = (cwd or Path.cwd()).resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"--cwd {cwd or '.'} cannot be used: name the folder of the project") from error
    if not project.is_dir():
        raise UsageError(f"--cwd {cwd} is not a folder: name the folder of the project")
    return project
