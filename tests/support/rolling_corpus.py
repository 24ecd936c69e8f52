"""Recorded sessions lived again: the same prompts, replies and results, under layers of ours and a strict server."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agent.replay.recorded import Recorded, Step
from agent.replay.source import read_session
from compaction.messages import is_thinking
from tests.support.rolling import Rolling
from tests.support.rolling_play import good_summary
from tests.support.rolling_server import TooLong
from tests.support.rolling_shapes import Full, Setting

FOLDER = "PALIMPSEST_CORPUS"
NO_FOLDER = f"`{FOLDER}` names no folder of recorded sessions"


def recordings() -> list[Path]:
    """The recorded sessions; none when the variable is not set."""
    folder = os.environ.get(FOLDER)
    return sorted(Path(folder).glob("*.jsonl")) if folder else []


def relived(path: Path, setting: Setting, *, steps: int | None = None) -> Rolling:
    """Return a recorded session as it goes under ``setting``, its first ``steps`` steps or all."""
    recorded = read_session(path)
    rolling = Rolling(setting, good_summary)
    rolling.prompt(_words(recorded))
    for step in recorded.steps[:steps]:
        try:
            _live(rolling, step)
        except (TooLong, Full):
            rolling.end("error")
            rolling.prompt("Go on.")
    return rolling


def _words(recorded: Recorded) -> str:
    return "\n\n".join(recorded.said) or "Go on."


def _live(rolling: Rolling, step: Step) -> None:
    reply: list[dict[str, Any]] = [dict(block) for block in step.assistant]
    if not reply or is_thinking(step.assistant[-1]):
        reply = [block for block in reply if block["type"] == "text" or block["type"] == "tool_use"]
    if not reply:
        return
    blocks = rolling.step(reply)
    if step.ends_turn:
        rolling.end()
        rolling.prompt("\n\n".join(step.said) or "Go on.")
        return
    found = {block["tool_use_id"]: block for block in step.user if block["type"] == "tool_result"}
    calls = [block for block in blocks if block["type"] == "tool_use"]
    for words in step.said:
        rolling.steer(words)
    rolling.answer(blocks, [_outcome(found.get(call["id"])) for call in calls])


def _outcome(result: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if result is None:
        return {"content": "(no output)", "is_error": True}
    return {"content": result["content"] or "(no output)", "is_error": bool(result.get("is_error"))}
