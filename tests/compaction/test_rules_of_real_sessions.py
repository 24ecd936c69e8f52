"""The ten rules of compaction, over recorded sessions.

`python -m tests.faults.histories --corpus` lets them live to their end, under every preset and window.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import cycle
from pathlib import Path

import pytest

from compaction.presets import PRESETS
from tests.support.rolling import Rolling
from tests.support.rolling_checks import CHECKS
from tests.support.rolling_corpus import NO_FOLDER, recordings, relived
from tests.support.rolling_shapes import Setting

WINDOWS = (16_000, 32_000, 60_000, 200_000, 1_000_000)
KINDS = ("bound", "refused", "manual", "adaptive")
STEPS = 30

pytestmark = pytest.mark.skipif(not recordings(), reason=NO_FOLDER)


def _cases() -> Iterator[tuple[Path, Setting]]:
    """Every session under every preset; windows and kinds of models take turns."""
    windows, kinds = cycle(WINDOWS), cycle(KINDS)
    for preset in PRESETS:
        for path in recordings():
            yield path, Setting(preset=preset, window=next(windows), kind=next(kinds))


@lru_cache(maxsize=1)
def lived(path: Path, setting: Setting) -> Rolling:
    """The first steps of a session."""
    return relived(path, setting, steps=STEPS)


@pytest.mark.parametrize(("path", "setting"), list(_cases()), ids=lambda value: getattr(value, "stem", None))
def test_every_rule_holds(path: Path, setting: Setting) -> None:
    """The strict server takes each request of a real session, and no rule is broken."""
    rolling = lived(path, setting)
    for check in CHECKS.values():
        check(rolling)
