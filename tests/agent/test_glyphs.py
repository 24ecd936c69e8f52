"""The glyphs that we draw with, and what stands for them where ASCII alone is shown."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.utils import get_cwidth
from rich.cells import cell_len

from agent import glyphs
from agent.offline import MessagesServer, Script, always, says
from agent.terminal.render import as_lines, markdown, plain, styled, to_ansi
from tests.support.command import Command

SIZES = range(1, 60)
TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Co", "Cc", "Cs")) | st.sampled_from("…→·●日e\u0301")
)


@pytest.fixture
def _ascii() -> Iterator[None]:
    glyphs.choose(is_ascii=True)
    yield
    glyphs.choose(is_ascii=False)


def test_every_glyph_takes_one_column() -> None:
    """By both libraries that lay lines out; so do what stands in for it, and what it becomes in a finished line."""
    stand_ins = glyphs.shielded("".join(glyphs.ASCII))
    for glyph in (*glyphs.ASCII, *stand_ins, *(glyphs.ASCII | glyphs.NARROW).values()):
        assert (cell_len(glyph), get_cwidth(glyph)) == (1, 1)
    assert all(text.isascii() and text.isprintable() for text in glyphs.ASCII.values())


@pytest.mark.parametrize(
    ("encoding", "env", "can"),
    [
        ("utf-8", {}, True),
        (None, {}, True),
        ("utf-8", {"LANG": "de_DE.UTF-8"}, True),
        ("utf-8", {"LANG": "C.UTF-8"}, True),
        ("utf-8", {"LANG": "C"}, False),
        ("utf-8", {"LANG": "C", "LC_CTYPE": "C.UTF-8"}, False),
        ("utf-8", {"LC_CTYPE": "C.UTF-8"}, True),
        ("utf-8", {"LANG": "C", "LC_CTYPE": "en_US.UTF-8"}, True),
        ("utf-8", {"LANG": "en_US.UTF-8", "LC_ALL": "POSIX"}, False),
        ("utf-8", {"LANG": "C", "LC_ALL": "C.UTF-8"}, True),
        ("ascii", {"LANG": "en_US.UTF-8"}, False),
        ("iso8859-1", {}, False),
        ("no such encoding", {}, False),
    ],
)
def test_who_can_show_them(encoding: str | None, env: Mapping[str, str], can: bool) -> None:
    """An encoding that holds them all, in a locale that is not `C`; Python's own change of LC_CTYPE hides none."""
    assert glyphs.can_show(encoding, env) == can


@given(TEXTS)
@pytest.mark.usefixtures("_ascii")
def test_text_of_others_stays(text: str) -> None:
    """What the model and tools wrote leaves as it came, glyphs too."""
    assert glyphs.settled(glyphs.shielded(text)) == text


@given(st.text(st.sampled_from([*glyphs.ASCII, "a", " "])), st.sampled_from(SIZES))
@pytest.mark.usefixtures("_ascii")
def test_lines_of_ours_are_ascii_and_fit(text: str, width: int) -> None:
    """Whatever is replaced and cut, no line is wider than there is room, and none holds a glyph."""
    (line,) = as_lines(to_ansi(styled((f"x{text}", "")), max(4, width)))
    assert glyphs.settled(line).isascii()
    assert cell_len(line) <= max(4, width)


@pytest.mark.usefixtures("_ascii")
def test_a_line_that_is_cut_ends_with_three_dots() -> None:
    """They take the place of the text, and stand within the width."""
    assert to_ansi(styled(("a long line · of words", "")), 12) == "a long li...\n"


@pytest.mark.usefixtures("_ascii")
def test_what_formats_an_answer_is_ascii_and_its_words_stay() -> None:
    """Bullets, rules, tables and quotations are drawn with ASCII; a bullet that the model wrote stays."""
    source = "- a → b\n\n---\n\n> quoted • twice\n\n| x | y |\n|---|---|\n| 1 | … |\n"
    shown = glyphs.settled(to_ansi(markdown(source), 40))
    assert sorted(char for char in shown if not char.isascii()) == sorted("→•…")
    assert plain("●") != "●"


@pytest.mark.parametrize("args", [("list",), ("show",)])
def test_lists_and_charts_in_ascii(tmp_path: Path, args: tuple[str, ...]) -> None:
    """An output that shows no more gets the replacements, no escapes; the columns stay where they are."""
    with MessagesServer(Script(always(says("Hello.")))) as server:
        command = Command(root=tmp_path, url=server.url)
        command.run("-p", "a prompt of many words " * 20)
    session = next((command.project / ".transcripts").glob("*.jsonl")).stem
    given = ("sessions", *args, *([session] if args == ("show",) else []))
    plain_one, full = (
        replace(command, more=more).run(*given)
        for more in ({"PYTHONIOENCODING": "ascii"}, {"LANG": "C.UTF-8"})
    )
    assert (plain_one.code, full.code) == (0, 0)
    assert plain_one.out.isascii()
    assert b"\\" not in plain_one.out
    assert not full.out.isascii()
    assert [len(line) for line in plain_one.text.splitlines()] == [
        len(line) for line in full.text.splitlines()
    ]


def test_the_tour_in_ascii(tmp_path: Path) -> None:
    """`agent demo` in the locale `C`: every byte is ASCII, none is escaped."""
    ran = Command(root=tmp_path, more={"LANG": "C"}).run("demo")
    assert ran.code == 0
    assert "@ compaction: " in ran.text
    assert ran.out.isascii()
