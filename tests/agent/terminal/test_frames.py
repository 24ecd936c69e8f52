"""What goes to the terminal goes in whole frames."""

import contextlib
import os
import pty
from io import TextIOWrapper

from agent.terminal.frames import BEGIN, END, FrameWriter


def opened() -> tuple[int, TextIOWrapper]:
    """Return the other end, and the terminal as a stream."""
    master, slave = pty.openpty()
    return master, os.fdopen(slave, "w", encoding="utf-8")


def taken(master: int, wanted: str) -> str:
    """Return what came, as much of it as is wanted: a read may give less than there is."""
    got = b""
    while len(got) < len(wanted):
        got += os.read(master, 100)
    return got.decode()


def test_a_flush_is_a_frame_and_an_empty_one_nothing() -> None:
    """What was written between two flushes is shown at one moment."""
    master, stream = opened()
    writer = FrameWriter(stream)
    writer.flush()
    writer.write("a")
    writer.write("b")
    writer.flush()
    wanted = f"{BEGIN}ab{END}"
    assert taken(master, wanted) == wanted
    assert writer.isatty()
    assert writer.encoding == "utf-8"
    assert writer.fileno() == stream.fileno()
    stream.close()
    os.close(master)


def test_frames_within_a_frame_are_one() -> None:
    """Nothing is sent before the outermost ends, also when something in it fails."""
    master, stream = opened()
    writer = FrameWriter(stream)
    with contextlib.suppress(UnicodeError), writer.frame(), writer.frame():
        writer.write("a")
        writer.flush()
        b"\xff".decode()
    writer.write("b")
    writer.flush()
    wanted = f"{BEGIN}a{END}{BEGIN}b{END}"
    assert taken(master, wanted) == wanted
    stream.close()
    os.close(master)


def test_characters_that_the_terminal_has_not_are_replaced() -> None:
    """A lone surrogate or a glyph outside of the encoding ends nothing."""
    master, slave = pty.openpty()
    stream = os.fdopen(slave, "w", encoding="ascii")
    writer = FrameWriter(stream)
    writer.write("é\udc80")
    writer.flush()
    wanted = f"{BEGIN}??{END}"
    assert taken(master, wanted) == wanted
    stream.close()
    os.close(master)


def test_a_terminal_that_is_gone_swallows_everything() -> None:
    """No error, and none later when the stream is closed: nothing is left in its buffer."""
    read, write = os.pipe()
    stream = os.fdopen(write, "w", encoding="utf-8")
    os.close(read)
    writer = FrameWriter(stream)
    for _ in range(2):
        writer.write("a")
        writer.flush()
    assert writer.is_gone
    stream.close()


def test_a_terminal_that_takes_little_at_a_time_gets_all() -> None:
    """A pipe that does not block and is nearly full: what does not fit waits until there is room."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    stream = os.fdopen(write, "w", encoding="utf-8")
    writer = FrameWriter(stream)
    text = "x" * 100_000
    reader = os.fork()
    if reader == 0:
        stream.close()
        got = 0
        while data := os.read(read, 4096):
            got += len(data)
        os._exit(0 if got == len(text) + len(BEGIN) + len(END) else 1)
    os.close(read)
    writer.write(text)
    writer.flush()
    stream.close()
    assert os.waitpid(reader, 0)[1] == 0
