"""The one line of a compaction, at any width: what does not fit goes by its weight, the way back stays."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from rich.cells import cell_len

from agent.glyphs import drawn
from agent.terminal.columns import one_line
from agent.terminal.figures import times, tokens
from agent.terminal.prices import steps_shown
from agent.terminal.render import styled, to_ansi

UNDO = "/compact undo"
TIGHT = "blanks"
"""Around the arrow between the sizes."""
DROPPED_FIRST = ("written", "skills", "files", "price", "kept", "facts", TIGHT, "sizes", "layer")
"""What goes first when the line does not fit."""


def compaction_line(receipt: Mapping[str, Any], width: int) -> str:
    """Return the line as ANSI text; from 20 columns on it ends in `/compact undo`."""
    items = _items(receipt)
    for dropped in ("", *DROPPED_FIRST):
        items.pop(dropped, None)
        if dropped == TIGHT:
            items["sizes"] = items["sizes"].replace(" ", "")
        if cell_len(drawn("⟲ " + " · ".join(items.values()))) <= width:
            break
    layer = items.pop("layer", "")
    details = " · ".join(items.values())
    return to_ansi(
        styled(("⟲ ", "cyan"), (layer, "bold"), (" · " if layer else "", ""), (details, "")), width
    )


def facts_found(facts: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return (found, all) of a summary's fact check; None where the receipt does not say, or there were none."""
    total = facts.get("total")
    return (round(facts["score"] * total), total) if total else None


def price_parts(receipt: Mapping[str, Any]) -> Sequence[str]:
    """Return what the cache writes anew, and when that has paid for itself."""
    if not (rewritten := receipt.get("rewritten", 0)):
        return ()
    steps = receipt.get("payback_steps")
    pays = () if steps is None else (f"pays after {steps_shown(steps)}",)
    return (f"cache re-write {tokens(rewritten)}", *pays)


def _items(receipt: Mapping[str, Any]) -> dict[str, str]:
    """Return what the line says, by name, in its order."""
    archive = PurePath(receipt.get("archive") or "").name
    where = f"in {one_line(archive)}" if archive else "on disk"
    dropped, found = receipt.get("dropped"), facts_found(receipt.get("facts") or {})
    files = list(receipt.get("parts") or ()).count("file")
    skills = len(receipt.get("skills") or ())
    written = (receipt.get("usage") or {}).get("output_tokens", 0)
    items = {
        "layer": str(receipt["layer"]),
        "sizes": f"{tokens(receipt['before'])} → {tokens(receipt['after'])}",
        "kept": f"{dropped} kept {where}" if dropped else "",
        "facts": f"facts {found[0]}/{found[1]}" if found else "",
        "files": f"{times(files, 'file')} restored" if files else "",
        "skills": f"{times(skills, 'skill')} restored" if skills else "",
        "written": f"{tokens(written)} written" if written else "",
        "price": ", ".join(price_parts(receipt)),
        "undo": UNDO,
    }
    return {name: text for name, text in items.items() if text}
