"""`/skills`: all of them, and one whole."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from agent.models import row
from agent.offline import says
from agent.terminal.figures import tokens
from agent.token_counter import Counter
from tests.support.rig import Rig, rig

HEAD = "---\nname: {}\ndescription: Writes   release\n  notes.\n---\n"
NOTES = HEAD.format("notes\nlicense: MIT\nallowed-tools: Read, Bash(git log:*)\nargument-hint: [version]")
FILES = {
    ".agent/skills/notes/SKILL.md": NOTES + "\n".join(f"line {number} \x1b[31m" for number in range(40)),
    ".agent/skills/notes/references/style.md": "s",
    ".claude/skills/notes/SKILL.md": HEAD.format("notes") + "the other",
    ".agent/skills/bad/SKILL.md": "no head",
    ".agent/skills/tidy/SKILL.md": HEAD.format("tidy") + "word " * 500,
}


async def listed(made: Rig, line: str, wanted: str) -> str:
    """Type a line; return what it shows."""
    before = len(made.above)
    await made.says(line, wanted)
    return made.text_from(before)


async def test_all_of_them(tmp_path: Path) -> None:
    """Name, size once loaded, place, what it is for; the shadowed and the broken with what is wrong; what was loaded."""
    async with rig(tmp_path, says("Done."), files=FILES) as made:
        text = await listed(made, "/skills", "/NAME runs one")
        size = tokens(Counter(row("claude-sonnet-5-5").family).text_tokens("word " * 500))
        assert f"\ntidy   {size:>5}  .agent/skills  Writes release notes.\n" in text
        flat = " ".join(text.split())
        assert ".claude/skills/notes/SKILL.md has the name `notes` too" in flat
        assert "broken: .agent/skills/bad/SKILL.md does not begin" in flat
        assert "loaded in this session" not in text
        await made.says("/tidy", "Done.")
        assert "loaded in this session: tidy" in await listed(made, "/skills", "loaded in this session")


@pytest.mark.parametrize("name", ["notes", "/notes", "/skill:notes"])
async def test_one_whole(tmp_path: Path, name: str) -> None:
    """Its file, all that its fields say, what lies beside it, how its text begins; nothing of it is control."""
    async with rig(tmp_path, files=FILES) as made:
        text = await listed(made, f"/skills {name}", "more lines")
        for words in (
            ".agent/skills/notes/SKILL.md",
            "Writes release notes.",
            "license         MIT",
            "allowed-tools   Read, Bash(git log:*)",
            "argument-hint   [version]",
            "files           references/style.md",
            "`.claude/skills/notes/SKILL.md` has this name, too",
            "\n  line 0",
            "… 28 more lines",
        ):
            assert words in text
        assert "\x1b" not in text


async def test_what_there_is_not(tmp_path: Path) -> None:
    """The nearest names are offered."""
    async with rig(tmp_path, files=FILES) as made:
        text = await listed(made, "/skills note", "there is no skill")
        assert "there is no skill note: did you mean /skills notes?" in text
        assert "there is no skill qqqq: /skills lists them" in await listed(made, "/skills qqqq", "qqqq:")


async def test_none(tmp_path: Path) -> None:
    """It is said where to put one."""
    async with rig(tmp_path) as made:
        assert "no skills: put one into .agent/skills/NAME/SKILL.md" in await listed(
            made, "/skills", "no skills"
        )


@pytest.mark.parametrize("columns", [40, 80, 160])
async def test_every_width(tmp_path: Path, columns: int) -> None:
    """No line is wider than the screen."""
    async with rig(tmp_path, files=FILES) as made:
        made.show.columns = lambda: columns
        for line, wanted in (("/skills", "/NAME"), ("/skills notes", "more lines")):
            text = await listed(made, line, wanted)
            assert max(map(cell_len, text.split("\n"))) <= columns
