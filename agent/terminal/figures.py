"""Numbers and places as a person uses them."""

from collections.abc import Mapping
from pathlib import Path

THOUSAND = 1_000
HUNDRED_THOUSAND = 100_000
MILLION = 1_000_000
TEN_S = 10
MINUTE_S = 60
HOUR_S = 3_600


def tokens(number: int) -> str:
    """Return a token count in at most five characters: `812`, `4.1k`, `164k`, `1.9M`."""
    if number < THOUSAND:
        return str(number)
    if round(number, -2) < HUNDRED_THOUSAND:
        return f"{number / THOUSAND:.1f}k".replace(".0k", "k")
    if round(number, -3) < MILLION:
        return f"{number / THOUSAND:.0f}k"
    return f"{number / MILLION:.1f}M".replace(".0M", "M")


def seconds(duration_s: float) -> str:
    """Return a duration: `3.2 s`, `12 s`, `4 min`, `1 h 12 min`."""
    if round(duration_s, 1) < TEN_S:
        return f"{duration_s:.1f} s"
    if duration_s < MINUTE_S:
        return f"{duration_s:.0f} s"
    if duration_s < HOUR_S:
        return f"{duration_s // MINUTE_S:.0f} min"
    return f"{duration_s // HOUR_S:.0f} h {duration_s % HOUR_S // MINUTE_S:.0f} min"


def age(duration_s: float) -> str:
    """Return how long ago, short: `now`, `2m ago`, `3h ago`, `5d ago`."""
    if duration_s < MINUTE_S:
        return "now"
    if duration_s < HOUR_S:
        return f"{duration_s // MINUTE_S:.0f}m ago"
    if duration_s < 24 * HOUR_S:
        return f"{duration_s // HOUR_S:.0f}h ago"
    return f"{duration_s // (24 * HOUR_S):.0f}d ago"


def dollars(usd: float, *, is_known: bool) -> str:
    """Return a cost; `?` is added where a price is unknown."""
    return f"${usd:.2f}" + ("" if is_known else "+?")


def times(number: int, what: str) -> str:
    """Return `1 turn`, `2 turns`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def short_path(path: Path, env: Mapping[str, str]) -> str:
    """Return ``path`` with `~` for the user's home folder."""
    home = env.get("HOME", "")
    text = str(path)
    return f"~{text.removeprefix(home)}" if home and (text == home or text.startswith(f"{home}/")) else text
