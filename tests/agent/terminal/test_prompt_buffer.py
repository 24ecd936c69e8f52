"""The input with folded pastes: moved over, deleted, sent and given back as one."""

from prompt_toolkit.history import InMemoryHistory

from agent.terminal.prompt_buffer import PromptBuffer

LONG = "".join(f"line {number}\n" for number in range(120))


def filled() -> PromptBuffer:
    """An input with a paste between two words."""
    buffer = PromptBuffer()
    buffer.insert_text("see ")
    buffer.paste(LONG)
    buffer.insert_text(" now")
    return buffer


def test_one_unit_for_the_cursor() -> None:
    """A step to the left passes it; what is typed lands before or behind it, never inside."""
    buffer = filled()
    buffer.cursor_left(len(" now") + 1)
    buffer.insert_text("this ")
    buffer.cursor_right()
    buffer.insert_text(",")
    assert buffer.expanded == f"see this {LONG}, now"


def test_one_unit_for_backspace() -> None:
    """Deleted, its text is gone from what is sent; taken back, it is there again."""
    buffer = filled()
    buffer.cursor_left(len(" now"))
    buffer.save_to_undo_stack()
    buffer.delete_before_cursor()
    assert buffer.expanded == "see  now"
    buffer.undo()
    assert buffer.expanded == f"see {LONG} now"


def test_taken_and_given_back() -> None:
    """What is sent is expanded, and so is the history; given back it is folded again and still expands."""
    buffer = filled()
    buffer.history = InMemoryHistory()
    assert buffer.take() == f"see {LONG} now"
    assert (buffer.text, buffer.history.get_strings()) == ("", [f"see {LONG} now"])
    buffer.insert_text("draft")
    buffer.put_before(f"see {LONG} now")
    assert len(buffer.text) == len("see x now\ndraft")
    assert buffer.expanded == f"see {LONG} now\ndraft"


def test_history_is_folded_again() -> None:
    """Up brings a line back as it stood."""
    buffer = filled()
    sent = buffer.take()
    buffer._working_lines.appendleft(sent)  # as prompt-toolkit's own task does with what the history holds
    buffer._Buffer__working_index += 1  # type: ignore[attr-defined]  # its private name
    buffer.history_backward()
    assert len(buffer.text) == len("see x now")
    assert buffer.expanded == sent
    buffer.history_forward()
    assert buffer.text == ""


def with_history(buffer: PromptBuffer, *entries: str) -> None:
    """Have entries loaded, the newest first, as prompt-toolkit's own task does."""
    for entry in entries:
        buffer._working_lines.appendleft(entry)
        buffer._Buffer__working_index += 1  # type: ignore[attr-defined]  # its private name


def test_a_place_holds_while_the_history_is_loaded() -> None:
    """It is counted from the draft, for older entries come in before it."""
    buffer = PromptBuffer()
    buffer.insert_text("draft")
    buffer.cursor_left()
    place = buffer.place
    with_history(buffer, "new", "old")
    buffer.history_backward()
    assert buffer.text == "new"
    with_history(buffer, "older")
    buffer.go_to(place)
    assert (buffer.text, buffer.cursor_position) == ("draft", 4)


def test_what_is_unsent_counts_the_draft_behind_the_history() -> None:
    """An entry as it was sent is kept elsewhere; one that was changed is not, nor is the draft behind it."""
    buffer = PromptBuffer()
    buffer.history.append_string("sent")
    buffer.insert_text("draft")
    with_history(buffer, "sent")
    buffer.history_backward()
    assert buffer.unsent == "draft"
    buffer.insert_text("!")
    assert buffer.unsent == "draft\nsent!"
    assert buffer.take() == "sent!"
    assert buffer.text == buffer.unsent == "draft"
