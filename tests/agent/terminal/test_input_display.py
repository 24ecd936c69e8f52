"""How the input is drawn: marks for folded pastes, and where the cursor stands beside them."""

from prompt_toolkit.layout import BufferControl
from prompt_toolkit.layout.processors import BeforeInput, TransformationInput, merge_processors

from agent.terminal.input_display import ShownInput
from agent.terminal.prompt_buffer import PromptBuffer

LONG = "".join(f"line {number}\n" for number in range(120))


def drawn(buffer: PromptBuffer, lineno: int) -> tuple[str, list[int], list[int]]:
    """Return a line as it is shown; the column of each of its characters; the character under each column."""
    control = BufferControl(buffer)
    line = buffer.document.lines[lineno]
    given = TransformationInput(
        control, buffer.document, lineno, lambda at: at, [("", line)], 80, 24, lambda _: []
    )
    made = merge_processors([ShownInput(buffer.folds), BeforeInput("> ")]).apply_transformation(given)
    shown = "".join(fragment[1] for fragment in made.fragments)
    before = 2 if lineno == 0 else 0
    columns = [made.source_to_display(at) for at in range(len(line) + 1)]
    return shown, columns, [made.display_to_source(at) for at in range(before, len(shown) + 1)]


def test_a_paste_is_a_mark() -> None:
    """Its size stands for it; the cursor is at its begin or behind it, at no place inside."""
    buffer = PromptBuffer()
    buffer.insert_text("a")
    buffer.paste(LONG)
    buffer.insert_text("b")
    shown, columns, sources = drawn(buffer, 0)
    assert shown == "> a[pasted 120 lines]b"
    assert columns == [2, 3, 3 + len("[pasted 120 lines]"), len(shown)]
    assert sources == [0, *[1] * len("[pasted 120 lines]"), 2, 3]


def test_pastes_are_numbered_over_all_lines() -> None:
    """The second line's paste is the second."""
    buffer = PromptBuffer()
    buffer.paste(LONG)
    buffer.insert_text("\n")
    buffer.paste(LONG + "more")
    assert drawn(buffer, 0)[0] == "> [paste 1: 120 lines]"
    assert drawn(buffer, 1)[0] == "[paste 2: 121 lines]"


def test_direction_is_never_turned() -> None:
    """A character that turns what follows is shown as an escape; the text keeps it."""
    buffer = PromptBuffer()
    buffer.paste("a\u202eb")
    assert drawn(buffer, 0)[0] == "> a\\u202eb"
    assert buffer.expanded == "a\u202eb"


def test_other_lines_stay() -> None:
    """What is shown as it is has its places unchanged."""
    buffer = PromptBuffer()
    buffer.insert_text("[pasted 120 lines]")
    assert drawn(buffer, 0)[:2] == ("> [pasted 120 lines]", list(range(2, 21)))
