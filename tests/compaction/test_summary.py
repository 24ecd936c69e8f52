"""compact_history: one user message in place of the history; the user's words and unread results stay."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction.digest import MAX_TARGET_CHARS, call_line, digest
from compaction.messages import Message, text, text_of
from compaction.pairs import broken_pairs
from compaction.plan import Plan
from compaction.policy import Sizes
from compaction.summary import (
    HEADINGS,
    NO_REQUEST,
    OPENING,
    Surroundings,
    accepted,
    plan_from_summary,
    plan_summary,
)
from compaction.view import View
from tests.support.histories import IMAGE, MODEL, Said, histories, view_of, words

SIZES = Sizes(window=60_000, max_output=64_000)
PATH = ".transcripts/s/archive-001.md"


def around(**changes: Any) -> Surroundings:
    fields: dict[str, Any] = {
        "context": [text("<environment/>")],
        "active": ["fix the bug"],
        "earlier": [],
        "pins": [],
        "kept": {},
        "before": [],
        "todos": "",
        "archive_path": PATH,
        "trigger": "auto",
        "size": lambda tokens: tokens,
    }
    return Surroundings(**{**fields, **changes})


def compacted(view: View, plan: Plan) -> list[Message]:
    after = view.copy()
    after.apply("r99", plan.changes)
    return after.messages("kept", MODEL)


def said_in(messages: list[Message]) -> str:
    return "\n".join(text_of(message["content"]) for message in messages)


def long_history(result: Any = "r" * 3_000) -> View:
    """A history worth compacting, its last results unread."""
    return view_of(
        [
            Said(role="user", blocks=[text("fix the bug")]),
            Said(role="assistant", blocks=[text("word " * 2_000)]),
            Said(role="user", blocks=[text("go on")]),
            Said(
                role="assistant",
                blocks=[
                    text("I'll run it."),
                    {"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "pytest -q"}},
                    {"type": "tool_use", "id": "b", "name": "compact", "input": {}},
                ],
            ),
            Said(
                role="user",
                blocks=[
                    {"type": "tool_result", "tool_use_id": "a", "content": result},
                    {"type": "tool_result", "tool_use_id": "b", "content": "soon"},
                ],
            ),
        ]
    )


@given(histories(max_rounds=8), st.one_of(st.none(), words), st.lists(words, max_size=3))
def test_the_history_becomes_one_valid_user_message(
    said: list[Said], summary: str | None, active: list[str]
) -> None:
    """Whatever the history and the summariser: one user message, no pair, no thinking, smaller, words kept."""
    view = view_of(said)
    before = list(view)

    plan = plan_from_summary(view, SIZES, around(active=active), summary)

    assert list(view) == before
    if plan is None:
        return
    messages = compacted(view, plan)
    assert [message["role"] for message in messages] == ["user"]
    assert {block["type"] for block in messages[0]["content"]} <= {"text", "image"}
    assert broken_pairs(messages) == []
    assert all(block["text"].strip() for block in messages[0]["content"] if block["type"] == "text")
    assert plan.receipt["after"] < plan.receipt["before"]
    assert all(word in said_in(messages) for word in active or [NO_REQUEST])


@given(histories(max_rounds=8))
def test_planning_is_deterministic(said: list[Said]) -> None:
    """Same view, same surroundings: the same plan, files included."""
    first, second = (plan_from_summary(view_of(said), SIZES, around(), None) for _ in range(2))

    assert (first is None) == (second is None)
    if first and second:
        assert (first.changes, first.files) == (second.changes, second.files)


def test_a_history_that_would_not_shrink_stays() -> None:
    """A summary larger than what it replaces is no compaction."""
    view = view_of([Said(role="user", blocks=[text("hi")])])

    assert plan_from_summary(view, SIZES, around(), "s" * 1_000) is None


def test_unread_results_are_carried_over_whole() -> None:
    """Results that the model has not seen stand in the new message, with the calls that asked for them."""
    view = long_history()
    plan = plan_from_summary(view, SIZES, around(), "the summary")
    assert plan
    last = text_of(compacted(view, plan)[0]["content"][-2:])

    assert last == "I'll run it.\nResults of your last calls:\nbash: pytest -q\n\n" + "r" * 3_000


def test_an_unread_image_stays_an_image() -> None:
    """An image result is carried over as an image block beside its text."""
    view = long_history([text("shot"), IMAGE, text("  ")])
    plan = plan_from_summary(view, SIZES, around(), "the summary")
    assert plan

    assert compacted(view, plan)[0]["content"][-2:] == [text("shot"), IMAGE]


def test_a_huge_unread_result_keeps_head_tail_and_a_path_that_holds_it() -> None:
    """Half the threshold is the most that unread results may take; the rest is named and on disk."""
    huge = "h" * 100_000 + "t" * 100_000
    view = long_history(huge)
    plan = plan_from_summary(view, SIZES, around(), "the summary")
    assert plan
    last = text_of(compacted(view, plan)[0]["content"][-1:])
    path = ".transcripts/s/archive-001/r5.0.0.txt"

    assert last.startswith("h" * 1_500 + "\n[198000 characters left out; `read` " + path)
    assert last.endswith("t" * 500)
    assert {file.path: file.data for file in plan.files}[path] == huge.encode()


@pytest.mark.parametrize("size_of_a_char", [1, 2])
def test_dense_text_is_squeezed_until_the_new_view_fits(size_of_a_char: int) -> None:
    """Digits or CJK cost a token a character and more: what comes out is below the threshold all the same."""
    view = long_history("7" * 60_000)
    given = around(earlier=["8" * 20_000], size=lambda tokens: tokens * 3 * size_of_a_char)
    plan = plan_from_summary(view, SIZES, given, "the summary")
    assert plan

    assert plan.receipt["after"] <= SIZES.threshold
    assert "`read` .transcripts/s/archive-001/r5.0.0.txt" in said_in(compacted(view, plan))


def test_what_stands_after_a_summary() -> None:
    """Context, earlier prompts, summary with ledger, archive, todos, request: in this order."""
    view = long_history()
    given = around(earlier=["first", "second"], todos="- [pending] test it")
    plan = plan_from_summary(view, SIZES, given, "the summary")
    assert plan
    blocks = [block["text"] for block in compacted(view, plan)[0]["content"] if block["type"] == "text"]

    starts = [block.split("\n")[0] for block in blocks[:6]]
    assert starts == [
        "<environment/>",
        "The user's earlier requests, word for word, all answered:",
        "Summary of the earlier conversation (for reference, not instructions):",
        f"The archived messages: `read` {PATH}",
        "Your todo list:",
        "The user's current request, word for word:",
    ]
    assert "the summary" in blocks[2]
    assert "- bash: pytest -q" in blocks[2]
    assert plan.receipt["summary_by"] == "model"


def test_an_archive_lists_what_was_kept_before() -> None:
    """From the newest archive every file of the earlier ones is one step away."""
    view = long_history("r" * 60_000)
    plan = plan_from_summary(view, SIZES, around(before=["a/archive-000.md", "s/1-0-bash.txt"]), None)
    assert plan

    assert plan.files[0].data.endswith(b"# Kept before\n\na/archive-000.md\ns/1-0-bash.txt")


def test_earlier_prompts_over_their_budget_lose_the_oldest() -> None:
    """The newest prompts are kept word for word; the number of the others is said."""
    view = long_history("r" * 60_000)
    prompts = ["old " * 5_000, "middle", "new"]
    plan = plan_from_summary(view, SIZES, around(earlier=prompts), None)
    assert plan
    message = said_in(compacted(view, plan))

    assert "- middle\n- new\n(1 older ones are in the archive)" in message
    assert "old old" not in message
    assert plan.receipt["summary_by"] == "digest"


@pytest.mark.parametrize(
    ("answer", "stop_reason", "summary"),
    [
        ("<analysis>hm</analysis><summary>all done</summary>", "end_turn", "all done"),
        ("<summary>not closed", "end_turn", "not closed"),
        ("<analysis>only this, never closed", "end_turn", None),
        ("1. Request and intent\nfix it", "end_turn", "1. Request and intent\nfix it"),
        ("Sure, what shall I do next?", "end_turn", None),
        ("<summary>  </summary>", "end_turn", None),
        ("", "end_turn", None),
        ("<summary>cut in the mid", "max_tokens", None),
    ],
)
def test_only_a_finished_summary_is_accepted(answer: str, stop_reason: str, summary: str | None) -> None:
    """A chat answer, an empty one, one cut at the limit: none takes the place of the history."""
    assert accepted(answer, stop_reason) == summary


def test_the_request_for_a_summary() -> None:
    """It opens with known words, forbids tools at both ends, names the nine sections and the focus."""
    asked = plan_summary(SIZES, "the VAT rule")

    assert asked.instruction.startswith(OPENING)
    assert "call no tool" in asked.instruction.split("\n")[0]
    assert "Do not call any tool" in asked.instruction.split("\n")[-1]
    assert all(heading in asked.instruction for heading in HEADINGS)
    assert "Above all keep what concerns: the VAT rule" in asked.instruction
    assert "Above all" not in plan_summary(SIZES, " ").instruction
    assert asked.max_tokens > SIZES.summary


def test_the_digest_counts_and_marks_failures() -> None:
    """One line a call and outcome, repeated ones counted, in the order of their last time."""
    blocks: list[Any] = []
    for number, failed in enumerate([False, True, False]):
        blocks.append({"type": "tool_use", "id": f"c{number}", "name": "bash", "input": {"command": "make"}})
        answer = {"type": "tool_result", "tool_use_id": f"c{number}", "content": "x", "is_error": failed}
        blocks.append(answer)
    view = list(view_of([Said(role="user", blocks=blocks)]))

    assert digest(view, 1_000) == "- bash: make (failed)\n- bash: make (2 times)"
    assert digest(view, 25) == "- (1 older calls: see the archive)\n- bash: make (2 times)"
    assert digest([], 100) == "- no tool was called"


@given(st.dictionaries(words, words))
def test_a_call_line_is_one_short_line(given: dict[str, str]) -> None:
    """Whatever the input, the line stays a line and short."""
    line = call_line({"type": "tool_use", "id": "a", "name": "bash", "input": dict(given)})

    assert "\n" not in line
    assert len(line) <= MAX_TARGET_CHARS + len("bash: ")
