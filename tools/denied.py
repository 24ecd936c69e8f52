"""What the sandbox refused, told to the model at the end of a result: only what output and rules prove together."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from tools.sandbox import Sandbox
from tools.sandbox_places import Kind, Place, place_of

_READ_ONLY = re.compile(r"read-only file system|device or resource busy|EROFS|EBUSY", re.IGNORECASE)
_HIDDEN = re.compile(
    r"permission denied|EACCES|no such file or directory|ENOENT|cannot connect|could not connect|failed to connect",
    re.IGNORECASE,
)
_NETWORK = re.compile(
    r"network is unreachable|ENETUNREACH|temporary failure in name resolution|could not resolve|EAI_AGAIN"
    r"|temporary failure resolving|unable to resolve host|name or service not known|failed to lookup address"
    r"|no such host|lookup \S+ on \S+:53|failed to connect to (?!localhost|127\.|\[?::1|0\.0\.0\.0)\S+ port",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"""['"`‘]([^'"`‘’\n]+)['"`’]""")
_SLASHED = re.compile(r"""(?<![\w/])(?:unix://)?[~\w.@+-]*/[^\s'"`:,;()\[\]]*""")
_LAST_WORD = re.compile(r"([^\s:'\"`]+)[\s:]*$")
_LINES, _LINE_CHARS, _CANDIDATES = 200, 2_000, 20
"""The most that is looked at: the last lines, of each its beginning, in each so many words."""
_LEAD = "denied by the sandbox: "
_ASK = "if the task needs it, ask the user to"
_WORDS: dict[Kind, str] = {
    "read-only": "{path} is read-only there; {ask} add its folder to `sandbox.write` in ~/.agent/settings.json",
    "hidden": "{path} is hidden there, as a place where secrets or sockets are; {ask} do that part",
    "private": "{path} is not there: commands have a temporary folder of their own; {ask} copy it into the project",
}
_FIXED = "{path} is read-only there, as what runs by itself or records what was done; {ask} do that part"
_OFF = "the network is off there; {ask} set `sandbox.network` in ~/.agent/settings.json"


def denial(output: str, sandbox: Sandbox, folders: Iterable[Path]) -> str:
    """Return what the sandbox refused to a command that failed with ``output``; empty where that is not certain.

    ``folders``: where the command was, for what it names by a relative path.
    """
    rules = sandbox.places()
    for line in reversed(output.splitlines()[-_LINES:]):
        if not sandbox.has_network and _NETWORK.search(line):
            return f"{_LEAD}{_OFF.format(ask=_ASK)}"
        if said := _said(line[:_LINE_CHARS], rules, list(folders)):
            return f"{_LEAD}{said}"
    return ""


def _said(line: str, rules: list[Place], folders: list[Path]) -> str:
    wanted: dict[Kind, re.Match[str] | None] = {
        "read-only": _READ_ONLY.search(line),
        "hidden": (hidden := _HIDDEN.search(line)),
        "private": hidden,
    }
    for kind, complaint in wanted.items():
        for path in _named(line, complaint, folders) if complaint else ():
            # What is not there outside either was not taken away by us.
            place = place_of(path, rules)
            if place.kind == kind and (kind == "read-only" or path.exists()):
                is_fixed = kind == "read-only" and place.path != Path("/")
                return (_FIXED if is_fixed else _WORDS[kind]).format(path=f"`{path}`", ask=_ASK)
    return ""


def _named(line: str, complaint: re.Match[str], folders: list[Path]) -> Iterator[Path]:
    """Yield the paths that a complaint may be about, resolved: what is quoted, has a slash, or stands right before it."""
    quoted = [match[1] for match in _QUOTED.finditer(line)]
    slashed = [match[0].removeprefix("unix://") for match in _SLASHED.finditer(line)]
    before = _LAST_WORD.search(line[: complaint.start()])
    for name in [*quoted[:_CANDIDATES], *slashed[:_CANDIDATES], *([before[1]] if before else [])]:
        for folder in folders:
            with suppress(OSError, RuntimeError, ValueError):  # no path after all, or a loop of links
                yield (folder / name).resolve()
