"""Where agent types are looked for, which holds, and what a project may bring."""

import os
from pathlib import Path

import pytest

from agent.subagents.agent_type import AgentType
from agent.subagents.catalog import BUILT_IN, AgentTypes
from agent.subagents.finding import built_in, types_of
from agent.subagents.rights import tools_in_words
from agent.trust import standing_of
from tools.base import ToolError


def put(folder: Path, name: str, about: str = "d") -> None:
    """Write a type named like its file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(f"---\nname: {name}\ndescription: {about}\n---\nWork.\n")


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """A home folder with a project in it."""
    (tmp_path / "project").mkdir()
    return tmp_path.resolve()


def found(user: Path, *, is_trusted: bool = True) -> AgentTypes:
    """Look for all types of the project."""
    standing = standing_of(user / "project", user / ".agent")
    return types_of(standing.for_run() if is_trusted else standing, user)


def test_the_built_in_ones() -> None:
    """Three, without a fault or a remark; two of them change nothing."""
    types = [one for one in built_in() if isinstance(one, AgentType) and not one.remarks]
    assert {one.name: (tools_in_words(one.rights), one.rights.mode) for one in types} == {
        "explore": ("bash, read, glob", "plan"),
        "general": ("all but task", "bypass"),
        "plan": ("bash, read, glob, todo_write, load_skill", "plan"),
    }
    assert len(built_in()) == 3
    assert all(one.prompt for one in types)


def test_the_first_place_that_has_a_name_holds(user: Path) -> None:
    """The project's, ours before another agent's; the user's own; built in. What is hidden is known."""
    places = [user / "project/.agent", user / "project/.claude", user / ".agent", user / ".claude"]
    for number, place in enumerate(places):
        put(place / "agents", "explore", f"number {number}")
        put(place / "agents", f"own-{number}")
    types = found(user)
    held = types.named("explore")
    assert (held.description, held.source) == ("number 0", ".agent/agents/explore.md")
    assert [one.source for one in types.hidden_by(held)] == [
        ".claude/agents/explore.md",
        "~/.agent/agents/explore.md",
        "~/.claude/agents/explore.md",
        BUILT_IN,
    ]
    assert [one.name for one in types.held] == [
        "explore",
        "own-0",
        "own-1",
        "own-2",
        "own-3",
        "general",
        "plan",
    ]
    assert [one.name for one in types.told] == ["explore", "own-0", "own-1", "own-2", "own-3"]


def test_an_untrusted_project_brings_none(user: Path) -> None:
    """The user's own and the built-in ones hold; nothing of the project is even named."""
    put(user / "project/.claude/agents", "explore", "evil")
    put(user / "project/.agent/agents", "evil")
    put(user / ".agent/agents", "mine")
    types = found(user, is_trusted=False)
    assert [one.name for one in types.held] == ["mine", "explore", "general", "plan"]
    assert types.broken == ()


def test_a_file_counts_as_it_was_judged(user: Path) -> None:
    """What is written over it afterwards is not read."""
    put(user / "project/.agent/agents", "mine", "before")
    standing = standing_of(user / "project", user / ".agent").for_run()
    put(user / "project/.agent/agents", "mine", "after")
    assert types_of(standing, user).named("mine").description == "before"


def test_folders_of_types(user: Path) -> None:
    """They may be sorted into folders, as another agent's are; a link to a folder leads nowhere."""
    put(user / "project/.claude/agents/web/css", "styler")
    put(user / "elsewhere", "stranger")
    (user / "project/.claude/agents/link").symlink_to(user / "elsewhere")
    assert [one.source for one in found(user).told] == [".claude/agents/web/css/styler.md"]


def test_hostile_files(user: Path) -> None:
    """A pipe, a link out, a folder, a huge and an unreadable one: each is named with its reason, none holds anything up."""
    agents = user / "project/.claude/agents"
    put(agents, "good")
    put(user / "outside", "secret")
    os.mkfifo(agents / "pipe.md")
    (agents / "link.md").symlink_to(user / "outside/secret.md")
    (agents / "folder.md").mkdir()
    (agents / "huge.md").write_bytes(b"---\ndescription: d\n---\n" + b"x" * 1_000_001)
    (agents / "gone.md").symlink_to("nowhere.md")
    types = found(user)
    assert [one.name for one in types.told] == ["good"]
    assert {one.source.rpartition("/")[2]: one.error for one in types.broken} == {
        "pipe.md": "cannot be used: no regular file",
        "link.md": "is a link that leads out of the project: copy it there instead",
        "folder.md": "cannot be used: no regular file",
        "huge.md": "cannot be used: larger than 1,000,000 bytes",
    }


def test_a_flood_of_files(user: Path) -> None:
    """None of them is taken, in one line."""
    for number in range(201):
        put(user / "project/.claude/agents", f"n{number}")
    types = found(user)
    assert [(one.source, one.error) for one in types.broken] == [
        (".claude/agents", "cannot be used: more than 200 files")
    ]
    assert types.told == ()


def test_the_user_s_own_folder_may_be_a_link(user: Path) -> None:
    """What he links is his."""
    put(user / "dotfiles", "mine")
    (user / ".agent").mkdir()
    (user / ".agent/agents").symlink_to(user / "dotfiles")
    assert [one.source for one in found(user).told] == ["~/.agent/agents/mine.md"]


def test_in_the_home_folder_itself(user: Path) -> None:
    """His own types are his without trust, and there once; those for another agent are a project's there."""
    put(user / ".agent/agents", "mine")
    put(user / ".claude/agents", "theirs")
    standing = standing_of(user, user / ".agent")
    assert [one.source for one in types_of(standing, user).told] == ["~/.agent/agents/mine.md"]
    assert [one.name for one in types_of(standing.for_run(), user).told] == ["theirs", "mine"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (None, "general"),
        ("", "general"),
        ("Explore", "explore"),
        ("general-purpose", "general"),
        ("PLAN", "plan"),
        ("code reviewer", "Code_Reviewer"),
        ("code-reviewer", "Code_Reviewer"),
    ],
)
def test_names(user: Path, name: str | None, expected: str) -> None:
    """A model may write a name as another agent does; capitals, blanks and lines make no difference."""
    put(user / ".agent/agents", "Code_Reviewer")
    assert found(user).named(name).name == expected


def test_an_unknown_name(user: Path) -> None:
    """The answer lists what there is, the likeliest first, and does not grow without end."""
    for number in range(40):
        put(user / ".agent/agents", f"type-{number:02d}")
    with pytest.raises(ToolError, match=r"no agent type `explorer`\. Did you mean `explore`\?") as raised:
        found(user).named("explorer")
    assert str(raised.value).endswith("type-29, and 13 more.")


def test_what_the_model_is_told_of_them(user: Path) -> None:
    """A line for each that is not built in, within a budget; nothing is left out without a word."""

    def count(text: str) -> int:
        return len(text) // 4

    assert AgentTypes(built_in()).text(budget_tokens=1_000, count=count) == ""
    put(user / ".agent/agents", "explore", "ours")
    put(user / ".claude/agents", "long", "word " * 300)
    whole = found(user).text(budget_tokens=1_000, count=count)
    assert whole.startswith("- explore: ours\n- long: word word")
    assert whole.endswith("…")
    for number in range(100):
        put(user / ".claude/agents", f"type-{number:03d}", "word " * 30)
    for budget, last in ((1_000, "there was no room for it.)"), (200, "is answered with their names.)")):
        text = found(user).text(budget_tokens=budget, count=count)
        assert count(text) <= budget
        assert text.endswith(last)
