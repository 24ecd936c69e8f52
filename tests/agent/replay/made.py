"""Sessions made for replays, in the form that other agents' sessions are published in."""

import json
import random
from collections.abc import Iterable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from agent.replay.recorded import Recorded
from agent.replay.source import read_session

Line = dict[str, Any]
MODEL = "claude-opus-4-6"
START_AT = 1_800_000_000.0
_ids = count(1)
USAGE = {"input_tokens": 100, "cache_creation_input_tokens": 2_000, "cache_read_input_tokens": 20_000}


def did(name: str, answer: str, *, is_error: bool = False, **given: Any) -> tuple[Line, Line]:
    """A call of the other agent's tool, and its result."""
    id_ = f"toolu_{next(_ids)}"
    result: Line = {"type": "tool_result", "tool_use_id": id_, "content": answer}
    return {"type": "tool_use", "id": id_, "name": name, "input": given}, (
        {**result, "is_error": True} if is_error else result
    )


def turn(at: float, *done: tuple[Line, Line], says: str = "", said: str = "", usage: Any = USAGE) -> Line:
    """One reply ``at`` seconds after the start, its calls answered; ``said``: words of the user after it."""
    text = [{"type": "text", "text": says}] if says else []
    words = [{"type": "text", "text": said}] if said else []
    return {
        "kind": "turn",
        "at": START_AT + at,
        "model": MODEL,
        "usage": usage,
        "assistant": [*text, *(use for use, _ in done)],
        "user": [*(result for _, result in done), *words],
        "compacted": False,
    }


def lines(turns: Iterable[Line], said: str = "Mend the total.") -> str:
    """The text of a file."""
    start = {"kind": "start", "user": [{"type": "text", "text": said}]}
    return "".join(json.dumps(line) + "\n" for line in (start, *turns))


def written(folder: Path, *turns: Line, name: str = "made") -> Path:
    """A file with these turns."""
    path = folder / f"{name}.jsonl"
    path.write_text(lines(turns), "utf-8")
    return path


def recorded(folder: Path, *turns: Line) -> Recorded:
    """The session with these turns."""
    return read_session(written(folder, *turns))


def arrowed(text: str) -> str:
    """A file as the other agent shows it."""
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(text.split("\n"), 1))


def working(steps: int, *, usage: Mapping[str, int] | None = USAGE, seed: int = 1) -> list[Line]:
    """Read, edit and test a few files in turn, for so many steps; large enough for cuts that pay."""
    chance = random.Random(seed)
    files = {
        f"/p/part_{index}.py": "\n".join(f"value_{index}_{line} = {line}" for line in range(300))
        for index in range(6)
    }
    made: list[Line] = []
    at = 0.0
    for number in range(steps):
        path = sorted(files)[number // 3 % len(files)]
        at += chance.choice([5.0, 20.0, 60.0, 400.0])
        if number % 3 == 0:
            done = did("Read", arrowed(files[path]), file_path=path)
        elif number % 3 == 1:
            old = f"value_{path[8]}_{number} = {number}"
            new = f"value_{path[8]}_{number} = {number} + 1"
            done = did("Edit", "updated", file_path=path, old_string=old, new_string=new)
            files[path] = files[path].replace(old, new, 1)
        else:
            done = did(
                "Bash", "\n".join(f"row {number} {line}" for line in range(150)), command=f"pytest {number}"
            )
        made.append(turn(at, done, says=f"Step {number}.", usage=usage))
    return made
