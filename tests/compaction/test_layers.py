"""The layers: whatever the history, what they leave is valid, nothing is lost, and the user's words stay."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compaction.balanced import Balanced, BalancedCut
from compaction.budget import ResultBudget
from compaction.messages import is_thinking, text, text_of
from compaction.pairs import broken_pairs
from compaction.pipeline import Layer, plans
from compaction.plan import Plan
from compaction.policy import Sizes
from compaction.presets import FITTING, PRESETS
from compaction.quoted import harmless
from compaction.restore import HEADING, restore_edited
from compaction.situation import Places, Prices, Situation
from compaction.view import Placed, View
from tests.support.histories import MODEL, TINY_PNG, Said, histories, view_of

EAGER = BalancedCut(constants=Balanced(margin=-(10**9), min_saving=1, snip_age=2))
"""Takes whatever is dead, whether it pays or not: the rules must hold for every cut."""
LAYERS: dict[str, Layer] = {
    "eager": EAGER,
    "keen": BalancedCut(constants=Balanced(margin=0, min_saving=1, snip_age=2)),
    "balanced": BalancedCut(),
    "budget": ResultBudget(batch_chars=300, large_chars=100, head_chars=20, tail_chars=10),
}


def situation(view: View, **changes: Any) -> Situation:
    blocks = list(view)
    fields: dict[str, Any] = {
        "sizes": Sizes(window=200_000, max_output=32_000),
        "prices": Prices(),
        "places": Places(spills=".task_outputs/s", archive=".transcripts/s/archive-001.md"),
        "step": max((placed.step for placed in blocks), default=0) + 20,
        "now": 0.0,
        "is_cold": False,
        "size": lambda tokens: tokens,
    }
    return Situation(**{**fields, **changes})


def applied(view: View, plan: Plan) -> View:
    after = view.copy()
    after.apply("r999", plan.changes)
    return after


layers = st.sampled_from(sorted(LAYERS))


@settings(max_examples=30)
@given(histories(max_rounds=6), layers, st.booleans())
def test_what_a_layer_leaves_is_valid_and_smaller(said: list[Said], name: str, is_cold: bool) -> None:
    """Pairs stand, the first message is the user's, nothing is empty, no thinking ends a message, tokens shrink."""
    view = view_of(said)
    before = list(view)
    plan = LAYERS[name](view, situation(view, is_cold=is_cold))
    assert list(view) == before
    if plan is None:
        return
    after = applied(view, plan)
    messages = after.messages("kept", MODEL)

    assert broken_pairs(messages) == []
    assert messages[0]["role"] == "user"
    assert all(message["content"] for message in messages)
    assert not any(
        is_thinking(message["content"][-1]) for message in messages if message["role"] == "assistant"
    )
    assert after.tokens < view.tokens
    assert plan.receipt["after"] < plan.receipt["before"]


@settings(max_examples=30)
@given(histories(max_rounds=6), st.sampled_from(["keen", "balanced", "budget"]))
def test_a_layer_is_deterministic_and_idempotent(said: list[Said], name: str) -> None:
    """Same view, same plan; right after its plan was applied it plans nothing."""
    view = view_of(said)
    plan = LAYERS[name](view, situation(view))
    assert plan == LAYERS[name](view, situation(view))
    if plan is not None:
        after = applied(view, plan)
        assert LAYERS[name](after, situation(after)) is None


@settings(max_examples=30)
@given(histories(max_rounds=6), layers)
def test_the_words_and_the_unseen_stay(said: list[Said], name: str) -> None:
    """The user's texts stay as they are, the model's too, or its marker repeats them; cuts leave what was not sent."""
    view = view_of(said)
    now = situation(view)
    plan = LAYERS[name](view, now)
    if plan is None:
        return
    blocks = list(view)
    gone = {id_ for change in plan.changes for id_ in change["ids"]}
    untouchable = blocks[: view.sent] if name == "budget" else blocks[view.sent :]

    assert not gone & {placed.id for placed in untouchable}
    words = [placed for placed in blocks if placed.block["type"] == "text"]
    assert not gone & {placed.id for placed in words if placed.role == "user"}
    shown = json.dumps([change["blocks"] for change in plan.changes], ensure_ascii=False)
    for placed in words:
        line = harmless(" ".join(text_of([placed.block]).split()))
        assert placed.id not in gone or json.dumps(line, ensure_ascii=False)[1:-1] in shown


@settings(max_examples=30)
@given(histories(max_rounds=6), layers)
def test_every_byte_that_left_is_in_a_file_that_the_view_names(said: list[Said], name: str) -> None:
    """From a placeholder or marker to the bytes it is at most two files; the view holds the path of the first."""
    view = view_of(said)
    plan = LAYERS[name](view, situation(view))
    if plan is None:
        return
    files = {file.path: file.data for file in plan.files}
    shown = json.dumps(applied(view, plan).messages("kept", MODEL), ensure_ascii=False)
    named = {path for path in files if path in shown}
    reachable = named | {path for path in files if any(path.encode() in files[first] for first in named)}
    data = b"\0".join(files[path] for path in reachable)
    gone = {id_ for change in plan.changes for id_ in change["ids"]}

    assert reachable == set(files)
    for placed in view:
        if placed.id in gone:
            assert all(
                _holds(data, part) or json.dumps(part.decode("utf-8", "replace"), ensure_ascii=False) in shown
                for part in _parts(placed)
            )


def _holds(data: bytes, part: bytes) -> bool:
    """As it is, indented in an archive, or as a string of an archived input."""
    indented = b"\n".join(b"    " + line for line in part.split(b"\n"))
    return any(
        form in data
        for form in (part, indented, json.dumps(part.decode("utf-8", "replace"), ensure_ascii=False).encode())
    )


def _parts(placed: Placed) -> Sequence[bytes]:
    """What must be readable of a block that left."""
    block: Any = placed.block
    if block["type"] == "tool_use":
        return [value.encode() for value in block["input"].values() if len(value) >= 160]
    if block["type"] != "tool_result":
        return []
    content = block["content"]
    parts = [text(content)] if isinstance(content, str) else content
    return [part["text"].encode() if part["type"] == "text" else TINY_PNG for part in parts]


def call(id_: str, name: str, **given: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": given}


def result(id_: str, content: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": content, **more}


def session(*steps: tuple[dict[str, Any], dict[str, Any]]) -> View:
    """One prompt, then a step for each (call, result), numbered from 1."""
    view = view_of([Said(role="user", blocks=[text("go")])])
    for number, (use, answer) in enumerate(steps, 1):
        reply: Any = [text(f"step {number}"), use]
        answers: Any = [answer]
        view.append(f"a{number}", "assistant", reply, step=number)
        view.append(f"u{number}", "user", answers, step=number)
    return view


def standing(view: View) -> Mapping[str, str]:
    """Call id -> the result that stands in the view."""
    blocks: list[Any] = [placed.block for placed in view if placed.block["type"] == "tool_result"]
    return {block["tool_use_id"]: block["content"] for block in blocks}


FILE = "\n".join(f"{number}\tline {number}" for number in range(1, 400))


def test_the_working_set_stays_whole() -> None:
    """A file that was just read is kept; a command's output of long ago is not, nor a read that a later one covers."""
    steps = [(call("old", "bash", command="make"), result("old", "x" * 9_000))]
    steps += [(call("first", "read", file_path="a.py"), result("first", FILE))]
    steps += [(call(f"b{n}", "bash", command="ls"), result(f"b{n}", "y" * 300)) for n in range(9)]
    steps += [(call("again", "read", file_path="a.py"), result("again", FILE))]
    steps += [(call(f"c{n}", "bash", command="ls"), result(f"c{n}", "y" * 300)) for n in range(3)]
    view = session(*steps)
    plan = EAGER(view, situation(view, step=16))
    assert plan

    after = standing(applied(view, plan))

    assert after["again"] == FILE
    assert "old" not in after
    assert "first" not in after or after["first"].startswith("[[kept: 2-0-read")
    assert after["c2"] == "y" * 300


@pytest.mark.parametrize(("saving", "fires"), [(40_000, True), (600, False)])
def test_a_cut_fires_when_it_pays(saving: int, fires: bool) -> None:
    """Little to gain far from the tail is not worth a cache reset; a lot is."""
    steps = [(call("old", "bash", command="make"), result("old", "x" * saving * 4))]
    steps += [(call(f"r{n}", "read", file_path=f"{n}.py"), result(f"r{n}", FILE)) for n in range(12)]
    view = session(*steps)

    plan = BalancedCut()(view, situation(view, step=14))

    assert (plan is not None) == fires


def test_over_the_threshold_the_price_is_not_asked() -> None:
    """Then the coldest results go down to low-water, oldest first, and only seen ones."""
    steps = [(call(f"r{n}", "read", file_path=f"{n}.py"), result(f"r{n}", FILE * 4)) for n in range(10)]
    view = session(*steps)
    sizes = Sizes(window=20_000, max_output=8_000)
    now = situation(view, step=11, sizes=sizes)
    plan = BalancedCut()(view, now)
    assert plan

    after = applied(view, plan)
    assert after.tokens <= sizes.low_water or standing(after)["r9"] == FILE * 4
    assert standing(after)["r9"] == FILE * 4
    assert standing(after).get("r0") != FILE * 4


def test_layers_wait_while_thinking_must_keep_its_prefix() -> None:
    """Inside a turn whose thinking cannot lose its prefix no cut is made."""
    view = session(*[(call(f"b{n}", "bash", command="x"), result(f"b{n}", "z" * 9_000)) for n in range(20)])

    assert EAGER(view, situation(view, is_waiting=True)) is None
    assert EAGER(view, situation(view)) is not None


def test_an_edited_file_comes_back_with_its_edit() -> None:
    """Without a whole view of it left, the present content stands in the edit's own result, before it is sent."""
    edit = call("e", "edit", file_path="a.py", old_string="x", new_string="y")
    view = session((edit, result("e", "edited a.py")))
    now = situation(view, present={"a.py": "1\ty"})
    plan = restore_edited(view, now)
    assert plan

    after = applied(view, plan)
    assert standing(after)["e"] == f"edited a.py\n\n{HEADING}\n1\ty"
    assert restore_edited(after, situation(after, present={"a.py": "1\ty"})) is None


def test_a_file_that_stands_whole_is_not_restored() -> None:
    """Neither after a whole read nor after a write whose input stands; a failed edit restores nothing."""
    read = (call("r", "read", file_path="a.py"), result("r", "1\tx"))
    write = (call("w", "write", file_path="a.py", content="x"), result("w", "wrote"))
    edit = (call("e", "edit", file_path="a.py", old_string="x", new_string="y"), result("e", "edited"))
    failed = (edit[0], result("e", "no", is_error=True))

    for steps in ([read, edit], [write, edit], [failed]):
        view = session(*steps)
        assert restore_edited(view, situation(view, present={"a.py": "1\ty"})) is None


def test_the_budget_takes_the_largest_first_and_uses_what_the_tool_kept() -> None:
    """A batch over its limit loses its largest results; one that its tool keeps already is not written again."""
    view = view_of([Said(role="user", blocks=[text("go")])])
    uses: Any = [call("big", "bash", command="a"), call("small", "bash", command="b")]
    answers: Any = [result("big", "B" * 5_000), result("small", "s" * 100)]
    view.append("a1", "assistant", uses, step=1)
    view.append("u1", "user", answers, step=1)
    budget = ResultBudget(batch_chars=1_000, head_chars=50, tail_chars=10)

    plan = budget(view, situation(view))
    kept = budget(view, situation(view, kept={"big": ".task_outputs/s/1-0-bash.txt"}))
    assert plan
    assert kept

    assert standing(applied(view, plan))["small"] == "s" * 100
    line = "[[kept: 1-0-bash · 5000 characters · 1 lines · read .task_outputs/s/1-0-bash.txt]]"
    assert standing(applied(view, plan))["big"] == "B" * 50 + f"\n{line}\n" + "B" * 10
    assert [file.path for file in plan.files] == [".task_outputs/s/1-0-bash.txt"]
    assert kept.files == ()


def test_one_result_within_the_window_goes_whole() -> None:
    """A batch of one is not shortened unless the request would pass the window."""
    view = session((call("big", "bash", command="a"), result("big", "B" * 5_000)))
    budget = ResultBudget(batch_chars=1_000, head_chars=50, tail_chars=10)

    near_full = situation(view, size=lambda tokens: tokens + 200_000)

    assert budget(view, situation(view)) is None
    assert budget(view, near_full) is None
    assert FITTING(view, situation(view)) is None
    assert FITTING(view, near_full) is not None


def test_the_presets_are_data() -> None:
    """Each is a tuple of layers, run one after the other, each on what the one before left."""
    view = session(
        *[(call(f"b{n}", "bash", command="x"), result(f"b{n}", f"{n}" * 10_000)) for n in range(30)]
    )
    fired = []
    for plan in plans(view, PRESETS["balanced"].layers, lambda: situation(view, step=31)):
        fired.append(plan.layer)
        view.apply("r999", plan.changes)

    assert fired == ["snip"]
    assert list(plans(view, PRESETS["off"].layers, lambda: situation(view))) == []
