"""The console entry: makes sure that what is imported is ours, whatever lies in the user's folder."""

import os
import sys

INTERRUPTED = 130
"""As `agent.exits.Exit` has it, which may not be loaded yet."""


def main() -> int:
    """Run `agent` with the arguments of this process; return its exit code."""
    sys.path[:] = clean_path(sys.path, _folder_of(__file__))
    try:
        # Not an import statement at the top: only now is it certain to find our own package.
        code: int = __import__("agent.cli", fromlist=["start"]).start()
    except KeyboardInterrupt:  # while the program was loaded: the user wants no traceback
        return INTERRUPTED
    return code


def clean_path(path: list[str], here: str) -> list[str]:
    """Return ``path`` without the current folder and the entries of PYTHONPATH, our own packages first.

    ``here`` is the folder of this file; it and that of the standard library stay, even if one of them is the
    current folder. In a wheel the packages beside `agent` are bundled in it, else they lie in ``here``.
    """
    foreign = {_real(entry) for entry in ["", *os.environ.get("PYTHONPATH", "").split(os.pathsep)]}
    foreign -= {_real(here), _real(_folder_of(os.__file__))}
    kept = [entry for entry in path if entry and _real(entry) not in foreign]
    bundle = f"{here}/agent/_bundle"
    if not os.access(bundle, os.R_OK):
        return [here, *kept]
    return [bundle, *kept] if here in kept else [bundle, *kept, here]


def _folder_of(file: str) -> str:
    return file.rpartition(os.sep)[0]


def _real(entry: str) -> str:
    """Where ``entry`` of the path leads; the current folder may be gone, and then nothing is found in it."""
    try:
        return os.path.realpath(entry)
    except OSError:
        return entry


if __name__ == "__main__":
    sys.exit(main())
