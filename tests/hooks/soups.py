"""Generates text that is nearly a shell command: pieces of the language in any order, and wrappings with a few changes.

What it does nobody knows beforehand. Where permission allows it, bash must not run the program in it.
"""

from hypothesis import strategies as st

from tests.hooks.productions import PROGRAM
from tests.hooks.wrappings import wrappings

_PIECES = (
    *(
        PROGRAM,
        PROGRAM,
        PROGRAM,
        "ls",
        "echo",
        "echo a",
        "cat",
        "true",
        "test ",
        "printf ",
        "env ",
        "timeout 5 ",
    ),
    *(
        "command ",
        "xargs ",
        "find . -exec ",
        " \\;",
        "git status",
        "git diff",
        "time ",
        "coproc ",
        "eval ",
        "read x",
    ),
    *(
        "unset ",
        "declare ",
        "-c",
        "-v",
        "-n",
        "-i",
        " ",
        " ",
        " ",
        "\n",
        "\n",
        ";",
        "&&",
        "||",
        "|",
        "&",
        ";;",
        "!",
    ),
    *(
        "'",
        "'",
        '"',
        '"',
        "\\",
        "\\\n",
        "$'",
        '$"',
        "`",
        "$(",
        ")",
        "(",
        "{",
        "}",
        "[",
        "]",
        "[[ ",
        " ]]",
        "((",
        "))",
    ),
    *(
        "$((",
        "${x:-",
        "${x#",
        "${#x}",
        "$x",
        "$",
        "$#",
        "${",
        "x",
        "a",
        "=",
        "a=",
        "#",
        " #",
        "<<E",
        "<<'E'",
        "<<-E",
    ),
    *(
        "\nE\n",
        "E",
        "<<<",
        ">",
        ">/dev/null",
        "2>&1",
        "<(",
        "case a in ",
        "a)",
        "in",
        " esac",
        "if ",
        "then ",
        "; fi",
    ),
    *(
        "for i in a",
        "; do ",
        "; done",
        "function f",
        "f()",
        "ls()",
        f"{PROGRAM}()",
        "f",
        "-",
        "*",
        "?",
        "~",
        "@",
        "%",
    ),
    *("\t", "\r", "\v", "\u00a0", "\x01"),
)
_pieces = st.sampled_from(_PIECES)


@st.composite
def _changed(draw: st.DrawFn) -> str:
    """A wrapping in which characters are left out, doubled, or have something put before them."""
    command = draw(wrappings()).command
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(command)))
        length = draw(st.integers(0, 3))
        put = draw(st.one_of(_pieces, st.just(""), st.just(command[at : at + 8])))
        command = command[:at] + put + command[at + length :]
    return command


_soups = st.lists(_pieces, min_size=3, max_size=16).map("".join)
nearly_commands = st.one_of(_soups, _changed())
"""Either of them."""
