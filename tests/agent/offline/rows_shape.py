"""Refusals of missing, wrong and unknown fields."""

from collections.abc import Sequence
from typing import Any

from tests.agent.offline.asking import BINDING, Json, assistant, body, call, result, text, tool, user
from tests.agent.offline.rows import NOT_PERMITTED, ROUND, Row

OLD_VERSION = {"anthropic-version": "2023-06-01"}
ONLY_ADAPTIVE = (
    'is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" '
    "to control thinking behavior."
)


def _thinks(kind: str, **fields: Any) -> Json:
    return {"thinking": {"type": kind, **fields}}


def _without(field: str) -> Json:
    return {name: value for name, value in body().items() if name != field}


_DROP: Json = {"prefix_mismatch_behavior": "drop_block"}

SHAPE: Sequence[Row] = (
    Row(name="no model", says="model: Field required", body=_without("model"), near=body()),
    Row(name="no limit", says="max_tokens: Field required", body=_without("max_tokens"), near=body()),
    Row(name="no messages", says="messages: Field required", body=_without("messages"), near=body()),
    Row(
        name="unknown field",
        says=f"colour: {NOT_PERMITTED}",
        body=body(colour="red"),
        near=body(metadata={"user_id": None}),
    ),
    *(
        Row(
            name=name,
            says=f"{name}: {NOT_PERMITTED}",
            body=body(**{name: 1}),
            near=body(stop_sequences=["x"]),
        )
        for name in ("temperature", "top_p", "top_k")
    ),
    Row(
        name="unknown field in a message",
        says=f"messages.0.id: {NOT_PERMITTED}",
        body=body({**user("hi"), "id": "x"}),
        near=body(user("hi")),
    ),
    Row(
        name="unknown field in a text",
        says=f"messages.0.content.0.text.id: {NOT_PERMITTED}",
        body=body(user(text("hi", id="x"))),
        near=body(user(text("hi", citations=None, cache_control=None))),
    ),
    Row(
        name="unknown field in a call",
        says=f"messages.1.content.0.tool_use.text: {NOT_PERMITTED}",
        body=body(user("hi"), assistant({**call("a"), "text": ""}), user(result("a"))),
        near=body(user("hi"), assistant({**call("a"), "toolset_name": None}), user(result("a"))),
    ),
    Row(
        name="unknown field in a result",
        says=f"messages.2.content.0.tool_result.name: {NOT_PERMITTED}",
        body=body(*ROUND[:2], user(result("a", name="read"))),
        near=body(*ROUND[:2], user(result("a", is_error=True))),
    ),
    Row(
        name="unknown field in a tool",
        says=f"tools.0.custom.parameters: {NOT_PERMITTED}",
        body=body(tools=[tool(parameters={})]),
        near=body(tools=[tool(type=None, strict=True)]),
    ),
    Row(
        name="unknown field in a built-in tool",
        says=f"tools.0.bash_20250124.description: {NOT_PERMITTED}",
        body=body(tools=[{"type": "bash_20250124", "name": "bash", "description": "x"}]),
        near=body(tools=[{"type": "bash_20250124", "name": "bash"}]),
    ),
    Row(
        name="unknown field in the system prompt",
        says=f"system.0.text.id: {NOT_PERMITTED}",
        body=body(system=[text("x", id=1)]),
        near=body(system=[text("x")]),
    ),
    Row(
        name="unknown field in thinking",
        says=f"thinking.adaptive.budget_tokens: {NOT_PERMITTED}",
        body=body(**_thinks("adaptive", budget_tokens=2000)),
        near=body(**_thinks("adaptive", display="omitted")),
    ),
    Row(
        name="binding without its beta",
        says=f"thinking.adaptive.block_binding: {NOT_PERMITTED}",
        body=body(**_thinks("adaptive", block_binding=_DROP)),
        near=body(**_thinks("adaptive")),
    ),
    Row(
        name="binding without thinking",
        says=f"thinking.disabled.block_binding: {NOT_PERMITTED}",
        body=body(**_thinks("disabled", block_binding=_DROP)),
        near=body(**_thinks("adaptive", block_binding=_DROP)),
        headers=BINDING,
    ),
    Row(
        name="unknown field in output_config",
        says=f"output_config.budget: {NOT_PERMITTED}",
        body=body(output_config={"budget": 1}),
        near=body(output_config={"effort": "max"}),
    ),
    Row(
        name="unknown field in a mark",
        says=f"messages.0.content.0.text.cache_control.scope: {NOT_PERMITTED}",
        body=body(user(text("hi", cache_control={"type": "ephemeral", "scope": "x"}))),
        near=body(user(text("hi", cache_control={"type": "ephemeral"}))),
    ),
    Row(
        name="unknown block",
        says="messages.0.content.0: Input tag 'video' found using 'type' does not match any of the expected tags: "
        "'text', 'image', 'document', 'search_result', 'tool_result', 'tool_use', 'thinking', 'redacted_thinking', "
        "'server_tool_use', 'web_search_tool_result', 'web_fetch_tool_result', 'code_execution_tool_result'",
        body=body(user({"type": "video"})),
        near=body(user("video")),
    ),
    Row(
        name="block without type",
        says="messages.0.content.0: Unable to extract tag using discriminator 'type'",
        body=body(user({"text": "hi"})),
        near=body(user("hi")),
    ),
    Row(
        name="unknown role",
        says="messages.0.role: Input should be 'user', 'assistant' or 'system'",
        body=body({"role": "tool", "content": "hi"}),
        near=body({"role": "user", "content": "hi"}),
    ),
    *(
        Row(
            name=f"wrong type at {path}",
            says=f"{path}: Input should be a valid {kind}",
            body=wrong,
            near=body(),
        )
        for path, kind, wrong in (
            ("model", "string", body(model=5)),
            ("max_tokens", "integer", body(max_tokens=True)),
            ("stream", "boolean", body(stream="yes")),
            ("messages", "list", {**body(), "messages": {}}),
            ("messages.0", "dictionary", {**body(), "messages": ["hi"]}),
            ("messages.0.content", "list", body({"role": "user", "content": {}})),
        )
    ),
    Row(
        name="temperature is a number",
        says="temperature: Input should be a valid number",
        body=body(temperature="hot"),
        near=body(temperature=0.5, top_p=1, top_k=3),
        headers=OLD_VERSION,
    ),
    Row(
        name="tool name",
        says="tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        body=body(tools=[tool("my.tool")]),
        near=body(tools=[tool("my-tool_" + "x" * 120)]),
    ),
    Row(
        name="call id",
        says="messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        body=body(user("hi"), assistant(call("a.b")), user(result("a.b"))),
        near=body(user("hi"), assistant(call("a-b")), user(result("a-b"))),
    ),
    Row(
        name="call id with a line end",
        says="messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        body=body(user("hi"), assistant(call("a\n")), user(result("a\n"))),
        near=body(*ROUND),
    ),
    Row(
        name="server call id",
        says="messages.1.content.0.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
        body=body(
            user("hi"),
            assistant({"type": "server_tool_use", "id": "a", "name": "web_search", "input": {}}),
            user("?"),
        ),
        near=body(user("hi"), assistant("so"), user("?")),
    ),
)
