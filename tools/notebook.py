"""Jupyter notebooks as text: cells in order, each with its outputs."""

import json
from typing import Any

MAX_NOTEBOOK_BYTES = 20_000_000
_MAX_OUTPUT_CHARS = 10_000


def render_notebook(data: bytes) -> str | None:
    """Return the cells of ``data`` as text; None if it is no notebook (told by its content)."""
    if not data.lstrip().startswith(b"{") or b'"cells"' not in data or b'"nbformat"' not in data:
        return None
    try:
        book = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(book, dict) or not isinstance(book.get("cells"), list):
        return None
    cells = [cell for cell in book["cells"] if isinstance(cell, dict)]
    return "\n".join(_cell(number, cell) for number, cell in enumerate(cells, start=1)) or "(no cells)\n"


def _cell(number: int, cell: dict[str, Any]) -> str:
    kind = cell.get("cell_type", "cell")
    parts = [f"[cell {number}: {kind}]", _joined(cell.get("source"))]
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else []:
        if isinstance(output, dict):
            parts += [f"[output of cell {number}]", _output(output)]
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts if part)


def _output(output: dict[str, Any]) -> str:
    if output.get("output_type") == "error":
        trace = _joined(output.get("traceback"), between="\n")
        return _cut(trace or f"{output.get('ename')}: {output.get('evalue')}")
    if "text" in output:
        return _cut(_joined(output["text"]))
    data = output.get("data")
    if not isinstance(data, dict):
        return ""
    if "text/plain" in data:
        others = "".join(f"\n({kind} not shown)" for kind in data if kind != "text/plain")
        return _cut(_joined(data["text/plain"])) + others
    return "\n".join(f"({kind} not shown)" for kind in data)


def _joined(value: object, *, between: str = "") -> str:
    if isinstance(value, list):
        return between.join(str(part) for part in value)
    return value if isinstance(value, str) else ""


def _cut(text: str) -> str:
    left_out = len(text) - _MAX_OUTPUT_CHARS
    return (
        text
        if left_out <= 0
        else f"{text[:_MAX_OUTPUT_CHARS]}\n({left_out:,} more characters of this output)"
    )
