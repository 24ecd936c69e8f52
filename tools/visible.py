"""Bytes of a program's output as text that is safe to show and to send."""

import codecs
import re

_PLAIN = bytes([*range(0x20, 0x7F), 0x09, 0x0A])
_LONGEST_STRING = 4096
"""A terminal string (title, link) longer than this is shown, not stripped."""
_SEQUENCE = re.compile(
    rf"\x1b(?:\[[0-?]{{0,64}}[ -/]{{0,8}}[@-~]"
    rf"|[\]PX^_][^\x07\x1b\n]{{0,{_LONGEST_STRING}}}(?:\x07|\x1b\\)"
    rf"|[ -/]{{1,8}}[0-~]"
    rf"|[0-OQ-WYZ\\`-~])"
)
_UNFINISHED = re.compile(
    rf"\x1b(?:\[[0-?]{{0,64}}[ -/]{{0,8}}|[\]PX^_][^\x07\x1b\n]{{0,{_LONGEST_STRING}}}\x1b?|[ -/]{{0,8}})\Z"
)
_LINE_END = re.compile("[\t\n\u2028\u2029]")
_FIRST_NOT_ASCII = 0x80
_LAST_OF_FOUR_DIGITS = 0xFFFF
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
TURNING = re.compile("[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What turns the direction of the text around it, and what some programs take for a line's end."""
HIDDEN = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""What is drawn nowhere, so that a person reads over it and a model does not; joiners aside, which scripts need."""


def escape_controls(text: str) -> str:
    r"""Return ``text`` with control characters other than tab and newline as `\x00` or `\u0080`."""
    return _CONTROL.sub(_escape, text)


def plain(text: str) -> str:
    """Return ``text`` with control characters, those that turn the direction of others, and hidden ones as escapes."""
    if text.isascii():
        return escape_controls(text)
    return HIDDEN.sub(_escape, TURNING.sub(_escape, escape_controls(text)))


def escape_line(name: str) -> str:
    r"""Return ``name`` as one line that encodes: no control characters, no line ends, odd bytes as `\xNN`."""
    encodable = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return _LINE_END.sub(_escape, escape_controls(encodable))


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code > _LAST_OF_FOUR_DIGITS:
        return f"\\U{code:08x}"
    return f"\\x{code:02x}" if code < _FIRST_NOT_ASCII else f"\\u{code:04x}"


class VisibleText:
    r"""Turns output into text as it comes; the cuts between the pieces make no difference.

    Bytes that are not UTF-8 become `\xNN`, terminal sequences (colours, titles) vanish, `\r\n` and a lone
    `\r` become a line's end, other control characters become escapes.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._sequence = ""
        self._has_return = False

    def feed(self, data: bytes, *, is_last: bool = False) -> str:
        """Return the text that is certain so far."""
        if self._is_idle() and not data.translate(None, _PLAIN):
            return data.decode("ascii")
        text = self._sequence + self._decoder.decode(data, is_last)
        self._sequence = ""
        if not is_last and (unfinished := _UNFINISHED.search(text, max(0, len(text) - _LONGEST_STRING - 3))):
            self._sequence = text[unfinished.start() :]
            text = text[: unfinished.start()]
        return escape_controls(self._end_lines(_SEQUENCE.sub("", text), is_last=is_last))

    def _is_idle(self) -> bool:
        return not (self._sequence or self._has_return or self._decoder.getstate()[0])

    def _end_lines(self, text: str, *, is_last: bool) -> str:
        if self._has_return:
            text = "\r" + text
        self._has_return = text.endswith("\r") and not is_last
        if self._has_return:
            text = text[:-1]
        return text.replace("\r\n", "\n").replace("\r", "\n")
