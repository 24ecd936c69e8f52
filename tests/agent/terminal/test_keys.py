"""The keys of the input, pressed on a real application without a terminal."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.layout import BufferControl, Layout, Window
from prompt_toolkit.output import DummyOutput

from agent.terminal.keys import Actions, InputKeys
from agent.terminal.layout import Fields, Parts, layout_of
from agent.terminal.picker_keys import PickerKeys
from agent.terminal.prompt_buffer import PromptBuffer


@dataclass(slots=True)
class Pressed:
    """An input under test, and what its keys did."""

    pipe: PipeInput
    buffer: PromptBuffer
    search: Buffer | None = None
    did: list[str] = field(default_factory=list)
    is_busy: bool = False
    answers: str = ""

    async def type(self, keys: str) -> None:
        """Send keys in one read, and wait until they are dealt with."""
        self.pipe.send_text(keys)
        await asyncio.sleep(0.15)

    def actions(self) -> Actions:
        return Actions(
            submit=lambda line: self.did.append(f"submit {line}"),
            interrupt=lambda: self.did.append("interrupt"),
            is_busy=lambda: self.is_busy,
            leave=lambda: self.did.append("leave"),
            ask_to_leave=lambda: self.did.append("ask to leave"),
            takes_answer=lambda key: key in self.answers,
            answer=lambda key: self.did.append(f"answer {key}"),
            key_typed=lambda: self.did.append("typed"),
            suspend=lambda: self.did.append("suspend"),
            unfold=lambda: self.did.append("unfold"),
        )


@asynccontextmanager
async def pressed(**state: object) -> AsyncGenerator[Pressed]:
    """An input that is shown nowhere."""
    with create_pipe_input() as pipe:
        buffer = PromptBuffer()
        made = Pressed(pipe=pipe, buffer=buffer)
        for name, value in state.items():
            setattr(made, name, value)
        app: Application[None] = Application(
            layout=Layout(Window(BufferControl(buffer))),
            key_bindings=InputKeys(made.actions(), made.buffer).bindings(),
            input=pipe,
            output=DummyOutput(),
        )
        app.ttimeoutlen = 0.05
        running = asyncio.ensure_future(app.run_async(handle_sigint=False))
        await asyncio.sleep(0)
        yield made
        app.exit()
        await running


async def test_enter_sends_what_was_typed() -> None:
    """And empties the input; Alt-Enter is a new line."""
    async with pressed() as keys:
        await keys.type("one")
        await keys.type("\x1b\r")
        await keys.type("two")
        await keys.type("\r")
        assert keys.did[-1] == "submit one\ntwo"
        assert keys.buffer.text == ""


async def test_lines_in_one_read_are_one_message() -> None:
    """A paste without brackets: only the last line end, with nothing behind it, sends."""
    async with pressed() as keys:
        await keys.type("one\rtwo\r/exit\r")
        assert [did for did in keys.did if did != "typed"] == ["submit one\ntwo\n/exit"]


async def test_a_control_key_right_behind_enter_makes_no_paste() -> None:
    """Somebody types fast, or the line is slow: Enter sends."""
    async with pressed() as keys:
        await keys.type("one\r\x04")
        assert keys.did[-2:] == ["submit one", "leave"]


async def test_a_paste_is_text() -> None:
    """Nothing in it is sent, is an answer, or is a key."""
    async with pressed(answers="y") as keys:
        await keys.type("\x1b[200~y\r\n/exit\r\x03\x1b[201~")
        assert keys.buffer.text == "y\n/exit\n"
        assert keys.did == ["typed"]


SEQUENCES = {
    "a lone end of a paste": "\x1b[201~",
    "focus": "\x1b[I\x1b[O",
    "a key by another protocol": "\x1b[97;5u",
    "what terminal it is": "\x1b[?1;2c",
    "its background": "\x1b]11;rgb:0/0/0\x07\x1b]11;rgb:0/0/0\x1b\\",
    "where the cursor is": "\x1b[19;1R",
}


@pytest.mark.parametrize("is_busy", [True, False])
@pytest.mark.parametrize("sequence", SEQUENCES.values(), ids=SEQUENCES)
async def test_what_a_terminal_says_unasked_is_no_text(sequence: str, *, is_busy: bool) -> None:
    """It is neither typed nor an interrupt; the keys around it are."""
    async with pressed(is_busy=is_busy) as made:
        await made.type(f"a{sequence}b")
        await made.type(f"{sequence}c")
        assert made.buffer.text == "abc"
        assert "interrupt" not in made.did


async def test_half_a_sequence_takes_no_other_key_with_it() -> None:
    """Enter behind it is still Enter."""
    async with pressed(is_busy=False) as made:
        await made.type("hi\x1b[2\r")
        assert made.did[-1] == "submit hi"


async def test_a_key_is_the_answer_when_the_question_takes_it() -> None:
    """Else it is typed."""
    async with pressed(answers="yn") as keys:
        await keys.type("y")
        await keys.type("x")
        assert keys.did == ["answer y", "typed"]
        assert keys.buffer.text == "x"


@pytest.mark.parametrize("key", ["\x1b", "\x03"])
async def test_esc_and_ctrl_c_interrupt_what_runs(key: str) -> None:
    """Whatever stands in the input stays there."""
    async with pressed(is_busy=True) as keys:
        await keys.type("draft")
        await keys.type(key)
        assert keys.did[-1] == "interrupt"
        assert keys.buffer.text == "draft"


async def test_alt_enter_is_a_new_line_while_something_runs() -> None:
    """Esc and Enter in one read are no interrupt."""
    async with pressed(is_busy=True) as keys:
        await keys.type("a\x1b\rb")
        assert keys.buffer.text == "a\nb"
        assert "interrupt" not in keys.did


async def test_esc_before_another_key_interrupts_once() -> None:
    """Alt and a letter is no interrupt: nobody means it."""
    async with pressed(is_busy=True) as keys:
        await keys.type("\x1bb")
        assert keys.did.count("interrupt") == 0


async def test_ctrl_c_when_idle() -> None:
    """It clears the input; on an empty one it asks whether to leave."""
    async with pressed() as keys:
        await keys.type("draft")
        await keys.type("\x03")
        assert keys.buffer.text == ""
        await keys.type("\x03")
        assert keys.did[-1] == "ask to leave"


async def test_ctrl_d() -> None:
    """It leaves on an empty input, else it deletes under the cursor."""
    async with pressed() as keys:
        await keys.type("ab\x01\x04")
        assert keys.buffer.text == "b"
        await keys.type("\x04\x04")
        assert keys.did[-1] == "leave"


async def test_ctrl_z_and_ctrl_o() -> None:
    """Stop as a job; show what was folded: what is typed stays."""
    async with pressed() as keys:
        await keys.type("draft\x1a\x0f")
        assert keys.did == [*["typed"] * 5, "suspend", "unfold"]
        assert keys.buffer.text == "draft"


async def test_history_comes_back_with_the_arrow() -> None:
    """What was sent before, the newest first."""
    async with pressed() as keys:
        await keys.type("first")
        await keys.type("\r")
        await keys.type("\x1b[A")
        assert keys.buffer.text == "first"


@dataclass(slots=True)
class Listed:
    """A list that notes what its keys do."""

    is_asking: bool = False
    did: list[str] = field(default_factory=list)

    def move(self, by: int) -> None:
        self.did.append(f"move {by}")

    def accept(self) -> None:
        self.did.append("accept")

    def leave(self) -> None:
        self.did.append("leave")

    def delete(self) -> None:
        self.did.append("delete")

    def answer(self, key: str) -> None:
        self.did.append(f"answer {key}")


@asynccontextmanager
async def searching(listed: Listed) -> AsyncGenerator[Pressed]:
    """A list over an input in which a draft stands, while something runs; ``did`` is what the input's own keys did."""
    with create_pipe_input() as pipe:
        draft = PromptBuffer()
        draft.insert_text("draft")
        made = Pressed(pipe=pipe, buffer=draft, is_busy=True)
        fields = Fields(draft)
        app: Application[None] = Application(
            layout=layout_of(Parts(), fields, lambda: (80, 24)),
            key_bindings=InputKeys(made.actions(), made.buffer).bindings(),
            input=pipe,
            output=DummyOutput(),
        )
        app.ttimeoutlen = 0.05
        made.search = fields.opened(
            PickerKeys(listed).bindings(),
            lambda text: listed.did.append(f"search {text}"),
            label="search: ",
            text="",
        )
        app.layout.focus(made.search)
        running = asyncio.ensure_future(app.run_async(handle_sigint=False))
        await asyncio.sleep(0)
        yield made
        app.exit()
        await running
        assert draft.text == "draft"
        assert not {"interrupt", "leave", "submit draft"} & set(made.did)


LIST_KEYS = {
    "\x1b[A": "move -1",
    "\x1b[B": "move 1",
    "\x10": "move -1",
    "\x0e": "move 1",
    "\x1b[5~": "move -10",
    "\x1b[6~": "move 10",
    "\x1b[H": "move -1000000",
    "\x1b[F": "move 1000000",
    "\r": "accept",
    "\x04": "delete",
    "\x1b": "leave",
    "\x03": "leave",
    "\x07": "leave",
}


@pytest.mark.parametrize("key", LIST_KEYS, ids=LIST_KEYS.values())
async def test_a_key_of_a_list(key: str) -> None:
    """It does what it is for there, whatever it does in the input."""
    listed = Listed()
    async with searching(listed) as made:
        await made.type(key)
    assert listed.did == [LIST_KEYS[key]]


async def test_what_is_typed_is_searched() -> None:
    """A paste too, on one line; what a terminal says unasked is neither text nor Esc."""
    listed = Listed()
    async with searching(listed) as made:
        await made.type("ab")
        await made.type("\x1b[200~ c\r\nd\x1b[201~")
        await made.type("\x1b[I\x1b[97;5u")
        await made.type("\x1b]11;rgb:0/0/0\x07\x1bx")
        await made.type("\x7f")
    assert listed.did == ["search a", "search ab", "search abc d", "search abc "]


async def test_an_answer_in_a_list() -> None:
    """While a question stands a letter is its answer, a paste is none; the other keys are those of the list."""
    listed = Listed(is_asking=True)
    async with searching(listed) as made:
        await made.type("y")
        await made.type("\x1b[200~y\x1b[201~")
        await made.type("\x1b[A")
        await made.type("\r")
        assert made.search is not None
        assert made.search.text == ""
    assert listed.did == ["answer y", "move -1", "accept"]
