"""Values of a YAML text: those of PyYAML's own safe loader, or an error."""

from contextlib import suppress

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from skills.yaml_values import PARSER, value_of

WORDS = st.sampled_from(
    [
        *"ab-|[]{},\n'\":#&*!?~1=é画🚀",
        "name:",
        "description:",
        ">-",
        ">",
        "\n  ",
        "\n- ",
        "true",
        "no",
        "0x1f",
        "1.5",
        "<<:",
        "2024-01-01",
    ]
)
TEXTS = st.lists(WORDS, max_size=20).map(" ".join) | st.text(max_size=40)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.dates() | st.floats(allow_nan=False)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.booleans())
def test_what_was_written_comes_back(value: object, is_flow: bool) -> None:
    """Every type that the safe loader has, in block and in flow style, quoted and plain."""
    text = yaml.safe_dump(value, default_flow_style=is_flow, allow_unicode=True)

    assert value_of(text) == yaml.safe_load(text)


@given(TEXTS)
@example("!")
@example("! a")
def test_no_text_means_something_else(text: str) -> None:
    """A value or an error, never another value than the safe loader's; merge keys aside."""
    try:
        value = value_of(text)
    except (yaml.YAMLError, ValueError):
        return
    with suppress(yaml.YAMLError, ValueError):
        assert value == yaml.safe_load(text) or "<<" in text


@given(TEXTS)
def test_both_parsers_say_the_same(text: str) -> None:
    """libyaml's and Python's own: what both take has the same value."""
    with suppress(yaml.YAMLError, ValueError):
        assert value_of(text, PARSER) == value_of(text, yaml.SafeLoader)


@pytest.mark.parametrize("parser", [PARSER, yaml.SafeLoader])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: &x 1\nb: *x", "aliases"),
        ("x: " + "[" * 9_000, "nesting"),
        ("- " * 900 + "x", "nesting"),
        ("a: !!python/name:os.system x", "tags"),
        ("a: !own {b: c}", "tags"),
        ("a: 1\n---\nb: 2", "second document"),
        ("? {a: b}\n: c", "as a key"),
    ],
)
def test_what_no_front_matter_needs_is_refused(parser: object, text: str, words: str) -> None:
    """Before anything is made of it."""
    with pytest.raises(yaml.YAMLError, match=words):
        value_of(text, parser)
