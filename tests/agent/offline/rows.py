"""A row of the refusal tables, and what several rows need."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.agent.offline.asking import Json, assistant, call, result, user

FORTY_FIVE = "claude-haiku-4-5"
EPHEMERAL: Json = {"type": "ephemeral"}
HOUR: Json = {"type": "ephemeral", "ttl": "1h"}
NOT_PERMITTED = "Extra inputs are not permitted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A refusal; ``near``: a request that passes though it looks alike."""

    name: str
    says: str
    body: Json
    near: Json
    headers: Mapping[str, str] = field(default_factory=dict)


def missing(path: str, *ids: str) -> str:
    """The text for calls without results."""
    return (
        f"{path}: `tool_use` ids were found without `tool_result` blocks immediately after: {', '.join(ids)}. "
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
    )


def unexpected(path: str, id: str) -> str:
    """The text for a result without its call."""
    return (
        f"{path}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. "
        "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
    )


ROUND = (user("hi"), assistant(call("a")), user(result("a")))
TWO_CALLS = (user("hi"), assistant(call("a"), call("b")), user(result("a"), result("b")))
SEARCH: Json = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
FOUND: Json = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
