"""long_prompts: a very long text of the user's is on disk whole before its first send; the rest stays untouched."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction.messages import text
from compaction.plan import Plan
from compaction.policy import Sizes
from compaction.prompts import long_prompts
from compaction.situation import Places, Prices, Situation
from compaction.view import View
from tests.support.histories import Said, view_of
from tools.limits import find_marks

SIZES = Sizes(window=16_000, max_output=64_000)
PATH = ".transcripts/s/prompt-001.txt"
LONG = "".join(f"rule {number}: keep it\n" for number in range(1_500))


def situation(*active: str, **changes: Any) -> Situation:
    fields: dict[str, Any] = {
        "sizes": SIZES,
        "prices": Prices(),
        "places": Places(spills="spills", archive="archive-001.md", prompt=PATH),
        "step": 2,
        "now": 0.0,
        "is_cold": False,
        "size": lambda tokens: tokens,
        "active": active,
    }
    return Situation(**{**fields, **changes})


def prompted(*words: str) -> View:
    return view_of([Said(role="user", blocks=[text(word) for word in words])])


def applied(view: View, plan: Plan) -> list[str]:
    after = view.copy()
    after.apply("c1", plan.changes)
    return [placed.block["text"] for placed in after if placed.block["type"] == "text"]


def test_a_long_prompt_stands_as_head_path_and_tail() -> None:
    """Whole on disk, byte for byte; in the view at least 1,500 characters of its beginning, a marker line, its end."""
    view = prompted("<environment/>", LONG)
    plan = long_prompts(view, situation(LONG))
    assert plan
    [context, short] = applied(view, plan)
    head, line, *tail = [short[:1_500], *(one for one in short.split("\n") if one.startswith("[[kept: "))]

    assert context == "<environment/>"
    assert head == LONG[:1_500]
    assert line == f"[[kept: r1.1 · {len(LONG)} characters of the user's · read {PATH}]]"
    assert tail == []
    assert short.endswith(LONG[-500:])
    assert find_marks(short) == ["r1.1"]
    assert [(file.path, file.data) for file in plan.files] == [(PATH, LONG.encode())]
    assert (plan.layer, plan.receipt["cause"], plan.receipt["where"]) == ("prompt", "prompt", {"r1.1": PATH})
    assert plan.receipt["rewritten"] == 0


def test_several_long_texts_go_together_each_to_a_file_of_its_own() -> None:
    """A request and its steering: right after the plan nothing is left to plan."""
    view = prompted(LONG, LONG + "too")
    around = situation(LONG, LONG + "too")
    plan = long_prompts(view, around)
    assert plan
    after = view.copy()
    after.apply("c1", plan.changes)

    assert [file.path for file in plan.files] == [PATH, ".transcripts/s/prompt-001-2.txt"]
    assert long_prompts(after, around) is None


def test_what_is_not_the_users_or_was_sent_stays() -> None:
    """Context blocks, sent prompts, short ones, results; and without a place nothing is taken out."""
    sent = view_of([Said(role="user", blocks=[text(LONG)]), Said(role="assistant", blocks=[text("ok")])])

    assert long_prompts(prompted(LONG), situation("another")) is None
    assert long_prompts(sent, situation(LONG)) is None
    assert long_prompts(prompted("short"), situation("short")) is None
    assert long_prompts(prompted(LONG), situation(LONG, places=Places(spills="s", archive="a"))) is None


@pytest.mark.parametrize(("factor", "is_long"), [(1, False), (4, True)])
def test_the_meter_decides_what_is_long(factor: int, is_long: bool) -> None:
    """Over a quarter of the threshold by the meter, not by the estimate."""
    words = "w" * 10_000

    plan = long_prompts(prompted(words), situation(words, size=lambda tokens: factor * tokens))
    assert (plan is not None) == is_long


@given(st.text(min_size=1).map(lambda words: words * 3_000))
def test_nothing_of_a_prompt_is_lost(words: str) -> None:
    """Whatever it is made of: on disk whole, and what stands are its first and last characters."""
    if not words.strip():
        return
    view = prompted(words)
    plan = long_prompts(view, situation(words, size=lambda tokens: 9 * tokens))
    if plan is None:
        return
    [short] = applied(view, plan)
    head, _, tail = short.partition(
        f"\n[[kept: r1.0 · {len(words)} characters of the user's · read {PATH}]]\n"
    )

    assert plan.files[0].data.decode() == words
    assert words.startswith(head)
    assert words.endswith(tail)
    assert plan.receipt["after"] < plan.receipt["before"]
