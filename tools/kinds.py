"""What a file is, told from its content and never from its name."""

import re
import stat

from tools.texts import marked

SNIFF_BYTES = 8_192
"""So much of a file's beginning decides what it is."""

_IMAGES = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "PNG"),
    (re.compile(rb"\xff\xd8\xff"), "JPEG"),
    (re.compile(rb"GIF8[79]a"), "GIF"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "WEBP"),
)
_BINARIES = (
    (re.compile(rb"\x7fELF"), "an ELF program or library; `file` or `strings` in bash tells more"),
    (re.compile(rb"MZ.*\x00", re.DOTALL), "a Windows program; `file` or `strings` in bash tells more"),
    (
        re.compile(rb"\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe"),
        "a macOS program or a Java class; `file` or `strings` in bash tells more",
    ),
    (re.compile(rb"%PDF-"), "a PDF document; `pdftotext FILE -` in bash shows its text"),
    (
        re.compile(rb"PK\x03\x04|PK\x05\x06"),
        "a zip archive or an Office document; `unzip -l` in bash lists it",
    ),
    (re.compile(rb"\x1f\x8b"), "gzip data; `zcat` in bash shows it"),
    (re.compile(rb"BZh[1-9]1AY"), "bzip2 data; `bzcat` in bash shows it"),
    (re.compile(rb"\xfd7zXZ\x00"), "xz data; `xzcat` in bash shows it"),
    (re.compile(rb"\x28\xb5\x2f\xfd"), "zstd data; `zstdcat` in bash shows it"),
    (re.compile(rb"SQLite format 3\x00"), "an SQLite database; `sqlite3` in bash reads it"),
    (re.compile(rb"\x00asm"), "a WebAssembly module; `file` in bash tells more"),
    (re.compile(rb".{257}ustar", re.DOTALL), "a tar archive; `tar -tf` in bash lists it"),
)
_CONTROL = bytes(code for code in range(32) if code not in b"\t\n\r\f\b\a\x1b")
_MAX_CONTROL_SHARE = 0.1
"""Text holds next to no control characters; terminal logs have some."""
_OTHERS = (
    (stat.S_ISDIR, "is a directory; list it with glob"),
    (stat.S_ISFIFO, "is a FIFO (a named pipe); only regular files can be used, so reach it with bash"),
    (stat.S_ISSOCK, "is a socket; only regular files can be used, so reach it with bash"),
    (stat.S_ISCHR, "is a character device; only regular files can be used, so reach it with bash"),
    (stat.S_ISBLK, "is a block device; only regular files can be used, so reach it with bash"),
)


def image_format(head: bytes) -> str | None:
    """Return `PNG`, `JPEG`, `GIF` or `WEBP` if ``head`` begins like one, else None."""
    return next((name for pattern, name in _IMAGES if pattern.match(head)), None)


def binary_name(head: bytes) -> str | None:
    """Return what the file beginning with ``head`` seems to be if it is no text, else None."""
    for pattern, name in _BINARIES:
        if pattern.match(head):
            return name
    if marked(head).encoding.startswith("utf-16"):
        return None
    controls = len(head) - len(head.translate(None, _CONTROL))
    if b"\x00" in head or controls > len(head) * _MAX_CONTROL_SHARE:
        return "binary data of an unknown kind; `file` or `xxd | head` in bash tells more"
    return None


def not_regular(mode: int) -> str | None:
    """Return why a file of ``mode`` is no regular file, as the end of a sentence; None if it is one."""
    if stat.S_ISREG(mode):
        return None
    return next((words for test, words in _OTHERS if test(mode)), "is no regular file")
