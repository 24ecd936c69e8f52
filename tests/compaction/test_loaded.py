"""Skills after a summary: what stands, within which room, and that none is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compaction.balanced import BalancedCut
from compaction.carried import CHARS_A_TOKEN, Room
from compaction.deeds import Deeds
from compaction.loaded import LOADED, MOST_DONE, NAMED, SKILL_TOKENS, LoadedSkill, reloaded
from compaction.messages import text
from compaction.micro import MicroCompact
from compaction.pipeline import Layer
from compaction.policy import Sizes
from compaction.view import View
from tests.support.histories import Said, view_of
from tests.support.layers import add, answered, applied, called, situation, standing

SKILLS = st.lists(
    st.builds(
        lambda number, lines, width: LoadedSkill(
            name=f"s{number}",
            given="",
            step=number,
            path=f"/s{number}/SKILL.md",
            body=("x" * width + "\n") * lines,
        ),
        st.integers(0, 99),
        st.integers(0, 900),
        st.integers(1, 200),
    ),
    max_size=8,
    unique_by=lambda skill: skill.name,
)


def room(window: int = 200_000, squeeze: int = 1) -> Room:
    """Return the room of a window."""
    sizes = Sizes(window=window // squeeze, max_output=64_000)
    return Room(sizes=sizes, squeeze=squeeze, archive_path="a.md", where={}, tokens=len)


def texts(skills: list[LoadedSkill], deeds: Deeds | None = None, window: int = 200_000) -> list[str]:
    """Return what stands for ``skills``."""
    blocks = reloaded(skills, deeds or Deeds(), room(window)).blocks
    return [block["text"] for block in blocks if block["type"] == "text"]


@given(SKILLS, st.sampled_from([16_000, 50_000, 200_000]))
def test_none_is_lost_and_all_is_bounded(skills: list[LoadedSkill], window: int) -> None:
    """Each stands or is named with its path; bodies take their share of the window and no more, each at most its own."""
    found = texts(skills, window=window)
    standing = [one for one in found if one.startswith(LOADED)]
    named = [one for one in found if one.startswith(NAMED)]
    for skill in skills:
        is_there = [one.startswith(f"{LOADED} `{skill.name}`") for one in standing]
        assert sum(is_there) + sum(f"- `{skill.name}` " in one for one in named) == 1
    bodies = [one.partition('">\n')[2].partition("\n</skill>")[0] for one in standing]
    notes = sum(len(one.partition("(`read`")[1:][1]) + 20 for one in bodies)
    assert sum(map(len, bodies)) <= room(window).sizes.skills * CHARS_A_TOKEN + notes
    assert all(len(one) <= SKILL_TOKENS * CHARS_A_TOKEN + 60 for one in bodies)


def test_a_long_body_is_cut_at_a_line() -> None:
    """And where the rest is, is said; it does not count as whole."""
    skill = LoadedSkill(
        name="a", given="", step=1, path="/a/SKILL.md", sha256="s", body="word word\n" * 4_000
    )
    made = reloaded([skill], Deeds(), room())
    [block] = made.blocks
    assert block["type"] == "text"
    assert block["text"].endswith("\nword word\n(`read` /a/SKILL.md shows the rest)\n</skill>")
    assert made.put == [{"path": "/a/SKILL.md", "sha256": "s", "is_whole": False}]


def test_only_the_newest_deeds_are_listed() -> None:
    """Those since it was loaded, and how many more the ledger has."""
    deeds = Deeds()
    for step in range(1, 30):
        deeds.see("bash", f"echo {step}", "[exit code 0]", step=step, is_failed=False)
    skill = LoadedSkill(name="a", given="", step=10, path="p", body="b")
    [block] = texts([skill], deeds)
    done = [line for line in block.split("\n") if line.startswith("- ran")]
    assert len(done) == MOST_DONE
    assert done[-1] == "- ran echo 29: exit code 0 (step 29)"
    assert f"Done since ({29 - 10 + 1 - MOST_DONE} older ones are in the ledger):" in block


def working(*, fails: bool = False) -> View:
    """A session that loads a skill in step 1 and then works for twenty steps on what is soon of no use."""
    view = view_of([Said(role="user", blocks=[text("go")])])
    use = {**called("s", "load_skill"), "input": {"name": "tidy"}}
    add(view, 1, (use, answered("s", "Sort them. " * 400, is_error=fails)))
    for number in range(2, 22):
        add(view, number, (called(f"c{number}"), answered(f"c{number}", f"{number} " * 2_000)))
    return view


def shown(view: View) -> str:
    """What stands as the result of the call that loaded the skill."""
    return str(standing(view).get("s", ""))


@pytest.mark.parametrize("layer", [MicroCompact(), BalancedCut(), MicroCompact(keep=5)], ids=str)
def test_a_skill_does_not_leave_by_its_age(layer: Layer) -> None:
    """Its text holds until the work is done, however many steps that takes; a call that failed gave none."""
    plan = layer(working(), situation(working()))
    assert plan is not None
    assert shown(applied(working(), plan)).startswith("Sort them.")
    failed = layer(working(fails=True), situation(working(fails=True)))
    assert failed is not None
    assert not shown(applied(working(fails=True), failed)).startswith("Sort them.")


def test_a_skill_is_the_last_to_go() -> None:
    """Where nothing else makes room it goes, too, and its placeholder says how it comes back."""
    view = working()
    full = Sizes(window=200_000, max_output=32_000, own_threshold=20_000)
    plan = BalancedCut()(view, situation(view, sizes=full))
    assert plan is not None
    assert shown(applied(view, plan)).startswith("Sort them.")
    tiny = Sizes(window=200_000, max_output=32_000, own_threshold=1_000)
    plan = BalancedCut()(view, situation(view, sizes=tiny))
    assert plan is not None
    place = shown(applied(view, plan))
    assert place.startswith(
        "[[kept: 1-0-load_skill · load_skill tidy gives it again · 4400 characters · read "
    )
