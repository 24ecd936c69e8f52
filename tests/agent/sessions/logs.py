"""Logs made for `agent sessions`, and the command itself."""

import io
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from agent.cli import Streams, main
from agent.session.records import Record, encode
from agent.session.store import Store
from tests.support.command import Ran

FIRST = "20260101-000000-aaaaaa"
SECOND = "20260101-000000-bbbbbb"
DAY_S = 86_400
USAGE = {"input_tokens": 10, "cache_read_input_tokens": 900, "output_tokens": 90}
NASTY = '</pre><script>alert(1)</script>\x1b[31m\x00 & \u202e ]]> "quoted" \'\ufffe <!-- ```` '


def ran(folder: Path, *args: str, stdin: TextIO | None = None) -> Ran:
    """Run `agent sessions` in this process, for the project in ``folder``."""
    out, err = io.BytesIO(), io.BytesIO()
    streams = Streams(
        stdin=stdin,
        stdout=io.TextIOWrapper(out, encoding="utf-8"),
        stderr=io.TextIOWrapper(err, encoding="utf-8"),
    )
    env = {"HOME": str(folder / "home"), "AGENT_HOME": str(folder / "home" / ".agent")}
    code = main(("sessions", *args, "--cwd", str(folder)), streams, env)
    return Ran(code, out.getvalue(), err.getvalue().decode())


@contextmanager
def terminal(answer: str) -> Iterator[TextIO]:
    """A terminal at which somebody typed ``answer``."""
    master, slave = os.openpty()
    os.write(master, f"{answer}\n".encode())
    with os.fdopen(slave) as stdin:
        yield stdin
    os.close(master)


def text(words: str) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": words}


def record(number: int, type_: str, /, **fields: Any) -> Record:
    """One record, of turn 1 and step 1 unless it says otherwise."""
    envelope = {
        "v": 1,
        "id": f"r{number}",
        "parent": "",
        "at": "2026-01-01T10:00:00.000Z",
        "turn": 1,
        "step": 1,
    }
    return {**envelope, "type": type_, **fields}


def head(session: str, **fields: Any) -> Record:
    """The first record."""
    about = {"session": session, "model": "claude-sonnet-5-5", "system": [], "tools": [], **fields}
    return record(1, "session", turn=0, step=0, **about)


def context(branch: str) -> Record:
    """What the model is told of the project."""
    told = f"<environment>\nproject: /p\ngit status:\n## {branch}\n M a.py\n</environment>"
    return record(2, "context", content=[text(told)], files={})


def said(number: int, words: str, **fields: Any) -> Record:
    """What the user said."""
    return record(number, "message", role="user", content=[text(words)], said=[0], **fields)


def replied(number: int, *blocks: Any, **fields: Any) -> Record:
    """What the model said."""
    about = {
        "model": "claude-sonnet-5-5",
        "usage": USAGE,
        "prefix_sha": "",
        "stop_reason": "end_turn",
        **fields,
    }
    return record(number, "message", role="assistant", content=list(blocks), **about)


def compacted(number: int, **receipt: Any) -> Record:
    """A compaction of the first prompt."""
    change = {"ids": ["r3.0", "r9.0"], "role": "user", "blocks": [text("what stands now")]}
    about = {"layer": "summary", "trigger": "manual", "before": 1_000, "after": 400, "dropped": 2, **receipt}
    return record(number, "compaction", layer=about["layer"], changes=[change], files=[], receipt=about)


def simple(session: str, *, branch: str = "main...origin/main") -> list[Record]:
    """One turn and a compaction."""
    return [
        head(session),
        context(branch),
        said(3, "Mend the\n total."),
        replied(4, text("Done.")),
        record(5, "end", of="turn", reason="done"),
        compacted(6, archive=".transcripts/x/archive-001.md", summary_by="model", usage=USAGE),
    ]


def write(folder: Path, session: str, *records: Record | bytes, age_days: float = 0) -> Path:
    """Write a log with a folder and spills beside it, last written so long ago."""
    store = Store.of(folder, folder / "home" / ".agent")
    path = store.log(session)
    path.write_bytes(b"".join(one if isinstance(one, bytes) else encode(one) for one in records))
    store.folder(session).mkdir(exist_ok=True)
    (store.folder(session) / "archive-001.md").write_text("archived")
    (store.outputs / session).mkdir(parents=True, exist_ok=True)
    (store.outputs / session / "1-0-bash.txt").write_text("long output")
    if age_days:
        then = path.stat().st_mtime - age_days * DAY_S
        os.utime(path, (then, then))
    return path


def listed(folder: Path) -> list[dict[str, Any]]:
    """What `list --json` says."""
    found: list[dict[str, Any]] = json.loads(ran(folder, "list", "--json").out)["sessions"]
    return found
