"""The course's layers step after step over one growing view: what they leave stays valid, and all of it readable."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from agent.replay.recovery import Recovery
from compaction.budget import ResultBudget
from compaction.messages import is_thinking
from compaction.micro import MicroCompact
from compaction.pairs import broken_pairs
from compaction.pipeline import Layer
from compaction.situation import Places, Situation
from compaction.snip import Snip, grouped
from compaction.view import Origin, View
from tests.support.histories import HEAD, MODEL, Said, count, histories
from tests.support.layers import situation, texts

COURSE: tuple[Layer, ...] = (
    ResultBudget(batch_chars=300, large_chars=50, spares_small=True, head_chars=20, tail_chars=0),
    Snip(most=5, again=3, head=2, tail=3),
    MicroCompact(keep=1, over_chars=60),
)
OLDER: tuple[Layer, ...] = (MicroCompact(keep=1, over_chars=60, names_tool=True),)


class Rolling:
    """A session in small: what is said is appended, then each layer acts."""

    def __init__(self, layers: Sequence[Layer], *, drops_thinking: bool) -> None:
        self.layers = layers
        self.view = View(HEAD, count)
        self.recovery = Recovery()
        self.prompts: list[str] = []
        self.plans = self.archives = 0
        self.drops_thinking = drops_thinking

    def say(self, number: int, said: Said) -> None:
        """Append a message; before a request the layers act."""
        is_reply = said.role == "assistant"
        origin = Origin(model=MODEL, prefix_sha=self.view.prefix_sha) if is_reply else None
        before = len(self.view)
        self.view.append(f"r{number}", said.role, said.blocks, origin=origin, step=number)
        self.recovery.came(list(self.view)[before:])
        if not is_reply:
            self.prompts += [block["text"] for block in said.blocks if block["type"] == "text"]
            for layer in self.layers:
                self.act(layer)

    def act(self, layer: Layer) -> None:
        """Carry out what a layer plans; right after it there must be nothing more to plan."""
        plan = layer(self.view, self.now())
        if plan is None:
            return
        self.plans += 1
        before = self.view.tokens
        self.view.apply(f"c{self.plans}", plan.changes)
        self.archives += bool(plan.receipt.get("archive"))
        self.recovery.planned(plan, self.view)
        assert self.view.tokens < before
        assert layer(self.view, self.now()) is None

    def now(self) -> Situation:
        """How things stand."""
        places = Places(spills="spills", archive=f"archive-{self.archives + 1}.md")
        return situation(
            self.view,
            places=places,
            active=tuple(self.prompts[-1:]),
            drops_thinking=self.drops_thinking,
        )

    def check(self) -> None:
        """What must hold of every request."""
        sent = self.view.messages("kept", MODEL)
        assert broken_pairs(sent) == []
        assert sent[0]["role"] == "user"
        assert all(message["content"] and not is_thinking(message["content"][-1]) for message in sent)
        shown = texts(self.view)
        assert len(grouped(self.view)) == self.view.index.messages + self.view.index.markers
        assert sum(words.startswith("[[archived: ") for words in shown) <= 1
        assert set(self.prompts) <= set(shown)
        dropped, recovered = self.recovery.share(self.view)
        assert dropped == recovered


@settings(max_examples=30)
@given(histories(max_rounds=10), st.sampled_from([COURSE, OLDER]), st.booleans())
def test_step_after_step(said: list[Said], layers: Sequence[Layer], drops_thinking: bool) -> None:
    """Valid, smaller, one marker, every prompt there, every byte reachable in two files; before every request."""
    rolling = Rolling(layers, drops_thinking=drops_thinking)
    for number, message in enumerate(said, 1):
        rolling.say(number, message)
        if message.role == "user":
            rolling.check()
