"""A file that was edited and of which no whole view is left: its present content comes with the edit's own result.

The result has not been sent yet, so that nothing cached changes; the next edit of the file finds its text again.
"""

from collections.abc import Sequence

from compaction.messages import ToolResultBlock, result_text
from compaction.plan import Plan, Receipt
from compaction.situation import Situation
from compaction.view import Change, Placed, View

HEADING = "The file as it is now:"


def restore_edited(view: View, situation: Situation) -> Plan | None:
    """Return the plan that adds the content of files edited in the newest batch; None when there are none.

    ``situation.present`` holds the files that may be added: read by the caller, within their limit of tokens.
    """
    blocks = list(view)
    changes: list[Change] = []
    for path, content in situation.present.items():
        placed = _newest_edit(view, blocks[view.sent :], path)
        if placed is not None and not _stands_whole(view, blocks, path):
            changes.append(Change(ids=[placed.id], role="user", blocks=[_with(placed, content)]))
    if not changes:
        return None
    after = view.copy()
    after.apply("trial", changes)
    receipt = Receipt(
        layer="restore",
        trigger="auto",
        before=situation.size(view.tokens),
        after=situation.size(after.tokens),
        dropped=0,
    )
    return Plan(layer="restore", trigger="auto", changes=tuple(changes), files=(), receipt=receipt)


def _newest_edit(view: View, unsent: Sequence[Placed], path: str) -> Placed | None:
    for placed in reversed(unsent):
        block = placed.block
        if block["type"] == "tool_result" and not block.get("is_error") and not view.is_changed(placed):
            call = view.history.calls.get(block["tool_use_id"])
            if call is not None and call.name == "edit" and call.path == path:
                return placed
    return None


def _stands_whole(view: View, blocks: Sequence[Placed], path: str) -> bool:
    """True while a whole read, or the input of a write, stands as it was appended, or an earlier restoration."""
    for placed in blocks:
        block = placed.block
        id_ = block["id"] if block["type"] == "tool_use" else block.get("tool_use_id", "")
        call = view.history.calls.get(str(id_))
        if call is None or call.path != path or call.is_failed:
            continue
        if not view.is_changed(placed):
            is_read = call.name == "read" and block["type"] == "tool_result" and not call.is_partial
            if is_read or (call.name == "write" and block["type"] == "tool_use"):
                return True
        elif block["type"] == "tool_result" and HEADING in result_text(block):
            return True
    return False


def _with(placed: Placed, content: str) -> ToolResultBlock:
    block = placed.block
    assert block["type"] == "tool_result"
    return {**block, "content": f"{result_text(block)}\n\n{HEADING}\n{content}"}
