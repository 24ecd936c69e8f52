"""Money and steps as they are shown."""

import pytest

from agent.terminal.prices import steps_shown, usd_shown


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        (0.187, "$0.19"),
        (0.005, "$0.01"),
        (0.0031, "$0.0031"),
        (0.00001, "under $0.0001"),
        (0.0, "$0.00"),
        (None, "$?"),
    ],
)
def test_costs(usd: float | None, shown: str) -> None:
    """Small ones are shown with more digits: a cost is never shown as none, nor none as a cost."""
    assert usd_shown(usd) == shown


@pytest.mark.parametrize(
    ("steps", "shown"), [(0.0, "1 step"), (1.0, "1 step"), (3.2, "4 steps"), (7.0, "7 steps")]
)
def test_steps(steps: float, shown: str) -> None:
    """Rounded up: what has not paid for itself yet is not said to have."""
    assert steps_shown(steps) == shown
