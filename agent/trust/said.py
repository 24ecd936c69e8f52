"""What a settings file of a project says before anybody trusts it: read as data, within limits, and used for nothing else."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from agent.settings import from_json

MAX_SLOW_BYTES = 50_000
"""A file that needs the slow reader is read before trust only up to here: nobody shall wait for a stranger's file."""
MAX_SCRIPTS = 50
_PROJECT = re.compile(r"\"\$\{?(?:CLAUDE|AGENT)_PROJECT_DIR\}?\"|\$\{?(?:CLAUDE|AGENT)_PROJECT_DIR\}?")
"""How a hook names the folder of the project."""
_WORD = re.compile(r"\"([^\"]+)\"|'([^']+)'|([^\s\"'`;|&<>()$=]+)")


def said_in(data: bytes) -> Any:
    """Return what the file says. Raises ValueError, RecursionError; ValueError also for a long one that is no strict JSON."""
    text = data.decode("utf-8-sig")
    if not text.strip():
        return {}
    if len(data) <= MAX_SLOW_BYTES:
        return from_json(text)
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"over {MAX_SLOW_BYTES:,} bytes and no strict JSON: read it yourself") from error


def scripts_of(settings: Sequence[bytes], project: Path) -> list[str]:
    """Return the files of the project that the hooks in ``settings`` name, relative to it, each once.

    Whatever looks like the name of a file that is there counts: what a hook runs is trusted together with the hook.
    """
    found: dict[str, None] = {}
    for data in settings:
        try:
            value = said_in(data)
            texts = list(_texts(value.get("hooks"))) if isinstance(value, Mapping) else []
        except (ValueError, RecursionError):
            continue  # nothing of it comes into force
        for text in texts:
            found.update(dict.fromkeys(_files(text, project)))
    return list(found)[:MAX_SCRIPTS]


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _files(command: str, project: Path) -> Iterator[str]:
    for groups in _WORD.findall(_PROJECT.sub(".", command)):
        path = Path(os.path.normpath(project / "".join(groups)))
        with suppress(ValueError, OSError):  # what no path can be is none
            if path.is_relative_to(project) and path.is_file():
                yield str(path.relative_to(project))
