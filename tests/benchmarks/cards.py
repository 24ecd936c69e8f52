"""Whether a session of 2,000 tool cards costs as much at its end as at its beginning.

    python -m tests.benchmarks --only cards

`screen`: what the loop reports of such a session, given to what shows it, each event drawn as a frame would be:
microseconds of CPU an event, and KiB of Python memory held. `program`: the whole of `agent` in a pseudo-terminal
against the offline server, working window 40,000: milliseconds of CPU a card, MiB resident; what the server and the
tools take is not counted. Of each the median of the `first` and of the `last` tenth, and `ratio`, last over first; that of
CPU times is divided by `machine`, what the same piece of work, done beside each turn, took more at the end. What is
loaded at first use, and what fills up (rich's caches, the working window), is left out by turns before these.
"""

import argparse
import gc
import json
import os
import statistics
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from agent import events as ev
from agent.clock import system_clock
from agent.offline import Reply, Request, Script, always, calls, last_text_starts, says, thinks, when
from agent.terminal.show import Show
from compaction.messages import ToolResultBlock, ToolUseBlock
from compaction.summary import OPENING
from tests.support.screen_agent import SUMMARY, OnScreen, agent_command, agent_on_screen

CARDS, QUICK_CARDS = 2_000, 200
TENTHS = 10
SIDE = 4
"""Calls of one reply."""
TURN_CARDS = 20
WARM_TURNS = 40
WIDTH = 100
TEXT = "I look at **module {number}** and run its tests, for `total` is off by a cent.\n\n"
DIFF = "".join(f"{line:>5} - old {line}\n{line:>5} + new {line}\n" for line in range(1, 20))
KIB = 1024
YARDSTICK = 2_000
WAIT_S = 120.0
Sample = TypeVar("Sample")


def measured(*, is_quick: bool) -> dict[str, Any]:
    """Return the figures of both; ``is_quick``: for a tenth of the cards."""
    cards = QUICK_CARDS if is_quick else CARDS
    return {"cards": cards, "screen": _screen(cards), "program": _program(cards)}


def _tenths(samples: list[float]) -> dict[str, float]:
    """Return first, last and ratio of samples in equal steps, each tenth's median."""
    size = max(1, len(samples) // TENTHS)
    first, last = statistics.median(samples[:size]), statistics.median(samples[-size:])
    return {"first": round(first, 1), "last": round(last, 1), "ratio": round(last / first, 3)}


def _cpu_tenths(samples: list[tuple[float, float]]) -> dict[str, float]:
    """Return the same of (CPU time, CPU time of the yardstick), the ratio as on a machine of steady speed."""
    found = _tenths([took for took, _ in samples])
    machine = _tenths([yardstick for _, yardstick in samples])["ratio"]
    return {**found, "ratio": round(found["ratio"] / machine, 3), "machine": machine}


def _yardstick_s() -> float:
    """Do a piece of work that is always the same; return what it took."""
    start = time.process_time()
    for number in range(YARDSTICK):
        "".join(f"{number * digit:>5}" for digit in range(50)).split("9")
    return time.process_time() - start


@dataclass(slots=True)
class Looked:
    """What shows events, and each frame that it would make."""

    show: Show = field(init=False)
    above: int = 0
    events: int = 0

    def __post_init__(self) -> None:
        self.show = Show(commit=self._commit, refresh=lambda: None, width=lambda: WIDTH, clock=system_clock)

    def take(self, event: ev.Event) -> None:
        """Take one event and draw a frame."""
        self.events += 1
        self.show(event)
        self.show.tail(WIDTH)
        self.show.activity.lines(WIDTH)

    def _commit(self, text: str) -> None:
        self.above += len(text)


def _screen(cards: int) -> dict[str, Any]:
    cpu = _sampled(cards, lambda looked, number: (_cpu_us(looked, number), _yardstick_s()))
    tracemalloc.start()
    held = _sampled(cards, _held_kib)
    tracemalloc.stop()
    return {"cpu_us_an_event": _cpu_tenths(cpu), "held_kib": _tenths(held)}


def _sampled(cards: int, sample: Callable[[Looked, int], Sample]) -> list[Sample]:
    """Return a sample of each turn of a session, after `WARM_TURNS` others."""
    looked = Looked()
    for number in range(WARM_TURNS):
        _show_turn(looked, number)
    return [sample(looked, WARM_TURNS + number) for number in range(cards // TURN_CARDS)]


def _cpu_us(looked: Looked, number: int) -> float:
    start, before = time.process_time(), looked.events
    _show_turn(looked, number)
    return (time.process_time() - start) * 1e6 / (looked.events - before)


def _held_kib(looked: Looked, number: int) -> float:
    _show_turn(looked, number)
    gc.collect()
    return tracemalloc.get_traced_memory()[0] / KIB


def _show_turn(looked: Looked, number: int) -> None:
    for event in _turn(number):
        looked.take(event)


def _turn(number: int) -> Iterator[ev.Event]:
    """Yield a turn of `TURN_CARDS` cards."""
    yield ev.TurnStarted(turn=number, prompt=f"turn {number}")
    for step in range(TURN_CARDS // SIDE):
        yield ev.StepStarted(step=step, size=number, is_estimate=False)
        text = TEXT.format(number=f"{number}.{step}")
        yield ev.ThinkingDelta(text)
        yield from (ev.TextDelta(text[at : at + 12]) for at in range(0, len(text), 12))
        yield _reply(number)
        yield from _batch(f"{number}-{step}")
    yield _reply(number)
    yield ev.TurnEnded(reason="done", text="Done.")


def _reply(number: int) -> ev.ReplyReceived:
    return ev.ReplyReceived(
        message_id=f"m{number}", model="m", content=(), stop_reason="", usage={}, size=number
    )


def _batch(name: str) -> Iterator[ev.Event]:
    made = [_call(f"{name}-{index}") for index in range(SIDE)]
    yield from (ev.CallStarted(call=call) for call in made)
    for index, call in reversed(list(enumerate(made))):
        yield ev.CallProgress(call_id=call["id"], text=f"collected {name}\n")
        content = "".join(f"{line}\tvalue of {name}\n" for line in range(40))
        result: ToolResultBlock = {"type": "tool_result", "tool_use_id": call["id"], "content": content}
        facts: dict[str, Any] = ({"diff": DIFF, "note": "+19 −19"}, {"exit_code": 1}, {}, {})[index]
        yield ev.CallFinished(call=call, result=result, facts=facts)
    yield ev.ResultsSent(content=())


def _call(id_: str) -> ToolUseBlock:
    return cast(
        "ToolUseBlock",
        {"type": "tool_use", "id": id_, "name": "bash", "input": {"command": f"pytest tests/test_{id_}.py"}},
    )


def _program(cards: int) -> dict[str, Any]:
    model = Model()
    summary = when(last_text_starts(OPENING), always(says(SUMMARY)))
    script = Script(always(model.answer), routes=[summary])
    with (
        tempfile.TemporaryDirectory() as folder,
        agent_on_screen(
            Path(folder),
            script=script,
            program=agent_command("--permission-mode", "bypass", "--context-window", "40000"),
        ) as on,
    ):
        on.terminal.until(" · bypass", WAIT_S)
        for number in range(10):
            (on.command.project / f"module_{number}.py").write_text("one = 1\n" * 30)
        turns = _Turns(on)
        turns.play(WARM_TURNS)
        samples = turns.play(cards // TURN_CARDS)
    return {
        "cpu_ms_a_card": _cpu_tenths([(one.cpu_s * 1_000 / TURN_CARDS, one.yardstick_s) for one in samples]),
        "resident_mib": _tenths([one.resident_mib for one in samples]),
    }


@dataclass(slots=True)
class Model:
    """Answers a prompt with calls, `SIDE` at a time, until the turn has its cards."""

    turn: int = 0
    step: int = 0

    def answer(self, request: Request) -> Reply:
        """Return the next reply."""
        self.step += 1
        if self.step > TURN_CARDS // SIDE:
            self.turn, self.step = self.turn + 1, 0
            return says(f"Done with {self.turn}.")
        name = f"module_{(self.turn * 5 + self.step) % 10}.py"
        old, new = ("one = 1", "one = 2")[:: 1 if self.turn % 4 < 2 else -1]
        reads = calls("read", file_path=name) + calls("glob", pattern=f"*{self.step}.py")
        shell = calls("bash", command=f"seq {self.turn} {self.turn + 30}; exit {self.step % 2}")
        edit = calls("edit", file_path=name, old_string=old, new_string=new, replace_all=True)
        text = TEXT.format(number=self.turn) * 2
        return thinks("The cent is lost in rounding. " * 5) + says(text) + reads + shell + edit


@dataclass(frozen=True, slots=True)
class _Turn:
    """What a turn took, and what the program holds after it."""

    cpu_s: float
    yardstick_s: float
    resident_mib: float


@dataclass(slots=True)
class _Turns:
    """Plays turns on a screen and measures each."""

    on: OnScreen
    played: int = 0

    def play(self, turns: int) -> list[_Turn]:
        """Return what each of so many turns took."""
        return [self._one() for _ in range(turns)]

    def _one(self) -> _Turn:
        self.played += 1
        terminal, before = self.on.terminal, self._cpu_s()
        self.on.prompt(f"turn {self.played}")
        terminal.until(self._is_done(f"Done with {self.played}."), WAIT_S)
        return _Turn(self._cpu_s() - before, _yardstick_s(), self._resident_mib())

    def _is_done(self, words: str) -> Callable[[], bool]:
        return lambda: words in self.on.terminal.text

    def _cpu_s(self) -> float:
        after_name = Path(f"/proc/{self.on.terminal.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")

    def _resident_mib(self) -> float:
        pages = int(Path(f"/proc/{self.on.terminal.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / KIB / KIB


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the cards")
    print(json.dumps(measured(is_quick=parser.parse_args().quick), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
