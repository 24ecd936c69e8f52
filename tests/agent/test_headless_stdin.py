"""stdin as part of the prompt: everything that is there, never a hang without a word."""

import os
import threading
import time
from pathlib import Path

import pytest

from agent.errors import UsageError
from agent.stdin import MAX_BYTES, piped_text
from tests.support.command import piped


def test_a_pipe_is_read_to_its_end() -> None:
    """All of it, in however many pieces; a byte order mark is not part of the text."""
    with piped(b"\xef\xbb\xbfone\n\xc3\xa9" + b"x" * 60_000) as stdin:
        assert piped_text(stdin, print, is_needed=False) == "one\né" + "x" * 60_000


def test_f46_c_bytes_that_are_not_utf8_are_replaced() -> None:
    """Latin-1 and half characters do not end the program."""
    with piped(b"caf\xe9 hello") as stdin:
        assert piped_text(stdin, print, is_needed=False) == "caf\ufffd hello"


def test_f54_c_no_stdin_is_no_text() -> None:
    """/dev/null, a closed one and one that was never there say nothing, at once."""
    assert piped_text(None, print, is_needed=True) == ""
    with Path(os.devnull).open() as stdin:
        assert piped_text(stdin, print, is_needed=True) == ""
    assert piped_text(stdin, print, is_needed=True) == ""


def test_a_terminal_is_not_waited_for() -> None:
    """Nothing is read from a terminal: the prompt is on the command line."""
    ours, theirs = os.openpty()
    with os.fdopen(theirs) as stdin:
        assert piped_text(stdin, print, is_needed=True) == ""
    os.close(ours)


def test_f54_d_an_open_pipe_that_nobody_writes_to_is_left_alone_and_said() -> None:
    """After a while of silence the work goes on without it."""
    said: list[str] = []
    with piped(b"", is_closed=False) as stdin:
        assert piped_text(stdin, said.append, is_needed=False, quiet_s=0.05) == ""
    assert said == ["nothing came on stdin for 0.05 s: going on without it (`</dev/null` says so at once)"]


@pytest.mark.parametrize("is_needed", [True, False])
def test_what_has_begun_is_waited_for(is_needed: bool) -> None:
    """A slow writer is heard to the end, and the silence is explained once."""
    said: list[str] = []
    read, write = os.pipe()
    if not is_needed:
        os.write(write, b"a")

    def write_late() -> None:
        time.sleep(0.3)
        os.write(write, b"b")
        time.sleep(0.2)
        os.close(write)

    writer = threading.Thread(target=write_late)
    writer.start()
    with os.fdopen(read) as stdin:
        text = piped_text(stdin, said.append, is_needed=is_needed, quiet_s=0.05)
    writer.join()
    assert text == ("b" if is_needed else "ab")
    assert said == ["waiting for the end of stdin …"]


def test_more_than_any_model_takes_is_refused(tmp_path: Path) -> None:
    """A file without end must not fill the memory."""
    path = tmp_path / "huge"
    path.write_bytes(b"x" * (MAX_BYTES + 1))
    with path.open() as stdin, pytest.raises(UsageError, match="more than 10,000,000 bytes"):
        piped_text(stdin, print, is_needed=True)


def test_a_stdin_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    """A stdin that is open for writing only, say."""
    with (tmp_path / "x").open("w") as stdin, pytest.raises(UsageError, match="cannot be read: Bad file"):
        piped_text(stdin, print, is_needed=True)
