"""The list of skills within its budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills.budget import MAX_DESCRIPTION_CHARS, MIN_DESCRIPTION_CHARS, Entry, budget_of, listed

NAMES = st.from_regex(r"[a-z]{1,12}(-[a-z]{1,8})?", fullmatch=True)
ABOUTS = st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), min_size=1, max_size=300).map(
    lambda text: " ".join(text.split()) or "x"
)
ENTRIES = st.lists(st.tuples(NAMES, ABOUTS), min_size=1, max_size=40, unique_by=lambda entry: entry[0])
BUDGETS = st.integers(40, 3_000)


def tokens(text: str) -> int:
    """As rough as a tokenizer, and no sum of its parts."""
    return (len(text.encode()) + 2) // 3


def line(entry: Entry) -> str:
    return f"- {entry[0]}: {entry[1]}"


@given(ENTRIES, BUDGETS)
def test_it_fits(entries: list[Entry], budget: int) -> None:
    """Whatever there is."""
    assert tokens(listed(entries, budget_tokens=budget, count=tokens)) <= budget


@given(ENTRIES, BUDGETS)
def test_every_skill_is_named_or_counted(entries: list[Entry], budget: int) -> None:
    """Those that are named are the first; how many are left out stands in the last line."""
    *lines, last = listed(entries, budget_tokens=budget, count=tokens).split("\n")

    named = [one.removeprefix("- ").split(":")[0] for one in (*lines, last) if one.startswith("- ")]
    left = int(last[1:].split()[0].replace(",", "")) if "more skills" in last else 0
    assert named == [name for name, _ in entries[: len(named)]]
    assert len(named) + left == len(entries)


@given(ENTRIES)
def test_what_fits_is_left_as_it_is(entries: list[Entry]) -> None:
    """A small list is not touched."""
    text = "\n".join(map(line, entries))

    assert listed(entries, budget_tokens=tokens(text), count=tokens) == text


@given(ENTRIES, BUDGETS)
def test_the_longest_descriptions_are_shortened_first(entries: list[Entry], budget: int) -> None:
    """To one length: what is shorter stays whole, and one character more for all would be too much."""
    lines = listed(entries, budget_tokens=budget, count=tokens).split("\n")
    if len(lines) != len(entries) or not all(":" in one for one in lines):
        return  # there is no room for so much
    shown = [one.partition(": ")[2] for one in lines]
    cut = [len(text) for text, (_, about) in zip(shown, entries, strict=True) if text != about]
    if not cut:
        return
    length = max(cut)
    assert MIN_DESCRIPTION_CHARS - 1 <= length <= MAX_DESCRIPTION_CHARS
    assert all(text == about for text, (_, about) in zip(shown, entries, strict=True) if len(about) <= length)


@given(ENTRIES, BUDGETS)
def test_it_is_the_same_each_time(entries: list[Entry], budget: int) -> None:
    """The list stands at the head of the prompt, which is cached."""
    assert listed(entries, budget_tokens=budget, count=tokens) == listed(
        entries, budget_tokens=budget, count=tokens
    )


def test_less_and_less_room() -> None:
    """Shortened, then without descriptions from the end, then names only, then not even all of them."""
    entries = [(f"skill-{number}", "What it does, and when to use it. " * 6) for number in range(10)]

    texts = [listed(entries, budget_tokens=budget, count=tokens) for budget in (2_000, 400, 120, 70, 50)]

    assert [text.count("What it does") for text in texts] == [60, 30, 4, 0, 0]
    assert [text.count("skill-") for text in texts] == [10, 10, 10, 10, 8]
    assert texts[2].endswith("(Where no description stands there was no room for it: load_skill tells more.)")
    assert texts[4].endswith("(2 more skills have no room here: `agent skills list` names them all.)")


@pytest.mark.parametrize(
    ("window", "tokens_in_all"), [(16_000, 1_000), (100_000, 2_000), (200_000, 4_000), (1_000_000, 8_000)]
)
def test_the_budget(window: int, tokens_in_all: int) -> None:
    """A fiftieth of the window, within bounds."""
    assert budget_of(window) == tokens_in_all
