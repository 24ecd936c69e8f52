"""Where what belongs to a session lies beside its log, and how the model is told of these places."""

from dataclasses import dataclass
from pathlib import Path

from agent.compacting.circumstances import Folders
from agent.session.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """The places of one agent's work: of the session ``session``, or of its subagent ``name``."""

    store: Store
    project: Path
    session: str
    name: str

    @property
    def spills(self) -> Path:
        """Where long results go in full."""
        return self.store.outputs / self.session / self.name

    def folders(self) -> Folders:
        """Return the places that compactions write to."""
        own = self.store.folder(self.session) / self.name
        return Folders(
            spills=self._shown(self.spills),
            archive=lambda number: self._shown(own / f"archive-{number:03d}.md"),
            prompt=lambda number: self._shown(own / f"prompt-{number:03d}.txt"),
            ledger=self._shown(own / "ledger.md"),
        )

    def _shown(self, path: Path) -> str:
        """Return ``path`` as the model is told it: relative to the project when inside it."""
        return str(path.relative_to(self.project)) if path.is_relative_to(self.project) else str(path)
