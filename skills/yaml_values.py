"""Plain values of a YAML text, made of its events in one pass: nothing can stand for more than is written, and nothing runs."""

from collections.abc import Callable
from typing import Any

import yaml

MAX_DEPTH = 20
_TEXT = "tag:yaml.org,2002:str"
PARSER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's where PyYAML was built with it: the same events in a tenth of the time."""
_plain: Any = yaml.SafeLoader("")
"""Tells what a plain scalar is: text, number, truth, date, nothing."""

_BEGINNINGS = frozenset(yaml.SafeLoader.yaml_implicit_resolvers)
"""First characters of what may be more than text."""


class Repeated(dict[Any, object]):
    """A mapping in which a key was written more than once; the last value counts, as in YAML."""

    keys_twice: tuple[str, ...] = ()


def value_of(text: str, parser: Any = PARSER) -> object:
    """Return what ``text`` holds; None for nothing.

    Raises:    yaml.YAMLError, ValueError: broken; or with an alias, a tag, or nested deeper than `MAX_DEPTH`, which no
               front matter needs: an alias can stand for exponentially more than its text.
    """
    source = parser(text)
    found: object = None
    documents = 0
    while (event := source.get_event()) is not None:
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise yaml.YAMLError("a second document (`---`, `...`) is not accepted")
            found = _value(source.get_event(), source.get_event, 0)
    return found


def _value(event: Any, next_event: Callable[[], Any], depth: int) -> object:
    kind = type(event)
    if kind is yaml.AliasEvent or depth > MAX_DEPTH:
        raise yaml.YAMLError("aliases (`*name`) and deep nesting are not accepted")
    if event.tag is not None:
        raise yaml.YAMLError(f"tags (`{event.tag}`) are not accepted")
    if kind is yaml.ScalarEvent:
        return _scalar(event)
    end = yaml.SequenceEndEvent if kind is yaml.SequenceStartEvent else yaml.MappingEndEvent
    items: list[object] = []
    while type(inner := next_event()) is not end:
        items.append(_value(inner, next_event, depth + 1))
    return items if kind is yaml.SequenceStartEvent else _mapping(items)


def _mapping(items: list[object]) -> dict[Any, object]:
    keys = items[::2]
    if any(isinstance(key, list | dict) for key in keys):
        raise yaml.YAMLError("a list or a map as a key is not accepted")
    made = dict(zip(keys, items[1::2], strict=True))
    if len(made) == len(keys):
        return made
    repeated = Repeated(made)
    repeated.keys_twice = tuple(str(key) for key in made if keys.count(key) > 1)
    return repeated


def _scalar(event: Any) -> object:
    value: str = event.value
    if not event.implicit[0] or (value and value[0] not in _BEGINNINGS):
        return value
    tag = _plain.resolve(yaml.ScalarNode, value, (True, False))
    make = None if tag == _TEXT else _plain.yaml_constructors.get(tag)
    return value if make is None else make(_plain, yaml.ScalarNode(tag, value))
