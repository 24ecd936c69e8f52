"""Front matter of any Markdown file: agents, skills, whatever has fields above a text."""

import pytest

from skills.frontmatter import Document, FrontMatterError, read


def test_fields_of_every_type_and_the_body() -> None:
    """The fields come as YAML has them, in their order; the body without the empty lines around it."""
    data = b"\xef\xbb\xbf---\r\ntools: [read, bash]\r\nmax_steps: 20\r\nabout: Use when: asked\r\n--- \r\n\r\nDo it.\r\n"

    document = read(data)

    assert document.fields == {"tools": ["read", "bash"], "max_steps": 20, "about": "Use when: asked"}
    assert document.body == "Do it."
    assert [remark.split("(")[0] for remark in document.remarks] == [
        "begins with a byte order mark: save it as UTF-8 without one",
        "is no YAML ",
    ]


def test_no_fields_at_all() -> None:
    """An empty front matter is one: which fields are needed is for the reader to say."""
    assert read(b"---\n# nothing yet\n---\nText.") == Document(fields={}, body="Text.")


@pytest.mark.parametrize("head", ["- a", "just words", "7"])
def test_what_is_no_mapping_is_refused(head: str) -> None:
    """A list or a single value has no fields."""
    with pytest.raises(FrontMatterError, match="no list of `key: value` lines"):
        read(f"---\n{head}\n---\n".encode())


def test_a_field_that_stands_there_twice_is_said() -> None:
    """The last one counts, as in YAML; below the first level nobody is confused by it."""
    document = read(b"---\na: 1\nb:\n  c: 1\n  c: 2\na: 2\n---\n")

    assert document.fields == {"a": 2, "b": {"c": 2}}
    assert document.remarks == ("has `a` more than once: the last one counts",)
