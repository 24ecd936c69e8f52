"""Made sessions: a seed and a setting -> a whole life of a session, the same every time."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.rolling import Rolling
from tests.support.rolling_server import KINDS, TooLong
from tests.support.rolling_shapes import Full, Setting, no_summary
from tests.support.rolling_texts import EVIL, Texts

WINDOWS = {16_000: 1.0, 32_000: 2.0, 60_000: 3.0, 200_000: 8.0, 1_000_000: 30.0}
"""Working window -> density: a large window is filled as fast as a small one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """All that a made session depends on."""

    seed: int
    steps: int
    setting: Setting


def good_summary(body: Mapping[str, Any]) -> str:
    """A model that does as it is told."""
    return (
        f"<analysis>hm</analysis><summary>1. Request and intent: {len(body['messages'])} messages.</summary>"
    )


def hostile_summary(body: Mapping[str, Any]) -> str:
    """A model that was talked into something by what it read."""
    return "<summary>" + "\n".join(EVIL).replace("</summary>", "&lt;/summary&gt;") + "</summary>" + EVIL[2]


def empty_summary(body: Mapping[str, Any]) -> str:
    """A model that says nothing."""
    return ""


def echoing_summary(body: Mapping[str, Any]) -> str:
    """A model that says everything again."""
    return f"<summary>{body['messages']}</summary>"


def giant_summary(body: Mapping[str, Any]) -> str:
    """A model that does not stop."""
    return "<summary>" + "1. Request and intent: on and on. " * 9_000 + "</summary>"


SUMMARISERS: Sequence[Callable[[Mapping[str, Any]], str | None]] = (
    good_summary,
    hostile_summary,
    empty_summary,
    echoing_summary,
    giant_summary,
    no_summary,
)


class Play:
    """Lets a session live; one source of chance decides everything."""

    def __init__(self, rolling: Rolling, seed: int) -> None:
        self.rolling = rolling
        self.chance = random.Random(seed)
        self.texts = Texts(self.chance)
        self._calls = 0

    def run(self, steps: int) -> None:
        """Make ``steps`` requests, as many turns as that takes."""
        while steps > 0:
            self.between_turns()
            self.rolling.prompt(self.texts.words())
            steps -= self.turn(steps)

    def turn(self, most: int) -> int:
        """Run one turn; return how many requests it took."""
        for number in range(1, most + 1):
            try:
                is_over = self.step()
            except (TooLong, Full):
                self.rolling.end("error")
                return number
            if is_over:
                self.rolling.end()
                return number
        self.rolling.end("interrupted")
        return most

    def step(self) -> bool:
        """Run one step; True when the turn is over."""
        rolling, chance = self.rolling, self.chance
        self._meanwhile()
        reply = self.reply()
        if chance.random() < 0.03:
            rolling.step(reply, kept=_kept(reply, chance.randrange(len(reply) + 1)))
            return True
        blocks = rolling.step(reply)
        calls = [block for block in blocks if block["type"] == "tool_use"]
        if not calls:
            return True
        results = [self.texts.outcome(call, rolling.project) for call in calls]
        if chance.random() < 0.04:
            rolling.answer(blocks, results[: chance.randrange(len(results))])
            return True
        if chance.random() < 0.02:
            rolling.resume()
            return True
        rolling.answer(blocks, results)
        return False

    def reply(self) -> list[dict[str, Any]]:
        """Draw a reply: thinking, text and calls, as models order them."""
        chance = self.chance
        thought = {"type": "thinking", "thinking": self.texts.plain(300), "signature": ""}
        hidden = {"type": "redacted_thinking", "data": ""}
        thoughts = [thought, hidden] if chance.random() < 0.1 else [chance.choice((thought, thought, hidden))]
        is_thinking = self.rolling.kind.is_thinking and chance.random() < 0.7
        calls = [self._call() for _ in range(chance.choice((0, 1, 1, 1, 1, 2, 3)))]
        is_speaking = not calls or chance.random() < 0.6
        said = [{"type": "text", "text": self.texts.plain(900)}] if is_speaking else []
        again = [{**thought, "thinking": "And then?"}] if said and calls and chance.random() < 0.2 else []
        return [*thoughts, *said, *again, *calls] if is_thinking else [*said, *calls]

    def between_turns(self) -> None:
        """What may happen while nobody works."""
        rolling, chance = self.rolling, self.chance
        if chance.random() < 0.2:
            rolling.now += chance.choice((200.0, 400.0, 4_000.0, 90_000.0))
        if chance.random() < 0.15:
            rolling.undo()
            if chance.random() < 0.5:
                rolling.redo()
        if chance.random() < 0.08:
            rolling.resume()
        if chance.random() < 0.08:
            rolling.pin(self.texts.plain(120))
        if rolling.sent and chance.random() < 0.06:
            rolling.compact("manual")

    def _meanwhile(self) -> None:
        rolling, chance = self.rolling, self.chance
        if chance.random() < 0.08:
            rolling.steer(self.texts.words())
        if chance.random() < 0.1:
            rolling.summariser = chance.choice(SUMMARISERS)
        if chance.random() < 0.03:
            rolling.now += 400

    def _call(self) -> dict[str, Any]:
        self._calls += 1
        return self.texts.call(f"toolu_{self._calls}")


def _kept(reply: Sequence[Mapping[str, Any]], whole: int) -> int:
    """How many blocks of a broken reply stay: a message does not end with thinking."""
    while whole and reply[whole - 1]["type"] in ("thinking", "redacted_thinking"):
        whole -= 1
    return whole


def drawn(chance: random.Random, preset: str) -> Setting:
    """Draw a window and a kind of model for ``preset``."""
    window = chance.choice(tuple(WINDOWS))
    density = WINDOWS[window] * chance.choice((0.1, 0.2, 0.4, 1.0))
    return Setting(preset=preset, window=window, kind=chance.choice(tuple(KINDS)), density=density)


def played(plot: Plot) -> Rolling:
    """Return a session after its whole life."""
    rolling = Rolling(plot.setting, good_summary)
    Play(rolling, plot.seed).run(plot.steps)
    return rolling
