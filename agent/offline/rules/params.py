"""The settings of a request: output limit, effort, thinking, tools and the choice among them."""

import re
from collections.abc import Mapping
from typing import Any

from agent.offline.refusal import RefusalError
from agent.offline.rules.schema import refuse
from agent.offline.rules.shape import BUILT_IN_TOOLS
from agent.offline.rules.situation import Situation

MIN_BUDGET_TOKENS = 1024
_BUILT_IN_NAME = re.compile(r"[a-z0-9_]+_20\d{6}")
_NO_TOP_LEVEL = ("oneOf", "allOf", "anyOf")


def check_tool_types(body: Mapping[str, Any], model: str) -> None:
    """Refuse tool types that the API defines for other models or no longer; goes before the shape."""
    tools = body.get("tools")
    kinds = [tool.get("type") for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    unknown = [kind for kind in kinds if isinstance(kind, str) and kind not in BUILT_IN_TOOLS]
    unsupported = [kind for kind in unknown if _BUILT_IN_NAME.fullmatch(kind)]
    if unsupported:
        offer = ", ".join(sorted(BUILT_IN_TOOLS))
        names = ", ".join(unsupported)
        raise RefusalError(f"'{model}' does not support tool types: {names}. Did you mean one of {offer}?")


def check_params(body: Mapping[str, Any], situation: Situation) -> None:
    """Refuse settings that do not fit the model or one another."""
    if not situation.counting:
        _check_max_tokens(body, situation)
    _check_tools(body)
    _check_tool_choice(body, situation)
    _check_effort(body, situation)
    _check_thinking(body, situation)


def thinking_type(body: Mapping[str, Any]) -> str | None:
    """The request's `thinking.type`; None: left to the model."""
    thinking = body.get("thinking")
    return thinking["type"] if thinking else None


def _check_max_tokens(body: Mapping[str, Any], situation: Situation) -> None:
    asked, limit, model = body["max_tokens"], situation.facts.max_output, situation.facts.id
    if asked < 0:
        refuse("max_tokens", "Input should be greater than or equal to 0")
    if asked > limit:
        text = f"{asked} > {limit}, which is the maximum allowed number of output tokens for {model}"
        refuse("max_tokens", text)
    if asked == 0 and (body.get("stream") or _forces_tool(body) or thinking_type(body) == "enabled"):
        refuse("max_tokens", "0 cannot be combined with streaming, enabled thinking or a forced tool")


def _check_tools(body: Mapping[str, Any]) -> None:
    tools = body.get("tools") or []
    names = [tool["name"] for tool in tools]
    if len(set(names)) < len(names):
        refuse("tools", "Tool names must be unique.")
    for index, tool in enumerate(tools):
        schema = tool.get("input_schema")
        if schema is None:
            continue
        path = f"tools.{index}.custom.input_schema"
        if "type" not in schema:
            refuse(f"{path}.type", "Field required")
        if schema["type"] != "object":
            refuse(f"{path}.type", "Input should be 'object'")
        if any(key in schema for key in _NO_TOP_LEVEL):
            refuse(path, "input_schema does not support oneOf, allOf, or anyOf at the top level")


def _forces_tool(body: Mapping[str, Any]) -> bool:
    return bool(body.get("tool_choice")) and body["tool_choice"]["type"] in ("any", "tool")


def _check_tool_choice(body: Mapping[str, Any], situation: Situation) -> None:
    choice = body.get("tool_choice")
    if choice is None:
        return
    if not body.get("tools"):
        raise RefusalError("tool_choice may only be specified while providing tools")
    if not _forces_tool(body):
        return
    if not situation.facts.forced_tool:
        refuse("tool_choice", 'type "tool" and "any" are not supported for this model.')
    if thinking_type(body) == "enabled":
        raise RefusalError("Thinking may not be enabled when tool_choice forces tool use.")
    if choice["type"] == "tool" and choice["name"] not in [tool["name"] for tool in body["tools"]]:
        raise RefusalError(f"Tool '{choice['name']}' not found in provided tools")


def _check_effort(body: Mapping[str, Any], situation: Situation) -> None:
    effort = (body.get("output_config") or {}).get("effort")
    if effort is None or effort in situation.facts.efforts:
        return
    if not situation.facts.efforts:
        raise RefusalError("This model does not support the effort parameter.")
    levels = ", ".join(sorted(situation.facts.efforts))
    raise RefusalError(f"This model does not support effort level '{effort}'. Supported levels: {levels}.")


def _check_thinking(body: Mapping[str, Any], situation: Situation) -> None:
    kind = thinking_type(body)
    if kind is None:
        return
    if kind not in situation.facts.thinking:
        if kind == "adaptive":
            raise RefusalError("adaptive thinking is not supported on this model")
        raise RefusalError(
            f'"thinking.type.{kind}" is not supported for this model. '
            'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
        )
    effort = (body.get("output_config") or {}).get("effort")
    leaves_out = kind in ("disabled", "between_tools") and situation.facts.thinking != ("enabled", "disabled")
    if leaves_out and effort in ("xhigh", "max"):
        raise RefusalError(
            f'"thinking.type.{kind}" is not supported at effort "{effort}". Use "high" or lower.'
        )
    if kind == "enabled":
        _check_budget(body, situation)


def _check_budget(body: Mapping[str, Any], situation: Situation) -> None:
    budget = body["thinking"]["budget_tokens"]
    if budget < MIN_BUDGET_TOKENS:
        refuse(
            "thinking.enabled.budget_tokens", f"Input should be greater than or equal to {MIN_BUDGET_TOKENS}"
        )
    interleaved = any(beta.startswith("interleaved-thinking") for beta in situation.betas)
    if not situation.counting and not interleaved and budget >= body["max_tokens"]:
        raise RefusalError("`max_tokens` must be greater than `thinking.budget_tokens`.")
