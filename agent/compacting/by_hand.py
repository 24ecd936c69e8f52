"""What the user does to compactions by hand: takes one back, makes it again, pins words against all of them."""

from agent.compacting.circumstances import is_waiting
from agent.session.session import Session
from compaction.policy import Sizes

WAITING = "the model has to read the newest results first; try again after its next answer"


def undo(session: Session, sizes: Sizes) -> str:
    """Take the newest compaction back, in a session that knows the past of its view; return what to tell the user."""
    state = session.state
    if not state.standing:
        return "no compaction to undo"
    if is_waiting(state):
        return f"not undone: {WAITING}"
    target = state.standing[-1]
    try:
        size = state.meter.size(state.timeline.without(target).tokens)
    except ValueError:
        return "the newest compaction cannot be undone: a later one builds on it"
    if size > sizes.window:
        return f"not undone: the context would be {size:,} tokens, the window is {sizes.window:,}"
    session.append("undo", target=target, is_redo=False)
    session.sync()
    return f"undone: the context is {state.context_size:,} tokens again; /compact redo"


def redo(session: Session) -> str:
    """Make the compaction again that was undone last, as `undo`; return what to tell the user."""
    state = session.state
    if not state.timeline.redoable:
        return "no compaction to redo"
    if is_waiting(state):
        return f"not redone: {WAITING}"
    session.append("undo", target=state.timeline.redoable[-1], is_redo=True)
    session.sync()
    return f"redone: the context is {state.context_size:,} tokens"


def pin(session: Session, sizes: Sizes, words: str) -> str:
    """Keep ``words`` in every request from now on; return what to tell the user."""
    count = session.state.count
    taken = sum(count({"type": "text", "text": pin}) for pin in [*session.state.pins, words])
    if session.state.meter.ratio * taken > sizes.pins:
        return f"not pinned: pins may take {sizes.pins:,} tokens of this window"
    session.append("pin", text=words)
    session.sync()
    return f"pinned, as number {len(session.state.pins)}: it stays word for word through every compaction"
