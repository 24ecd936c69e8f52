"""How a reply stands in the log: as a message when it can be sent back, else as a note."""

from collections.abc import Iterable, Sequence
from typing import Any

from agent.api.reply import Reply
from agent.protocols import Journal
from compaction.messages import Block, text, tool_uses

INTERRUPTED = "[The user interrupted here.]"
NOT_RUN = "Not run: the user interrupted before this call started."


def append_reply(session: Journal, reply: Reply) -> None:
    """Log a reply and bring it to the disk.

    A refused or empty one leaves no message: the history must stay sendable.
    """
    state = session.state
    fields: dict[str, Any] = {
        "content": reply.content,
        "model": state.model,
        "stop_reason": reply.stop_reason,
        "usage": reply.usage,
        "reply_id": reply.id,
        "step": state.step + 1,
    }
    if reply.cut:
        fields["cut"] = reply.cut
    if not reply.content or reply.stop_reason == "refusal":
        session.append("note", text="a reply that is no message", **fields)
    else:
        session.append("message", role="assistant", prefix_sha=state.prefix_sha, **fields)
    session.sync()


def keep_partial(session: Journal, content: Sequence[Block]) -> None:
    """Log what was received of an interrupted reply, its calls answered as not run."""
    state = session.state
    if content:
        session.append(
            "message",
            role="assistant",
            content=list(content),
            model=state.model,
            stop_reason="interrupted",
            usage=None,
            prefix_sha=state.prefix_sha,
            step=state.step + 1,
        )
    session.answer(refuse_calls(session, content), [text(INTERRUPTED)])


def refuse_calls(session: Journal, content: Sequence[Block]) -> list[str]:
    """Answer the calls of ``content`` as not run; return the ids of the result records."""
    return [
        session.append("result", call=call["id"], name=call["name"], content=NOT_RUN, is_error=True, facts={})
        for call in tool_uses(content)
    ]


def drop_steering(session: Journal, records: Iterable[str], reason: str) -> None:
    """Log that a hook refused what was typed: it waits no longer."""
    for record in records:
        session.append("note", text=reason, refused=record)
