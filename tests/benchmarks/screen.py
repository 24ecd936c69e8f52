"""What a person sees while an answer streams: is the status bar there, and how soon is a key?

    python -m tests.benchmarks.screen [--quick]

The real `agent` in a real pseudo-terminal, against the offline server; the answer has prose, lists, a table and long code,
and keys are typed all the time. Chunks a second -> ``reads``: reads of the terminal's output; ``outside``: those after
which no synchronised frame (DEC 2026) is open, so that the screen can be looked at; ``with_bar``: those of them with the
status bar as the last row; ``keys`` typed, and the milliseconds until each was drawn (the median, the 95th percentile,
the longest). The last are those of the machine as well: leave it alone meanwhile. They are taken from the bytes alone: the
emulator, in Python, takes longer to show a frame than the program to draw it.
"""

import argparse
import json
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from agent.offline import Script, always, says
from tests.support.pty_screen import Terminal
from tests.support.screen_agent import READY, agent_command, agent_on_screen

CHUNKS_A_SECOND = (100, 400)
CHUNK_CHARS = 4
READS, QUICK_READS = 1_000, 60
KEYS, QUICK_KEYS = 150, 10
KEY_EVERY_S = 0.12
LETTERS = "αβγδεζηθικλμνξοπρστυφχψω"
CLEAR = "\x15"
CODE = "".join(
    f"    totals[{n}] = round(lines[{n}].net * lines[{n}].vat, 2)  # one line of many\n" for n in range(45)
)
PARTS = (
    "## What was found\n\n",
    "The rounding happened **once a line**; it now happens once an invoice, which is what `docs/vat.md` asks for. "
    * 5,
    "\n\n- one thing that was seen\n- another one, with `code` in it\n- a third\n\n",
    f"```python\ndef total(lines):\n{CODE}```\n\n",
    "| case | before | after |\n|---|---|---|\n| mixed | 10.01 | 10.00 |\n| plain | 7.00 | 7.00 |\n\n",
    "1. run the tests\n2. look at the export\n3. say what is left\n\n",
)
ANSWER = "".join(PARTS)


@dataclass(slots=True)
class Watch:
    """Types, reads and looks."""

    terminal: Terminal
    reads: int = 0
    outside: int = 0
    with_bar: int = 0
    _typed: str = ""
    _typed_at: float = 0.0

    def look(self, reads: int) -> None:
        """Go on until there were so many reads."""
        while self.reads < reads:
            self._type()
            if not self.terminal.read(0.01):
                continue
            self.reads += 1
            if not self.terminal.is_in_frame:
                self.outside += 1
                self.with_bar += READY in self.terminal.lines[-1]

    def _type(self) -> None:
        """Type the next letter, once some time has passed."""
        if time.perf_counter() - self._typed_at < KEY_EVERY_S:
            return
        if len(self._typed) == len(LETTERS):
            self.terminal.send(CLEAR)
            self._typed = ""
        letter = LETTERS[len(self._typed)]
        self._typed, self._typed_at = self._typed + letter, time.perf_counter()
        self.terminal.send(letter)


def echoes_ms(terminal: Terminal, keys: int) -> list[float]:
    """Type so many letters that stand nowhere else; return how long it took until each was drawn."""
    terminal.is_unseen = True
    echoes: list[float] = []
    while len(echoes) < keys:
        letter = LETTERS[len(echoes) % len(LETTERS)]
        if letter == LETTERS[0]:
            terminal.send(CLEAR)
        terminal.rest(KEY_EVERY_S)
        terminal.raw.clear()
        typed_at = time.perf_counter()
        terminal.send(letter)
        while letter.encode() not in terminal.raw:
            terminal.read(1)
        echoes.append(1_000 * (time.perf_counter() - typed_at))
    return echoes


def measured(*, is_quick: bool) -> dict[str, Any]:
    """Return what is printed."""
    reads, keys = (QUICK_READS, QUICK_KEYS) if is_quick else (READS, KEYS)
    return {str(rate): _watched(rate, reads, keys) for rate in CHUNKS_A_SECOND}


def _watched(rate: int, reads: int, keys: int) -> dict[str, Any]:
    # Frames are at most 20 a second, and a key may have one of its own: that is enough to the end.
    text = ANSWER * (1 + rate * CHUNK_CHARS * (reads + 5 * keys) // 10 // len(ANSWER))
    script = Script(always(lambda _: says(text, pace_s=1 / rate, chunk_chars=CHUNK_CHARS)))
    with (
        tempfile.TemporaryDirectory() as folder,
        agent_on_screen(Path(folder), script=script, program=agent_command()) as on,
    ):
        on.terminal.until(READY)
        on.prompt("find out why")
        on.terminal.until("answering")
        watch = Watch(on.terminal)
        watch.look(reads)
        echoes = echoes_ms(on.terminal, keys)
    return {
        "reads": watch.reads,
        "outside": watch.outside,
        "with_bar": watch.with_bar,
        "keys": len(echoes),
        "echo_ms": {
            "median": round(median(echoes), 1),
            "p95": round(quantiles(echoes, n=20)[-1], 1),
            "max": round(max(echoes), 1),
        },
    }


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="fewer reads")
    print(json.dumps(measured(is_quick=parser.parse_args().quick), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
