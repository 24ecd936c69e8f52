"""Where files of skills lie outside of the project: what the model may read there without a question."""

import os
from pathlib import Path

from skills.discover import BUILTIN


def readable_skills(agent_home: Path, home: Path) -> tuple[str, ...]:
    """Return the folders of the user's own skills and of those that ship, resolved.

    One of the user's that is a link to a folder in which ``home``, the home folder, lies would open all of it: it is
    left out, and what is read there is asked about.
    """
    own = Path(os.path.realpath(agent_home / "skills"))
    is_too_much = Path(os.path.realpath(home)).is_relative_to(own)
    return (*(() if is_too_much else (str(own),)), os.path.realpath(BUILTIN))
