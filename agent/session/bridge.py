"""Bridges what is missing from a damaged log, so that the view stays a history that can be sent.

A line that cannot be read leaves a gap: a result without its record, a call without its answer, a result without
its call. Blocks keep their ids, since compaction records name them. Only loading needs this.
"""

from collections.abc import Sequence
from typing import Any

from agent.session.records import Record, number_of
from agent.session.replay import apply
from agent.session.state import State
from compaction.messages import Block, as_blocks, text, tool_uses

BROKEN = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What a record raises that is not as it was written."""
NEEDED = {"session": ("model",), "model": ("model",), "call": ("call",), "result": ("call",)}
BEGINNINGS = ("context", "message")
FIELDS: dict[str, dict[str, type]] = {
    "text": {"text": str},
    "tool_use": {"id": str, "name": str, "input": dict},
    "tool_result": {"tool_use_id": str},
    "image": {"source": dict},
}
"""Type of a block -> what others rely on in it."""
LOST_RESULT = "The result of this call is lost: its line in the session's log is damaged."
LOST_CALL = "[The call with this result is lost: its line in the session's log is damaged.]"
LOST_START = "[The beginning of this session is lost: its line in the log is damaged.]"


class Bridge:
    """Applies the records of a log one after the other.

    Args:  known: the highest number of a record that went into ``state`` already.
    """

    def __init__(self, state: State, known: int = 0) -> None:
        self._state = state
        self._known = known
        self._seen: set[str] = set()
        self._open: list[str] = []
        """Ids of the calls that wait for their results."""
        self._is_begun, self._has_gaps = bool(known), False

    def apply(self, record: Record) -> bool:
        """Let ``record`` take its effect, with what it needs of others that are lost.

        False: it has none, for it is not as it was written, or was there before.
        """
        if record["id"] in self._seen or 0 < number_of(record) <= self._known:
            return False
        try:
            if not _is_typed(record):
                return False
            self._seen.add(record["id"])
            apply(self._state, self._completed(record))
            if record["type"] == "message":
                self._open = [call["id"] for call in tool_uses(as_blocks(record.get("content", [])))]
            elif record["type"] == "rewind":
                self._open = []
            self._is_begun = self._is_begun or record["type"] in BEGINNINGS
        except BROKEN:
            return False
        return True

    def _completed(self, record: Record) -> Record:
        if record["type"] == "compaction":
            return self._with_gaps(record) if self._has_gaps else record
        if record["type"] != "message":
            return record
        if record["role"] == "assistant":
            self._fill_gap(record["id"])
            return record
        return self._paired(record)

    def _fill_gap(self, before: str) -> None:
        """Answer the calls whose answer is lost, or begin the history, before a reply."""
        state = self._state
        blocks: list[Any] = [_lost(call) for call in self._open]
        if blocks or not self._is_begun:
            self._has_gaps = True
            state.timeline.append(_gap(before), "user", blocks or [text(LOST_START)], step=state.step)

    def _paired(self, record: Record) -> Record:
        """Return a user's message whose results answer the calls before it, each once."""
        state, named = self._state, list(record.get("results", ()))
        calls = self._open
        told = {id_: state.calls.results[id_]["call"] for id_ in named if id_ in state.calls.results}
        known = {id_: call for id_, call in told.items() if call in calls}
        left = [call for call in calls if call not in known.values()]
        if len(known) == len(named) and not left:
            return record
        self._has_gaps = True
        if not calls:
            return _as_text(state, record, named)
        for id_ in named:
            if id_ not in known and left:
                state.calls.results[id_] = {"call": left.pop(0), "content": LOST_RESULT, "is_error": True}
        for number, call in enumerate(left):
            id_ = f"{record['id']}-{number}"
            state.calls.results[id_] = {"call": call, "content": LOST_RESULT, "is_error": True}
            named.append(id_)
        return {**record, "results": [id_ for id_ in named if id_ in state.calls.results]}

    def _with_gaps(self, record: Record) -> Record:
        """Return a compaction that takes the answers we filled in out together with their calls."""
        gone = {id_ for change in record["changes"] for id_ in change["ids"]}
        placed = list(self._state.view)
        taken = {one.block["id"] for one in placed if one.id in gone and one.block["type"] == "tool_use"}
        filled = [
            one.id
            for one in placed
            if one.id not in gone and one.block["type"] == "tool_result" and one.block["tool_use_id"] in taken
        ]
        if not filled:
            return record
        first, *others = record["changes"]
        return {**record, "changes": [{**first, "ids": [*first["ids"], *filled]}, *others]}


def _is_typed(record: Record) -> bool:
    """False where what others rely on is missing or no text."""
    if record["type"] == "message" and record.get("role") not in ("user", "assistant"):
        return False
    if not _are_skills(record.get("skills", [])):
        return False
    contents = [record.get("content", [])] if record["type"] in BEGINNINGS else []
    if record["type"] == "compaction":
        contents = [change["blocks"] for change in record["changes"]]
    if not all(map(_are_blocks, contents)):
        return False
    return all(isinstance(record.get(field), str) for field in NEEDED.get(record["type"], ()))


def _are_skills(skills: Any) -> bool:
    return isinstance(skills, list) and all(map(_is_skill, skills))


def _is_skill(skill: Any) -> bool:
    if not isinstance(skill, dict) or not isinstance(skill.get("at"), int):
        return False
    return all(isinstance(skill.get(name), str) for name in ("name", "given", "path", "sha256"))


def _are_blocks(content: Any) -> bool:
    return isinstance(content, list) and all(map(_is_block, content))


def _is_block(block: Any) -> bool:
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        return False
    return all(isinstance(block.get(name), kind) for name, kind in FIELDS.get(block["type"], {}).items())


def unanswered(state: State) -> list[tuple[str, str]]:
    """Return (id, name) of the calls at the end of the view that no result answers."""
    calls: list[tuple[str, str]] = []
    for placed in reversed(list(state.view)):
        if placed.role == "user":
            break
        if placed.block["type"] == "tool_use":
            calls.insert(0, (placed.block["id"], placed.block["name"]))
    return calls


def _as_text(state: State, record: Record, named: Sequence[str]) -> Record:
    """Return a message whose results are texts, for the calls are lost."""
    texts: list[Block] = []
    for id_ in named:
        result = state.calls.results.pop(id_, None)
        content = result["content"] if result else ""
        texts.append(text(f"{LOST_CALL}\n{content}" if isinstance(content, str) else LOST_CALL))
    said = [index + len(texts) for index in record.get("said", ())]
    skills = [{**one, "at": one["at"] + len(texts)} for one in record.get("skills", ())]
    content = [*texts, *record.get("content", ())]
    return {**record, "results": [], "content": content, "said": said, "skills": skills}


def _lost(call: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": LOST_RESULT, "is_error": True}


def _gap(record: str) -> str:
    """Return the id of what stands before a record in place of what is lost."""
    return f"{record}-gap"
