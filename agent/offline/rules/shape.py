"""The fields that a request may have: anything else is refused with its dotted path."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from agent.offline.rules.schema import (
    Check,
    anything,
    boolean,
    integer,
    items,
    literal,
    mapping,
    nullable,
    number,
    pattern,
    string,
    string_or,
    struct,
    tagged,
)

TOOL_NAME = pattern("^[a-zA-Z0-9_-]{1,128}$")
CALL_ID = pattern("^[a-zA-Z0-9_-]+$")
SERVER_CALL_ID = pattern("^srvtoolu_[a-zA-Z0-9_]+$")

_TYPE = {"type": anything}
_MARK: Mapping[str, Check] = {
    "cache_control": nullable(struct({"type": literal("ephemeral")}, {"ttl": literal("5m", "1h")})),
}
_TEXT = struct({**_TYPE, "text": string}, {**_MARK, "citations": nullable(items(mapping))})
_IMAGE = struct(
    {
        **_TYPE,
        "source": tagged(
            {
                "base64": struct(
                    {
                        **_TYPE,
                        "media_type": literal("image/jpeg", "image/png", "image/gif", "image/webp"),
                        "data": string,
                    },
                ),
                "url": struct({**_TYPE, "url": string}),
                "file": struct({**_TYPE, "file_id": string}),
            },
        ),
    },
    {**_MARK, "transformations": nullable(mapping)},
)
_DOCUMENT = struct(
    {**_TYPE, "source": mapping},
    {**_MARK, "citations": nullable(mapping), "context": nullable(string), "title": nullable(string)},
)
_SEARCH_RESULT = struct(
    {**_TYPE, "content": items(tagged({"text": _TEXT})), "source": string, "title": string},
    {**_MARK, "citations": mapping},
)
_RESULT_PARTS = {"text": _TEXT, "image": _IMAGE, "document": _DOCUMENT, "search_result": _SEARCH_RESULT}
_TOOL_RESULT = struct(
    {**_TYPE, "tool_use_id": CALL_ID},
    {
        **_MARK,
        "content": string_or(items(tagged(_RESULT_PARTS))),
        "is_error": boolean,
        "toolset_name": nullable(string),
    },
)
_TOOL_USE = struct(
    {**_TYPE, "id": CALL_ID, "name": TOOL_NAME, "input": mapping},
    {**_MARK, "caller": mapping, "toolset_name": nullable(string)},
)
_SERVER_TOOL_USE = struct(
    {**_TYPE, "id": SERVER_CALL_ID, "name": string, "input": mapping},
    {**_MARK, "caller": mapping},
)
_SERVER_RESULT = struct(
    {**_TYPE, "tool_use_id": SERVER_CALL_ID, "content": anything},
    {**_MARK, "caller": mapping},
)
SERVER_TOOLS = ("web_search", "web_fetch", "code_execution")
_BLOCK = tagged(
    {
        **_RESULT_PARTS,
        "tool_result": _TOOL_RESULT,
        "tool_use": _TOOL_USE,
        "thinking": struct({**_TYPE, "thinking": string, "signature": string}),
        "redacted_thinking": struct({**_TYPE, "data": string}),
        "server_tool_use": _SERVER_TOOL_USE,
        **{f"{name}_tool_result": _SERVER_RESULT for name in SERVER_TOOLS},
    },
)
_MESSAGE = struct(
    {"role": literal("user", "assistant", "system"), "content": string_or(items(_BLOCK))},
)

_ANY_TOOL: Mapping[str, Check] = {
    **_MARK,
    "allowed_callers": items(string),
    "defer_loading": boolean,
    "input_examples": items(mapping),
    "strict": boolean,
}
_CUSTOM_TOOL = struct(
    {"name": TOOL_NAME, "input_schema": mapping},
    {**_ANY_TOOL, "type": anything, "description": string, "eager_input_streaming": nullable(boolean)},
)
_FETCHING = {"max_uses": nullable(integer), "allowed_domains": anything, "blocked_domains": anything}
BUILT_IN_TOOLS: Mapping[str, Mapping[str, Check]] = {
    "bash_20250124": {},
    "text_editor_20250728": {"max_characters": nullable(integer)},
    "memory_20250818": {},
    "tool_search_tool_regex_20251119": {},
    "tool_search_tool_bm25_20251119": {},
    "web_search_20260318": {**_FETCHING, "user_location": anything},
    "web_fetch_20260318": {**_FETCHING, "citations": anything, "max_content_tokens": anything},
    "code_execution_20260521": {},
}
"""The tools that the API itself defines, with the fields of their own."""
_TOOL = tagged(
    {
        "custom": _CUSTOM_TOOL,
        **{
            kind: struct({**_TYPE, "name": TOOL_NAME}, {**_ANY_TOOL, **own})
            for kind, own in BUILT_IN_TOOLS.items()
        },
    },
    default="custom",
)

_PARALLEL = {"disable_parallel_tool_use": boolean}
_TOOL_CHOICE = tagged(
    {
        "auto": struct(_TYPE, _PARALLEL),
        "any": struct(_TYPE, _PARALLEL),
        "tool": struct({**_TYPE, "name": string}, _PARALLEL),
        "none": struct(_TYPE),
    },
)
_OUTPUT_CONFIG = struct(
    {},
    {
        "effort": nullable(literal("low", "medium", "high", "xhigh", "max")),
        "format": nullable(struct({"type": literal("json_schema"), "schema": mapping})),
    },
)
_SAMPLING = {"temperature": number, "top_p": number, "top_k": integer}


@cache
def request_shape(*, counting: bool, sampling: bool, binding: bool) -> Check:
    """What a request may look like.

    Args:      counting: for `count_tokens`; sampling: the version still has `temperature` and its like;
               binding: the beta of `block_binding` is on.
    """
    required = {"model": string, "messages": items(_MESSAGE)}
    optional: dict[str, Check] = {
        **_MARK,
        "output_config": _OUTPUT_CONFIG,
        "speed": nullable(literal("standard", "fast")),
        "system": string_or(items(tagged({"text": _TEXT}))),
        "thinking": _thinking(binding=binding),
        "tool_choice": _TOOL_CHOICE,
        "tools": items(_TOOL),
    }
    if sampling:
        optional |= _SAMPLING
    if counting:
        return struct(required, optional)
    optional |= {
        "container": anything,
        "diagnostics": nullable(mapping),
        "inference_geo": nullable(string),
        "metadata": struct({}, {"user_id": nullable(string)}),
        "service_tier": literal("auto", "standard_only"),
        "stop_sequences": items(string),
        "stream": boolean,
    }
    return struct({"model": string, "max_tokens": integer, "messages": items(_MESSAGE)}, optional)


def _thinking(*, binding: bool) -> Check:
    behaviour = nullable(literal("error", "drop_block"))
    own: dict[str, Check] = {"display": nullable(literal("summarized", "omitted"))}
    if binding:
        own["block_binding"] = struct({}, {"prefix_mismatch_behavior": behaviour})
    members: dict[str, Any] = {
        "adaptive": struct(_TYPE, own),
        "enabled": struct({**_TYPE, "budget_tokens": integer}, own),
        "disabled": struct(_TYPE),
        "between_tools": struct(_TYPE),
    }
    return tagged(members)
