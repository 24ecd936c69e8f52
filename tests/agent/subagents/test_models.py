"""Which model a subagent works with."""

import pytest

from agent.subagents.models import model_for

SONNET = "claude-sonnet-5-5"


@pytest.mark.parametrize(
    ("wanted", "parent", "expected"),
    [
        ("", SONNET, SONNET),
        ("inherit", SONNET, SONNET),
        ("haiku", SONNET, "claude-haiku-5-5"),
        ("Opus", SONNET, "claude-opus-5-5"),
        ("haiku", "claude-haiku-4-5-20251001", "claude-haiku-4-5-20251001"),
        ("opus", "claude-haiku-4-5-20251001", "claude-opus-5-5"),
        ("claude-opus-4-8", SONNET, "claude-opus-4-8"),
        ("anthropic/claude-haiku-4.5", "anthropic/claude-opus-4.5", "anthropic/claude-haiku-4.5"),
        ("qwen3:8b", "qwen3-coder:30b", "qwen3:8b"),
    ],
)
def test_models_that_the_server_knows(wanted: str, parent: str, expected: str) -> None:
    """An alias is the newest of its family, the parent's own if it is of it; a full name is sent as it stands."""
    assert model_for(wanted, parent) == (expected, "")


@pytest.mark.parametrize(
    ("wanted", "parent"),
    [
        ("gpt-5", SONNET),
        ("claude-3-5-sonnet-20241022", SONNET),
        ("haiku", "qwen3-coder:30b"),
        ("claude-haiku-5-5", "qwen3-coder:30b"),
        ("haiku", "us.anthropic.claude-sonnet-5-v1:0"),
        ("haiku", "claude-opus-4-5@20251101"),
        ("claude-haiku-4-5", "anthropic/claude-opus-4.5"),
    ],
)
def test_others_are_not_sent(wanted: str, parent: str) -> None:
    """To a server that may not know them: the parent's own is taken, with a word."""
    model, problem = model_for(wanted, parent)
    assert model == parent
    assert problem == f"model `{wanted}` is not known beside `{parent}`: it works with that one"
