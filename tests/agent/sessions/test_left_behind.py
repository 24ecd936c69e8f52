"""What a rewind left behind is shown and exported as that: nothing of it is lost, and it is no part of the conversation."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from agent.offline import calls, says
from agent.session.store import Store
from agent.sessions.branches import Branches
from agent.sessions.story import read_story
from tests.agent.sessions.logs import FIRST, compacted, head, ran, record, replied, said, text, write
from tests.support.rewinding import rewind
from tests.support.rig import Rig, rig


@asynccontextmanager
async def three_turns(folder: Path) -> AsyncGenerator[Rig]:
    """A session of three turns, the second with a call."""
    script = (
        says("One."),
        says("I look.") + calls("read", file_path="a.py"),
        says("Two."),
        says("Three."),
        says("Four."),
        says("Five."),
    )
    async with rig(folder, *script, files={"a.py": "a = 1\n"}) as made:
        for words, answer in (("first", "One."), ("second", "Two."), ("third", "Three.")):
            await made.says(words, answer)
        yield made


def exported(made: Rig, to: str) -> str:
    done = ran(made.harness.project, "export", newest(made), "--to", to)
    assert (done.code, done.err) == (0, "")
    return done.text


def shown(made: Rig) -> list[str]:
    done = ran(made.harness.project, "show", newest(made))
    assert (done.code, done.err) == (0, "")
    return done.text.splitlines()


def newest(made: Rig) -> str:
    return Store.existing(made.harness.project, made.harness.project).newest()


def standing(tree: ET.Element) -> str:
    """The words of a page that no rewind left behind."""
    copy = ET.fromstring(ET.tostring(tree))
    for parent in copy.iter():
        for child in list(parent):
            if child.attrib.get("class") == "left":
                parent.remove(child)
    return "".join(copy.itertext())


def folds(tree: ET.Element) -> list[tuple[str, str]]:
    """(summary, all words) of each part that was left behind."""
    found = [one for one in tree.iter("details") if one.attrib["class"] == "left"]
    return [(one.findtext("summary") or "", "".join(one.itertext())) for one in found]


async def test_left_turns_are_folded(tmp_path: Path) -> None:
    """In HTML closed and named, in Markdown quoted and marked, and the line of the conversation goes on without them."""
    async with three_turns(tmp_path) as made:
        await rewind(made, "2 conversation")
        await made.says("again", "Four.")
        page = exported(made, "html")
        tree = ET.fromstring(page)
        line = standing(tree)
        assert ("first" in line, "again" in line, "second" in line, "Three." in line) == (
            True,
            True,
            False,
            False,
        )
        ((summary, words),) = folds(tree)
        assert summary.startswith("◄ left behind by /rewind at 20")
        assert summary.endswith(": turns 2 to 3")
        assert all(part in words for part in ("second", "read: a.py", "Two.", "third", "Three."))
        assert "/rewind to before turn 2" in line
        assert "open" not in {name for one in tree.iter("details") for name in one.attrib}
        document = exported(made, "md")
        assert "\n> ## turn 2, left behind by /rewind at 20" in document
        assert "\n> > second\n" in document
        assert "\n> Three.\n" in document
        assert "\nFour.\n" in document
        assert document.index("*◄ end of left behind by /rewind") < document.index("> again")


async def test_the_text_says_so_too(tmp_path: Path) -> None:
    """In `show` at each prompt and among the figures, and under the chart."""
    async with three_turns(tmp_path) as made:
        await rewind(made, "2 conversation")
        await made.says("again", "Four.")
        lines = shown(made)
        assert "4 turns (2 left behind by /rewind)" in lines[1]
        left = [line.split(maxsplit=1)[1] for line in lines if " · left behind by /rewind at 20" in line]
        assert [words.split(" · ")[0] for words in left] == ["second", "third"]
        assert "   4  again" in lines
        assert any("◄ a /rewind" in line for line in lines)


async def test_undo_makes_the_branch_stand_again(tmp_path: Path) -> None:
    """Then the other one is left behind, and undoing that turns it round; nothing is lost whatever was undone."""
    async with three_turns(tmp_path) as made:
        await rewind(made, "2 conversation")
        await made.says("again", "Four.")
        await rewind(made, "undo")
        tree = ET.fromstring(exported(made, "html"))
        ((summary, words),) = folds(tree)
        assert summary.startswith("◄ left behind by /rewind undo at ")
        assert summary.endswith(": turn 4")
        assert ("again" in words, "second" in words) == (True, False)
        assert "third" in standing(tree)
        await made.says("fifth", "Five.")
        assert "fifth" in standing(ET.fromstring(exported(made, "html")))
        jsonl = exported(made, "jsonl")
        log = Store.existing(made.harness.project, made.harness.project).log(newest(made))
        assert jsonl.encode() == log.read_bytes()


async def test_an_undo_at_once_leaves_nothing_behind(tmp_path: Path) -> None:
    """Both rewinds are told where they happened."""
    async with three_turns(tmp_path) as made:
        await rewind(made, "2 conversation")
        await rewind(made, "undo")
        tree = ET.fromstring(exported(made, "html"))
        assert folds(tree) == []
        assert "/rewind undo: all is again as it was before the one at 20" in standing(tree)
        assert "left behind" not in "\n".join(shown(made))


async def test_what_stands_is_what_the_session_itself_goes_on_with(tmp_path: Path) -> None:
    """Whatever way it was gone: the prompts that stand are those of the state."""
    async with three_turns(tmp_path) as made:
        for words in ("2 conversation", "undo", "3 conversation", "1 conversation", "undo", "undo", "undo"):
            await rewind(made, words)
            state = made.desk.agent.session.state
            log = Store.existing(made.harness.project, made.harness.project).log(state.session_id)
            story = read_story(log)
            found = [one.words for one in story.prompts if story.branches.left_by(one.record) is None]
            assert found == [prompt for _, prompt in state.prompts], words


async def test_files_alone_leave_no_turn_behind(tmp_path: Path) -> None:
    """They are told of in one line."""
    script = (calls("write", file_path="n.py", content="n\n"), says("One."))
    async with rig(tmp_path, *script) as made:
        await made.says("first", "One.")
        await rewind(made, "1 files")
        tree = ET.fromstring(exported(made, "html"))
        assert folds(tree) == []
        assert "/rewind of files alone, 1 file put back" in standing(tree)


def rewound(number: int, to: str, what: str = "both") -> dict[str, object]:
    return record(number, "rewind", to=to, what=what, files=[])


def test_a_rewind_to_nowhere_is_damage(tmp_path: Path) -> None:
    """As on load: it has no effect."""
    bad = [rewound(5, "r77"), rewound(6, "r4"), record(7, "rewind", to="r3")]
    write(tmp_path, FIRST, head(FIRST), said(3, "stays"), replied(4, text("Yes.")), *bad)
    out = ran(tmp_path, "show", FIRST).text
    assert "passed over: line 4, 5, 6\n" in out
    assert "left behind" not in out


def test_a_compaction_that_was_left_behind_is_marked(tmp_path: Path) -> None:
    """In `show` and where it stands; one that was undone on a branch that was left stands again."""
    undo = record(8, "undo", target="r5", is_redo=False, turn=2)
    records = [head(FIRST), said(3, "one"), replied(4, text("1")), compacted(5), said(6, "two", turn=2)]
    write(tmp_path, FIRST, *records, compacted(7, layer="micro"), undo, rewound(9, "r6"))
    out = ran(tmp_path, "show", FIRST).text
    assert "summary (manual) 1k → 400\n" in out
    assert "micro (manual) 1k → 400 · left behind by /rewind at 2026-01-01 10:00:00\n" in out
    assert "400 tokens of context" in out


def test_the_line_of_sizes_marks_rewinds(tmp_path: Path) -> None:
    """With where it went, and a link to the place where it is told."""
    records = [head(FIRST), said(3, "one"), replied(4, text("1")), said(6, "two", turn=2)]
    write(tmp_path, FIRST, *records, replied(7, text("2"), turn=2), rewound(9, "r6"))
    page = ran(tmp_path, "export", FIRST, "--to", "html").text
    tree = ET.fromstring(page)
    links = [one.attrib["href"] for one in tree.iter("{http://www.w3.org/2000/svg}a")]
    assert links == ["#r9"]
    assert "r9" in {one.attrib.get("id") for one in tree.iter("p")}
    assert "/rewind, back to 1k tokens" in page
    assert "a dotted one a /rewind" in page


@pytest.mark.parametrize("number", [2_000])
def test_many_rewinds_are_quick(number: int) -> None:
    """To and fro, each undone by the next; the end is as if there had been none, or one."""
    branches = Branches()
    branches.take(record(0, "message"), turn=1, tokens=0)
    branches.take(record(1, "message"), turn=2, tokens=0)
    branches.take(rewound(2, "r1"), turn=2, tokens=0)
    for index in range(3, number):
        branches.take(rewound(index, f"r{index - 1}"), turn=2, tokens=0)
    assert branches.left_by(0) is None
    assert (branches.left_by(1) is None) == (number % 2 == 0)
