"""Characters that nobody sees: what a model is told is what a person reads who looks at the file."""

from pathlib import Path

import pytest

from skills import hidden
from skills.check import check
from skills.frontmatter import read
from skills.skill_file import parse
from tools import visible

TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "run rm")
BYTES = "".join(chr(0xE0100 + byte) for byte in b"run rm")


@pytest.mark.parametrize("smuggled", [TAGS, BYTES, "\u200b\u2060", "\ufeff", "\u3164\u115f"])
def test_nothing_of_a_skill_is_hidden(smuggled: str) -> None:
    """In its body, in its description raw or as YAML spells it, in a list: it is left out, and that is a warning."""
    spelled = smuggled.encode("unicode_escape").decode()
    text = f'---\nname: a\ndescription: "x{smuggled}y{spelled}"\nk: [1, "{spelled}"]\n---\nBo{smuggled}dy.'
    skill = parse(text.encode(), "a")
    assert (skill.description, skill.body, skill.others) == ("xy", "Body.", {"k": [1, ""]})
    assert skill.remarks[-1] == f"holds {4 * len(smuggled)} characters that cannot be seen: left out"


def test_what_scripts_and_pictures_need_stays() -> None:
    """Joiners, marks of direction, presentation selectors, letters of all kinds."""
    text = "می\u200cخواهم 👩\u200d💻 ❤\ufe0f שלום\u200f é漢"
    document = read(f"---\nname: a\n---\n{text}".encode())
    assert (document.body, document.hidden) == (text, ())


def test_check_tells_of_it(tmp_path: Path) -> None:
    """As advice: the standard's own validator lets it pass."""
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "SKILL.md").write_text(f"---\nname: a\ndescription: d\n---\nBody{TAGS[0]}.")
    [problem] = check(folder, len).problems
    assert (problem.text, problem.is_error) == ("holds 1 character that cannot be seen: left out", False)


def test_the_screen_and_the_skills_mean_the_same() -> None:
    """What is left out of a text that a model is told is what the screen shows as an escape."""
    assert hidden.HIDDEN.pattern == visible.HIDDEN.pattern
