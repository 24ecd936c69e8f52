"""Records of what was changed and gone back to, and their effect on the state."""

from agent.session.file_state import file_state
from agent.session.points import capture, go_back
from agent.session.records import Record
from agent.session.state import State
from compaction.messages import text

REWOUND_FILES = "[The user put these files back as they were earlier. Read them again before you rely on what they hold: {}]"


def mark(state: State, record: Record) -> None:
    """Remember the place before a turn, and before the conversation goes back."""
    id_, turn = record["id"], int(record.get("turn", 0))
    if turn > state.turn:
        state.points[id_] = capture(state, record, turn)
        state.branch.append(id_)
    elif record["type"] == "rewind":
        state.points[id_] = capture(state, record, 0)


def snapshot(state: State, record: Record) -> None:
    """Note how a file stood before a change."""
    state.changes.append(file_state(record, state.turn))


def rewind(state: State, record: Record) -> None:
    """Go back to the place before a record. Raises LookupError where nothing is known of it."""
    point, what = state.points[record["to"]], record["what"]
    files = [file_state(file, 0) for file in record["files"]]
    written = {file["path"]: str(file["now"]) for file in record["files"]}
    state.changes += files
    state.written.update(written)
    state.rewound = record
    if what != "files":
        go_back(state, point)
    else:
        told = REWOUND_FILES.format(", ".join(file["path"] for file in files))
        state.timeline.append(record["id"], "user", [text(told)], step=state.step)
        state.notes.append(told)
