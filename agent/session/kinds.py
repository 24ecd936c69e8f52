"""What the texts that the model is given are: told by the record that brought them, never by how they read."""

from collections.abc import Iterable, Sequence

from agent.session.records import Record
from agent.session.state import State
from compaction.messages import Block

SAID, SHELL, SKILL = "said", "shell", "skill"
"""The user's own words, what a command of theirs printed, a skill; all other kinds are `compaction.plan.Part`."""
REMINDER = "reminder"
"""Of open todos, by the program: true when it was sent, and soon no more."""
REQUEST = "request"
"""What a summary carries over of the active request."""


def name(state: State, record: Record, kinds: Iterable[str]) -> None:
    """Note what the blocks of a record are, in their order."""
    state.kinds.update({f"{record['id']}.{index}": str(kind) for index, kind in enumerate(kinds)})


def name_message(state: State, record: Record, blocks: Sequence[Block]) -> None:
    """Note what the texts and pictures of a user message are: its content stands last, what `!` commands printed before.

    Args:  blocks: all that it has.
    """
    first, shells = len(blocks) - len(record.get("content", ())), len(record.get("shells", ()))
    places = [(at, SHELL) for at in range(first - shells, first)]
    places += [(first + index, SAID) for index in record.get("said", ())]
    places += [(len(blocks) - 1, REMINDER)] if record.get("reminded") else []
    places += [(first + skill["at"], SKILL) for skill in record.get("skills", ())]
    state.kinds.update({f"{record['id']}.{at}": kind for at, kind in places})
    _note_pictures(state, record, enumerate(blocks))


def name_put(state: State, record: Record) -> None:
    """Note what the blocks are that a compaction put in place of others."""
    parts = record["receipt"].get("parts", ())
    name(state, record, parts)
    put = [block for change in record["changes"] for block in change["blocks"]]
    carried = zip(put, parts, strict=False)
    _note_pictures(
        state, record, ((at, block) for at, (block, part) in enumerate(carried) if part == REQUEST)
    )


def _note_pictures(state: State, record: Record, blocks: Iterable[tuple[int, Block]]) -> None:
    """Note those of the ``blocks`` that are pictures, which the user named in this turn."""
    ids = [f"{record['id']}.{at}" for at, block in blocks if block["type"] == "image"]
    state.pictures.update(dict.fromkeys(ids, state.turn))
