"""Who can be asked, and who cannot."""

import pytest

from agent.approval import NobodyToAsk, Question
from compaction.messages import ToolUseBlock

CALL: ToolUseBlock = {"type": "tool_use", "id": "call_1", "name": "bash", "input": {"command": "make"}}


@pytest.mark.parametrize(
    ("rule", "hint"),
    [
        ("bash(make)", "add the rule `bash(make)` (--allow)"),
        ("", "it must be run by the user"),
    ],
)
async def test_nobody_to_ask(rule: str, hint: str) -> None:
    """Without a terminal every question is a refusal that says how it could be allowed, if at all."""
    answer = await NobodyToAsk().ask(Question(call=CALL, reason="no rule", rule=rule, agent=""))
    assert not answer.is_allowed
    assert answer.reason.endswith(hint)
