"""Compactions found again in a log."""

from pathlib import Path
from typing import Any

import pytest

from agent.session.compactions import compaction, is_told
from agent.session.records import encode


def record(number: int, layer: str = "micro", *, files: list[Any] | None = None) -> bytes:
    fields = {"layer": layer, "changes": [], "files": files or [], "receipt": {"layer": layer}}
    return encode({"v": 1, "id": f"r{number}", "type": "compaction", **fields})


def logged(folder: Path, *lines: bytes) -> Path:
    log = folder / "s.jsonl"
    log.write_bytes(b"".join(lines))
    return log


def test_they_are_counted_as_they_were_told(tmp_path: Path) -> None:
    """In the order of the log, the newest without a number; what nobody was told of is not counted."""
    spill = [{"path": "a", "sha256": "0", "bytes": 1}]
    log = logged(
        tmp_path, record(1), record(2, "restore"), record(3, "budget"), record(4, "budget", files=spill)
    )
    found = [compaction(log, number) for number in (None, 1, 2, 3)]
    assert [one and (one.record["id"], one.number, one.total) for one in found] == [
        ("r4", 2, 2),
        ("r1", 1, 2),
        ("r4", 2, 2),
        None,
    ]
    assert [is_told({"layer": layer, "files": []}) for layer in ("summary", "restore", "prompt")] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    "odd",
    [
        b'{"v":1,"id":"r2","type":"note","text":"a \\"type\\":\\"compaction\\" in words"}\n',
        b'{"v":1,"id":"r2","type":"compaction"}\n',
        b'{"v":1,"id":"r2","type":"compaction","receipt":3,"changes":[]}\n',
        b'{"v":1,"id":"r2","type":"compac',
        b"\x00\xff\n",
    ],
)
def test_what_is_none_is_passed_over(tmp_path: Path, odd: bytes) -> None:
    """Words about one, torn lines, and records that are not as they were written."""
    found = compaction(logged(tmp_path, record(1), odd))
    assert found
    assert (found.record["id"], found.total) == ("r1", 1)


def test_two_in_one_line_are_two(tmp_path: Path) -> None:
    """A lost line end does not hide one."""
    found = compaction(logged(tmp_path, record(1).rstrip() + record(2)))
    assert found
    assert (found.record["id"], found.total) == ("r2", 2)
