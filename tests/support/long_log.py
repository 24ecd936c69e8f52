"""A long log made of the records of a session that worked for days: turns of reads, edits and tests, with summaries."""

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.session.log import read_records
from agent.session.records import Record, encode, number_of

STEPS = 6
"""Of a turn, its answer not counted."""
TURNS = 8
"""After so many a summary stands for all."""
FILES = 200
WORDS = [
    "the",
    "total",
    "of",
    "an",
    "invoice",
    "is",
    "rounded",
    "once",
    "per",
    "line",
    "so",
    "that",
    "a",
    "cent",
    "is",
    "lost",
    "where",
    "several",
    "rates",
    "meet;",
    "we",
    "keep",
    "full",
    "precision",
    "in",
    "between",
    "and",
    "quantize",
    "at",
    "the",
    "end",
    "as",
    "the",
    "specification",
    "asks",
]
USAGE = {
    "input_tokens": 10,
    "cache_read_input_tokens": 20_000,
    "cache_creation_input_tokens": 500,
    "output_tokens": 120,
}


@dataclass(slots=True)
class LongLog:
    """Goes on with the records of a real log, so that it adds up to a session that can be resumed."""

    path: Path
    project: Path
    begun: list[Record] = field(init=False)
    number: int = field(init=False)
    turn: int = 0
    step: int = 0
    standing: list[str] = field(default_factory=list)
    """Ids of the blocks that a summary takes away."""
    chance: random.Random = field(default_factory=lambda: random.Random(1))

    def __post_init__(self) -> None:
        self.begun = [record for _, record in read_records(self.path) if record is not None]
        self.number = max(number_of(record) for record in self.begun)
        self.turn = max(record["turn"] for record in self.begun)
        self.step = max(record["step"] for record in self.begun)

    def grow(self, size: int) -> None:
        """Append whole turns until the log has ``size`` bytes."""
        with self.path.open("ab") as file:
            while file.tell() < size:
                file.writelines(map(encode, self._turn()))

    def _turn(self) -> Iterator[Record]:
        self.turn += 1
        yield self._message("user", [self._said(30)], said=[0])
        for _ in range(STEPS):
            yield from self._worked()
        self.step += 1
        yield self._message("assistant", [self._said(80)], **self._answered("end_turn"))
        yield self._record("end", of="turn", reason="end_turn")
        if self.turn % TURNS == 0:
            yield self._summary()

    def _worked(self) -> Iterator[Record]:
        self.step += 1
        call, name = f"toolu_{self.number:024d}", self.chance.choice(("read", "bash", "edit"))
        path = f"src/part_{self.chance.randrange(FILES)}/totals.py"
        given = (
            {"command": f"pytest -q {path}"} if name == "bash" else {"file_path": str(self.project / path)}
        )
        thinking = {"type": "thinking", "thinking": self._words(60), "signature": "s" * 200}
        asked = {"type": "tool_use", "id": call, "name": name, "input": given}
        yield self._message("assistant", [thinking, self._said(20), asked], **self._answered("tool_use"))
        yield self._record("call", call=call, name=name)
        output = self._output(name, path)
        known = {
            "sha256": hashlib.sha256(output.encode()).hexdigest(),
            "ranges": [[1, 249]],
            "is_whole": True,
            "lines": 249,
        }
        facts = {"cwd": str(self.project)} if name == "bash" else {"known": {str(self.project / path): known}}
        result = self._record("result", call=call, name=name, content=output, is_error=False, facts=facts)
        yield result
        yield self._message("user", [], results=[result["id"]])

    def _output(self, name: str, path: str) -> str:
        if name == "read":
            return "\n".join(f"{line}\t    {self._words(9)}  # {path} value_{line}" for line in range(1, 250))
        if name == "bash":
            tests = (f"{path}::test_{number} PASSED {self._words(4)}" for number in range(60))
            return "\n".join([*tests, "[exit code 0]"])
        return f"edited {path}\n  41   {self._words(8)}\n  42 - {self._words(8)}\n  42 + {self._words(8)}"

    def _summary(self) -> Record:
        change = {"ids": list(self.standing), "role": "user", "blocks": [self._said(800)]}
        receipt = {"layer": "summary", "trigger": "auto", "cause": "size", "before": 160_000, "after": 30_000}
        record = self._record(
            "compaction", layer="summary", trigger="auto", changes=[change], files=[], receipt=receipt
        )
        self.standing = [f"{record['id']}.0"]
        return record

    def _answered(self, stop_reason: str) -> dict[str, Any]:
        model = self.begun[0]["model"]
        return {"model": model, "stop_reason": stop_reason, "usage": USAGE, "prefix_sha": "0" * 64}

    def _message(self, role: str, content: list[dict[str, Any]], **more: Any) -> Record:
        record = self._record("message", role=role, content=content, **more)
        blocks = len(content) + len(more.get("results", ()))
        self.standing += [f"{record['id']}.{index}" for index in range(blocks)]
        return record

    def _record(self, type: str, **more: Any) -> Record:
        self.number += 1
        return {
            "v": 1,
            "id": f"r{self.number}",
            "parent": f"r{self.number - 1}",
            "at": "2026-11-30T02:27:29.471Z",
            "turn": self.turn,
            "step": self.step,
            "type": type,
            **more,
        }

    def _said(self, count: int) -> dict[str, Any]:
        return {"type": "text", "text": self._words(count)}

    def _words(self, count: int) -> str:
        return " ".join(self.chance.choices(WORDS, k=count))
