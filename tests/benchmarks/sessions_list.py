"""How long `agent sessions list` takes for a thousand sessions, from the start of the process to its end.

    python -m tests.benchmarks --only sessions_list

The logs are like those of real work: every twentieth is 5 MB long and has a checkpoint, the others are 60 kB. `wall_s`
and `cpu_s`: of the whole command, the best of some runs, since others only make a run slower. `empty_s`: CPU seconds
of the same command for a project without sessions, so that the rest is what the sessions took. `modules`: how many
were loaded; `heavy`: those of them that a list has no use for.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent.session.records import encode
from agent.session.store import Store
from tests.support.sources import ROOT

SESSIONS, QUICK_SESSIONS = 1_000, 100
RUNS, QUICK_RUNS = 7, 3
LONG_BYTES, SHORT_BYTES = 5_000_000, 60_000
EVERY = 20
"""One in so many is long."""
HEAVY = (
    "anthropic",
    "tiktoken",
    "PIL",
    "rich.console",
    "rich.markdown",
    "pygments",
    "prompt_toolkit",
    "asyncio",
    "httpx2",
)
LOADED = "import sys; from agent.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"


def measured(*, is_quick: bool) -> dict[str, Any]:
    """Return the times; ``is_quick``: for a tenth of the sessions."""
    with tempfile.TemporaryDirectory() as made:
        project, empty = Path(made, "project"), Path(made, "empty")
        empty.mkdir()
        number = QUICK_SESSIONS if is_quick else SESSIONS
        log_bytes = sum(_session(Store.of(project, project), index) for index in range(number))
        runs = [_timed(project) for _ in range(QUICK_RUNS if is_quick else RUNS)]
        loaded = _loaded(project)
        return {
            "sessions": number,
            "log_mb": round(log_bytes / 1e6),
            "wall_s": round(min(wall for wall, _ in runs), 3),
            "cpu_s": round(min(cpu for _, cpu in runs), 3),
            "empty_s": round(min(cpu for _, cpu in [_timed(empty) for _ in runs]), 3),
            "load": round(os.getloadavg()[0], 1),
            "modules": len(loaded),
            "heavy": sorted(loaded & set(HEAVY)),
        }


def _session(store: Store, index: int) -> int:
    """Write one session with what stands beside its log; return the bytes of the log."""
    session = f"20260101-000000-{index:06x}"
    log, is_long = store.log(session), index % EVERY == 0
    spills = store.outputs / session
    for folder in (store.folder(session), spills):
        folder.mkdir(parents=True)
    (store.folder(session) / "archive-001.md").write_text("archived\n" * 500)
    (spills / "1-0-bash.txt").write_text("long output\n" * 500)
    with log.open("wb") as file:
        for line in _lines(session, LONG_BYTES if is_long else SHORT_BYTES):
            file.write(line)
        size = file.tell()
    if is_long:
        _checkpoint(store.folder(session), size)
    return size


def _lines(session: str, most_bytes: int) -> Iterator[bytes]:
    told = "<environment>\ngit status:\n## main...origin/main\n M a.py\n</environment>"
    yield _line(
        1, "session", session=session, model="claude-sonnet-5-5", system=["s" * 9_000], tools=["t" * 20_000]
    )
    yield _line(2, "context", content=[{"type": "text", "text": told}], files={})
    words = [{"type": "text", "text": f"Mend the totals of {session}. " * 20}]
    yield _line(3, "message", role="user", content=words, said=[0])
    number, written = 4, 0
    while written < most_bytes:
        for line in _step(number):
            yield line
            written += len(line)
        number += 4


def _step(number: int) -> Iterator[bytes]:
    """A reply with a call, its result, and the message that answers it."""
    call = {"type": "tool_use", "id": f"c{number}", "name": "bash", "input": {"command": "pytest -q"}}
    usage = {"input_tokens": 10, "cache_read_input_tokens": 900, "output_tokens": 90}
    said = [{"type": "text", "text": "I look at it. " * 20}, call]
    yield _line(number, "message", role="assistant", content=said, model="claude-sonnet-5-5", usage=usage)
    yield _line(number + 1, "call", call=f"c{number}", name="bash")
    output = "tests/test_totals.py::test_sum PASSED\n" * 200
    yield _line(number + 2, "result", call=f"c{number}", name="bash", content=output, is_error=False)
    yield _line(number + 3, "message", role="user", content=[], said=[], results=[f"r{number + 2}"])


def _line(number: int, type_: str, **fields: Any) -> bytes:
    envelope = {"v": 1, "id": f"r{number}", "parent": f"r{number - 1}", "at": "2026-01-01T10:00:00.000Z"}
    return encode({**envelope, "turn": 1, "step": number, "type": type_, **fields})


def _checkpoint(folder: Path, covered: int) -> None:
    says = {
        "v": 1,
        "bytes": covered,
        "title": "Totals",
        "turns": 1,
        "tokens": 1_000,
        "compactions": 2,
        "prompt": "Mend",
    }
    (folder / "checkpoint").write_bytes(json.dumps(says).encode() + b"\n" + b"\x81" * 200_000)


def _timed(project: Path) -> tuple[float, float]:
    """Return (wall, CPU) seconds of one list."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "agent", "sessions", "list", "--cwd", str(project)]
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _loaded(project: Path) -> set[str]:
    command = [sys.executable, "-c", LOADED, "sessions", "list", "--cwd", str(project)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stderr.split())
