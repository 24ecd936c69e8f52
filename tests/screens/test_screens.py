"""The pictures of the README are those of the real program, and are taken anew with one command."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

from tests.screens.__main__ import FOLDER
from tests.screens.scenes import COLUMNS, played
from tests.screens.svg import CELL_WIDTH, MARGIN
from tests.support.sources import ROOT

SAID = {
    "start": ("palimpsest", "permissions: ask", "/64k"),
    "question": ("edit wants to run", "[y] once", "gross = sum("),
    "turn": ("the invoice totals", "1 failed, 11 passed", "+2 −1", "./check"),
    "compaction": ("summary", "/compact undo"),
    "context": ("S system", "T tools", "largest"),
    "resume": ("resume a session · 3", "search:", "add reverse charge to the export"),
}
"""Words that each picture shows."""
ALLOWED = {"svg", "title", "rect", "g", "text"}


def words(picture: str) -> str:
    """Return the words of a picture, a blank between its runs; fails if it is not well-formed, or not whole in itself."""
    root = ET.fromstring(picture)
    elements = list(root.iter())
    assert {element.tag.rpartition("}")[2] for element in elements} <= ALLOWED
    right = COLUMNS * CELL_WIDTH + MARGIN + 0.1
    for element in elements:
        if element.tag.endswith("text"):
            assert float(element.get("x", "")) + float(element.get("textLength", "")) <= right
    assert "href" not in picture
    assert "url(" not in picture
    return re.sub(" +", " ", " ".join(element.text or "" for element in elements))


def test_the_command_takes_them_anew(tmp_path: Path) -> None:
    """A session that is played now gives the same pictures as those that are there, in the same words; none is missing."""
    taken = dict(played(tmp_path))
    assert {f"{name}.svg" for name in taken} == {path.name for path in FOLDER.glob("*.svg")}
    for name, picture in taken.items():
        assert str(tmp_path) not in picture
        for shown in (picture, (FOLDER / f"{name}.svg").read_text("utf-8")):
            for said in SAID[name]:
                assert said in words(shown), (name, said)


def test_the_readme_shows_them() -> None:
    """Each picture is named there, and each that is named there is a file."""
    named = re.findall(r"\((tests/screens/\w+\.svg)\)", (ROOT / "README.md").read_text("utf-8"))
    assert sorted(named) == sorted(f"tests/screens/{name}.svg" for name in SAID)
    assert all((ROOT / path).is_file() for path in named)
