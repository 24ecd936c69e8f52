"""An invoice: its lines, its discount, its VAT."""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from ledger.money import show, to_cents

STANDARD_RATE = Decimal("0.19")
REDUCED_RATE = Decimal("0.07")
HUNDRED = Decimal(100)


@dataclass(frozen=True)
class Line:
    """So many of one thing, at a price for each; the discount is in per cent."""

    description: str
    quantity: int
    price: Decimal
    discount: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        if self.quantity < 1:
            raise ValueError(f"`{self.description}`: a quantity is 1 or more")
        if not 0 <= self.discount <= HUNDRED:
            raise ValueError(f"`{self.description}`: a discount is between 0 and 100 per cent")

    @property
    def net(self) -> Decimal:
        """What the line costs without VAT, in whole cents."""
        return to_cents(self.quantity * self.price * (HUNDRED - self.discount) / HUNDRED)


@dataclass(frozen=True)
class Invoice:
    """What a customer is asked to pay."""

    number: str
    issued: date
    customer: str
    lines: tuple[Line, ...] = field(default=())
    rate: Decimal = STANDARD_RATE

    @property
    def net(self) -> Decimal:
        """The sum of the lines."""
        return sum((line.net for line in self.lines), Decimal(0))

    @property
    def vat(self) -> Decimal:
        """The VAT on the sum, in whole cents."""
        return vat_on(self.net, self.rate)

    @property
    def total(self) -> Decimal:
        """What is to be paid."""
        return self.net + self.vat

    def text(self) -> str:
        """Return the invoice as the customer reads it."""
        head = f"Invoice {self.number} of {self.issued:%d %B %Y} for {self.customer}"
        rows = [f"{line.quantity:>4} x {line.description:<30} {show(line.net):>16}" for line in self.lines]
        return "\n".join(
            [
                head,
                "",
                *rows,
                f"{'net':>37} {show(self.net):>16}",
                f"{f'VAT {self.rate:.0%}':>37} {show(self.vat):>16}",
                f"{'total':>37} {show(self.total):>16}",
            ]
        )


def vat_on(net: Decimal, rate: Decimal) -> Decimal:
    """Return the VAT on ``net`` in whole cents; ``rate`` is a fraction, such as 0.19."""
    return to_cents(net * rate)
