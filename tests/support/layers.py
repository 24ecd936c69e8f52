"""What tests of single layers need: a situation, small sessions, and what a plan makes of a view."""

import json
from collections.abc import Mapping
from typing import Any

from compaction.messages import Block, text
from compaction.plan import Plan
from compaction.policy import Sizes
from compaction.situation import Places, Prices, Situation
from compaction.view import Placed, View
from tests.support.histories import MODEL, TINY_PNG, Said, view_of

SPILLS = ".task_outputs/s"
ARCHIVE = ".transcripts/s/archive-001.md"


def situation(view: View, **changes: Any) -> Situation:
    """How things stand for ``view``; ``changes``: other values of the fields."""
    fields: dict[str, Any] = {
        "sizes": Sizes(window=200_000, max_output=32_000),
        "prices": Prices(),
        "places": Places(spills=SPILLS, archive=ARCHIVE),
        "step": max((placed.step for placed in view), default=0) + 1,
        "now": 0.0,
        "is_cold": False,
        "size": lambda tokens: tokens,
    }
    return Situation(**{**fields, **changes})


def applied(view: View, plan: Plan, record: str = "r999") -> View:
    """The view after ``plan``."""
    after = view.copy()
    after.apply(record, plan.changes)
    return after


def called(id_: str, name: str = "bash", **given: Any) -> dict[str, Any]:
    """A call."""
    return {"type": "tool_use", "id": id_, "name": name, "input": given or {"command": f"run {id_}"}}


def answered(id_: str, content: Any, **more: Any) -> dict[str, Any]:
    """A result."""
    return {"type": "tool_result", "tool_use_id": id_, "content": content, **more}


def add(view: View, number: int, *pairs: tuple[dict[str, Any], dict[str, Any]], said: str = "") -> None:
    """Append a step: calls with a word before them, their results, and what the user says behind these."""
    reply: Any = [text(f"step {number}"), *(use for use, _ in pairs)]
    answers: Any = [*(answer for _, answer in pairs), *([text(said)] if said else [])]
    view.append(f"a{number}", "assistant", reply, step=number)
    if answers:
        view.append(f"u{number}", "user", answers, step=number)


def stepped(steps: int, *, prompt: str = "go", chars: int = 400) -> View:
    """A prompt and ``steps`` steps of one call each, numbered from 1."""
    view = view_of([Said(role="user", blocks=[text(prompt)])])
    for number in range(1, steps + 1):
        add(view, number, (called(f"c{number}"), answered(f"c{number}", f"{number} " + "x" * chars)))
    return view


def standing(view: View) -> Mapping[str, Any]:
    """Call id -> the content of the result that stands in the view."""
    blocks: list[Any] = [placed.block for placed in view if placed.block["type"] == "tool_result"]
    return {block["tool_use_id"]: block["content"] for block in blocks}


def texts(view: View, role: str = "user") -> list[str]:
    """The text blocks of one role, in order."""
    return [placed.block["text"] for placed in view if placed.role == role and placed.block["type"] == "text"]


def lost(view: View, plan: Plan) -> list[str]:
    """Ids of blocks that ``plan`` takes out and that cannot be read again, in at most two files from the view on."""
    files = {file.path: file.data for file in plan.files}
    shown = json.dumps(applied(view, plan).messages("kept", MODEL), ensure_ascii=False)
    named = {path for path in files if path in shown}
    near = named | {path for path in files if any(path.encode() in files[first] for first in named)}
    kept = b"\0".join(files[path] for path in near)
    gone = {id_ for change in plan.changes for id_ in change["ids"]}
    return [
        placed.id
        for placed in view
        if placed.id in gone
        and not all(_is_in(kept, part) or _is_shown(shown, part) for part in _parts(placed))
    ]


def _parts(placed: Placed) -> list[bytes]:
    block: Block = placed.block
    match block["type"]:
        case "text":
            return [block["text"].encode()]
        case "tool_use":
            return [str(value).encode() for value in block["input"].values()]
        case "tool_result":
            content = block["content"]
            parts: list[Any] = [text(content)] if isinstance(content, str) else content
            return [part["text"].encode() if part["type"] == "text" else TINY_PNG for part in parts]
    return []


def _is_in(data: bytes, part: bytes) -> bool:
    """As it is, indented in an archive, or as a string of an archived input."""
    indented = b"\n".join(b"    " + line for line in part.split(b"\n"))
    quoted = json.dumps(part.decode("utf-8", "replace"), ensure_ascii=False).encode()
    return any(form in data for form in (part, indented, quoted))


def _is_shown(shown: str, part: bytes) -> bool:
    return json.dumps(part.decode("utf-8", "replace"), ensure_ascii=False)[1:-1] in shown
