"""Fifty steps that read 40 KB or print 2,000 numbers each: every read arrives whole, the turn ends, the bill is small."""

from pathlib import Path

import pytest

from tests.benchmarks.fifty_steps import STEPS, run

BILLS = {60_000: 430_000, 200_000: 480_000}
"""Window -> most tokens of uncached input that the turn may cost, entries of the cache at the marks alone."""


@pytest.mark.parametrize("window", BILLS)
async def test_fifty_steps(tmp_path: Path, window: int) -> None:
    """Every read stands whole in the request after it, the turn ends, and the bill is within its bound."""
    done = await run(tmp_path, window=window)
    figures = done.figures()
    print(figures)
    assert done.ended == "done: All read."
    assert figures["shortened_reads"] == 0
    assert figures["requests"] >= STEPS + 1
    assert figures["bill"] <= BILLS[window], figures
