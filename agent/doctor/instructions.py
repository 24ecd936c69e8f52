"""Instruction files: which are in force, and what of them the model is not told."""

from collections.abc import Iterator

from agent.doctor.finding import Finding
from agent.doctor.scene import Scene
from agent.instructions.gathering import notes_of
from agent.instructions.note import Note
from agent.instructions.places import Places
from tools.visible import escape_line, plain


def instruction_findings(scene: Scene) -> Iterator[Finding]:
    """Yield what is told of each file, the strongest last."""
    trusted = scene.standing.in_force.imports
    places = Places(project=scene.project, home=scene.home, trusted=trusted, user_home=scene.user_home)
    notes = notes_of(places)
    for note in notes:
        yield Finding("note" if note.remark else "ok", "instructions", _said(note))
    if not notes:
        yield Finding("ok", "instructions", "none: AGENTS.md in the project is told to the model")


def _said(note: Note) -> str:
    by = f", imported by {note.by}" if note.by else ""
    size = f"{len(note.text.encode()):,} bytes told" if note.text else "nothing told"
    return plain(escape_line(f"{note.shown}{by}: {size}{f'; {note.remark}' if note.remark else ''}"))
