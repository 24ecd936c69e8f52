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
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agent.offline import Reply, Request, Script, always, last_text_starts, says, when
from compaction.summary import OPENING
from tests.support.forked import Loaded
from tests.support.pty_screen import Terminal
from tests.support.screen_agent import READY, SUMMARY, OnScreen, agent_command, agent_on_screen, answer

BEGUN = ("", "sleep", "stream", "forever", "edit", "/compact", "/resume")
"""What is begun before the text is typed; nothing for the first."""
SENT = ("", "\r", "\x1bq")
"""What is pressed after it: nothing, Enter, Alt-Q."""
FAULTS = ("kill", "term", "hang up", "escape", "escape and kill", "resize", "clear", "leave")
SIGNALS = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "hang up": signal.SIGHUP}
OPENINGS = 3
"""How often a session that is opened is killed while it opens."""
EDITOR = """#!/bin/sh
echo "$(cat "$1")saved" > "$1"; echo EDITOR; sleep 60
"""
STORY = "A long story of a ledger and of what it holds. " * 400


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a story plays; ``word``: in everything that is typed."""

    on: OnScreen
    chance: random.Random
    word: str

    def type(self, text: str) -> bool:
        """Type ``text``, which holds the word; False when it is not shown: then it was never in the input."""
        self.on.terminal.send(text)
        self.on.terminal.rest(0.3)
        return self.word in self.on.terminal.text

    def pause(self, most_s: float) -> None:
        """Let some time pass."""
        self.on.terminal.rest(self.chance.uniform(0, most_s))


Scene = Callable[[Stage], list[str]]
"""Plays until something may happen; returns the words that must not be lost."""


def typed(stage: Stage) -> list[str]:
    """Something is begun, a word is typed, and maybe sent."""
    begun, sent = stage.chance.choice(BEGUN), stage.chance.choice(SENT)
    if begun:
        stage.on.prompt(begun)
        stage.pause(0.8)
    if not stage.type(stage.word) or "search: " in stage.on.terminal.text:
        return []
    stage.on.terminal.send(sent)
    stage.pause(0.2)
    return [stage.word]


def in_a_compaction(stage: Stage) -> list[str]:
    """A summary is being written: one word is queued, one steers, one is a draft."""
    stage.on.prompt("long")
    stage.on.terminal.until(lambda: [one for one in stage.on.records() if one["type"] == "end"][1:])
    stage.on.prompt("/compact")
    stage.on.terminal.until("writing a summary")
    for number, key in enumerate(("\x1bq", "\r", "")):
        stage.type(f"{stage.word}{number}")
        stage.on.terminal.send(key)
        stage.pause(0.3)
    stage.pause(0.8)
    return [f"{stage.word}{number}" for number in range(3)]


def in_a_queue(stage: Stage) -> list[str]:
    """Steering, follow-ups, a command of the user's and a draft, while a turn runs."""
    stage.on.prompt(stage.chance.choice(("sleep", "forever", "stream")))
    stage.pause(0.5)
    lines = ((f"{stage.word}a", "\x1bq"), (f"{stage.word}b", "\r"), (f"!echo {stage.word}c", "\r"))
    words = []
    for text, key in stage.chance.sample(lines, 3):
        if stage.type(text):
            stage.on.terminal.send(key)
            stage.on.terminal.rest(0.3)
            words.append(text.removeprefix("!echo "))
    return [*words, *([f"{stage.word}d"] if stage.type(f"{stage.word}d") else [])]


def in_the_picker(stage: Stage) -> list[str]:
    """The list of sessions opens over a draft."""
    stage.on.prompt("stream")
    stage.pause(0.2)
    stage.on.terminal.send("/resume\x1bq")
    stage.on.terminal.rest(0.2)
    if not stage.type(stage.word) or "search: " in stage.on.terminal.text:
        return []
    stage.on.terminal.until(
        lambda: "search: " in stage.on.terminal.text or "no other sessions" in stage.on.terminal.text
    )
    return [stage.word]


def at_an_editor(stage: Stage) -> list[str]:
    """The draft is in an editor, which has saved it with more; a turn may run."""
    if stage.chance.random() < 1 / 2:
        stage.on.prompt("forever")
    stage.type(stage.word)
    stage.on.terminal.send("\x18\x05")
    stage.on.terminal.until("EDITOR")
    stage.pause(0.3)
    return [f"{stage.word}saved"]


def in_the_history(stage: Stage) -> list[str]:
    """An entry of the history, or a search in it, stands in the draft's place."""
    stage.type(stage.word)
    stage.on.terminal.send(stage.chance.choice(("\x1b[A", "\x12hel", "\x12hel\x12", "\x12hel\r")))
    stage.pause(0.4)
    return [stage.word]


def while_it_opens(stage: Stage) -> list[str]:
    """A session with a draft and a queue is killed, and what goes on with it is killed while it opens."""
    words = in_a_queue(stage)
    on = stage.on
    os.kill(on.terminal.pid, signal.SIGKILL)
    on.terminal.ended()
    for _ in range(OPENINGS):
        with Terminal(agent_command("-c"), cwd=on.command.project, env=on.command.env) as again:
            again.rest(stage.chance.uniform(0, 4))
            os.kill(again.pid, signal.SIGKILL)
            again.ended()
    return words


SCENES: tuple[Scene, ...] = (
    *(typed, in_a_compaction, in_a_queue, in_the_picker),
    *(at_an_editor, in_the_history, while_it_opens),
)


@dataclass(frozen=True, slots=True)
class Story:
    """What happened; ``words`` were in the input, ``lost`` are those that nobody finds again."""

    about: str
    words: list[str]
    lost: list[str]


def story(root: Path, seed: int) -> Story:
    """Play one story in ``root``."""
    chance = random.Random(seed)
    scene, fault = SCENES[seed % len(SCENES)], chance.choice(FAULTS)
    editor = root / "editor"
    editor.write_text(EDITOR)
    editor.chmod(0o755)
    more = {"VISUAL": "", "EDITOR": str(editor)}
    with agent_on_screen(root, script=_script(), more=more) as on_screen:
        terminal = on_screen.terminal
        terminal.until(READY)
        on_screen.prompt("hello")
        terminal.until("You said hello.")
        terminal.rest(0.2)
        words = scene(Stage(on_screen, chance, f"word{seed}x"))
        if terminal.process.poll() is None:
            _happen(terminal, fault)
        if terminal.process.poll() is None:
            os.kill(terminal.pid, signal.SIGKILL)
        terminal.ended()
        return Story(f"seed {seed}: {scene.__name__}, {fault}", words, _lost(on_screen, words))


def _script() -> Script:
    """A model that writes its summary slowly, so that something can happen meanwhile."""

    def told(request: Request) -> Reply:
        last = [block["text"] for block in request.body["messages"][-1]["content"] if block["type"] == "text"]
        return says(STORY) if last[-1:] == ["long"] else answer(request)

    summary = always(says(SUMMARY, pace_s=0.1, chunk_chars=4))
    return Script(always(told), routes=[when(last_text_starts(OPENING), summary)])


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


def _lost(on_screen: OnScreen, words: list[str]) -> list[str]:
    """Return the words that are neither in what was said or run, nor on the screen of a session that goes on."""
    command = on_screen.command
    logs = [path.read_text() for path in (command.project / ".transcripts").glob("*.jsonl")]
    records = [json.loads(line) for log in logs for line in log.splitlines() if line.startswith("{")]
    said = "\n".join(
        json.dumps(one.get("content", one.get("command")))
        for one in records
        if one["type"] == "shell" or (one["type"] == "message" and one["role"] == "user")
    )
    missing = [word for word in words if word not in said]
    if not missing:
        return []
    with Terminal(Loaded(("-c",)), cwd=command.project, env=command.env) as again:
        again.until(READY)
        again.rest(0.4)
        return [word for word in missing if word not in again.text]


def main() -> int:
    """Play as many stories as asked for; 1 when text was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    words, lost = 0, 0
    for seed in range(asked.seed, asked.seed + asked.count):
        with tempfile.TemporaryDirectory() as folder:
            played = story(Path(folder), seed)
        words, lost = words + len(played.words), lost + len(played.lost)
        if played.lost:
            print(f"{played.about}: lost {played.lost} of {played.words}", flush=True)
    print(f"{asked.count} stories, {words} words, {lost} lost")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
