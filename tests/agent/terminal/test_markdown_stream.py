"""A streamed answer: every line once, whatever the chunks."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.terminal.markdown import LONG_BLOCK_LINES, MarkdownStream
from agent.terminal.render import markdown, to_ansi

SGR = re.compile("\x1b\\[[0-9;]*m")
WIDTH = 60
BLOCKS = (
    "A paragraph with **bold**, `code` and [red]brackets[/red] that is long enough to be wrapped somewhere.",
    "# A heading",
    "A heading\n=========",
    "- one\n- two\n  - nested\n- three",
    "1. first\n2. second",
    "> a quotation\n> of two lines",
    "```python\ndef f(x: list[int]) -> None:\n\n    return None\n```",
    "    indented code",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "---",
    "<b>&amp;</b> :smile:",
    "```\nnever closed",
)


def lines_of(ansi: str) -> list[str]:
    return [line for line in SGR.sub("", ansi).split("\n") if line.strip()]


def streamed(text: str, sizes: list[int], width: int = WIDTH) -> list[str]:
    """Return all pieces of an answer that comes in chunks of these sizes, over and over."""
    stream, pieces, at, turn = MarkdownStream(), [], 0, 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        stream.feed(text[at : at + size])
        at, turn = at + size, turn + 1
        pieces.append(stream.take_finished(width))
        stream.tail(width)
    return [*pieces, stream.finish(width)]


@given(
    st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=8),
    st.lists(st.integers(1, 40), min_size=1, max_size=5),
)
def test_the_pieces_are_the_whole(blocks: list[str], sizes: list[int]) -> None:
    """One after the other they equal the rendering of the whole answer, empty lines apart."""
    text = "\n\n".join(blocks)
    assert lines_of("".join(streamed(text, sizes))) == lines_of(to_ansi(markdown(text), WIDTH))


@given(
    st.text(alphabet="ab*`#->|_ \n\t1.~=", max_size=200), st.lists(st.integers(1, 20), min_size=1, max_size=3)
)
def test_no_chunking_makes_a_difference(text: str, sizes: list[int]) -> None:
    """Anything that looks like Markdown: cut in chunks it comes out as in chunks of one character."""
    assert lines_of("".join(streamed(text, sizes))) == lines_of("".join(streamed(text, [1])))


def test_an_unfinished_line_decides_nothing() -> None:
    """A `#` that is about to become `#1` is no heading: what stands before it is not finished by it."""
    assert "".join(streamed("one\n#1", [1])) == "".join(streamed("one\n#1", [7]))


@pytest.mark.parametrize("fence", ["```", "~~~~", "  ```"])
def test_a_long_code_block_is_committed_in_pieces(fence: str) -> None:
    """No line is lost or doubled, also without a newline at the end; the tail stays small."""
    code = [f"line {number}" for number in range(200)]
    text = "\n".join([f"{fence}python", *code, fence.strip(), "", "The end."])
    assert [line.strip() for line in lines_of("".join(streamed(text, [9])))] == [*code, "The end."]
    stream = MarkdownStream()
    for line in text.splitlines(keepends=True):
        stream.feed(line)
        stream.take_finished(WIDTH)
        assert len(stream.tail(WIDTH)) <= LONG_BLOCK_LINES + 2


def test_a_long_list_is_committed_in_pieces() -> None:
    """Item by item once it is long; numbers go on."""
    items = [f"{number}. item" for number in range(1, 100)]
    got = lines_of("".join(streamed("\n".join(items), [7])))
    assert [" ".join(line.split()) for line in got] == [f"{number} item" for number in range(1, 100)]


def test_a_piece_of_a_block_is_told_from_a_new_block() -> None:
    """Whoever shows the pieces parts blocks by an empty line, and only blocks."""
    stream = MarkdownStream()
    stream.feed("One.\n\n```\n" + "x\n" * (LONG_BLOCK_LINES + 5))
    assert lines_of(stream.take_finished(WIDTH)) == ["One."]
    assert not stream.is_inside
    assert stream.take_finished(WIDTH)
    assert stream.is_inside
    stream.discard()
    assert (stream.is_inside, list(stream.tail(WIDTH))) == (False, [])


def test_text_that_looks_like_markup_is_text() -> None:
    """HTML, entities, rich's own markup and emoji codes stand as typed."""
    text = "<b>&amp;</b> [bold]x[/bold] :smile: list[int]"
    assert lines_of("".join(streamed(text, [5]))) == [text]
