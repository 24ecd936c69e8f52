"""What a layer decides: data only. The loop writes the files, appends the record, and so changes the view."""

import hashlib
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from compaction.view import Change

Trigger = Literal["auto", "manual", "reactive"]
Cause = Literal["batch", "price", "age", "size", "wish", "refusal", "edit", "prompt", "repeat"]
"""Why: a batch over its limit, it pays, blocks are old, over the threshold, somebody asked, the server refused, a
file was edited, a prompt is long, output came a second time."""
Part = Literal[
    "context", "pins", "prompts", "ledger", "summary", "archive", "skill", "file", "request", "note", "unread"
]
"""What a block is that a summary put: the context block, pins, earlier prompts, the ledger, the summary itself, where
the archive is, a skill that was loaded, a restored file, the active request, what hooks or we told, results that the model has not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFile:
    """A file that must be on disk before the view changes; ``path`` as it will stand in the view."""

    path: str
    data: bytes

    @property
    def sha256(self) -> str:
        """Hash of the content."""
        return hashlib.sha256(self.data).hexdigest()


class SkillPut(TypedDict):
    """A skill whose text a summary put: its file and hash, and whether that is all of it."""

    path: str
    sha256: str
    is_whole: bool


class Receipt(TypedDict, total=False):
    """What a compaction did; sizes in tokens by the meter."""

    layer: str
    trigger: Trigger
    cause: Cause
    before: int
    after: int
    dropped: int
    """Blocks that left the view."""
    where: dict[str, str]
    """Id of a block that left -> path of the file that leads to it."""
    rewritten: int
    """Tokens that the server reads anew because of it, estimated; 0 when its cache has expired anyway."""
    payback_steps: float
    """After so many steps it has cost less than it saves."""
    archive: str
    """Path of the archive; empty when nothing had to be kept."""
    sha256: str
    """Hash of the archive."""
    summary_by: Literal["model", "digest"]
    usage: dict[str, Any]
    """Usage of the summary request."""
    facts: dict[str, Any]
    """What the fact check found: `score` (0 to 1) of `total`, `missing` and `unknown`."""
    parts: list[Part]
    """What each block is that stands in the place of a summarised history, in their order."""
    skills: list[SkillPut]
    """What the first of the parts are that are skills; a further one names others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A compaction, not yet applied."""

    layer: str
    trigger: Trigger
    changes: tuple[Change, ...]
    files: tuple[PlannedFile, ...]
    receipt: Receipt
