"""Amounts of money: exact decimals, whole cents, text for people."""

from decimal import Decimal, InvalidOperation

CENT = Decimal("0.01")


class AmountError(ValueError):
    """A text that is no amount."""


def parse(text: str) -> Decimal:
    """Return the amount that ``text`` writes, such as `1,234.50` or `-3`.

    Raises AmountError for anything else, also for `NaN` and `Infinity`.
    """
    plain = text.strip().replace(",", "")
    try:
        amount = Decimal(plain)
    except InvalidOperation as error:
        raise AmountError(f"`{text}` is no amount") from error
    if not amount.is_finite():
        raise AmountError(f"`{text}` is no amount")
    return amount


def to_cents(amount: Decimal) -> Decimal:
    """Round to whole cents, half a cent up, as the tax office wants it."""
    return amount.quantize(CENT)


def show(amount: Decimal, currency: str = "EUR") -> str:
    """Return ``amount`` for people: `1,234.50 EUR`."""
    return f"{to_cents(amount):,} {currency}"


def split(amount: Decimal, parts: int) -> list[Decimal]:
    """Split ``amount`` into ``parts`` of whole cents that differ by one cent at most and lose none.

    The larger parts come first. ``amount`` is rounded to cents before.
    """
    if parts < 1:
        raise ValueError("an amount can be split into one part or more")
    cents = int(to_cents(amount) / CENT)
    each, left = divmod(cents, parts)
    return [(each + (1 if index < left else 0)) * CENT for index in range(parts)]
