"""Refusals of settings that do not fit the model or one another."""

from collections.abc import Sequence
from typing import Any

from tests.agent.offline.asking import Json, body, tool
from tests.agent.offline.rows import FORTY_FIVE, Row

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

SETTINGS: Sequence[Row] = (
    Row(
        name="limit over the model's",
        says="max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens for claude-opus-5",
        body=body(max_tokens=128001),
        near=body(max_tokens=128000),
    ),
    Row(
        name="negative limit",
        says="max_tokens: Input should be greater than or equal to 0",
        body=body(max_tokens=-1),
        near=body(max_tokens=0),
    ),
    Row(
        name="streamed prewarming",
        says="max_tokens: 0 cannot be combined with streaming, enabled thinking or a forced tool",
        body=body(max_tokens=0, stream=True),
        near=body(max_tokens=1, stream=True),
    ),
    Row(
        name="double tool names",
        says="tools: Tool names must be unique.",
        body=body(tools=[tool(), tool()]),
        near=body(tools=[tool(), tool("write")]),
    ),
    Row(
        name="schema without type",
        says="tools.0.custom.input_schema.type: Field required",
        body=body(tools=[{"name": "read", "input_schema": {}}]),
        near=body(tools=[tool()]),
    ),
    Row(
        name="schema of an array",
        says="tools.0.custom.input_schema.type: Input should be 'object'",
        body=body(tools=[{"name": "read", "input_schema": {"type": "array"}}]),
        near=body(tools=[tool()]),
    ),
    Row(
        name="schema with alternatives",
        says="tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
        body=body(tools=[{"name": "read", "input_schema": {"type": "object", "anyOf": []}}]),
        near=body(
            tools=[{"name": "read", "input_schema": {"type": "object", "properties": {"a": {"anyOf": []}}}}]
        ),
    ),
    Row(
        name="tool type of another model",
        says="'claude-opus-5' does not support tool types: computer_20251124. Did you mean one of "
        "bash_20250124, code_execution_20260521, memory_20250818, text_editor_20250728, "
        "tool_search_tool_bm25_20251119, tool_search_tool_regex_20251119, web_fetch_20260318, web_search_20260318?",
        body=body(tools=[{"type": "computer_20251124", "name": "computer"}]),
        near=body(tools=[{"type": "memory_20250818", "name": "memory"}]),
    ),
    Row(
        name="forced tool",
        says='tool_choice: type "tool" and "any" are not supported for this model.',
        body=body(tools=[tool()], tool_choice={"type": "any"}, model="claude-opus-5-5"),
        near=body(tools=[tool()], tool_choice={"type": "auto"}, model="claude-opus-5-5"),
    ),
    Row(
        name="forced tool that is not there",
        says="Tool 'write' not found in provided tools",
        body=body(tools=[tool()], tool_choice={"type": "tool", "name": "write"}),
        near=body(tools=[tool()], tool_choice={"type": "tool", "name": "read"}),
    ),
    Row(
        name="forced tool with thinking",
        says="Thinking may not be enabled when tool_choice forces tool use.",
        body=body(
            tools=[tool()],
            tool_choice={"type": "any"},
            model=FORTY_FIVE,
            max_tokens=2000,
            **_thinks("enabled", budget_tokens=1024),
        ),
        near=body(tools=[tool()], tool_choice={"type": "any"}, model=FORTY_FIVE),
    ),
    Row(
        name="choice without tools",
        says="tool_choice may only be specified while providing tools",
        body=body(tool_choice={"type": "auto"}),
        near=body(tool_choice={"type": "none"}, tools=[tool()]),
    ),
    Row(
        name="effort on a model without",
        says="This model does not support the effort parameter.",
        body=body(output_config={"effort": "low"}, model=FORTY_FIVE),
        near=body(output_config={"effort": "low"}, model="claude-opus-4-5"),
    ),
    Row(
        name="effort that the model has not",
        says="This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
        body=body(output_config={"effort": "xhigh"}, model="claude-opus-4-6"),
        near=body(output_config={"effort": "max"}, model="claude-opus-4-6"),
    ),
    Row(
        name="manual thinking on a new model",
        says=f'"thinking.type.enabled" {ONLY_ADAPTIVE}',
        body=body(max_tokens=4000, **_thinks("enabled", budget_tokens=2000)),
        near=body(max_tokens=4000, model="claude-opus-4-6", **_thinks("enabled", budget_tokens=2000)),
    ),
    Row(
        name="no thinking on a thinking model",
        says=f'"thinking.type.disabled" {ONLY_ADAPTIVE}',
        body=body(model="claude-sonnet-5-5", **_thinks("disabled")),
        near=body(model="claude-sonnet-5-5", **_thinks("between_tools")),
    ),
    Row(
        name="adaptive thinking on an old model",
        says="adaptive thinking is not supported on this model",
        body=body(model=FORTY_FIVE, **_thinks("adaptive")),
        near=body(model=FORTY_FIVE, **_thinks("disabled")),
    ),
    Row(
        name="no thinking at high effort",
        says='"thinking.type.disabled" is not supported at effort "max". Use "high" or lower.',
        body=body(output_config={"effort": "max"}, **_thinks("disabled")),
        near=body(output_config={"effort": "high"}, **_thinks("disabled")),
    ),
    Row(
        name="small budget",
        says="thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
        body=body(max_tokens=4000, model=FORTY_FIVE, **_thinks("enabled", budget_tokens=1023)),
        near=body(max_tokens=4000, model=FORTY_FIVE, **_thinks("enabled", budget_tokens=1024)),
    ),
    Row(
        name="budget over the limit",
        says="`max_tokens` must be greater than `thinking.budget_tokens`.",
        body=body(max_tokens=2000, model=FORTY_FIVE, **_thinks("enabled", budget_tokens=2000)),
        near=body(max_tokens=2001, model=FORTY_FIVE, **_thinks("enabled", budget_tokens=2000)),
    ),
)
