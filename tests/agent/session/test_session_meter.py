"""The meter as a session keeps it: through resume, undo, other models, cut replies and thinking that stays behind."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.api.request import thinking_rule
from agent.compacting.filling import filling
from agent.models import Family, row
from agent.session.session import Session, Tools
from agent.session.state import State
from agent.session.store import Store
from agent.terminal.context_lines import context_lines
from agent.token_counter import Counter
from compaction.messages import as_blocks, is_thinking, text
from compaction.policy import Sizes, SummaryRule
from compaction.tokens import LOWEST, Meter
from tests.support.samples import samples

BOUND, KEPT, NONE = "claude-sonnet-5-5", "claude-opus-4-6", "some-other-model"
THOUGHT = {"type": "thinking", "thinking": "why not " * 40, "signature": "s" * 40}
TOOLS = Tools(count=Counter("4.7").block_tokens, price=lambda _model, _usage: 0.0, clock=lambda: 1.8e9)


class Live:
    """A session on disk that is told what happens."""

    def __init__(self, folder: Path, model: str = BOUND) -> None:
        self.store = Store.of(folder, folder)
        self.folder = folder
        head = {"model": model, "mode": "ask", "window": 200_000, "system": [text("Be. " * 900)], "tools": []}
        self.session = Session.create(self.store, folder, head, tools=TOOLS)

    @property
    def state(self) -> State:
        """The live state."""
        return self.session.state

    def user(self, words: str) -> None:
        """Say something."""
        self.session.append("message", role="user", content=[text(words)], results=[], said=[0])

    def reply(self, usage: Any, words: str = "Yes.", *, thinks: bool = False, **fields: Any) -> None:
        """Let the model answer."""
        state = self.state
        content = [*([THOUGHT] if thinks else []), text(words)]
        self.session.append(
            "message",
            role="assistant",
            content=content,
            usage=usage,
            prefix_sha=state.prefix_sha,
            **{"model": state.model, **fields},
        )

    def compact(self, words: str, *, first: int = 0, layer: str = "micro") -> None:
        """Put ``words`` in place of a block."""
        placed = list(self.state.view)[first]
        changes = [{"ids": [placed.id], "role": placed.role, "blocks": [text(words)]}]
        self.session.append("compaction", layer=layer, changes=changes, files=[], receipt={"usage": USAGE})

    def undo(self) -> None:
        """Take the newest compaction back, if there is one."""
        if self.state.standing:
            self.session.append("undo", target=self.state.standing[-1], is_redo=False)

    def end(self) -> None:
        """End the turn."""
        self.session.append("end", of="turn", reason="done")

    def resumed(self) -> State:
        """Leave and open again."""
        name = self.state.session_id
        self.session.close()
        self.session = Session.resume(self.store, name, self.folder, tools=TOOLS)
        return self.state


USAGE = {"input_tokens": 6_000, "output_tokens": 300}
figures = st.none() | st.integers(0, 30_000)
usages = st.none() | st.fixed_dictionaries(
    {"input_tokens": figures, "cache_read_input_tokens": figures, "output_tokens": figures}
)
words = st.text("ab 日😀\n", min_size=1, max_size=30).map(lambda word: f"w{word * 60}")
happenings = st.one_of(
    st.tuples(st.just("user"), words),
    st.tuples(st.just("reply"), usages, words, st.booleans()),
    st.tuples(st.just("compact"), words),
    st.tuples(st.just("undo")),
    st.tuples(st.just("model"), st.sampled_from([BOUND, KEPT, NONE])),
    st.tuples(st.just("refused"), st.integers(0, 90_000)),
)


def let(live: Live, happening: tuple[Any, ...]) -> None:
    """Let something happen in a turn of its own."""
    match happening:
        case ("user", said):
            live.user(said)
        case ("reply", usage, said, thinks):
            live.reply(usage, said, thinks=thinks)
        case ("compact", said):
            live.compact(said)
        case ("undo",):
            live.undo()
        case ("model", name):
            live.session.append("model", model=name)
        case ("refused", size):
            live.session.append("note", text="prompt is too long", corrected_tokens=size)
    live.end()


@settings(max_examples=40, deadline=None)
@given(st.lists(happenings, max_size=12))
def test_a_resumed_session_has_the_same_meter(happened: list[tuple[Any, ...]]) -> None:
    """Size, pace, bytes; what counts is what is sent, and its parts by category are the size, whatever happened."""
    with TemporaryDirectory() as folder:
        live = Live(Path(folder))
        let(live, ("user", "Hello."))
        for happening in happened:
            let(live, happening)
            state = live.state
            rule = thinking_rule(row(state.model))
            sent = state.view.sendable(rule, state.model)
            assert state.view.tokens == sum(placed.tokens for placed in sent)
            parts = filling(state).categories.values()
            assert sum(parts) == state.context_size
            assert all(count > 0 for count in parts)
        before = facts(live.state)
        assert before["size"] >= 0
        assert facts(live.resumed()) == before
        live.session.close()


def facts(state: State) -> dict[str, Any]:
    """All that the meter says."""
    return {
        "meter": state.meter,
        "pace": state.pace,
        "size": state.context_size,
        "is_estimate": state.is_estimate,
        "bytes": state.view.totals.bytes,
        "left": state.turns_left(167_000),
    }


@pytest.mark.parametrize(
    ("model", "told", "size"),
    [(BOUND, 40, 6_300), (KEPT, None, 6_300), (NONE, 200, 6_100), (NONE, 999, 6_000)],
)
def test_thinking_that_stays_behind_is_taken_off(
    tmp_path: Path, model: str, told: int | None, size: int
) -> None:
    """Where no thinking goes back, it is paid for and not sent again."""
    live = Live(tmp_path, model)
    live.user("Go.")
    live.reply({**USAGE, "output_tokens_details": {"thinking_tokens": told}}, thinks=True)

    assert live.state.context_size == size
    assert not live.state.is_estimate


def test_thinking_that_nobody_counted_is_estimated(tmp_path: Path) -> None:
    """As a block, by the meter's factor."""
    live = Live(tmp_path, NONE)
    live.user("Go.")
    factor = live.state.meter.factor
    live.reply(USAGE, thinks=True)

    assert live.state.context_size == 6_300 - round(factor * TOOLS.count(as_blocks([THOUGHT])[0]))


def test_a_cut_call_is_taken_off(tmp_path: Path) -> None:
    """Its tokens were paid for; what goes back is the text before it."""
    live = Live(tmp_path)
    live.user("Go.")
    live.reply(
        {"input_tokens": 6_000, "output_tokens": 32_000}, "I write.", cut=[{"id": "c", "name": "write"}]
    )

    assert 6_000 < live.state.context_size < 6_010


def test_another_model_counts_anew(tmp_path: Path) -> None:
    """A denser tokenizer makes prose larger, leaves Chinese as it is; thinking of the old model does not go."""
    sizes = {}
    for name, said in {"prose": "All is well. " * 900, "chinese": "你好世界。" * 900}.items():
        live = Live(tmp_path / name, KEPT)
        live.user(said)
        live.reply({"input_tokens": 10_000, "output_tokens": 100}, thinks=True)
        live.session.append("model", model=BOUND)
        assert live.state.is_estimate
        sizes[name] = live.state.context_size
    assert 12_000 < sizes["prose"] < 13_000
    assert 10_000 < sizes["chinese"] < 11_500


def test_a_compaction_counts_at_once_and_undo_takes_it_back(tmp_path: Path) -> None:
    """Smaller by estimate, then what it was."""
    live = Live(tmp_path)
    live.user("x y z " * 5_000)
    live.reply({"input_tokens": 18_000, "output_tokens": 100})
    live.compact("gone")
    assert live.state.is_estimate
    assert 500 < live.state.context_size < 4_500
    live.undo()
    assert (live.state.context_size, live.state.is_estimate) == (18_100, False)


def test_turns_left(tmp_path: Path) -> None:
    """None before the third turn, then the room by the mean growth; the same after a resume."""
    live = Live(tmp_path)
    seen = []
    for size in (2_000, 4_000, 6_000, 8_000):
        seen.append(live.state.turns_left(20_000))
        live.user("Go.")
        live.reply({"input_tokens": size, "output_tokens": 10})
        live.end()

    assert seen == [None, None, 7, 6]
    sizes = Sizes(window=24_300, max_output=20_000)
    assert live.resumed().turns_left(20_000) == 5
    told = "\n".join(
        line.plain for line in context_lines(live.state, sizes, None, rule=SummaryRule(), width=200)
    )
    assert "about 4 turns until then, as the last ones went" in told, sizes.threshold


@pytest.mark.parametrize("layer", ["summary", "undo"])
def test_a_summary_is_no_growth(tmp_path: Path, layer: str) -> None:
    """Nor is what an undo brought back."""
    live = Live(tmp_path)
    for size in (2_000, 4_000, 6_000):
        live.user("Go.")
        live.reply({"input_tokens": size, "output_tokens": 10})
        live.end()
    live.compact("short", layer="summary")
    if layer == "undo":
        live.undo()
    live.reply({"input_tokens": 1_000, "output_tokens": 10})
    live.end()

    assert live.state.pace.growths == (2_000, 2_000)


# Tokens up to 4.6 and from 4.7 on, as in test_token_counter.
REAL = {"base64": (6948, 7603), "chinese": (320, 318), "chinese random": (1663, 1661), "japanese": (231, 230)}
REAL |= {"korean": (368, 366), "russian": (184, 183), "emoji": (1303, 1301), "emoji joined": (1928, 1926)}
FAMILIES: tuple[Family, Family] = ("4.6", "4.7")


@given(st.lists(st.sampled_from(sorted(REAL)), min_size=1, max_size=6), st.sampled_from([0, 1]))
def test_dense_texts_are_never_far_below(names: list[str], family: int) -> None:
    """90 % of the real count, also in a session whose other texts have taught the lowest factor there is."""
    count = Counter(FAMILIES[family]).text_tokens
    meter = Meter(overhead=5_000).measured({"input_tokens": 5_000}, 0, asked_with=0)
    for step in range(1, 20):
        usage = {"input_tokens": 5_000 + step * 6_000}
        meter = meter.measured(usage, step * 10_000, asked_with=step * 10_000)
    assert meter.factor == LOWEST
    estimated = sum(count(samples()[name]) for name in names)
    grown = meter.size(meter.anchored_at + estimated) - meter.anchor

    assert grown >= 0.9 * sum(REAL[name][family] for name in names) - 1


def test_the_size_in_bytes(tmp_path: Path) -> None:
    """What the blocks weigh on the wire, thinking too, at most 30 bytes a block over it."""
    live = Live(tmp_path)
    live.user("日本 😀 \x07 plain " * 50)
    live.reply(USAGE, "plain", thinks=True)
    blocks = [placed.block for placed in live.state.view]
    exact = sum(len(json.dumps(block, ensure_ascii=False).encode()) for block in blocks)

    assert any(map(is_thinking, blocks))
    assert exact <= live.state.view.totals.bytes <= exact + 30 * len(blocks)
