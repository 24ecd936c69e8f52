"""The input schema of a tool as the model gets it: plain JSON Schema without pydantic's extras."""

from typing import Any

from tools.base import ToolInput

_DROPPED = frozenset({"title", "$defs"})


def input_schema(model: type[ToolInput]) -> dict[str, Any]:
    """Return the schema of ``model``: no titles, references written out, optional fields without null.

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
    return {
        key: _plain_value(key, value, definitions=definitions)
        for key, value in schema.items()
        if key not in _DROPPED and not (key == "default" and value is None)
    }


def _plain_value(key: str, value: Any, *, definitions: dict[str, Any]) -> Any:
    if key == "properties":
        return {name: _plain(field, definitions) for name, field in value.items()}
    if isinstance(value, dict):
        return _plain(value, definitions)
    if isinstance(value, list):
        return [_plain(item, definitions) if isinstance(item, dict) else item for item in value]
    return value


def _without(schema: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != key}
