"""Generated histories: valid ones, of all block types, in the form in which a session appends them."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from hypothesis import strategies as st

from compaction.messages import Block, Role, text
from compaction.view import Origin, View, head_sha

MODEL = "claude-sonnet-5-5"
HEAD = head_sha([{"type": "text", "text": "system"}], [])
TOOLS = ("bash", "read", "write", "edit", "glob", "compact")
TINY_PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
IMAGE: dict[str, Any] = {
    "type": "image",
    "source": {
        "type": "base64",
        "media_type": "image/png",
        "data": base64.b64encode(TINY_PNG).decode("ascii"),
    },
}

words = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=40).filter(
    str.strip
)
long_words = st.builds(lambda word, times: word * times, words, st.integers(1, 200))


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One logged message: what a session appends to its view at once."""

    role: Role
    blocks: Sequence[Block]


def count(block: Block) -> int:
    """Count a block by its characters: any monotone measure serves the rules."""
    return len(str(block)) // 4 + 1


@st.composite
def rounds(draw: st.DrawFn, number: int) -> list[Said]:
    """One step: a reply with thinking, text and calls, and the message that answers it."""
    calls = [
        {
            "type": "tool_use",
            "id": f"toolu_{number}_{index}",
            "name": draw(st.sampled_from(TOOLS)),
            "input": {"file_path": draw(words), "command": draw(long_words)},
        }
        for index in range(draw(st.integers(0, 3)))
    ]
    thinking = [{"type": "thinking", "thinking": draw(words), "signature": f"sig{number}"}]
    reply = [*(thinking if draw(st.booleans()) else []), text(draw(words)), *calls]
    results = [_result(call["id"], draw(_contents), is_error=draw(st.booleans())) for call in calls]
    extra = [text(draw(words))] if not calls or draw(st.booleans()) else []
    answer = [*results, *extra]
    return [
        Said(role="assistant", blocks=cast("list[Block]", reply)),
        Said(role="user", blocks=cast("list[Block]", answer)),
    ]


_contents = st.one_of(words, long_words, st.just([IMAGE]), words.map(lambda word: [text(word), IMAGE]))


def _result(call: Any, content: Any, *, is_error: bool) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call, "content": content}
    return {**block, "is_error": True} if is_error else block


@st.composite
def histories(draw: st.DrawFn, max_rounds: int = 6) -> list[Said]:
    """A valid history: the user's prompt, then whole rounds; the last may end with the reply of a turn."""
    said = [Said(role="user", blocks=[text(draw(words))])]
    for number in range(draw(st.integers(0, max_rounds))):
        said += draw(rounds(number))
    if len(said) > 1 and not _calls(said[-2]) and draw(st.booleans()):
        said.pop()
    return said


def _calls(said: Said) -> bool:
    return any(block["type"] == "tool_use" for block in said.blocks)


def view_of(said: Sequence[Said], model: str = MODEL) -> View:
    """Return the view that grows from these messages as a session would grow it."""
    view = View(HEAD, count)
    for number, message in enumerate(said, 1):
        origin = Origin(model=model, prefix_sha=view.prefix_sha) if message.role == "assistant" else None
        view.append(f"r{number}", message.role, message.blocks, origin=origin, step=number)
    return view
