"""The system prompt."""

import pytest

from agent.prompt import system_blocks


@pytest.mark.parametrize("name", ["system", "subagent"])
def test_the_system_prompt(name: str) -> None:
    """One block of our own text, what the user adds at its end; nothing of the project or the day."""
    [plain], [more] = system_blocks(name), system_blocks(name, "  Speak German. ")
    assert more["text"] == plain["text"] + "\n\nSpeak German."
    assert "Palimpsest" in plain["text"]
    assert len(plain["text"]) < 6_000
