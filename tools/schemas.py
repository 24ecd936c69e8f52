"""The input schema of a tool as the model gets it: what it needs to write a call, and nothing that we check anyway."""

from typing import Any

from tools.base import ToolInput

_KEPT = ("type", "description", "enum", "properties", "items", "anyOf", "required")
"""In this order, whatever pydantic's is. Limits and defaults are said in words where they matter, and are paid for once."""


def input_schema(model: type[ToolInput]) -> dict[str, Any]:
    """Return the schema of ``model``: references written out, optional fields without null.

    Deterministic: fields in the order in which the model declares them.
    """
    schema = model.model_json_schema()
    plain = _plain(schema, schema.get("$defs", {}))
    plain.pop("description", None)  # the class docstring; the tool has its own description
    plain.setdefault("properties", {})
    return plain


def _plain(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        named = definitions[schema["$ref"].rsplit("/", 1)[1]]
        return _plain({**_without(named, "description"), **_without(schema, "$ref")}, definitions)
    if "anyOf" in schema:
        choices = [choice for choice in schema["anyOf"] if choice != {"type": "null"}]
        if len(choices) == 1:
            return _plain({**choices[0], **_without(schema, "anyOf")}, definitions)
    return {key: _plain_value(key, schema[key], definitions=definitions) for key in _KEPT if key in schema}


def _plain_value(key: str, value: Any, *, definitions: dict[str, Any]) -> Any:
    match key:
        case "properties":
            return {name: _plain(field, definitions) for name, field in value.items()}
        case "items":
            return _plain(value, definitions)
        case "anyOf":
            return [_plain(choice, definitions) for choice in value]
    return value


def _without(schema: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != key}
