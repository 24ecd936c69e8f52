"""Null for a field that may be left out: models that fill in every field of a schema mean by it that it is."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel


def without_nulls(input: Any, model: type[BaseModel]) -> Any:
    """Return an input without its nulls, but for fields that must be there or do not exist: those are complained about."""
    if not isinstance(input, Mapping):
        return input
    fields = model.model_fields
    return {
        name: given
        for name, given in input.items()
        if given is not None or name not in fields or fields[name].is_required()
    }
