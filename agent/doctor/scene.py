"""What is looked at: a project, its user, his environment and settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agent.settings import Settings
from agent.trust import Standing


@dataclass(slots=True, kw_only=True)
class Scene:
    """One look at everything; ``layers`` fills while settings are read, the weakest first, broken files left out."""

    project: Path
    home: Path
    """The agent's folder."""
    user_home: Path
    env: Mapping[str, str]
    standing: Standing
    named: Path | None = None
    """The file of --settings."""
    layers: list[tuple[str, Settings]] = field(default_factory=list)
