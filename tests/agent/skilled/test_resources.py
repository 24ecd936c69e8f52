"""Files beside a skill: read without a question where they are the user's own or ship with the program."""

from pathlib import Path

import pytest

from agent.offline import MessagesServer, Script, calls, says
from agent.skilled.resources import readable_skills
from skills.discover import BUILTIN
from tests.support.command import Command


def test_which_folders(tmp_path: Path) -> None:
    """The user's skills, also where that is a link, and those that ship."""
    home = tmp_path / "home"
    (home / ".agent").mkdir(parents=True)
    (tmp_path / "shared").mkdir()
    (home / ".agent/skills").symlink_to(tmp_path / "shared")
    for_all = str(home / ".agents" / "skills")
    assert readable_skills(home / ".agent", home) == (
        str(tmp_path / "shared"),
        for_all,
        str(BUILTIN.resolve()),
    )


@pytest.mark.parametrize("target", ["home", "home/..", "/"])
def test_a_link_to_everything_opens_nothing(tmp_path: Path, target: str) -> None:
    """A folder in which the home folder lies is no folder of skills."""
    home = tmp_path / "home"
    (home / ".agent").mkdir(parents=True)
    (home / ".agent/skills").symlink_to((tmp_path / target).resolve())
    for_all = str(home / ".agents" / "skills")
    assert readable_skills(home / ".agent", home) == (for_all, str(BUILTIN.resolve()))


def test_a_reference_is_read_unasked(tmp_path: Path) -> None:
    """In a run where every question is a refusal: the path is made of the folder that the skill was given with."""
    folder = tmp_path / "agent-home/skills/pdf"
    reads = calls("read", file_path=f"{folder}/references/forms.md") + calls(
        "glob", pattern="**/*.md", path=str(folder)
    )
    outside = calls("read", file_path=str(tmp_path / "agent-home/other"))
    with MessagesServer(Script(calls("load_skill", name="pdf"), reads, outside, says("Done."))) as server:
        command = Command(root=tmp_path, url=server.url)
        (folder / "references").mkdir(parents=True)
        (folder / "SKILL.md").write_text("---\nname: pdf\ndescription: d\n---\nSee references/forms.md.\n")
        (folder / "references/forms.md").write_text("FORMS\n")
        ran = command.run("-p", "go")
        results = [block for query in server.queries[1:] for block in query.body["messages"][-1]["content"]]
    assert ran.text == "Done.\n"
    assert f"Its folder is `{folder.resolve()}`" in results[0]["content"]
    assert results[1]["content"] == "1\tFORMS"
    assert "references/forms.md" in results[2]["content"]
    assert results[3]["is_error"]
    assert "refused" in ran.err
