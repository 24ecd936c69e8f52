"""`long_prompts`: a very long text of the user's, before its first send, goes to disk whole; head and tail stay."""

from compaction.carried import CHARS_A_TOKEN, LONG_PROMPT_CHARS
from compaction.plan import Plan, PlannedFile
from compaction.quoted import ends
from compaction.receipts import Kind, settled
from compaction.shorten import mark
from compaction.situation import Situation
from compaction.view import Change, Placed, View

LEAST_CHARS = 2_000
"""Head and tail together, three parts to one; more where more may stand whole."""


def long_prompts(view: View, situation: Situation) -> Plan | None:
    """Return the plan that shortens the texts of the active request that are over their limit; None without any.

    Each change has one id and one text block: the form in which the text stands from now on.
    """
    long = [placed for placed in view.unsent() if _is_long(view, placed, situation)]
    if not situation.places.prompt:
        return None
    changes: list[Change] = []
    files: list[PlannedFile] = []
    for number, placed in enumerate(long):
        change, file = _shortened(placed, situation, number)
        changes.append(change)
        files.append(file)
    return settled(view, situation, changes, files, Kind(layer="prompt", cause="prompt"))


def _is_long(view: View, placed: Placed, situation: Situation) -> bool:
    if placed.role != "user" or placed.block["type"] != "text" or view.is_changed(placed):
        return False
    if placed.id in situation.held or placed.block["text"] not in situation.active:
        return False
    size = situation.size(view.tokens) - situation.size(view.tokens - placed.tokens)
    return size > situation.sizes.words


def _shortened(placed: Placed, situation: Situation, number: int) -> tuple[Change, PlannedFile]:
    assert placed.block["type"] == "text"
    words = placed.block["text"]
    path = _path(situation.places.prompt, number)
    line = mark(placed.id, f"{len(words)} characters of the user's", path)
    most = min(
        LONG_PROMPT_CHARS, max(LEAST_CHARS, situation.sizes.words * CHARS_A_TOKEN // 2), len(words) // 2
    )
    short = ends(words, most, line)
    change = Change(ids=[placed.id], role="user", blocks=[{"type": "text", "text": short}])
    return change, PlannedFile(path=path, data=words.encode("utf-8"))


def _path(path: str, number: int) -> str:
    """Return the path of a further text that is shortened at once: `prompt-001.txt`, `prompt-001-2.txt`."""
    if not number:
        return path
    stem, dot, suffix = path.rpartition(".")
    return f"{stem}-{number + 1}{dot}{suffix}"
