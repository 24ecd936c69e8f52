"""What the texts that the model is given are: told by the record that brought them, never by how they read."""

from collections.abc import Iterable

from agent.session.records import Record
from agent.session.state import State
from compaction.messages import Block

SAID, SHELL = "said", "shell"
"""The user's own words, and what a command of theirs printed; all other kinds are `compaction.plan.Part`."""
REQUEST = "request"
"""What a summary carries over of the active request."""


def name(state: State, record: Record, kinds: Iterable[str]) -> None:
    """Note what the blocks of a record are, in their order."""
    state.kinds.update({f"{record['id']}.{index}": str(kind) for index, kind in enumerate(kinds)})


def name_message(state: State, record: Record, blocks: int) -> None:
    """Note what the texts of a user message are; its content stands last in it, what `!` commands printed before.

    Args:  blocks: how many it has in all.
    """
    first, shells = blocks - len(record.get("content", ())), len(record.get("shells", ()))
    places = [(at, SHELL) for at in range(first - shells, first)]
    places += [(first + index, SAID) for index in record.get("said", ())]
    state.kinds.update({f"{record['id']}.{at}": kind for at, kind in places})


def name_pictures(state: State, record: Record, blocks: Iterable[tuple[Block, str]]) -> None:
    """Note which blocks of a record, each given with its kind, are pictures that the user named in this turn."""
    state.pictures.update(
        {
            f"{record['id']}.{index}": state.turn
            for index, (block, kind) in enumerate(blocks)
            if block["type"] == "image" and kind in (SAID, REQUEST)
        }
    )
