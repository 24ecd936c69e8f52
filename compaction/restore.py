"""A file that was edited and of which no whole view is left: its present content comes with the edit's own result.

The result has not been sent yet, so that nothing cached changes; the next edit of the file finds its text again.
"""

from compaction.history import Call
from compaction.messages import Block, ToolResultBlock, result_text
from compaction.plan import Plan, PlannedFile
from compaction.receipts import Kind, settled
from compaction.shorten import Shortened, mark, mark_id
from compaction.situation import Situation
from compaction.view import Change, Placed, View

HEADING = "The file as it is now:"


def restore_edited(view: View, situation: Situation) -> Plan | None:
    """Return the plan that adds the content of files edited in the newest batch; None when there are none.

    ``situation.present`` holds the files that may be added: read by the caller, within their limit of tokens.
    """
    changes: list[Change] = []
    for path, content in situation.present.items():
        placed = _newest_edit(view, path)
        if placed is not None and not _stands_whole(view, path):
            changes.append(Change(ids=[placed.id], role="user", blocks=[_with(placed, content)]))
    kind = Kind(layer="restore", cause="edit", may_grow=True)
    return settled(view, situation, changes, (), kind)


def _newest_edit(view: View, path: str) -> Placed | None:
    for placed in reversed(view.unsent()):
        block = placed.block
        if block["type"] == "tool_result" and not block.get("is_error") and not view.is_changed(placed):
            call = view.history.calls.get(block["tool_use_id"])
            if call is not None and call.name == "edit" and call.path == path:
                return placed
    return None


def _stands_whole(view: View, path: str) -> bool:
    """True while a whole read, or the input of a write, stands as it was appended, or an earlier restoration."""
    for _, placed in view.index.calls:
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


def is_restored(block: Block) -> bool:
    """True for a result that the content of the edited file was added to."""
    return block["type"] == "tool_result" and f"\n{HEADING}\n" in result_text(block)


def without_file(result: ToolResultBlock, call: Call, folder: str) -> Shortened | None:
    """Return the result of an edit without the file that was added to it, which goes to disk; None without one."""
    full = result_text(result)
    said, heading, content = full.partition(f"\n{HEADING}\n")
    if not heading:
        return None
    id_ = mark_id(call, "file")
    file = PlannedFile(path=f"{folder}/{id_}.txt", data=full.encode("utf-8"))
    line = mark(id_, f"{call.path} as it was then · {len(content)} characters", file.path)
    return Shortened(block={**result, "content": f"{said.rstrip()}\n{line}"}, files=(file,))
