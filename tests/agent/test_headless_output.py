"""Both streams: plain text in any locale, no control characters, nothing raised whatever becomes of the reader."""

import io
import json
import os
from pathlib import Path

import pytest

from agent.output import Output


def streams(encoding: str = "utf-8") -> tuple[Output, io.BytesIO, io.BytesIO]:
    out, err = io.BytesIO(), io.BytesIO()
    output = Output(io.TextIOWrapper(out, encoding=encoding), io.TextIOWrapper(err, encoding=encoding))
    return output, out, err


@pytest.mark.parametrize(("text", "line"), [("a", b"a\n"), ("a\n", b"a\n"), ("a\n\n", b"a\n\n"), ("", b"\n")])
def test_an_answer_ends_with_a_newline(text: str, line: bytes) -> None:
    """One is added where there is none."""
    output, out, _ = streams()
    output.answer(text)
    assert out.getvalue() == line


def test_control_characters_of_the_model_are_shown_not_sent() -> None:
    """Escape sequences, C1 controls and carriage returns become text; tab and newline stay."""
    output, out, err = streams()
    output.answer("a\x1b[31mb\x9bc\rd\te\nf\x00")
    output.say("x\x1b]0;title\x07\ny")
    assert out.getvalue() == rb"a\x1b[31mb\u0080c\x0dd".replace(b"0080", b"009b") + b"\te\nf\\x00\n"
    assert err.getvalue() == b"x\\x1b]0;title\\x07\\x0ay\n"


def test_f54_j_a_locale_without_the_letter_gets_an_escape() -> None:
    """Never a crash; our own typography turns plain; JSON stays UTF-8 and half characters are repaired."""
    output, out, err = streams("ascii")
    output.answer("é\ud83d")
    output.message({"text": "é\ud83d"})
    output.say("step 1 · é …")
    assert out.getvalue().splitlines()[0] == rb"\xe9\ufffd"
    assert json.loads(out.getvalue().splitlines()[1]) == {"text": "é\ufffd"}
    assert err.getvalue() == b"step 1 | \\xe9 ...\n"


def test_complaints_carry_the_name_of_the_program() -> None:
    """A line for each line of the text."""
    output, _, err = streams()
    output.complain("one\ntwo")
    assert err.getvalue() == b"agent: one\nagent: two\n"


def test_f54_i_without_streams_nothing_happens() -> None:
    """A closed stdout is remembered, a closed stderr is not even that."""
    output = Output(None, None)
    output.say("x")
    assert output.fault is None
    output.answer("x")
    assert output.fault == "stdout is closed"


def test_f54_f_a_reader_that_has_gone_is_no_error_text() -> None:
    """The fault is empty, and closing the stream afterwards raises nothing."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as stdout:
        output = Output(stdout, None)
        output.answer("x")
        output.answer("y")
        assert output.fault == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_under_stdout_is_said() -> None:
    """The system's own words are kept."""
    with Path("/dev/full").open("w") as stdout:
        output = Output(stdout, None)
        output.answer("x")
        assert output.fault == "stdout cannot be written: No space left on device"


def test_a_stderr_that_cannot_be_written_ends_nothing() -> None:
    """Messages are lost, the work is not."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(os.dup(write), "w") as stderr:
        os.close(write)
        Output(None, stderr).say("x")
        with Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), stderr.fileno())
