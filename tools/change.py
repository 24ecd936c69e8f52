"""What write and edit share: reading the text as it is now, and telling what a change did."""

from tools.base import ResolvedPath, ToolError
from tools.diffs import Diff
from tools.files import MAX_CHANGE_BYTES, opened, read_all
from tools.kinds import SNIFF_BYTES, binary_name, image_format
from tools.texts import Layout, decode

MAX_DIFF_LINES = 400
"""Of a diff on the screen."""


def read_now(target: ResolvedPath) -> bytes | None:
    """Return the bytes of ``target``, None if there is no such file.

    Raises:    ToolError: it is no regular file, cannot be read, or is too large to be changed in memory.
    """
    if not target.path.exists():
        return None
    with opened(target) as descriptor:
        return read_all(descriptor, max_bytes=MAX_CHANGE_BYTES, shown=target.shown)


def decode_now(data: bytes, target: ResolvedPath) -> tuple[str, Layout]:
    """Return the text and layout of ``data``.

    Raises:    ToolError: it is no text, or not one that can be written back without loss.
    """
    head = data[:SNIFF_BYTES]
    kind = image_format(head)
    name = f"a {kind} image" if kind else binary_name(head)
    if name is not None:
        raise ToolError(
            f"`{target.shown}` is not text and was not changed: it seems to be {name}. Use bash for it."
        )
    try:
        return decode(data)
    except UnicodeDecodeError as problem:
        raise ToolError(
            f"`{target.shown}` is broken UTF-16 and cannot be changed without loss; use bash."
        ) from problem


def headline(verb: str, target: ResolvedPath, *, told: str, remarks: list[str]) -> str:
    """Return the one line that answers a change: verb, path, sizes, and what else there is to say."""
    others = "; ".join(remark for remark in [*remarks, target.note] if remark)
    return f"{verb} {target.shown}: {told}" + (f" ({others})" if others else "")


def spell_sizes(diff: Diff) -> str:
    """Return how many lines came and went: `+3 −2`."""
    return f"+{diff.added} −{diff.removed}"
