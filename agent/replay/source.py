"""A file -> a recorded session: our own transcripts, and the steps that another agent's sessions are published as."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agent.errors import UsageError
from agent.replay.foreign import foreign_session
from agent.replay.recorded import Recorded
from agent.replay.transcript import own_session


def read_session(path: Path) -> Recorded:
    """Return the session in ``path``.

    Raises:    UsageError: no such file, or not a session; one line that says which.
    """
    first = next(iter(_objects(path)), None)
    if isinstance(first, dict) and first.get("kind") == "start":
        recorded = _foreign(path)
    elif isinstance(first, dict) and first.get("type") == "session":
        recorded = own_session(path)
    else:
        raise UsageError(
            f"`{path}` is not a session: its first line is neither a `session` record nor a start"
        )
    if not recorded.steps:
        raise UsageError(f"`{path}` holds no reply of a model: there is nothing to replay")
    return recorded


def _foreign(path: Path) -> Recorded:
    try:
        return foreign_session(path.stem, _objects(path))
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(part) for part in fault["loc"])
        raise UsageError(f"`{path}` is not a session: {where}: {fault['msg']}") from error


def _objects(path: Path) -> Iterator[Any]:
    """Yield the JSON values of the lines; blank lines are skipped."""
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _parsed(line, path, number)
    except OSError as error:
        raise UsageError(f"`{path}` cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"`{path}` is not a session: it is not UTF-8 text") from error


def _parsed(line: str, path: Path, number: int) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise UsageError(f"`{path}` is not a session: line {number} is not JSON") from error
