"""What tests of a summary need: what it stands among, a long history, and what a plan makes of it."""

from typing import Any

from compaction.messages import Message, text, text_of
from compaction.plan import Plan
from compaction.policy import Sizes
from compaction.surroundings import Surroundings
from compaction.view import View
from tests.support.histories import MODEL, Said, view_of

SIZES = Sizes(window=60_000, max_output=64_000)
PATH = ".transcripts/s/archive-001.md"


def around(**changes: Any) -> Surroundings:
    fields: dict[str, Any] = {
        "context": [text("<environment/>")],
        "active": ["fix the bug"],
        "earlier": [],
        "pins": [],
        "kept": {},
        "before": [],
        "todos": "",
        "archive_path": PATH,
        "trigger": "auto",
        "size": lambda tokens: tokens,
    }
    return Surroundings(**{**fields, **changes})


def compacted(view: View, plan: Plan) -> list[Message]:
    after = view.copy()
    after.apply("r99", plan.changes)
    return after.messages("kept", MODEL)


def said_in(messages: list[Message]) -> str:
    return "\n".join(text_of(message["content"]) for message in messages)


def long_history(result: Any = "r" * 3_000, *, said: int = 2_000) -> View:
    """A history worth compacting, its last results unread."""
    return view_of(
        [
            Said(role="user", blocks=[text("fix the bug")]),
            Said(role="assistant", blocks=[text("word " * said)]),
            Said(role="user", blocks=[text("go on")]),
            Said(
                role="assistant",
                blocks=[
                    text("I'll run it."),
                    {"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "pytest -q"}},
                    {"type": "tool_use", "id": "b", "name": "compact", "input": {}},
                ],
            ),
            Said(
                role="user",
                blocks=[
                    {"type": "tool_result", "tool_use_id": "a", "content": result},
                    {"type": "tool_result", "tool_use_id": "b", "content": "soon"},
                ],
            ),
        ]
    )
