"""/agents: the types of subagents, one by one and all together; what they hide and what is wrong with them."""

from pathlib import Path

from agent.terminal.arguments import offers
from agent.terminal.commands import COMMANDS
from tests.support.rig import rig

FILES = {
    ".agent/agents/explore.md": (
        "---\nname: explore\ndescription: ours\ntools: Read, Grep\nmodel: haiku\nmaxTurns: 9\n---\nLook.\n\nAnswer.\n"
    ),
    ".claude/agents/long.md": f"---\nname: long\ndescription: {'word ' * 100}\nhooks: {{}}\nmodel: gpt-5\n---\n",
    ".claude/agents/README.md": "# About these\n",
}


async def test_all_of_them(tmp_path: Path) -> None:
    """Name and place, what for, what each has and may; what it hides, what has no effect; files that are none."""
    async with rig(tmp_path, files=FILES) as made:
        await made.says("/agents", "general  built in")
        assert (
            "explore  .agent/agents/explore.md\n"
            "    ours\n"
            "    tools bash (only what reads), read · model claude-haiku-5-5 · 9 steps\n"
            "    in place of the one built in\n"
        ) in made.text
        assert "    tools all but task\n" in made.text
        assert "    without effect here: hooks\n" in made.text
        assert "    model `gpt-5` is not known beside `claude-sonnet-5-5`" in made.text
        assert ".claude/agents/README.md does not begin with a `---` line\n" in made.text
        assert "tools bash, read, glob, todo_write, load_skill · changes nothing\n" in made.text
        assert max(map(len, made.text.splitlines())) <= 100


async def test_one_of_them(tmp_path: Path) -> None:
    """The whole description and what its subagents are told; an unknown name is answered with those there are."""
    async with rig(tmp_path, files=FILES) as made:
        await made.says("/agents Explore", "    Answer.\n")
        assert "what its subagents are told:\n    Look.\n" in made.text
        await made.says("/agents long", "(nothing but what all are told)")
        assert made.text.count("word") == 100
        await made.says("/agents lon", "Did you mean `long`?")


async def test_names_are_offered(tmp_path: Path) -> None:
    """While the argument is typed, with what each is for."""
    async with rig(tmp_path, files=FILES) as made:
        found = await offers(made.desk, COMMANDS, "agents", "")
        assert [one.words for one in found] == ["explore", "long", "general", "plan"]
        assert found[0].about == "ours"


async def test_what_is_wrapped_stays_below_its_beginning(tmp_path: Path) -> None:
    """A long description does not run into the names at the left."""
    async with rig(tmp_path, files=FILES) as made:
        await made.says("/agents long", "(nothing but what all are told)")
        words = [line for line in made.text.splitlines() if "word" in line]
        assert len(words) > 2
        assert all(line.startswith("    word") for line in words)
