"""The characters beyond ASCII that we draw with, and what stands for each where a terminal cannot show it.

Text of others (the model, tools, files) is never drawn with: `shielded` keeps it from being taken for ours, and
`settled`, the last thing before the terminal, gives it back.
"""

from collections.abc import Mapping

ASCII = {
    "●": "*",
    "◐": "o",
    "⟲": "@",
    "▸": ">",
    "█": "#",
    "░": ".",
    "·": "|",
    "…": "...",
    "→": "->",
    "−": "-",
    "–": "-",
    "×": "x",
    "⚠": "!",
    "▲": "^",
    "◄": "<",
    "│": "|",
    "└": "+",
    "▁": "_",
    "▂": "_",
    "▃": "-",
    "▄": "-",
    "▅": "=",
    "▆": "=",
    "▇": "#",
    # What rich draws lists, quotations, rules and tables with:
    "•": "*",
    "▌": "|",
    "─": "-",
    "━": "=",
}
"""Every glyph, one column wide, and its replacement."""
NARROW = {"…": "~", "→": ">"}
"""What takes one column as well: for a line that is laid out already."""
LOCALES = ("LC_ALL", "LC_CTYPE", "LANG")
"""What says how characters are encoded, the first that is set."""
ASCII_LOCALES = ("C", "POSIX")
COERCED = ("C.UTF-8", "C.utf8", "UTF-8")
"""What Python itself puts into LC_CTYPE where the locale is `C` (PEP 538)."""
FIRST_STAND_IN = 0x10FF00
"""Characters for private use, one column wide as the glyphs that they stand for."""

_STAND_INS = {glyph: chr(FIRST_STAND_IN + index) for index, glyph in enumerate(ASCII)}
_DRAWN = str.maketrans(ASCII)
_SHIELDED = str.maketrans(_STAND_INS)
_SETTLED = str.maketrans({**ASCII, **NARROW, **{stand_in: glyph for glyph, stand_in in _STAND_INS.items()}})


class _Chosen:
    """Which set is drawn with: one for the process, as there is one terminal."""

    is_ascii = False


def choose(*, is_ascii: bool) -> None:
    """Draw with ASCII alone from here on, or with everything."""
    _Chosen.is_ascii = is_ascii


def is_ascii() -> bool:
    """True while ASCII alone is drawn with."""
    return _Chosen.is_ascii


def can_show(encoding: str | None, env: Mapping[str, str]) -> bool:
    """True if an output of this encoding, in this locale, can show every glyph.

    A locale that is not set at all says nothing: terminals take UTF-8. One that is set to `C` says ASCII, whatever
    encoding Python has made of it.
    """
    try:
        "".join(ASCII).encode(encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    is_coerced = env.get("LC_CTYPE") in COERCED and not env.get("LC_ALL")
    names = [name for name in LOCALES if env.get(name) and not (is_coerced and name == "LC_CTYPE")]
    return not names or env[names[0]] not in ASCII_LOCALES


def drawn(text: str) -> str:
    """Return text of ours as it is drawn, before it is laid out: a glyph may come to take more columns."""
    return text.translate(_DRAWN) if _Chosen.is_ascii else text


def in_ascii(text: str) -> str:
    """Return ``text`` with the replacement of every glyph, whatever is chosen."""
    return text.translate(_DRAWN)


def shielded(text: str) -> str:
    """Return text of others with a stand-in for every character that is a glyph of ours."""
    return text.translate(_SHIELDED) if _Chosen.is_ascii else text


def settled(text: str) -> str:
    """Return what was laid out as the terminal gets it: the columns stay, what was `shielded` is itself again."""
    return text.translate(_SETTLED) if _Chosen.is_ascii else text
