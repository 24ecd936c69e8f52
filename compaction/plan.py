"""What a layer decides: data only. The loop writes the files, appends the record, and so changes the view."""

import hashlib
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from compaction.view import Change

Trigger = Literal["auto", "manual", "reactive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFile:
    """A file that must be on disk before the view changes; ``path`` as it will stand in the view."""

    path: str
    data: bytes

    @property
    def sha256(self) -> str:
        """Hash of the content."""
        return hashlib.sha256(self.data).hexdigest()


class Receipt(TypedDict, total=False):
    """What a compaction did; sizes in tokens by the meter."""

    layer: str
    trigger: Trigger
    before: int
    after: int
    dropped: int
    """Blocks that left the view."""
    archive: str
    """Path of the archive; empty when nothing had to be kept."""
    sha256: str
    """Hash of the archive."""
    summary_by: Literal["model", "digest"]
    usage: dict[str, Any]
    """Usage of the summary request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A compaction, not yet applied."""

    layer: str
    trigger: Trigger
    changes: tuple[Change, ...]
    files: tuple[PlannedFile, ...]
    receipt: Receipt
