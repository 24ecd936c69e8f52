"""Types into a real terminal and lets something happen: `python -m tests.faults.typed --count N`.

What stood on the screen once is afterwards in the log, in the input or in the queue of the session that goes on.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
from pathlib import Path

from tests.support.pty_screen import Terminal
from tests.support.screen_agent import READY, OnScreen, agent_command, agent_on_screen

BEGUN = ("", "sleep", "stream", "forever", "edit", "/compact", "/resume")
"""What is begun before the text is typed; nothing for the first."""
SENT = ("", "\r", "\x1bq")
"""What is pressed after it: nothing, Enter, Alt-Q."""
FAULTS = ("kill", "term", "hang up", "escape", "escape and kill", "resize", "clear", "leave")
SIGNALS = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "hang up": signal.SIGHUP}


def typed_text_lost(root: Path, seed: int) -> str:
    """Play one story in ``root``; return what happened when text was lost, empty when it was not."""
    chance = random.Random(seed)
    begun, sent, fault = chance.choice(BEGUN), chance.choice(SENT), chance.choice(FAULTS)
    word = f"word{seed}x"
    story = f"seed {seed}: {begun or 'idle'}, {word!r} {sent!r}, {fault}"
    with agent_on_screen(root) as on_screen:
        terminal = on_screen.terminal
        terminal.until(READY)
        on_screen.prompt("hello")
        terminal.until("You said hello.")
        terminal.rest(0.2)
        if begun:
            on_screen.prompt(begun)
            terminal.rest(chance.uniform(0, 0.8))
        terminal.send(word)
        terminal.rest(0.3)
        if word not in terminal.text:
            return ""  # an answer to a question, or a search: it was never in the input
        is_search = "search: " in terminal.text
        terminal.send(sent)
        terminal.rest(chance.uniform(0, 0.2))
        _happen(terminal, fault)
        if terminal.process.poll() is None:
            os.kill(terminal.pid, signal.SIGKILL)
        terminal.ended()
        return "" if is_search or _comes_back(on_screen, word) else story


def _happen(terminal: Terminal, fault: str) -> None:
    if fault in SIGNALS:
        os.kill(terminal.pid, SIGNALS[fault])
        terminal.ended()
    elif fault.startswith("escape"):
        terminal.send("\x1b")
        terminal.rest(0 if "kill" in fault else 0.8)
    elif fault == "resize":
        terminal.resize(50, 20)
        terminal.rest(0.3)
    else:
        terminal.send("\r/clear\r" if fault == "clear" else "\x04")
        terminal.rest(0.8)


def _comes_back(on_screen: OnScreen, word: str) -> bool:
    """True when the word is in what was said, or stands on the screen of a session that goes on."""
    command = on_screen.command
    logs = [path.read_text() for path in (command.project / ".transcripts").glob("*.jsonl")]
    records = [json.loads(line) for log in logs for line in log.splitlines() if line.startswith("{")]
    if any(one["type"] == "message" and word in json.dumps(one["content"]) for one in records):
        return True
    with Terminal(agent_command("-c"), cwd=command.project, env=command.env) as again:
        again.until(READY)
        again.rest(0.4)
        return word in again.text


def main() -> int:
    """Play as many stories as asked for; 1 when text was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    lost = []
    for seed in range(asked.seed, asked.seed + asked.count):
        with tempfile.TemporaryDirectory() as folder:
            if story := typed_text_lost(Path(folder), seed):
                lost.append(story)
                print(f"lost: {story}", flush=True)
    print(f"{asked.count} stories, {len(lost)} lost")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
