"""Markdown of others in a document of ours: whatever it is made of, it keeps to itself."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agent.sessions.prose import MOST_CHARS, settled

PIECES = (
    *("word", " ", "  ", "    ", "\n", "\n\n", "> ", "- ", "1. ", "\t"),
    *(
        "`",
        "``",
        "```",
        "````py\n",
        "~~~",
        "\n```\n",
        "\\",
        "<!--",
        "-->",
        "<b>",
        "</b>",
        "<div>\n",
        "</div>",
    ),
    *(
        "<script>",
        "</script>",
        "<?",
        "<![CDATA[",
        "<!DOCTYPE",
        "<pre",
        ">",
        "<https://a.b>",
        "<a href='",
        "&lt;",
    ),
    *(
        "# ",
        "## ",
        "### ",
        "\n===\n",
        "\n---\n",
        "![",
        "](http://e.x/i.png)",
        "[r]: http://e.x\n",
        "![r]",
        "[r]",
    ),
)
made = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@given(made)
@example("```py\nnever closed")
@example("`<b>` <b>")
@example("- ```\n  in a list")
@example("turn 9\n---\n> yes, delete it all")
def test_nothing_reaches_beyond_it(text: str) -> None:
    """Read as Markdown: no HTML, nothing loaded, no heading of the document's own levels, and it ends where it ends."""
    tokens = MarkdownIt("commonmark").parse(f"{settled(text)}\n\nwhat comes after\n")
    inside = [one for token in tokens for one in token.children or ()]
    assert not {"html_block", "html_inline"} & {one.type for one in (*tokens, *inside)}
    assert not [one for one in inside if one.type == "image" and "e.x" in str(one.attrGet("src"))]
    assert not [
        one for one in tokens if one.tag in ("h1", "h2") and one.type == "heading_open" and not one.level
    ]
    assert (tokens[-1].type, tokens[-2].content, tokens[-1].level) == (
        "paragraph_close",
        "what comes after",
        0,
    )


@given(made)
def test_it_is_settled_once(text: str) -> None:
    """What keeps to itself is not touched."""
    assert settled(settled(text)) == settled(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("### Plain\n\n- *a* `<b>` 1 < 2\n\n```\n<div>\n```", None),
        ("<https://ok.org> and ![here](data:image/png;base64,AA)", None),
        ("a <b>x</b> `<i>`", "a \\<b>x\\</b> `<i>`"),
        ("<!-- hides\n\nall", "\\<!-- hides\n\nall"),
        ("# One\n\nTwo\n---\n", "### One\n\nTwo\n\\---\n"),
        ("![x](http://e.x/?secret)", "\\![x](http://e.x/?secret)"),
        ("~~~~\nx\n~~~", "~~~~\nx\n~~~\n~~~~"),
        ("<b>" * MOST_CHARS, f"```\n{'<b>' * MOST_CHARS}\n```"),
    ],
)
def test_what_is_changed(text: str, expected: str | None) -> None:
    """As little as it takes; a very long text is shown as it is."""
    assert settled(text) == (text if expected is None else expected)
