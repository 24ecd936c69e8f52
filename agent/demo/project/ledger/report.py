"""The VAT of each month: `python -m ledger.report FILE.csv`."""

import csv
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

from ledger.invoice import vat_on
from ledger.money import parse, show


@dataclass(frozen=True)
class Row:
    """One invoice of the file; ``vat`` as it was booked."""

    number: str
    issued: date
    customer: str
    net: Decimal
    rate: Decimal
    vat: Decimal

    @property
    def difference(self) -> Decimal:
        """How much the booked VAT is off."""
        return vat_on(self.net, self.rate) - self.vat


def read(path: Path) -> Iterator[Row]:
    """Yield the invoices of a CSV file with the columns number, issued, customer, net, rate, vat."""
    with path.open(newline="", encoding="utf-8") as file:
        for fields in csv.DictReader(file):
            yield Row(
                number=fields["number"],
                issued=date.fromisoformat(fields["issued"]),
                customer=fields["customer"],
                net=parse(fields["net"]),
                rate=parse(fields["rate"]),
                vat=parse(fields["vat"]),
            )


def by_month(rows: Iterable[Row]) -> dict[str, Decimal]:
    """Return the VAT of each month, such as `2026-03`, as it should have been booked."""
    months: dict[str, Decimal] = defaultdict(Decimal)
    for row in rows:
        months[f"{row.issued:%Y-%m}"] += vat_on(row.net, row.rate)
    return dict(sorted(months.items()))


def wrong(rows: Iterable[Row]) -> list[Row]:
    """Return the invoices whose booked VAT is off."""
    return [row for row in rows if row.difference]


def main(arguments: list[str]) -> int:
    """Print the report of one file."""
    if len(arguments) != 1:
        print("usage: python -m ledger.report FILE.csv", file=sys.stderr)
        return 2
    rows = list(read(Path(arguments[0])))
    for month, vat in by_month(rows).items():
        print(f"{month}  {show(vat):>16}")
    for row in wrong(rows):
        print(f"{row.number}: booked {show(row.vat)}, off by {show(row.difference)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
