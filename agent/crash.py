"""Where warnings and tracebacks go: a file of their own, never the user's screen."""

import contextlib
import logging
import os
import tempfile
import traceback
import warnings
from collections.abc import Mapping
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path

from agent.home import agent_home


def quieten(env: Mapping[str, str]) -> None:
    """Send what libraries log as a warning or worse to a file, which is made when it is needed."""
    warnings.simplefilter("ignore")
    logging.raiseExceptions = False
    handler = _LogFile(agent_home(env) / "logs" / "agent.log", mode="a", encoding="utf-8", delay=True)
    handler.setLevel(logging.WARNING)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.getLogger().addHandler(handler)


def keep_traceback(error: BaseException, env: Mapping[str, str]) -> Path | None:
    """Write the traceback of ``error`` to a new private file; None when no folder takes it."""
    text = "".join(traceback.format_exception(error))
    name = f"crash-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid()}.log"
    for folder in (agent_home(env) / "logs", Path(tempfile.gettempdir())):
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = folder / name
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
            return path
    return None


class _LogFile(logging.FileHandler):
    """A log file whose folder is made with it; where it cannot be written, nothing is said."""

    def emit(self, record: logging.LogRecord) -> None:
        with contextlib.suppress(OSError):
            super().emit(record)

    def _open(self) -> TextIOWrapper:
        Path(self.baseFilename).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return super()._open()
