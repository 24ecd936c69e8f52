"""What can stand behind the commands, in real sessions."""

from pathlib import Path

import pytest

from agent.offline import always, says
from agent.terminal.arguments import Offer, fitting, offers
from agent.terminal.commands import COMMANDS
from agent.terminal.help import Command
from tests.support.rig import Rig, rig


async def offered(made: Rig, name: str, typed: str = "") -> list[Offer]:
    """Return what can stand behind a command."""
    return await offers(made.desk, COMMANDS, name, typed)


def words(found: list[Offer]) -> list[str]:
    """Return what is offered, without what it is."""
    return [one.words for one in found]


@pytest.mark.parametrize(
    ("name", "typed", "found"),
    [
        ("compact", "", ["preview", "undo", "redo", "receipt"]),
        ("compact", "re", ["redo", "receipt", "preview"]),
        ("model", "opus-5-5", ["claude-opus-5-5"]),
        ("effort", "x", ["xhigh", "max"]),
        ("export", "", ["md", "html", "jsonl"]),
        ("help", "rewi", ["rewind"]),
        ("rewind", "", []),
        ("resume", "", []),
        ("quit", "", []),
        ("nothing", "", []),
    ],
)
async def test_offered(tmp_path: Path, name: str, typed: str, found: list[str]) -> None:
    """In a new session: the words of each command, its models and efforts; what there is none of is not offered."""
    async with rig(tmp_path) as made:
        assert words(await offered(made, name, typed)) == found


async def test_what_is_said_of_a_model(tmp_path: Path) -> None:
    """Its window and its price; the one in use says so."""
    async with rig(tmp_path) as made:
        by_name = {one.words: one.about for one in await offered(made, "model")}
    assert by_name["claude-opus-5-5"] == "window 1M · $4 in, $20 out a million tokens"
    assert by_name["claude-sonnet-5-5"].startswith("this one · window")
    assert by_name["claude-mythos-5"] == "window 1M · price unknown"


async def test_the_prompts_to_go_back_to(tmp_path: Path) -> None:
    """The newest first, found by number or by their words; then what of it is to go back; then undo and branches."""
    async with rig(tmp_path, always(says("Done."))) as made:
        await made.says("mend the totals", "Done.")
        await made.says("and the\nexport", "export")
        assert await offered(made, "rewind") == [Offer("2", "and the export"), Offer("1", "mend the totals")]
        assert words(await offered(made, "rewind", "totals")) == ["1"]
        assert words(await offered(made, "rewind", "2 ")) == ["2 conversation", "2 files"]
        assert words(await offered(made, "rewind", "7 ")) == []
        await made.says("/rewind 2", "1 prompt long")
        found = await offered(made, "rewind")
        assert words(found) == ["1", "undo", "branch 1"]
        assert found[-1].about == "left with 1 prompt"


async def test_the_other_sessions(tmp_path: Path) -> None:
    """By title where only one has it, else by id; also found by what was said first; never the open one."""
    said = (("mend it", "Green tests"), ("look", "Twice"), ("write", "twice"), ("ask", ""))
    replies = [says(f"Done {number}.") for number in range(len(said))]
    async with rig(tmp_path, *replies, may_move=True) as made:
        ids: list[str] = []
        for number, (prompt, title) in enumerate(said):
            ids.append(made.desk.agent.session.state.session_id)
            await made.says(prompt, f"Done {number}.")
            if title:
                await made.says(f"/title {title}", f"title {title};")
            await made.says("/clear", f"back with /resume {ids[-1]}")
        found = await offered(made, "resume")
        assert sorted(words(found)) == sorted(["Green tests", *ids[1:]])
        (green,) = await offered(made, "resume", "mend")
        assert green.words == "Green tests"
        assert green.about.endswith(" · 1 turn · mend it")


async def test_one_of_a_few_words(tmp_path: Path) -> None:
    """A command that takes `[on|off]` offers both, and needs no more than that."""

    async def run(*_: object) -> None:
        """Do nothing."""

    commands = {
        "bell": Command(takes="[on|off]", about="ring", run=run),
        "pin": Command(takes="TEXT", about="", run=run),
    }
    async with rig(tmp_path) as made:
        assert await offers(made.desk, commands, "bell", "") == [Offer("on"), Offer("off")]
        assert await offers(made.desk, commands, "bell", "of") == [Offer("off")]
        assert await offers(made.desk, commands, "pin", "") == []


def test_fitting() -> None:
    """Those that begin so before those that hold it, in any case; what stands there already is not offered."""
    found = [Offer("redo"), Offer("undo", "Do it not"), Offer("do")]
    assert words(fitting(found, "do")) == ["redo", "undo"]
    assert words(fitting(found, "RE")) == ["redo"]
    assert words(fitting(found, "not")) == ["undo"]
    assert words(fitting(found, "")) == ["redo", "undo", "do"]
