"""Amounts."""

import unittest
from decimal import Decimal

from ledger.money import AmountError, parse, show, split


class ParseTest(unittest.TestCase):
    def test_amounts_are_exact(self) -> None:
        self.assertEqual(parse("1,234.50"), Decimal("1234.50"))
        self.assertEqual(parse(" -0.1 "), Decimal("-0.1"))

    def test_other_texts_are_refused(self) -> None:
        for text in ("", "12 EUR", "NaN", "Infinity", "1.2.3"):
            with self.subTest(text), self.assertRaises(AmountError):
                parse(text)


class ShowTest(unittest.TestCase):
    def test_two_places_and_thousands(self) -> None:
        self.assertEqual(show(Decimal("1234.5")), "1,234.50 EUR")
        self.assertEqual(show(Decimal(-3), "USD"), "-3.00 USD")


class SplitTest(unittest.TestCase):
    def test_no_cent_is_lost(self) -> None:
        parts = split(Decimal("10.00"), 3)
        self.assertEqual(parts, [Decimal("3.34"), Decimal("3.33"), Decimal("3.33")])
        self.assertEqual(sum(parts), Decimal("10.00"))

    def test_at_least_one_part(self) -> None:
        with self.assertRaises(ValueError):
            split(Decimal(1), 0)


if __name__ == "__main__":
    unittest.main()
