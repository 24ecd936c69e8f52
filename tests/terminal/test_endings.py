"""However it ends, the terminal is as it was."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.forked import Loaded
from tests.support.pty_screen import Terminal
from tests.support.screen_agent import READY, OnScreen, agent_on_screen

GONE_S = 3.0


def at_the_prompt(on: OnScreen) -> None:
    """Nothing runs."""


def while_streaming(on: OnScreen) -> None:
    """The answer grows."""
    on.prompt("forever please")
    on.terminal.until("◐ answering")


def during_a_call(on: OnScreen) -> None:
    """A command runs."""
    on.prompt("sleep please")
    on.terminal.until(lambda: marked(on) > 0)


def marked(on: OnScreen) -> int:
    """Return the process id of the running command; 0 when it has not said it yet."""
    mark = on.command.project / "mark"
    text = mark.read_text() if mark.exists() else ""
    return int(text) if text.endswith("\n") else 0


def is_alive(pid: int) -> bool:
    """True while there is such a process, a zombie aside."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(condition: Callable[[], bool], wait_s: float) -> None:
    """Wait until ``condition`` holds."""
    give_up_at = time.monotonic() + wait_s
    while not condition():
        assert time.monotonic() < give_up_at
        time.sleep(0.02)


def check_nothing_is_left(on: OnScreen) -> None:
    """The terminal is as it was, the command is gone, every line of the log parses and the last one is the end."""
    assert on.terminal.left_on() == []
    assert on.terminal.flags == on.terminal.flags_before
    assert "Traceback" not in on.terminal.history
    if pid := marked(on):
        assert not is_alive(pid)
    assert on.records()[-1]["type"] == "end"


SITUATIONS = (at_the_prompt, while_streaming, during_a_call)


def send(number: signal.Signals) -> Callable[[OnScreen], None]:
    """Return an act that sends a signal to the program alone."""
    return lambda on: os.kill(on.terminal.pid, number)


ENDINGS = {
    "a-term": (send(signal.SIGTERM), 143),
    "b-hup": (send(signal.SIGHUP), 129),
    "e-int": (send(signal.SIGINT), 130),
    "g-ctrl-d": (lambda on: on.terminal.send("\x04"), 0),
}


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize(("act", "code"), ENDINGS.values(), ids=ENDINGS)
def test_f53_signals_and_ctrl_d(
    tmp_path: Path, act: Callable[[OnScreen], None], code: int, situation: Callable[[OnScreen], None]
) -> None:
    """a, b, e, g: it ends within seconds with the code of what ended it, at the prompt, in a stream, in a call."""
    with agent_on_screen(tmp_path, "--permission-mode", "bypass") as on:
        on.terminal.until(READY)
        situation(on)
        began = time.monotonic()
        act(on)
        assert on.terminal.ended() == code
        assert time.monotonic() - began < 2 * GONE_S
        check_nothing_is_left(on)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_f53_c_the_window_is_closed(tmp_path: Path, situation: Callable[[OnScreen], None]) -> None:
    """The terminal is gone: the program too, with what it had started; the log is whole."""
    with agent_on_screen(tmp_path, "--permission-mode", "bypass") as on:
        on.terminal.until(READY)
        situation(on)
        pid, program = marked(on), on.terminal.pid
        on.terminal.hang_up()
        wait_for(lambda: not is_alive(program), 2 * GONE_S)
        assert not (pid and is_alive(pid))
        assert on.records()[-1]["type"] == "end"


@pytest.mark.parametrize("situation", SITUATIONS)
def test_f53_d_h_stopped_continued_and_left(tmp_path: Path, situation: Callable[[OnScreen], None]) -> None:
    """Ctrl-Z gives the terminal back, `fg` redraws and takes keys; Ctrl-C twice leaves only when nothing runs."""
    with agent_on_screen(tmp_path, "--permission-mode", "bypass") as on:
        on.terminal.until(READY)
        situation(on)
        os.kill(on.terminal.pid, signal.SIGTSTP)
        on.terminal.until(lambda: state_of(on.terminal.pid) == "T")
        on.terminal.rest(0.1)
        assert on.terminal.is_restored()
        frames = on.terminal.frames
        os.kill(on.terminal.pid, signal.SIGCONT)
        on.terminal.until(lambda: on.terminal.frames > frames and READY in on.terminal.lines[-1])
        on.terminal.send("draft")
        on.terminal.until("> draft")
        on.terminal.send("\x03\x03")
        if situation is not at_the_prompt:
            on.terminal.until("interrupted")
            assert "> draft" in on.terminal.text  # the draft stays
            on.terminal.rest(1.0)
            on.terminal.send("\x03")
        on.terminal.until(lambda: "> draft" not in on.terminal.text)
        on.terminal.rest(1.0)
        on.terminal.send("\x03")
        on.terminal.until("again to leave")
        on.terminal.send("\x03")
        assert on.terminal.ended() == 130
        check_nothing_is_left(on)


def state_of(pid: int) -> str:
    """Return the state of a process as the kernel has it: `T` for one that is stopped."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_f53_c_no_cpu_is_burnt_while_it_waits(tmp_path: Path) -> None:
    """Idle for two seconds costs less than a second of processor time."""
    with agent_on_screen(tmp_path) as on:
        on.terminal.until(READY)
        on.terminal.rest(1.5)  # what is loaded in the background is there
        before = cpu_s(on.terminal.pid)
        on.terminal.rest(2.0)
        assert cpu_s(on.terminal.pid) - before < 1.0


def cpu_s(pid: int) -> float:
    """Return the processor time of a process in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_the_model_dies_in_mid_stream(tmp_path: Path) -> None:
    """The pause before the next try is shown, then what is wrong; the prompt is back, without a traceback."""
    with agent_on_screen(tmp_path) as on:
        on.terminal.until(READY)
        while_streaming(on)
        on.server.close()
        on.terminal.until("again in ")
        on.terminal.until("cannot reach ")
        on.prompt("/status")
        on.terminal.until("> /status")
        on.terminal.send("\x15\x04")
        assert on.terminal.ended() == 0
        check_nothing_is_left(on)


BROKEN_RENDERER = """
import asyncio, sys
from prompt_toolkit.input import create_input
from prompt_toolkit.key_binding import KeyBindings
from agent.terminal.prompt_buffer import PromptBuffer
from agent.terminal.screen import Screen

async def main():
    screen = Screen(buffer=PromptBuffer(), keys=KeyBindings(), input=create_input(sys.stdin), stdout=sys.stdout)
    screen.parts.status = lambda width: ["all is well"]

    def broken(width):
        raise ZeroDivisionError("a part that cannot be drawn")

    def break_it():
        screen.parts.{part} = broken
        {trigger}

    asyncio.get_running_loop().call_later(0.3, break_it)
    await screen.run()

asyncio.run(main())
"""


@pytest.mark.parametrize("part", ["tail", "status"])
@pytest.mark.parametrize("trigger", ["screen.refresh()", "screen.commit('a line')"])
def test_f53_f_an_exception_in_a_renderer(tmp_path: Path, part: str, trigger: str) -> None:
    """The screen is given up and the terminal given back; whoever runs the screen gets the error."""
    script = BROKEN_RENDERER.format(part=part, trigger=trigger)
    env = {"PATH": os.environ["PATH"]}
    with Terminal(Loaded(code=script), cwd=tmp_path, env=env) as terminal:
        assert terminal.ended() == 1
        assert "ZeroDivisionError: a part that cannot be drawn" in terminal.history
        assert terminal.is_restored()
