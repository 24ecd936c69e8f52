"""Halves of surrogate pairs: no UTF-8 and no server takes them, and they arrive all the same."""

from typing import Any


def joined(text: str) -> str:
    """Make one character of two halves that stand side by side; lone halves stay."""
    if is_encodable(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def repaired_text(text: str) -> str:
    """Join halves that stand side by side and put U+FFFD for each lone one: the result is always UTF-8."""
    if is_encodable(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def repaired(value: Any) -> Any:
    """``value`` (JSON) with every text in it, keys too, as `repaired_text` returns it; the input stays as it is."""
    if isinstance(value, str):
        return repaired_text(value)
    if isinstance(value, dict):
        return {repaired(key): repaired(item) for key, item in value.items()}
    if isinstance(value, list):
        return [repaired(item) for item in value]
    return value


def is_encodable(text: str) -> bool:
    """True for a text without halves of surrogate pairs."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
