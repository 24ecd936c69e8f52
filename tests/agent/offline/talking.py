"""A conversation with the server, and the texts it has for thinking."""

from collections.abc import Sequence
from typing import Any, Self

from agent.offline import MessagesServer, Reply, Script, always, calls, redacted, says, thinks
from tests.agent.offline.asking import (
    Got,
    Json,
    ask,
    assistant,
    body,
    result,
    user,
)

FREE = "claude-opus-5"
BOUND = "claude-opus-5-5"
MANUAL = "claude-haiku-4-5"
CHANGED = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
    "These blocks must remain as they were in the original response."
)
INVALID = "Invalid `signature` in `thinking` block"
ELSEWHERE = (
    f"{INVALID}. The block is bound to a different conversation. Remove the block, or set "
    '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)
DROP: Json = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
OPEN = thinks("Ä hm ") + thinks("") + redacted("x") + says("I look.") + calls("read")


class Talk:
    """A conversation with one server that goes on as a faithful client's would."""

    def __init__(self, *replies: Reply, model: str = FREE) -> None:
        self.server = MessagesServer(Script(*replies, always(says("ok"))))
        self.model = model
        self.messages: list[Json] = [user("hi")]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.server.close()

    def ask(self, messages: Sequence[Json] | None = None, **how: Any) -> Got:
        headers = how.pop("headers", None)
        asked = body(*(self.messages if messages is None else messages), **{"model": self.model, **how})
        return ask(self.server, asked, headers=headers)

    def step(self, *then: Any, **how: Any) -> list[Json]:
        """Ask, take the reply over, answer its calls, and say ``then``; returns the reply's blocks."""
        got = self.ask(**how)
        assert got.status == 200, got.raw
        content: list[Json] = got.json["content"]
        answers = [result(block["id"]) for block in content if block["type"] == "tool_use"]
        self.messages += [assistant(*content), user(*answers, *then)]
        return content
