"""bash as a witness: runs a command in a folder of its own, where a forbidden program leaves a mark."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from tests.hooks.productions import BIN, PROGRAM

_FOUND = (
    "awk base64 bash cat chmod chrt cp env find flock git grep head ionice ls mkdir nice nohup perl printf rg script sed "
    "seq setsid sh sleep sort stdbuf tail taskset tar tee timeout tr true wc xargs"
)
"""Programs that are used as they are, where they exist."""
_RUNS_WORDS = """#!/bin/bash
while [[ $1 == -* || $1 == *=* || $1 == / ]]; do
    case $1 in -u) shift ;; esac
    shift
done
exec "$@"
"""
_RUNS_TEXT = """#!/bin/bash
while [[ $1 == -* || $1 == localhost || $1 == 1 ]]; do shift; done
exec bash -c "$*"
"""
_STANDING_IN = {
    **dict.fromkeys(("sudo", "doas", "chroot", "busybox"), _RUNS_WORDS),
    **dict.fromkeys(("su", "ssh", "watch"), _RUNS_TEXT),
    "parallel": '#!/bin/bash\nwhile [[ $1 != ::: ]]; do words+=("$1"); shift; done\nexec bash -c "${words[*]}"\n',
}
"""Programs that may be missing, or must not be run: small scripts that run what they are given, as those would."""
_TIMEOUT_S = 10.0
_LATE_S = 0.3
"""How long a process that was left behind may take until it leaves the mark."""


class MarkedBash:
    """A folder with programs, a folder to run in, and a mark; ``folder`` must be empty."""

    def __init__(self, folder: Path) -> None:
        self._bin, self._work, self._mark = folder / "bin", folder / "work", folder / "mark"
        self._bin.mkdir()
        for name in _FOUND.split():
            if path := shutil.which(name):
                (self._bin / name).symlink_to(path)
        for name, script in _STANDING_IN.items():
            self._add(name, script)
        self._add(PROGRAM, f"#!/bin/sh\n: > '{self._mark}'\n")
        self._environment = {"PATH": str(self._bin), "HOME": str(self._work), "LC_ALL": "C.UTF-8"}
        self._furnish()

    def runs(self, command: str) -> bool:
        """Run ``command``; tell whether the forbidden program was run. Nothing of it goes on afterwards."""
        self._mark.unlink(missing_ok=True)
        process = subprocess.Popen(
            [str(self._bin / "bash"), "-c", command.replace(BIN, f"{self._bin}/")],
            cwd=self._work,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._end(process)
            return self._mark.exists()
        is_marked = self._is_marked()
        self._end(process)
        if {path.name for path in self._work.iterdir()} != {".git", "a.txt", "b.txt"}:
            shutil.rmtree(self._work)
            self._furnish()
        return is_marked

    def _add(self, name: str, script: str) -> None:
        (self._bin / name).write_text(script)
        (self._bin / name).chmod(0o755)

    def _furnish(self) -> None:
        self._work.mkdir()
        for name in ("a", "b"):
            (self._work / f"{name}.txt").write_text(f"a\n{name}\n")
        subprocess.run(["git", "init", "-q", "."], cwd=self._work, env=self._environment, check=True)

    def _is_marked(self) -> bool:
        until = time.monotonic() + _LATE_S
        while not self._mark.exists() and time.monotonic() < until:
            time.sleep(0.02)
        return self._mark.exists()

    def _end(self, process: "subprocess.Popen[bytes]") -> None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        finally:
            process.wait()
