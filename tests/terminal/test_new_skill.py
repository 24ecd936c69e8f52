"""A skill that is written while the session runs is there at once: for the user, and for the model."""

from pathlib import Path

from tests.support.screen_agent import READY, agent_on_screen

SKILL = "---\nname: {0}\ndescription: Newly made.\n---\nDo it in the way of {0}.\n"


def test_a_new_skill_is_there_at_once(tmp_path: Path) -> None:
    """`/name` runs it with the next line, `/skills` lists it, and the model is told of it without being asked."""
    with agent_on_screen(tmp_path) as on:
        on.terminal.until(READY)
        for name in ("brandnew", "second"):
            folder = on.command.project / ".agents/skills" / name
            folder.mkdir(parents=True)
            (folder / "SKILL.md").write_text(SKILL.format(name))
        on.prompt("/skills")
        on.terminal.until("second")
        on.prompt("/brandnew now")
        on.until_at_rest()
        sent = str(on.server.queries[-1].body["messages"])
    assert "Do it in the way of brandnew." in sent
    assert "- second: Newly made." in sent
    assert "Do it in the way of second." not in sent
