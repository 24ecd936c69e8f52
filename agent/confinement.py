"""The sandbox of the settings: what it is made from, and what user and model are told of it."""

from collections.abc import Sequence
from pathlib import Path

from agent.settings import SandboxSettings, Settings
from agent.trust.gathered import SETTINGS
from tools.git_folders import GitFolders
from tools.sandbox import Sandbox
from tools.sandbox_places import Grounds

UNUSABLE = "commands of the model are refused: `sandbox` is on in the settings, and {problem}"


def wanted_sandbox(layers: Sequence[tuple[str, Settings]]) -> SandboxSettings | None:
    """Return what is said of it by the user, else by the project, by the strongest layer of each; None where it is off."""
    of_project = [one for origin, one in layers if origin in SETTINGS]
    own = [one for origin, one in layers if origin not in SETTINGS]
    said = next((one.sandbox for one in reversed([*of_project, *own]) if one.sandbox is not None), None)
    return said if said is not None and said.mode == "on" else None


def sandbox_of(
    wanted: SandboxSettings | None, *, project: Path, home: Path, own: Path, scripts: Sequence[str] = ()
) -> Sandbox | None:
    """Return the sandbox, tried, or None where none is wanted.

    Args:  home: the user's; own: the agent's folder, which is hidden; scripts: what hooks run, outside of the sandbox.
    """
    if wanted is None:
        return None
    write = tuple(_place(text, project=project, home=home) for text in wanted.write)
    grounds = Grounds(
        project=project,
        home=home.resolve(),
        own=own.resolve(),
        git=GitFolders.of(project),
        write=write,
        fixed=tuple(map(Path, scripts)),
    )
    return Sandbox.tried(grounds, has_network=wanted.network)


def remarks_of(sandbox: Sandbox | None) -> list[str]:
    """Return what the user should know before anything runs, a line each."""
    if sandbox is None:
        return []
    if sandbox.problem:
        return [UNUSABLE.format(problem=sandbox.problem)]
    missing = [path for path in sandbox.grounds.write if not path.exists()]
    return [f"`sandbox.write` names {path}, which does not exist: it cannot be written" for path in missing]


def sandbox_words(sandbox: Sandbox | None) -> str:
    """Return the sandbox in one line, for the user."""
    if sandbox is None:
        return "sandbox off: a command can do whatever you can"
    if sandbox.problem:
        return UNUSABLE.format(problem=sandbox.problem)
    also = "".join(f", {path}" for path in sandbox.grounds.write)
    network = "on" if sandbox.has_network else "off"
    return f"sandbox on: bash writes to the project and a /tmp of its own{also}; network {network}"


def told_of(sandbox: Sandbox | None) -> str:
    """Return what the model is told at the beginning; empty without a sandbox."""
    if sandbox is None or sandbox.problem:
        return ""
    also = "".join(f", {path}" for path in sandbox.grounds.write)
    network = "on" if sandbox.has_network else "off, and each command has a loopback of its own"
    return (
        f"sandbox: bash can write only to the project{also} and a /tmp of its own, which other tools do not see; the rest is"
        f" read-only, places with secrets are hidden; the network is {network}; what a command leaves running"
        " ends with it (use run_in_background)"
    )


def _place(text: str, *, project: Path, home: Path) -> Path:
    path = (
        home / text.removeprefix("~").lstrip("/") if text == "~" or text.startswith("~/") else project / text
    )
    return path.resolve()
