"""Long pastes folded: in the input each is one character, which stands for its text and is shown as a mark."""

import re

MOST_LINES = 5
MOST_CHARS = 1_000
"""A paste of more lines or characters is folded."""
HUGE_CHARS = 50_000
"""What comes back and is longer is folded too: drawn as a whole, it would slow every key down."""

MOST_SHOWN = 50
"""Long texts of which is remembered what is shown for them."""

FIRST, LAST = 0xD800, 0xDBFF
"""First halves of surrogate pairs: no text that can be sent holds one, so nothing that is typed looks like a fold."""
FOLD = re.compile(f"[{chr(FIRST)}-{chr(LAST)}]")
WORDS = re.compile(f"\\A\n(?={FOLD.pattern})")
"""The line end before a paste at the start, which makes words of it."""
COMMANDS = ("/", "!")


class Folds:
    """The pastes of one input. The same text has the same character, for as long as the program runs."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._known: dict[str, str] = {}
        """Text -> its character."""
        self._sizes: list[str] = []
        self._shown: dict[str, str] = {}
        """What is shown of long texts, which may stand on the screen for many frames; none from before the newest paste."""

    def folded(self, pasted: str) -> str:
        """Return the character that stands for ``pasted``; a paste that is short, or one too many, as it is."""
        return self._character(pasted) if is_long(pasted) else pasted

    def expanded(self, text: str) -> str:
        """Return ``text`` with every paste in full.

        A paste at the start is words, whatever it begins with: nobody sees that it looks like a command. An empty
        line before it says so.
        """
        full = FOLD.sub(lambda found: self._text(found[0]), text)
        return f"\n{full}" if FOLD.match(text) and full.startswith(COMMANDS) else full

    def folded_again(self, text: str) -> str:
        """Return a text that was ``expanded`` with its pastes folded as they were, and all of it if that is huge."""
        if not is_long(text):
            return text
        for known in sorted(self._known, key=len, reverse=True):
            text = text.replace(known, self._known[known])
        return self._character(self.expanded(text)) if len(text) > HUGE_CHARS else text

    def shown(self, text: str) -> str:
        """Return an ``expanded`` text with marks in place of its pastes, as it is shown."""
        if not is_long(text):
            return text
        if text not in self._shown:
            if len(self._shown) == MOST_SHOWN:
                self._shown.clear()
            marks = iter(self.marks(found := self.folded_again(text)))
            self._shown[text] = FOLD.sub(lambda _: next(marks), WORDS.sub("", found))
        return self._shown[text]

    def marks(self, text: str) -> list[str]:
        """Return what is shown for each paste in ``text``, in order; numbered when there are several."""
        sizes = [self._sizes[ord(found) - FIRST] for found in FOLD.findall(text)]
        if len(sizes) == 1:
            return [f"[pasted {sizes[0]}]"]
        return [f"[paste {number}: {size}]" for number, size in enumerate(sizes, 1)]

    def _character(self, text: str) -> str:
        if text not in self._known:
            if FIRST + len(self._texts) > LAST:
                return text
            self._known[text] = chr(FIRST + len(self._texts))
            self._texts.append(text)
            self._sizes.append(_size(text))
            self._shown.clear()
        return self._known[text]

    def _text(self, character: str) -> str:
        return self._texts[ord(character) - FIRST]


def is_long(text: str) -> bool:
    """True for what is folded when it is pasted."""
    return len(text) > MOST_CHARS or _lines(text) > MOST_LINES


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n"))


def _size(text: str) -> str:
    lines = _lines(text)
    return f"{lines:,} lines" if lines > MOST_LINES else f"{len(text):,} characters"
