"""How much of the instruction files is told: one budget for all down to the project, which the nearest get first."""

BUDGET_BYTES = 32 * 1024
"""Of UTF-8, for the texts of all files together; as much again for those of folders below the project."""
KEPT_BYTES = 2 * 1024
"""A long import leaves that of each file that comes after it: of the other imports, of the user's own file."""
LEAST_BYTES = 400
"""Of a file that does not fit: less than that is no use to anybody, its name and place do."""


def beginning(text: str, room_bytes: int) -> str:
    """Return the part of ``text`` that is told where there is room for so many bytes of UTF-8: all of it if it fits.

    A cut falls on a line's end, which then ends the part, if there is one in its second half; nothing is returned where
    only a few words would fit.
    """
    data = text.encode()
    if len(data) <= room_bytes:
        return text
    if room_bytes < LEAST_BYTES:
        return ""
    part = data[:room_bytes].decode("utf-8", "ignore")
    end = part.rfind("\n") + 1
    return part[:end] if end > len(part) // 2 else part
