"""What is told of an instruction file that changed, and when it is not."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.instructions.block import ProjectOpening
from agent.instructions.budget import BUDGET_BYTES
from agent.instructions.changes import AS_LINES, GONE, Texts, change, has_changed
from agent.instructions.note import Note
from agent.instructions.places import Places
from compaction.messages import text_of
from tests.support.agent import START_AT


class Session:
    """A project and what the model was told of it: opened, then looked at before each prompt."""

    def __init__(self, project: Path, *, skills: dict[str, str] | None = None) -> None:
        self.project, self.skills = project, skills or {}
        self.resume()
        blocks, self.files = self.opening.blocks({})
        self.first = text_of(blocks)

    def resume(self) -> None:
        """Go on in a new process."""
        places = Places(
            project=self.project, home=self.project / "nowhere", user_home=self.project / "nobody"
        )
        self.opening = ProjectOpening(
            places=places,
            clock=lambda: START_AT,
            skills=lambda: "\n".join(f"- {name}: {about}" for name, about in self.skills.items()),
            skill_names=lambda: self.skills,
        )

    def write(self, name: str, content: str) -> None:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    def told(self) -> list[str]:
        """What the next prompt brings."""
        blocks, files = self.opening.changed(self.files)
        self.files = {**self.files, **files}
        return [text_of([block]) for block in blocks]


def test_files_that_come_go_and_are_imported(tmp_path: Path) -> None:
    """Each once, by its place: a new file, a new import, an import that is there at last, one that nothing imports any more."""
    session = Session(tmp_path)
    assert session.told() == []
    session.write("AGENTS.md", "See @a.md and @b.md")
    session.write("a.md", "A")
    heads = [block.partition("\n")[0] for block in session.told()]
    assert (heads, session.told()) == (["changed: a.md", "changed: b.md", "changed: AGENTS.md"], [])
    session.write("b.md", "B")
    assert session.told() == [
        'changed: b.md\n<project-notes path="b.md" imported-by="AGENTS.md">\nB\n</project-notes>'
    ]
    session.write("AGENTS.md", "See @b.md")
    assert [block.partition("\n")[0] for block in session.told()] == [
        "changed: AGENTS.md",
        f"changed: a.md {GONE}",
    ]
    session.write("AGENTS.md", "")
    assert sorted(session.told()) == [f"changed: AGENTS.md {GONE}", f"changed: b.md {GONE}"]
    session.write("CLAUDE.md", "instead")
    assert [block.partition("\n")[0] for block in session.told()] == ["changed: CLAUDE.md"]
    session.resume()
    assert session.told() == []


def test_a_small_change_of_a_large_file_is_told_as_lines(tmp_path: Path) -> None:
    """In the process that told the file; a later one knows only its hash, and tells it anew."""
    lines = [f"Rule {number} of this project." for number in range(200)]
    session = Session(tmp_path)
    session.write("AGENTS.md", "\n".join(lines))
    session.told()
    session.write("AGENTS.md", "\n".join([*lines[:100], "Another rule.", *lines[101:]]))
    (told,) = session.told()
    assert AS_LINES in told
    assert "-Rule 100 of this project.\n+Another rule.\n" in told
    assert len(told) < 500
    session.resume()
    session.write("AGENTS.md", "\n".join(lines))
    (told,) = session.told()
    assert AS_LINES not in told
    assert "Rule 199" in told


def test_room_that_shrinks_or_grows(tmp_path: Path) -> None:
    """A file that was told stands though there is less room now; one that was cut is told once there is room for all of it."""
    far = "".join(f"far {number}\n" for number in range(2_000))
    (tmp_path / ".git").mkdir()
    (tmp_path / "AGENTS.md").write_text(far)
    session = Session(tmp_path / "sub")
    assert "[cut" not in session.first
    session.write("AGENTS.md", "near\n" * 4_000)
    assert [block.partition("\n")[0] for block in session.told()] == ["changed: AGENTS.md"]
    cut = Session(tmp_path / "sub")
    assert "[cut" in cut.first
    (tmp_path / "AGENTS.md").write_text(far + "behind the cut\n")
    assert cut.told() == []
    cut.write("AGENTS.md", "near\n" * 3_500)
    assert [block.partition("\n")[0] for block in cut.told()] == ["changed: AGENTS.md"]
    cut.write("AGENTS.md", "near\n")
    whole = [block for block in cut.told() if block.endswith("behind the cut\n</project-notes>")]
    assert len(whole) == 1
    assert cut.told() == []


def test_what_was_only_named_is_told_when_there_is_room(tmp_path: Path) -> None:
    """Also where it is still too long to be told as a whole."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "AGENTS.md").write_text("far\n" * 20_000)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/AGENTS.md").write_text("near\n" * 20_000)
    session = Session(tmp_path / "sub")
    assert "far" not in session.first
    session.write("AGENTS.md", "near")
    told = session.told()
    assert any(block.startswith(f"changed: {tmp_path}/AGENTS.md\n") and "far\nfar" in block for block in told)
    assert session.told() == []


def test_skills_that_come_and_go(tmp_path: Path) -> None:
    """On resuming, the model is told the skills as they are now; that their descriptions are shortened otherwise is nothing new."""
    session = Session(tmp_path, skills={"tidy": "How to tidy."})
    assert session.told() == []
    session.skills = {"tidy": "How …"}
    assert session.told() == []
    session.skills = {"tidy": "How to tidy.", "commit": "How to commit."}
    (told,) = session.told()
    assert told.startswith("changed: the skills are now these\n<skills>\n")
    assert "- commit: How to commit.\n</skills>" in told
    session.skills = {}
    assert (session.told(), session.told()) == (["changed: there are no skills any more"], [])


LINES = st.lists(
    st.sampled_from(["a", "b", "", "- c", "+ d", "@@ -1 +1 @@", "</project-notes>"]), min_size=1, max_size=60
)


@given(before=LINES, after=LINES)
def test_a_diff_leads_from_what_was_told_to_what_is_there(before: list[str], after: list[str]) -> None:
    """Whatever changes: the lines that a diff keeps and adds are those of the new text, those it keeps and takes of the old."""
    old, new = "x" * 300 + "\n" + "\n".join(before), "x" * 300 + "\n" + "\n".join(after)
    note = Note(shown="AGENTS.md", text=new, content=new)
    said = change(note, old)
    if AS_LINES in said and old != new:
        lines = said.partition(AS_LINES)[2].strip("\n").split("\n")[:-1]
        kept = [line[1:] for line in lines if line[:1] in (" ", "+") and not line.startswith("@@")]
        assert all(line.replace("‹", "<") in new.split("\n") for line in kept)
        taken = [line[1:] for line in lines if line[:1] == "-"]
        assert all(line.replace("‹", "<") in old.split("\n") for line in taken)


@pytest.mark.parametrize(
    "logged", ["", "x", "x cut ", "x cut many", "x cut -1", "x cut 99999999999999999999", "cut 1 cut 1"]
)
def test_whatever_a_log_says(logged: str) -> None:
    """A log may come from anywhere: what is no hash of what is told means that it has to be told."""
    assert has_changed(logged, Note(shown="a", text="x", content="x"))


def test_what_was_told_is_known_by_what_is_logged() -> None:
    """Only texts that were told as a whole: a diff against a part would say that the rest is gone."""
    whole, cut = (
        Note(shown="a", text="A", content="A"),
        Note(shown="b", text="B", content="B and more", rest="cut"),
    )
    texts = Texts()
    texts.keep([whole, cut])
    assert (texts.of(whole.told_as), texts.of(cut.told_as), texts.of("")) == ("A", "", "")
    assert not has_changed(whole.told_as, replace(whole, text="", rest="no room"))
    assert len(cut.text) < BUDGET_BYTES
