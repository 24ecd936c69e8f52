"""What happened beside the conversation, in a line each; nothing where it goes without saying."""

from collections.abc import Callable
from pathlib import Path

from agent.session.records import Record
from agent.sessions.branches import FILES, moment
from agent.sessions.story import Story
from agent.terminal.figures import times
from tools.paths import show

_ENVELOPE = {"v", "id", "parent", "at", "turn", "step", "type"}


def remark(record: Record, story: Story, root: Path) -> str:
    """Return what is said of ``record``; empty for nothing. ``root``: what paths are relative to.

    A type that this version does not know is told by its fields. Raises one of `BROKEN` for a record that is not as
    it was written.
    """
    match record["type"]:
        case "rewind":
            return _rewind(record, story)
        case "snapshot":
            return _snapshot(record, root)
    return _WORDS.get(record["type"], _other)(record)


def _rewind(record: Record, story: Story) -> str:
    put_back = [times(len(record["files"]), "file") + " put back"] if record["files"] else []
    if record["what"] == FILES:
        return ", ".join(["/rewind of files alone", *put_back])
    to = story.branches.places[record["to"]]
    if to.turn:
        return ", ".join([f"/rewind to before turn {to.turn}", *put_back])
    words = f"/rewind undo: all is again as it was before the one at {moment(to.at)}"
    return ", ".join([words, *put_back])


def _snapshot(record: Record, root: Path) -> str:
    """Only what is missing is news."""
    is_kept = not record["is_there"] or record["link"] or record["kept"]
    shown = show(Path(str(record["path"])), project=root)
    return "" if is_kept else f"{shown} could not be kept for /rewind before it was changed"


def _end(record: Record) -> str:
    if record.get("of") != "turn" or record["reason"] == "done":
        return ""
    problem = f": {record['problem']}" if record.get("problem") else ""
    return f"the turn ended here, {record['reason']}{problem}"


def _undo(record: Record) -> str:
    return f"compaction {record['target']} {'redone' if record['is_redo'] else 'undone'}"


def _other(record: Record) -> str:
    about = {key: value for key, value in record.items() if key not in _ENVELOPE}
    words = ", ".join(
        f"{key} {value}" for key, value in about.items() if isinstance(value, str | int) and value != ""
    )
    return f"{record['type']}: {words}" if words else str(record["type"])


_WORDS: dict[str, Callable[[Record], str]] = {
    "end": _end,
    "undo": _undo,
    "title": lambda record: f"the session is called {record['text']}",
    "model": lambda record: f"from here on with {record['model']}",
    "effort": lambda record: f"from here on with effort {record['effort'] or 'as the model has it'}",
    "mode": lambda record: f"from here on in mode {record['mode']}",
}
