"""Skills that a message or a summary brought: what was done, and what need not be given again."""

from agent.session.records import Record
from agent.session.state import State

KEY = "skill"
"""Stands in `State.shown` where a read has its range."""


def given_skills(state: State, record: Record, first: int) -> list[int]:
    """Note the skills of a message; return their indices in its content, which begins at block ``first``."""
    found = record.get("skills", ())
    for skill in found:
        state.timeline.load_skill(skill["name"], skill["given"], step=state.step + 1)
        state.shown[skill["path"], skill["sha256"], KEY] = f"{record['id']}.{first + skill['at']}"
    return [skill["at"] for skill in found]


def put_skills(state: State, record: Record) -> None:
    """Note the skills whose texts a summary put in place of a history."""
    receipt = record["receipt"]
    places = [at for at, part in enumerate(receipt.get("parts", ())) if part == KEY]
    for at, skill in zip(places, receipt.get("skills", ()), strict=False):
        shows = f"{record['id']}.{at}" if skill["is_whole"] else ""
        state.shown[skill["path"], skill["sha256"], KEY] = shows
