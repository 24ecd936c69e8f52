"""The field of an answer without a screen: what it shows, and somebody who types into it."""

from dataclasses import dataclass

from agent.terminal.answering import Typing


@dataclass(slots=True)
class TypedField:
    """The field; ``label`` is empty while it is closed."""

    label: str = ""
    text: str = ""
    typing: Typing | None = None

    def open(self, label: str, text: str, typing: Typing) -> None:
        """Show the field."""
        self.label, self.text, self.typing = label, text, typing

    def close(self) -> None:
        """Bring the input back."""
        self.label, self.text, self.typing = "", "", None

    def type(self, text: str) -> None:
        """Make what stands in it ``text``."""
        assert self.typing is not None
        self.text = text
        self.typing.changed(text)

    def enter(self, text: str | None = None) -> None:
        """Press Enter, after typing ``text``; None: as it stands."""
        if text is not None:
            self.type(text)
        assert self.typing is not None
        self.typing.entered(self.text)

    def leave(self) -> None:
        """Press Esc."""
        assert self.typing is not None
        self.typing.left()
