"""Skills asked for on the command line: `agent -p "/name what for"`."""

from pathlib import Path

import pytest

from agent.offline import MessagesServer, Script, says
from tests.support.command import Command, piped

TIDY = "---\nname: tidy\ndescription: Tidies up.\n---\nSort the $ARGUMENTS.\n"


def started(root: Path, url: str) -> Command:
    """Return the command in a project with one skill."""
    command = Command(root=root, url=url)
    file = command.project / ".agent/skills/tidy/SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(TIDY)
    return command


def test_a_skill_as_the_prompt(tmp_path: Path) -> None:
    """It is given with its words; what is piped in belongs to them."""
    with MessagesServer(Script(says("Sorted."), says("Sorted."))) as server:
        command = started(tmp_path, server.url)
        ran = command.here("-p", "/tidy the imports")
        with piped(b"piped words\n") as stdin:
            command.here("-p", "/skill:tidy all:", stdin=stdin)
        first, second = (query.body["messages"][0]["content"] for query in server.queries)
    assert ran.text == "Sorted.\n"
    assert first[-2]["text"] == "/tidy the imports"
    assert "\nSort the the imports.\n</skill>" in first[-1]["text"]
    assert "\nSort the all:\n\npiped words.\n</skill>" in second[-1]["text"]


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("/tidi it", "there is no skill /tidi: did you mean /tidy?"),
        ("/qqqq", "there is no skill /qqqq: `agent skills list` names them"),
        ("/skill:nope", "there is no skill /skill:nope: `agent skills list` names them"),
        ("/compact now", "/compact is a command of the screen: it does nothing with -p"),
    ],
)
def test_what_is_no_skill_sends_nothing(tmp_path: Path, prompt: str, told: str) -> None:
    """A usage error that says what to do; a model would only guess."""
    with MessagesServer(Script(says("never"))) as server:
        ran = started(tmp_path, server.url).here("-p", prompt)
    assert (ran.code, ran.text) == (2, "")
    assert told in ran.err
    assert server.queries == []


def test_a_path_and_piped_words_are_a_prompt(tmp_path: Path) -> None:
    """A path begins with a slash, too; what is piped in is text, whatever it begins with."""
    with MessagesServer(Script(says("Odd."), says("Read."))) as server:
        command = started(tmp_path, server.url)
        assert command.here("-p", "/etc/hosts is odd").text == "Odd.\n"
        with piped(b"/healthz 500\n") as stdin:
            assert command.here("-p", stdin=stdin).text == "Read.\n"


def test_a_program_is_told_of_them(tmp_path: Path) -> None:
    """The first message of a stream names the skills, those that ship as well."""
    with MessagesServer(Script(says("Hi."))) as server:
        first = started(tmp_path, server.url).here("-p", "hi", "--output-format", "stream-json").messages[0]
    assert first["skills"] == ["tidy", "agent-help", "commit"]
