"""Invoices and their VAT."""

import unittest
from datetime import date
from decimal import Decimal

from ledger.invoice import REDUCED_RATE, Invoice, Line, vat_on


def invoice(*lines: Line, rate: Decimal = Decimal("0.19")) -> Invoice:
    return Invoice(number="2026-0001", issued=date(2026, 1, 7), customer="Moritz KG", lines=lines, rate=rate)


class LineTest(unittest.TestCase):
    def test_quantity_price_and_discount(self) -> None:
        line = Line("Cable, 2 m", quantity=3, price=Decimal("4.99"), discount=Decimal(10))
        self.assertEqual(line.net, Decimal("13.47"))

    def test_nonsense_is_refused(self) -> None:
        with self.assertRaises(ValueError):
            Line("Cable, 2 m", quantity=0, price=Decimal(1))
        with self.assertRaises(ValueError):
            Line("Cable, 2 m", quantity=1, price=Decimal(1), discount=Decimal(101))


class InvoiceTest(unittest.TestCase):
    def test_the_total_is_net_and_vat(self) -> None:
        bill = invoice(Line("Desk", 1, Decimal("199.00")), Line("Lamp", 2, Decimal("24.50")))
        self.assertEqual(bill.net, Decimal("248.00"))
        self.assertEqual(bill.vat, Decimal("47.12"))
        self.assertEqual(bill.total, Decimal("295.12"))

    def test_the_reduced_rate(self) -> None:
        self.assertEqual(invoice(Line("Book", 1, Decimal("20.00")), rate=REDUCED_RATE).vat, Decimal("1.40"))

    def test_half_a_cent_of_vat_is_rounded_up(self) -> None:
        self.assertEqual(vat_on(Decimal("7.50"), Decimal("0.19")), Decimal("1.43"))

    def test_the_text_names_number_and_total(self) -> None:
        text = invoice(Line("Desk", 1, Decimal("199.00"))).text()
        self.assertIn("Invoice 2026-0001 of 07 January 2026 for Moritz KG", text)
        self.assertIn("236.81 EUR", text)


if __name__ == "__main__":
    unittest.main()
