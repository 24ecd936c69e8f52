"""A list in a JSON text is changed, and not a character beside."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.json_text import JsonTextError, with_item, without_item
from agent.settings import from_json

PATH = ("permissions", "allow")
ADDED = [
    ("", '{\n  "permissions": {\n    "allow": [\n      "new"\n    ]\n  }\n}\n'),
    ("{}", '{\n  "permissions": {\n    "allow": [\n      "new"\n    ]\n  }\n}'),
    (
        '{\n  "model": "x" // mine\n}\n',
        '{\n  "model": "x", // mine\n  "permissions": {\n    "allow": [\n      "new"\n    ]\n  }\n}\n',
    ),
    (
        '{"permissions": {"deny": ["a"]}}',
        '{"permissions": {"deny": ["a"], "allow": [\n    "new"\n  ]}}',
    ),
    ('{"permissions": {"allow": []}}', '{"permissions": {"allow": ["new"]}}'),
    ('{"permissions": {"allow": ["a"]}}', '{"permissions": {"allow": ["a", "new"]}}'),
    ('{"permissions": {"allow": ["a",]}}', '{"permissions": {"allow": ["a", "new",]}}'),
    (
        '{\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"a", // why\n\t\t\t"b" /* so */ // and so\n\t\t]\n\t}\n}\n',
        '{\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"a", // why\n\t\t\t"b", /* so */ // and so\n\t\t\t"new"\n\t\t]\n\t}\n}\n',
    ),
    (
        "{permissions: {\r\n  'allow': [\r\n    'a', // x\r\n  ],\r\n}}\r\n",
        "{permissions: {\r\n  'allow': [\r\n    'a', // x\r\n    \"new\",\r\n  ],\r\n}}\r\n",
    ),
    (
        '{\n  "permissions": {\n    "allow": [\n      // nothing yet\n    ]\n  }\n}',
        '{\n  "permissions": {\n    "allow": [\n      "new"\n      // nothing yet\n    ]\n  }\n}',
    ),
    ('// "permissions": {"allow": []}\n{"a": "}]{[,:", "permissions": {"allow": ["x"]}}', None),
]


@pytest.mark.parametrize(("text", "expected"), ADDED)
def test_an_item_is_added_in_the_layout_that_is_there(text: str, expected: str | None) -> None:
    """Comments, quotes, indents, ends of lines and trailing commas stay; what is missing on the way is made."""
    changed = with_item(text, PATH, "new", from_json)
    assert expected is None or changed == expected
    assert from_json(changed)["permissions"]["allow"][-1] == "new"


REMOVED = [
    ('["a", "b", "c"]', "b", '["a", "c"]'),
    ('["a", "b", "c"]', "c", '["a", "b"]'),
    ('["a", "b", "c"]', "a", '["b", "c"]'),
    ('["a"]', "a", "[]"),
    ('["a",]', "a", "[]"),
    ('["a", "a", "b"]', "a", '["b"]'),
    ('[\n  "a", // keep me\n  "b",\n  "c"\n]', "b", '[\n  "a", // keep me\n  "c"\n]'),
    ('[\n  "a",\n  "b"\n]', "b", '[\n  "a"\n]'),
    ('[\n  "a",\n  "b", // of b\n]', "b", '[\n  "a",\n  // of b\n]'),
    ('[\r\n  "a",\r\n  "b"\r\n]', "a", '[\r\n  "b"\r\n]'),
]


@pytest.mark.parametrize(("before", "item", "after"), REMOVED)
def test_an_item_is_removed_with_its_comma_and_line(before: str, item: str, after: str) -> None:
    """What stands beside it stays as it is; an item that stands there twice goes twice."""
    around = '{{"permissions": {{"allow": {}}}, "model": "x"}}'
    assert without_item(around.format(before), PATH, item, from_json) == around.format(after)


@pytest.mark.parametrize(
    "text",
    [
        *("[]", '"x"', "{", "{}}", "{} {}", '{"permissions": []}', '{"permissions": {"allow": "a"}}'),
        *('{"permissions": {"allow": {}}}', '{"permissions": null}', '{"a": /b/}', "nonsense", '{"a" 1}'),
        '{"permissions": {"allow": ["a"]}, "permissions": 1}',
        r'{"permissions": {"allow": ["a"]}, "permission\u0073": {"allow": []}}',
        "{a:" * 60 + "1" + "}" * 60,
    ],
)
def test_what_is_not_understood_is_not_changed(text: str) -> None:
    """Another shape, a key that stands there twice or is spelled with escapes, no JSON at all: an error, no guess."""
    with pytest.raises(JsonTextError):
        with_item(text, PATH, "new", from_json)


@pytest.mark.parametrize(
    "text", ["{}", '{"permissions": {"allow": ["b"]}}', '{"permissions": {"allow": {}}}']
)
def test_what_is_not_there_cannot_be_removed(text: str) -> None:
    """It is said; nothing else is taken away in its place."""
    with pytest.raises(JsonTextError):
        without_item(text, PATH, "a", from_json)


strings = st.text(max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | strings,
    lambda v: st.lists(v, max_size=3) | st.dictionaries(strings, v, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(strings, values, max_size=3).flatmap(
    lambda others: st.lists(strings, max_size=4).map(
        lambda allow: {**others, "permissions": {"allow": allow}}
    )
)


@given(objects, strings, st.sampled_from([None, 0, 1, 2, "\t"]))
def test_there_and_back(value: dict[str, Any], item: str, indent: int | str | None) -> None:
    """Whatever stands in a file: an item that is added and removed again leaves the same value."""
    text = json.dumps(value, indent=indent)
    changed, had = with_item(text, PATH, item, from_json), value["permissions"]["allow"]
    assert from_json(changed)["permissions"]["allow"] == (had if item in had else [*had, item])
    back = from_json(without_item(changed, PATH, item, from_json))
    left = [one for one in value["permissions"]["allow"] if one != item]
    assert back == {**value, "permissions": {"allow": left}}
