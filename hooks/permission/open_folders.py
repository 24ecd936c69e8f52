"""Folders outside the project whose files may be read unasked, as those of the user's own skills."""

from pathlib import PurePath


def is_open(path: str, folders: tuple[str, ...]) -> bool:
    """Tell whether ``path``, which is resolved, is one of ``folders`` or lies in it.

    What is hidden in them, a `.env` with its secrets, is asked about as elsewhere.
    """
    used = PurePath(path)
    for folder in map(PurePath, folders):
        if used.is_relative_to(folder):
            return not any(part.startswith(".") for part in used.relative_to(folder).parts)
    return False
