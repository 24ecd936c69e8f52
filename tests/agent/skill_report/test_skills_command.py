"""`agent skills list` and `check`: what there is, what is wrong with it, and what to do."""

import io
import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from agent.cli import Streams, main
from agent.models import DEFAULT_MODEL, row
from agent.skill_report.book import WHOLE
from agent.token_counter import Counter
from skills.discover import BUILTIN
from tests.support.command import Command, Ran

HEAD = "---\nname: {}\ndescription: {}\n---\n{}\n"
TOKENS = Counter(row(DEFAULT_MODEL).family).text_tokens
LONG = "当用户想建立公司档案时使用。" * 12
FIELDS = "d\nlicense: MIT\ncompatibility: Needs git.\nmetadata:\n  version: 1.0\nallowed-tools: Read Bash\nsince: 2024-01-01\nhints: [a]"


def put(folder: Path, name: str, description: str = "Does it.", body: str = "Do it.") -> Path:
    folder.mkdir(parents=True)
    path = folder / "SKILL.md"
    path.write_text(HEAD.format(name, description, body))
    return path


def checked(path: Path) -> Ran:
    """Run `agent skills check PATH`."""
    out, err = io.BytesIO(), io.BytesIO()
    streams = Streams(
        stdin=None, stdout=io.TextIOWrapper(out, "utf-8"), stderr=io.TextIOWrapper(err, "utf-8")
    )
    code = main(["skills", "check", str(path)], streams)
    return Ran(code, out.getvalue(), err.getvalue().decode())


def listed(command: Command, *more: str) -> Ran:
    return command.here("skills", "list", *more, "--cwd", str(command.project))


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """A project and a user with skills of every kind."""
    command = Command(root=tmp_path)
    put(command.project / ".agent/skills/tidy", "tidy", "How to tidy.")
    put(command.project / ".claude/skills/tidy", "tidy", "Another.")
    put(command.project / ".claude/skills/company", "Company Portrait", LONG)
    put(command.home / "skills/mine", "mine", FIELDS, "word " * 500)
    (command.project / ".agents/skills/bad").mkdir(parents=True)
    (command.project / ".agents/skills/bad/SKILL.md").write_text("no \x1b[31mhead")
    return command


def test_list(command: Command) -> None:
    """A line a skill: name, tokens, root, description; warnings below; then what is shadowed, then what is broken."""
    ran = listed(command)

    lines = [line for line in ran.text.splitlines() if "built in" not in line]
    assert (ran.code, ran.err) == (0, "")
    assert lines[0].split() == ["tidy", str(TOKENS("Do it.")), ".agent/skills", "How", "to", "tidy."]
    assert lines[1].startswith("company ")
    assert lines[2].startswith("    2 warnings: has the name `Company Portrait`: lower case letters, ")
    assert lines[-2] == WHOLE
    (mine,) = [line for line in lines if line.startswith("mine ")]
    assert mine.split()[2] == "~/agent-home/skills"
    assert re.fullmatch(r"\d+ skills: their list for the model takes \d+ tokens", lines[-1])
    assert lines[-5:-3] == [
        "shadowed: .claude/skills/tidy/SKILL.md has the name `tidy` too, .agent/skills/tidy/SKILL.md comes first",
        "broken: .agents/skills/bad/SKILL.md does not begin with a `---` line",
    ]


@pytest.mark.parametrize("width", [40, 80, 160])
def test_no_line_is_wider_than_the_terminal(
    command: Command, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also with names and descriptions of double width; a description is never gone."""
    monkeypatch.setenv("COLUMNS", str(width))

    lines = listed(command).text.splitlines()

    assert max(map(cell_len, lines)) <= width
    assert sum(LONG[:10] in line for line in lines) == 1


def test_list_for_a_program(command: Command) -> None:
    """All that is known of each: where it lies, its size, every field it has, and what is wrong with it."""
    ran = listed(command, "--json")

    found = json.loads(ran.text)
    own = [skill for skill in found["skills"] if skill["root"] != "built in"]
    assert [skill["name"] for skill in own] == ["tidy", "company", "mine"]
    mine = own[-1]
    assert mine.pop("tokens") == TOKENS(("word " * 500).rstrip("\n"))
    assert mine == {
        "name": "mine",
        "root": "~/agent-home/skills",
        "path": f"{command.home}/skills/mine/SKILL.md",
        "description": "d",
        "license": "MIT",
        "compatibility": "Needs git.",
        "metadata": {"version": "1.0"},
        "allowed_tools": ["Read", "Bash"],
        "others": {"since": "2024-01-01", "hints": ["a"]},
        "warnings": ["has fields beside the standard: `since`, `hints`; its place for them is `metadata`"],
    }
    (shadowed,) = found["shadowed"]
    assert shadowed["shadowed_by"] == f"{command.project}/.agent/skills/tidy/SKILL.md"
    assert found["broken"] == [
        {
            "path": f"{command.project}/.agents/skills/bad/SKILL.md",
            "error": "does not begin with a `---` line",
        }
    ]


def test_check_what_is_good(tmp_path: Path) -> None:
    """Its folder, its file, or the folder of all: exit code 0."""
    path = put(tmp_path / "skills/tidy", "tidy")

    for where in (path, path.parent, path.parent.parent):
        ran = checked(where)
        assert (ran.code, ran.text, ran.err) == (0, "1 skill checked: nothing to do\n", "")


def test_check_tells_each_problem_on_a_line(command: Command) -> None:
    """Grade, file, what it is and what to do; advice alone is no failure."""
    ran = checked(command.project / ".claude/skills")

    lines = ran.text.splitlines()
    assert ran.code == 1
    assert [line.split()[0] for line in lines if "SKILL.md" in line] == ["error", "error"]
    assert lines[0].endswith(
        ".claude/skills/company/SKILL.md has the name `Company Portrait`: lower case letters, digits and single "
        "hyphens between them are allowed, as `company-portrait`"
    )
    assert lines[-1] == "2 skills checked: 2 errors"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("", "has nothing below its front matter"),
        ("\n" * 250 + "x\n" * 501, "has 751 lines below its front matter"),
        ("word " * 6_000, "tokens below its front matter"),
        ("See [it](references/none.md#x 'y').", ""),
        ("See [it](references/none.md#x).", "leads to `references/none.md#x`, which is not there"),
        ("Run `scripts/none.py`.", "leads to `scripts/none.py`, which is not there"),
        ("See [it](scripts/a%20b.py), [web](https://a.b/c.md), [this](#x), `[x](y)`, `assets/x.md`.", ""),
        ("```\n[x](gone.md)\n```\n<!-- {x}.md -->[y]({x}.md)", ""),
    ],
)
def test_check_gives_advice(tmp_path: Path, body: str, told: str) -> None:
    """What the standard allows and yet makes a skill work less well; exit code 0."""
    path = put(tmp_path / "tidy", "tidy", body=f"x{body}" if body.startswith("\n") else body)
    (tmp_path / "tidy/scripts").mkdir()
    (tmp_path / "tidy/scripts/a b.py").touch()

    ran = checked(path)

    assert ran.code == 0
    assert told in ran.text
    assert ran.text.endswith("1 skill checked: 1 note\n" if told else "1 skill checked: nothing to do\n")


@pytest.mark.parametrize("path", ["nowhere", "README.md"])
def test_check_of_no_skill_is_a_wrong_use(tmp_path: Path, path: str) -> None:
    """Exit code 2, and what to name instead."""
    (tmp_path / "README.md").touch()

    ran = checked(tmp_path / path)

    assert (ran.code, ran.text) == (2, "")
    assert "is no skill: name its folder, its `SKILL.md`, or a folder of skills" in ran.err


def test_check_of_an_empty_folder(tmp_path: Path) -> None:
    """A folder without a skill is not fine: a mistyped path in a CI would never fail."""
    (tmp_path / "empty").mkdir()

    ran = checked(tmp_path / "empty")

    assert ran.code == 1
    assert "holds no skill: a skill is a folder with a `SKILL.md`" in ran.text


def test_what_ships_is_good(tmp_path: Path) -> None:
    """Our own skills keep to the standard, and to its advice."""
    if not list(BUILTIN.glob("*/SKILL.md")):
        pytest.skip("none ships yet")
    ran = checked(BUILTIN)

    assert ran.text.endswith("checked: nothing to do\n")


def test_controls_in_a_skill_stay_harmless(tmp_path: Path) -> None:
    """Neither sub-command writes an escape, or a line's end, that stands in a name, a description or a path."""
    command = Command(root=tmp_path)
    folder = command.project / ".agent/skills/a\x1b[31m\nb"
    put(folder, '"x\\x1b[32m"', '"d\\x1b]0;title\\x07 \\u202e"')
    (folder.parent / "c\x1b[31m").mkdir()

    ran = listed(command)
    problems = checked(folder.parent)

    assert not {"\x1b", "\x07", "\u202e"} & {*ran.text, *problems.text}
    assert "a\\x1b[31m" in ran.text
