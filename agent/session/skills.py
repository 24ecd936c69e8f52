"""Skills that a message brought because the user asked for them: what was done, and what need not be given again."""

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
