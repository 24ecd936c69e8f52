"""A scripted session of any length: results of every size from a fixed seed, images, a very long prompt, steering."""

import io
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, pairwise
from typing import Any

from PIL import Image

from agent.events import Event, StepStarted, TurnEnded
from agent.offline import Reply, always, calls, last_text_starts, says, when
from compaction.digest import HEADINGS
from compaction.summary import OPENING
from tests.support.agent import Harness

WINDOW = 60_000
MODEL = "claude-sonnet-5-5"
LARGE_CHARS = 40_000
PIN = "Never touch the folder legacy/; its owner is on leave."
PIN_STEP = 3
IMAGES = 5
WORDS = (
    *("the", "cart", "sums", "prices", "before", "rounding", "while", "orders", "wait", "for", "payment"),
    *("a", "ledger", "keeps", "what", "was", "said", "and", "nothing", "is", "lost", "between", "layers"),
)
SUMMARY = when(
    last_text_starts(OPENING),
    always(
        says(
            "<analysis>What was it?</analysis><summary>"
            + "\n".join(f"{number}. {heading}: as said" for number, heading in enumerate(HEADINGS, 1))
            + "</summary>"
        )
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A session of so many steps: three turns, the second with the long prompt, steering in the second and third."""

    steps: int
    seed: int = 300
    prompt_chars: int = 150_000
    """Length of the second prompt."""

    @property
    def turn_ends(self) -> tuple[int, int, int]:
        """The steps with the last word of each turn."""
        return self.steps // 3, self.steps * 2 // 3, self.steps

    @property
    def steering(self) -> dict[int, str]:
        """Step -> what is typed while its request is out."""
        first, second = self.steps * 2 // 5, self.steps * 4 // 5
        return {
            first: f"Typed at step {first}: keep the German texts as they are, Größe and all.",
            second: f"Typed at step {second}: leave the tests of the importer for tomorrow.",
        }

    @property
    def prompts(self) -> tuple[str, str, str]:
        """What each turn begins with."""
        return (
            "Go through the project file by file and note what looks wrong.",
            "Work through this list of findings:\n" + prose(self.seed, self.prompt_chars - 40),
            "Now close what is left open, and say what you did.",
        )

    def sizes(self) -> list[int]:
        """Characters of each step's result: median 300, 80 % under 7,000, one in ten 40,000; shuffled."""
        shares = ((index + 0.5) / self.steps for index in range(self.steps))
        sizes = [_size_at(share) for share in shares]
        random.Random(self.seed).shuffle(sizes)
        return sizes

    def files(self) -> dict[str, str | bytes]:
        """The project: a file a step, and the images."""
        files: dict[str, str | bytes] = {
            f"data/f{step}.txt": prose(self.seed + step, size) for step, size in enumerate(self.sizes(), 1)
        }
        return files | {f"pictures/p{number}.png": picture(number) for number in range(IMAGES)}

    def script(self) -> Iterator[Reply]:
        """A reply a step."""
        pictures = {self.steps * (2 * number + 1) // (2 * IMAGES) + 1: number for number in range(IMAGES)}
        large = count()
        for step, size in enumerate(self.sizes(), 1):
            said = says(f"Step {step}: I look at the next file.")
            path = f"data/f{step}.txt"
            if step in self.turn_ends:
                yield says(f"The part up to step {step} is done.")
            elif step in pictures:
                yield said + calls("read", file_path=f"pictures/p{pictures[step]}.png")
            elif step % 2 if size < LARGE_CHARS else next(large) % 3:
                yield said + calls("read", file_path=path)
            else:
                yield said + calls("bash", command=f"cat {path}")


async def play(harness: Harness, plan: Plan) -> list[TurnEnded]:
    """Play the three turns, with the pin and the steering at their steps."""
    harness.once(at_step(PIN_STEP), lambda: harness.pin(PIN))
    for step, words in plan.steering.items():
        harness.once(at_step(step), lambda words=words: harness.steer(words))  # type: ignore[misc]
    return [await harness.turn(prompt) for prompt in plan.prompts]


def setup(plan: Plan, preset: str) -> dict[str, Any]:
    """Return the fields of `Setup` for the session."""
    return {
        "files": plan.files(),
        "routes": [SUMMARY],
        "windows": {MODEL: WINDOW},
        "config": {"window": WINDOW, "preset": preset, "model": MODEL},
    }


def at_step(step: int) -> Any:
    """Pick the event with which a step begins."""

    def is_it(event: Event) -> bool:
        return isinstance(event, StepStarted) and event.step == step

    return is_it


def _size_at(share: float) -> int:
    """The size below which ``share`` of all results are."""
    points: Sequence[tuple[float, float]] = ((0.0, 30), (0.5, 300), (0.8, 7_000), (0.9, 20_000))
    if share >= points[-1][0]:
        return LARGE_CHARS
    for (start, small), (end, large) in pairwise(points):
        if share < end:
            place = (share - start) / (end - start)
            return round(small * math.exp(place * math.log(large / small)))
    raise AssertionError("the points begin at 0")


@lru_cache(maxsize=1_024)
def prose(seed: int, chars: int) -> str:
    """Return so many characters of text, lines of about 80, no two seeds alike."""
    chance = random.Random(seed)
    lines, total = [], 0
    while total < chars:
        lines.append(" ".join(chance.choices(WORDS, k=14)))
        total += len(lines[-1]) + 1
    return "\n".join(lines)[: chars - 1].ljust(chars - 1, ".") + "\n"


def picture(number: int) -> bytes:
    """Return a small PNG, each of another colour."""
    file = io.BytesIO()
    Image.new("RGB", (40, 40), (number * 40, 100, 200)).save(file, format="PNG")
    return file.getvalue()


def texts(body: Mapping[str, Any]) -> str:
    """All texts and text results of a request."""
    blocks = [block for message in body["messages"] for block in message["content"]]
    return "\n\n".join(str(block.get("text") or block.get("content", "")) for block in blocks)
