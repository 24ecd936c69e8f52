"""Pinned text: the user's words that no layer may touch, repeated word for word after every summary."""

from collections.abc import Sequence

HEADING = "Pinned by the user, to be kept in mind always:"


def pinned(words: str) -> str:
    """Return a pin as it stands in the view."""
    return f"{HEADING}\n{words}"


def pins_text(pins: Sequence[str]) -> str:
    """Return all pins as one text; empty without any."""
    return "\n".join([HEADING, *(f"- {pin}" for pin in pins)]) if pins else ""
