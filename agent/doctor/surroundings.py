"""What the program runs among: versions, programs, the terminal, and what Python loads before anything of ours."""

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from agent.doctor.finding import Finding, Mark
from agent.version import __version__

_VERSION_TIMEOUT_S = 3.0
_VERSION_CHARS = 60
_OWN_PACKAGES = ("anthropic", "prompt-toolkit", "tree-sitter-bash")
_STARTUP_MODULES = ("sitecustomize", "usercustomize")
_NARROW = 40
_DUMB = ("dumb", "unknown")


@dataclass(frozen=True, slots=True)
class _Program:
    """A program that is run by name; ``without`` says what goes without it."""

    name: str
    mark: Mark
    without: str


_PROGRAMS = (
    _Program("bash", "fault", "install it: every command of the model's runs in it"),
    _Program("git", "note", "install it: no branch, no state of the repository, no files for @path"),
    _Program(
        "rg",
        "note",
        "install ripgrep: the model searches with it, else with grep, which is slower and reads what git ignores",
    ),
)


def version_findings() -> Iterator[Finding]:
    """Name the versions of what runs."""
    packages = ", ".join(f"{name} {_package_version(name)}" for name in _OWN_PACKAGES)
    system = f"Python {platform.python_version()}, {platform.system()} {platform.release()}"
    yield Finding("ok", "version", f"agent {__version__}, {system}; {packages}")


def program_findings(env: Mapping[str, str]) -> Iterator[Finding]:
    """Run each program that we need by name, and say its version."""
    for program in _PROGRAMS:
        path = shutil.which(program.name, path=env.get("PATH"))
        if path is None:
            yield Finding(program.mark, program.name, f"not found: {program.without}")
            continue
        said = _said([path, "--version"])
        if said is None:
            yield Finding(program.mark, program.name, f"{path} does not run: {program.without}")
        else:
            yield Finding("ok", program.name, f"{path}: {said}")


def terminal_findings(env: Mapping[str, str], *, is_terminal: bool, encoding: str) -> Iterator[Finding]:
    """Say what the screen will be like, as far as environment and system tell."""
    if not is_terminal:
        yield Finding(
            "note", "terminal", "none here: with `-p` none is needed, the screen needs one at both ends"
        )
        return
    name = env.get("TERM", "")
    size = shutil.get_terminal_size()
    colours = (
        "no colours (NO_COLOR)"
        if env.get("NO_COLOR")
        else f"colours {env.get('COLORTERM') or 'as TERM says'}"
    )
    around = " in tmux" if env.get("TMUX") else " in screen" if env.get("STY") else ""
    about = f"TERM {name or 'is not set'}{around}, {size.columns}x{size.lines}, {encoding}, {colours}"
    if not name or name in _DUMB:
        yield Finding(
            "note",
            "terminal",
            f"{about}: plain lines instead of the screen; set TERM, as to `xterm-256color`, if it can more",
        )
    elif size.columns < _NARROW:
        yield Finding("note", "terminal", f"{about}: narrower than {_NARROW} columns, much is cut off")
    elif "utf" not in encoding.lower():
        yield Finding(
            "note", "terminal", f"{about}: drawn in ASCII; a UTF-8 locale (LANG=C.UTF-8) shows more"
        )
    else:
        yield Finding("ok", "terminal", about)


def startup_findings(env: Mapping[str, str]) -> Iterator[Finding]:
    """Warn of modules on PYTHONPATH that Python runs before it runs us: no program can guard itself against them."""
    for entry in env.get("PYTHONPATH", "").split(os.pathsep):
        folder = Path(entry or ".")
        for name in _STARTUP_MODULES:
            if (folder / f"{name}.py").exists() or (folder / name).is_dir():
                told = f"{folder.absolute()} has `{name}`, which runs before any Python program: is it yours? Else unset PYTHONPATH"
                yield Finding("note", "PYTHONPATH", told)


def _said(command: list[str]) -> str | None:
    """Return the first line that a program prints; None when it does not run, or not in time."""
    try:
        done = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, timeout=_VERSION_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    return lines[0][:_VERSION_CHARS] if done.returncode == 0 and lines else None


def _package_version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"
