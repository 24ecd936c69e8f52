"""The model of a subagent: that of its type, where the session's server will know it, else its parent's."""

import re

from agent.models import ROWS, known_part

INHERITS = frozenset({"", "inherit", "default"})


def model_for(wanted: str, parent: str) -> tuple[str, str]:
    """Return the model for a type that names ``wanted``, in a session on ``parent``; and why it is not the one named.

    `sonnet`, `opus` and the like are the newest of that family, or the parent's own if that is of it. A name is only
    sent to a server that goes by such names: what we know stands with the same prefix as the parent's, and what we do
    not know needs a parent that we do not know either.
    """
    if wanted.casefold() in INHERITS or wanted == parent:
        return parent, ""
    before, known = known_part(parent)
    is_plain = bool(re.fullmatch(rf"{re.escape(known)}(-\d{{8}})?", parent))
    if not known:
        is_ours = bool(known_part(wanted)[1] or _newest(wanted))
        return (parent, _missed(wanted, parent)) if is_ours else (wanted, "")
    if newest := _newest(wanted):
        if _family(newest) == _family(known):
            return parent, ""
        return (newest, "") if is_plain else (parent, _missed(wanted, parent))
    there, named = known_part(wanted)
    if named and there == before:
        return wanted, ""
    return parent, _missed(wanted, parent)


def _newest(family: str) -> str:
    """Return the newest model of a family, such as `sonnet`; empty for what is none."""
    return next((one.id for one in ROWS if _family(one.id) == family.casefold()), "")


def _family(model: str) -> str:
    return model.split("-")[1]


def _missed(wanted: str, parent: str) -> str:
    return f"model `{wanted}` is not known beside `{parent}`: it works with that one"
