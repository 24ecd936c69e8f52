"""F41: thinking goes back byte for byte, in order, or not at all."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agent.offline import Reply, calls, last_text_starts, redacted, says, thinks, when
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario

MODELS = ("claude-sonnet-5-5", "claude-opus-5", "claude-opus-4-8", "claude-haiku-4-5", "claude-sonnet-4-5")
THOUGHTS = (
    thinks("Größe, Übermut, ß  und Leerzeichen am Ende   ", signature_deltas=3)
    + thinks("")
    + redacted("secret")
    + says("I'll look.")
    + calls("read", file_path="a.txt")
)
FILES = {"a.txt": "a\n"}


def thinking_of(blocks: Any) -> list[Mapping[str, Any]]:
    """The thinking blocks among ``blocks``, without cache marks."""
    return [block for block in blocks if block["type"] in ("thinking", "redacted_thinking")]


def sent_thinking(harness: Harness) -> list[Mapping[str, Any]]:
    """The thinking of the last request, in order."""
    messages = harness.server.queries[-1].body["messages"]
    return [block for message in messages for block in thinking_of(message["content"])]


def served_thinking(harness: Harness) -> list[Mapping[str, Any]]:
    """All thinking that the server served, in order."""
    return [block for request in harness.server.queries for block in thinking_of(request.content)]


@pytest.mark.parametrize("model", MODELS)
async def test_f41_a_b_next_request_and_resume(tmp_path: Path, model: str) -> None:
    """Back byte for byte in the next request, and the same after leaving and coming back."""
    more = thinks("Noch etwas. ") + says("Done.")
    async with scenario(
        tmp_path, THOUGHTS, more, says("Hello."), files=FILES, config={"model": model}
    ) as harness:
        await harness.turn("Go.")
        assert sent_thinking(harness) == served_thinking(harness)[:3]
        await harness.resume()
        assert (await harness.turn("hi")).text == "Hello."
        assert sent_thinking(harness) == served_thinking(harness)
        assert len(served_thinking(harness)) == 4


@pytest.mark.parametrize("model", MODELS)
async def test_f41_c_compaction(tmp_path: Path, model: str) -> None:
    """A summary leaves no thinking of before; what is thought after it goes back."""
    route = when(
        last_text_starts(OPENING), thinks("Sum up.") + says("<summary>1. Pending work: none</summary>")
    )
    async with scenario(
        tmp_path,
        THOUGHTS,
        thinks("Compact.") + calls("compact"),
        thinks("Behind it.") + calls("read", file_path="a.txt"),
        says("Done."),
        says("Hello."),
        files=FILES,
        routes=[route],
        config={"model": model},
    ) as harness:
        await harness.turn("Go.")
        assert [block["thinking"] for block in sent_thinking(harness)] == ["Behind it."]
        await harness.resume()
        assert (await harness.turn("hi")).text == "Hello."
        assert [block["thinking"] for block in sent_thinking(harness)] == ["Behind it."]


@pytest.mark.parametrize(("first", "second"), [MODELS[:2], MODELS[1::-1], MODELS[2:4], MODELS[3:1:-1]])
async def test_f41_e_another_model(tmp_path: Path, first: str, second: str) -> None:
    """Another model gets none of the first one's thinking; the first one gets its own again."""
    async with scenario(
        tmp_path,
        THOUGHTS,
        thinks("Ende.") + says("Done."),
        thinks("Anders.") + calls("read", file_path="a.txt"),
        says("Hello."),
        says("Back."),
        files=FILES,
        config={"model": first},
    ) as harness:
        await harness.turn("Go.")
        harness.agent.session.append("model", model=second)
        assert (await harness.turn("hi")).text == "Hello."
        assert [block.get("thinking") for block in sent_thinking(harness)] == ["Anders."]
        harness.agent.session.append("model", model=first)
        assert (await harness.turn("back")).text == "Back."
        assert "Anders." not in str(sent_thinking(harness))


@pytest.mark.parametrize(
    "broken",
    [
        thinks("No signature yet").cut_after(5),
        thinks("No signature yet").cut_after(5, clean=True),
        thinks("No signature yet").then_error("overloaded_error", after_chars=5),
        thinks("Signed.").then_cut(),
    ],
)
async def test_f41_f_cut_inside_the_thinking(tmp_path: Path, broken: Reply) -> None:
    """Half a thought is never sent; it is thought again."""
    async with scenario(
        tmp_path, broken, thinks("Whole.") + calls("read", file_path="a.txt"), says("Done."), files=FILES
    ) as harness:
        assert (await harness.turn("Go.")).text == "Done."
        assert [block["thinking"] for block in sent_thinking(harness)] == ["Whole."]
        assert all(block["signature"] for block in sent_thinking(harness))


async def test_f41_f_interrupted_inside_the_thinking(tmp_path: Path) -> None:
    """What was thought so far is dropped, a whole thought before a text is kept."""
    slow = (thinks("Whole.") + says("Half a text, which goes on and on. " * 9)).having(pace_s=0.02)
    async with scenario(tmp_path, slow, says("Hello.")) as harness:
        harness.once(lambda event: "Half a" in getattr(event, "text", ""), harness.interrupt)
        assert (await harness.turn("Go.")).reason == "interrupted"
        assert (await harness.turn("hi")).text == "Hello."
        assert [block["thinking"] for block in sent_thinking(harness)] == ["Whole."]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("middle", "said"),
    [(says("So far."), "So far."), (calls("bash", command="touch ran"), "")],
    ids=["text", "call"],
)
async def test_a_reply_that_ends_in_thinking(tmp_path: Path, model: str, middle: Reply, said: str) -> None:
    """A message may not end with thinking, nor lose a part of it: all of it goes, and what hangs on it is not run.

    What it said stays, and the answer goes on with it.
    """
    reply = (thinks("a") + middle + thinks("b")).having(stop_reason="max_tokens")
    async with scenario(tmp_path, reply, says("Done."), says("Hello."), config={"model": model}) as harness:
        assert (await harness.turn("Go.")).text == f"{said}Done."
        assert (await harness.turn("hi")).text == "Hello."
        assert not (harness.project / "ran").exists()
