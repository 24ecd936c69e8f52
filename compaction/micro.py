"""`micro_compact`: results that the model has read, all but the newest, become placeholders."""

from collections.abc import Iterator
from dataclasses import dataclass

from compaction.history import Call
from compaction.messages import ToolResultBlock, result_text
from compaction.plan import Plan, PlannedFile
from compaction.receipts import Kind, settled
from compaction.shorten import Shortened, mark, mark_id, short_result
from compaction.situation import Situation
from compaction.thinking import thinking_changes
from compaction.view import Change, Placed, View

PREVIOUS = "[Previous: used "


@dataclass(frozen=True, slots=True, kw_only=True)
class MicroCompact:
    """The layer. Source of the default numbers: the teaching course."""

    keep: int = 3
    """So many of the newest seen results stay whole; so do the texts of skills, whose age says nothing of their use."""
    over_chars: int = 120
    """Shorter results stay; one with an image never counts as short."""
    idle_s: float = 0.0
    """Acts only when the last request is so long ago."""
    names_tool: bool = False
    """Begin a placeholder with `[Previous: used NAME]`."""

    def __call__(self, view: View, situation: Situation) -> Plan | None:
        """Return the plan that clears the older results; None when all that could go is gone."""
        if situation.is_waiting or situation.idle_s < self.idle_s:
            return None
        changes: list[Change] = []
        files: list[PlannedFile] = []
        cut = len(view)
        for index, placed in self._old(view):
            short = None if placed.id in situation.held else self._shortened(view, placed, situation)
            if short is not None:
                changes.append(Change(ids=[placed.id], role="user", blocks=[short.block]))
                files += short.files
                cut = min(cut, index)
        gone = {id_ for change in changes for id_ in change["ids"]}
        if gone:
            changes += thinking_changes(view, gone, cut=cut, drops_all=situation.drops_thinking)
        return settled(view, situation, changes, files, Kind(layer="micro", cause="age"))

    def _old(self, view: View) -> Iterator[tuple[int, Placed]]:
        """Yield position and block of the seen results but the newest, oldest first."""
        seen = list(enumerate(view))[: view.sent]
        results = [
            (index, placed)
            for index, placed in seen
            if placed.block["type"] == "tool_result" and not _is_instruction(view, placed.block)
        ]
        yield from results[: max(0, len(results) - self.keep)]

    def _shortened(self, view: View, placed: Placed, situation: Situation) -> Shortened | None:
        block = placed.block
        call = view.history.calls.get(block["tool_use_id"]) if block["type"] == "tool_result" else None
        if call is None or block["type"] != "tool_result":
            return None
        if not has_image(block) and len(result_text(block)) <= self.over_chars:
            return None
        if view.is_changed(placed):
            short = preview_cleared(block, call, situation)
        else:
            kept = situation.kept.get(call.id)
            short = short_result(block, call, situation.places.spills, kept, known=view.history.said)
        return self._named(short, block, call) if short is not None else None

    def _named(self, short: Shortened, block: ToolResultBlock, call: Call) -> Shortened | None:
        """Return the placeholder as this preset writes it; None when it would not be shorter than the result."""
        assert short.block["type"] == "tool_result"
        value = result_text(short.block)
        if self.names_tool:
            value = f"{PREVIOUS}{call.name}]\n{value}"
        if not has_image(block) and len(value) >= len(result_text(block)):
            return None
        new: ToolResultBlock = {**block, "content": value}
        return Shortened(block=new, files=short.files)


def preview_cleared(block: ToolResultBlock, call: Call, situation: Situation) -> Shortened | None:
    """Return the placeholder of a result of which a preview stands, the whole being on disk since; else None.

    The path is the one that the result has by its call: a path that its text names is not believed.
    """
    shown, id_ = result_text(block), mark_id(call)
    path = situation.kept.get(call.id) or f"{situation.places.spills}/{id_}.txt"
    start, end = f"[[kept: {id_} · ", f" · read {path}]]"
    if shown.startswith((start, PREVIOUS)):
        return None
    if not any(line.startswith(start) and line.endswith(end) for line in shown.split("\n")):
        return None
    new: ToolResultBlock = {**block, "content": mark(id_, call.name, path)}
    return Shortened(block=new, files=())


def _is_instruction(view: View, block: ToolResultBlock) -> bool:
    call = view.history.calls.get(block["tool_use_id"])
    return call is not None and call.is_instruction


def has_image(block: ToolResultBlock) -> bool:
    """True for a result that is more than text."""
    content = block["content"]
    return not isinstance(content, str) and any(part.get("type") == "image" for part in content)
