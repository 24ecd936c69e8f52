"""Where files of skills lie outside of the project: what the model may read there without a question."""

import os
from pathlib import Path

from skills.discover import BUILTIN, user_roots


def readable_skills(agent_home: Path, home: Path) -> tuple[str, ...]:
    """Return the folders of the user's own skills and of those that ship, resolved.

    One of the user's that is a link to a folder in which ``home``, the home folder, lies would open all of it: it is
    left out, and what is read there is asked about.
    """
    own = map(os.path.realpath, user_roots(agent_home, home))
    enough = (root for root in own if not Path(os.path.realpath(home)).is_relative_to(root))
    return (*dict.fromkeys(enough), os.path.realpath(BUILTIN))
