"""Words that no file of the project may hold."""

import re

import pytest

from tests.support.sources import ROOT, shown, text_files

# Each with a blank in a class of its own, so that this file does not hold what it forbids.
FORBIDDEN = {
    "a machine's own path": r"(?x) /[ ]?work/ | /tmp/[ ]?venv | \.\./[ ]?shared | /opt/[ ]?pypi | /root/[ ]?\.",
    "a package registry": r"(?x) index[ ]?-url | find[ ]?-links | pypi[ ]?\.org | pythonhosted[ ]?\.org",
    "a secret": r"(?x) sk-ant-(?!offline)\w{4,}",
}


@pytest.mark.parametrize("kind", FORBIDDEN)
def test_no_file_holds_foreign_words(kind: str) -> None:
    """What belongs to one machine, a registry's address or a key stands nowhere."""
    pattern = re.compile(FORBIDDEN[kind])
    found = [
        f"{shown(path)}:{number} {match[0]}"
        for path in text_files()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if (match := pattern.search(line))
    ]
    assert found == []


def test_every_text_file_is_plain() -> None:
    """Text files are UTF-8 without carriage returns and blanks at line ends, and end with one newline.

    Golden files hold exactly what a test compares.
    """
    written = [path for path in text_files() if not path.is_relative_to(ROOT / "tests" / "golden")]
    found = [shown(path) for path in written if not _is_plain(path.read_bytes())]
    assert found == []


def _is_plain(data: bytes) -> bool:
    return not data or (data.endswith(b"\n") and not re.search(rb"\r|[ \t]\n|\n\n\Z", data))
