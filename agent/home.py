"""Where the user's own files are."""

from collections.abc import Mapping
from pathlib import Path


def agent_home(env: Mapping[str, str]) -> Path:
    """Return the user's own folder of the program: AGENT_HOME, else `.agent` in the home folder."""
    moved = env.get("AGENT_HOME", "")
    if moved.startswith("~/"):
        return user_home(env) / moved[2:]
    return Path(moved).absolute() if moved else user_home(env) / ".agent"


def user_home(env: Mapping[str, str]) -> Path:
    """Return the user's home folder; `/` where nobody knows it, as for a user id without an entry."""
    if home := env.get("HOME", ""):
        return Path(home)
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")
