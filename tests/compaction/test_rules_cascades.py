"""Ten compactions one after the other, whatever the summariser says: the user's words stay, and each can be undone."""

from typing import Any

import pytest

from tests.support.rolling import Rolling
from tests.support.rolling_checks import check_nothing_lost, check_provenance, check_valid, check_words
from tests.support.rolling_play import echoing_summary, empty_summary, hostile_summary
from tests.support.rolling_recovery import shown_text
from tests.support.rolling_shapes import Setting, Summariser, request_bytes
from tests.support.rolling_texts import EVIL, POOL

COMPACTIONS = 10
PIN = "Never touch `migrations/`; amounts are in cents."
REQUEST = "Make the nightly export resumable.\nKeep    the odd   spacing, and the line\n\nbreaks."
BETWEEN = 3
"""Rounds between two compactions."""

summarisers = pytest.mark.parametrize("summariser", [hostile_summary, empty_summary, echoing_summary])


def begun(setting: Setting, summariser: Summariser) -> Rolling:
    """A session with a pin and an open request."""
    rolling = Rolling(setting, summariser)
    rolling.prompt("What is this project?")
    rolling.step([{"type": "text", "text": "An exporter."}])
    rolling.end()
    rolling.pin(PIN)
    rolling.prompt(REQUEST)
    return rolling


def work(rolling: Rolling, number: int, chars: int) -> None:
    """Some rounds, whose results want to be obeyed; what the user says meanwhile comes with the last."""
    for index in range(BETWEEN):
        id_ = f"toolu_{number}_{index}"
        start = 997 * (number * BETWEEN + index)
        call = {
            "type": "tool_use",
            "id": id_,
            "name": "bash",
            "input": {"command": POOL[start : start + 200]},
        }
        thought = {"type": "thinking", "thinking": f"Step {id_}.", "signature": ""}
        blocks = rolling.step([thought, {"type": "text", "text": f"On to {id_}."}, call])
        evil = EVIL[(number + index) % len(EVIL)]
        if index == BETWEEN - 1:
            rolling.steer(steering(number))
        rolling.answer(blocks, [{"content": f"{POOL[start : start + chars]}\n{evil}"}])


def steering(number: int) -> str:
    return f"And   mind case {number}:\n\tquote “it” as it is."


def sent_text(rolling: Rolling) -> str:
    """All texts of the next request."""
    body, _ = rolling.next_request()
    return shown_text(block for message in body["messages"] for block in message["content"])


@summarisers
@pytest.mark.parametrize("preset", ["balanced", "classic", "off"])
def test_the_words_of_the_user_survive(summariser: Summariser, preset: str) -> None:
    """Pins, the active request and all steering stand word for word in every request; nothing is lost."""
    rolling = begun(Setting(preset=preset, window=16_000), summariser)
    for number in range(COMPACTIONS):
        work(rolling, number, 4_000)
        rolling.compact("auto")
        text = sent_text(rolling)
        for words in (PIN, REQUEST, *map(steering, range(number + 1))):
            assert words in text
    for check in (check_valid, check_words, check_nothing_lost, check_provenance):
        check(rolling)


@summarisers
def test_sizes_stay_bounded(summariser: Summariser) -> None:
    """After each compaction there is room again, and the tenth leaves no more than a few budgets' worth."""
    rolling = begun(Setting(window=16_000, preset="off"), summariser)
    sizes: list[int] = []
    for number in range(COMPACTIONS):
        work(rolling, number, 4_000)
        assert rolling.compact("auto")
        sizes.append(rolling.state.context_size)
    limits = rolling.sizes
    assert max(sizes) <= limits.threshold
    newest = BETWEEN * 4_000
    assert sizes[-1] <= limits.summary + limits.ledger + limits.earlier_prompts + limits.words + newest


@summarisers
def test_each_can_be_undone_at_once(summariser: Summariser) -> None:
    """Undo gives back the request before, byte for byte, and redo the one after."""
    rolling = begun(Setting(window=200_000, preset="off"), summariser)
    for number in range(COMPACTIONS):
        work(rolling, number, 2_000)
        before = request_bytes(rolling.next_request()[0])
        assert rolling.compact("auto")
        after = request_bytes(rolling.next_request()[0])
        assert rolling.undo()
        assert request_bytes(rolling.next_request()[0]) == before
        assert rolling.redo()
        assert request_bytes(rolling.next_request()[0]) == after


@summarisers
def test_all_can_be_undone_in_turn(summariser: Summariser) -> None:
    """From the newest to the oldest, each undo gives back what stood before; what came since stands behind it."""
    rolling = begun(Setting(window=200_000, preset="off"), summariser)
    stood: list[tuple[Any, ...]] = []
    for number in range(COMPACTIONS):
        work(rolling, number, 2_000)
        stood.append(rolling.placed())
        assert rolling.compact("auto")
    work(rolling, COMPACTIONS, 2_000)
    for before in reversed(stood):
        assert rolling.undo()
        assert rolling.placed()[: len(before)] == before
        rolling.request()
    assert not rolling.undo()
