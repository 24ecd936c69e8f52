"""How long a key of an `@path` takes in a project of 50,000 files, and how long its list is made.

    python -m tests.benchmarks --only mentions

For what is typed letter by letter: CPU milliseconds a key, the median and the worst of all (`worst_of`: for what).
`list_s`: git's list of the files, with the index made of it, in a real repository; `index_s`: the index alone. All of
it happens on a thread beside the event loop. `blocked_ms`: the longest that another thread was kept from running
while keys were searched for, which is what a frame or an echo may be late by.
"""

import random
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from agent.terminal.path_index import PathIndex
from agent.terminal.project_paths import ProjectPaths, with_folders

FILES, QUICK_FILES = 50_000, 5_000
SEED = 1
MENU = 50
FOLDERS = (
    ("src", "lib", "tests", "docs", "packages"),
    ("core", "agent", "terminal", "server", "client", "models", "views", "utils", "api", "ui"),
    ("alpha", "beta", "gamma", "delta", "handlers", "forms", "tables", "config", "widgets", "parsers"),
)
NAMES = ("invoice", "order", "report", "user", "session", "token")
ENDINGS = ("py", "ts", "md", "json")
TYPED = (
    "invoice_77",
    "tesconf",
    "srccoreinv12",
    "uatmp",
    "yp.src",
    "tsr",
    "zzz",
    "invoice.xyz",
    "pkguser4999.ts",
    "nosj_4",
)
"""Pieces, beginnings of words, scattered letters, and what is not there."""
TICK_S = 0.0005


def measured(*, is_quick: bool) -> dict[str, Any]:
    """Return the times; ``is_quick``: for a tenth of the files."""
    files = list(_files(QUICK_FILES if is_quick else FILES))
    began = time.process_time()
    index = PathIndex(with_folders(files))
    index_s = time.process_time() - began
    with _Watch() as watch:
        keys = [(_timed(index, word[:length]), word[:length]) for word in TYPED for length in _lengths(word)]
    return {
        "files": len(files),
        "keys": len(keys),
        "median_ms": round(statistics.median(ms for ms, _ in keys), 1),
        "worst_ms": round(max(keys)[0], 1),
        "worst_of": max(keys)[1],
        "blocked_ms": round(watch.longest_s * 1_000, 1),
        "index_s": round(index_s, 2),
        "list_s": round(_list_s(files), 2),
    }


class _Watch:
    """Notes how late a thread that wants to run often is at most."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._tick)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _tick(self) -> None:
        while not self._is_over.is_set():
            began = time.perf_counter()
            time.sleep(TICK_S)
            self.longest_s = max(self.longest_s, time.perf_counter() - began - TICK_S)


def _files(number: int) -> Iterator[str]:
    some = random.Random(SEED)  # the same files each time
    for index in range(number):
        folder = "/".join(some.choice(names) for names in FOLDERS)
        yield f"{folder}/{some.choice(NAMES)}_{index}.{some.choice(ENDINGS)}"


def _lengths(word: str) -> range:
    return range(1, len(word) + 1)


def _timed(index: PathIndex, wanted: str) -> float:
    """Return the CPU milliseconds of one key."""
    began = time.thread_time()
    index.find(wanted, MENU)
    return (time.thread_time() - began) * 1_000


def _list_s(files: Sequence[str]) -> float:
    with tempfile.TemporaryDirectory() as made:
        project = Path(made)
        for name in files:
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).touch()
        subprocess.run(["git", "init", "-q", made], check=True)
        subprocess.run(["git", "add", "-A"], cwd=project, check=True)
        began = time.perf_counter()
        ProjectPaths(project).find("", 1)
        return time.perf_counter() - began
