"""Hooks at work are told of once they take long enough, and that none are any more."""

import asyncio

import pytest

from hooks.watch import SILENT_S, Watch


async def test_quick_work_is_not_told_of() -> None:
    """Neither its beginning nor its end."""
    told: list[str] = []
    with Watch(told.append).over("Stop"):
        await asyncio.sleep(0)
    await asyncio.sleep(SILENT_S + 0.1)
    assert told == []


async def test_of_several_the_last_begun_is_told() -> None:
    """When one ends the other is told of again; nothing once all have ended, also when one fails."""
    told: list[str] = []
    watch = Watch(told.append)
    outer, inner = watch.over("PreToolUse"), watch.over("Notification")
    with outer:
        await asyncio.sleep(SILENT_S + 0.1)
        with pytest.raises(TimeoutError), inner:
            await asyncio.wait_for(asyncio.sleep(60), SILENT_S + 0.1)
        told.append("failed")
    assert told == ["PreToolUse", "Notification", "PreToolUse", "failed", ""]
