"""The emulator of the tests: how it is read does not change what stands on it."""

import pyte
from hypothesis import given, reject
from hypothesis import strategies as st

from tests.support.pty_screen import AnsweringScreen

PIECES = st.sampled_from(
    [
        "a",
        "wide \u6f22\u5b57",
        "e\u0301",
        "\U0001f44d",
        "\u0627\u0644",
        "\r\n",
        "\x1b[H",
        "\x1b[2;3H",
        "\x1b[K",
        "\x1b[J",
    ]
) | st.sampled_from(
    ["\x1b[4D", "\x1b[2X", "\x1b[2P", "\x1b[@", "\x1b[L", "\x1b[M", "\t", "\x1b[1;4r", "\x1b[S", "\x1b[1m"]
)


def theirs(screen: pyte.Screen) -> list[str]:
    """Return the rows as pyte tells them; it fails for the second half of a wide character that is gone."""
    try:
        rows: list[str] = vars(pyte.Screen)["display"].__get__(screen)
    except IndexError:
        reject()
    return rows


@given(st.lists(PIECES, max_size=60), st.integers(4, 12), st.integers(4, 12))
def test_a_row_is_read_as_the_emulator_reads_it(pieces: list[str], before: int, after: int) -> None:
    """Also where half of a wide character was overwritten, and after a change of size."""
    screen = AnsweringScreen(before, 5, lambda _: None)
    stream = pyte.Stream(screen)
    for columns in (before, after):
        screen.resize(5, columns)
        stream.feed("".join(pieces))
        assert screen.display == theirs(screen)
