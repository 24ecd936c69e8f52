"""The sub-commands: a place and what is wanted -> lines on stdout, and the exit code."""

import os
from collections.abc import Iterator
from pathlib import Path

from agent.clock import system_clock
from agent.errors import SessionError, UsageError
from agent.exits import Exit
from agent.session.store import Store
from agent.sessions.entries import Entry, Teller
from agent.sessions.lines import copied
from agent.sessions.listing import size
from agent.sessions.markdown import document
from agent.sessions.page import page
from agent.sessions.place import COLUMNS, Place, columns
from agent.sessions.pruning import Condemned, Verdict, age_s, judge, remove
from agent.sessions.show import damage_lines, show_lines
from agent.sessions.story import Story, read_story
from agent.terminal.figures import age, times

FORMATS = ("md", "html", "jsonl")
YES = ("y", "yes")
PIECE_BYTES = 1 << 16
"""So much is written at once."""


def run_show(place: Place, wanted: str) -> Exit:
    """Print what became of a session. Raises SessionError."""
    story = _story(place.store, wanted)
    path = place.store.log(story.id)
    place.output.lines("\n".join(show_lines(story, path, now=system_clock(), width=min(COLUMNS, columns()))))
    return place.ended()


def run_export(place: Place, wanted: str, *, to: str, file: Path | None) -> Exit:
    """Print a session in a format, or write it to ``file``. Raises UsageError, SessionError."""
    if to not in FORMATS:
        raise UsageError(f"--to takes one of {', '.join(FORMATS)}, not `{to}`")
    if file is not None:
        for line in export_to(place.store, wanted, to, file):
            place.output.complain(line)
        return Exit.DONE
    story = _story(place.store, wanted)
    for line in damage_lines(story):
        place.output.complain(line.strip())
    for piece in _exported(place.store, story, to):
        place.output.raw(piece)
        if place.output.fault is not None:
            break
    return place.ended()


def export_to(store: Store, wanted: str, to: str, file: Path) -> list[str]:
    """Write a session in one of the `FORMATS` to ``file``; return what is damaged. Raises UsageError, SessionError."""
    story = _story(store, wanted)
    _write(store, file, _exported(store, story, to))
    return [line.strip() for line in damage_lines(story)]


def run_prune(place: Place, older_than: str, *, is_dry_run: bool, is_agreed: bool) -> Exit:
    """Show which sessions are older than that, and remove them when somebody agrees.

    Raises:    UsageError: no age, or nobody who could be asked; SessionError: a log cannot be read.
    """
    now = system_clock()
    before = now - age_s(older_than)
    verdict = judge(place.store, before=before)
    place.output.lines("\n".join(_verdict_lines(place.store, verdict, now)))
    if is_dry_run or not verdict.gone:
        return place.ended()
    if not is_agreed and not _agrees(place, verdict.gone):
        place.output.say("nothing was removed")
        return Exit.DONE
    # While somebody made up his mind a fork may have come that needs one of them.
    kept = dict(judge(place.store, before=before).kept)
    gone, problems = remove(place.store, [one for one in verdict.gone if one.id not in kept])
    problems += [f"{one.id} stays: {kept[one.id]}" for one in verdict.gone if one.id in kept]
    for problem in problems:
        place.output.complain(problem)
    place.output.say(f"removed {_total(gone)}")
    return Exit.FAILED if problems else place.ended()


def _exported(store: Store, story: Story, to: str) -> Iterator[bytes]:
    """Yield what is exported in pieces worth writing. Raises SessionError."""
    entries = Teller(story, store.root, store.transcripts).entries()
    waiting = bytearray()
    try:
        for piece in _pieces(story, entries, to):
            waiting += piece
            if len(waiting) >= PIECE_BYTES:
                yield bytes(waiting)
                waiting.clear()
    except OSError as error:
        raise SessionError(f"`{error.filename}` cannot be read: {error.strerror}") from error
    yield bytes(waiting)


def _pieces(story: Story, entries: Iterator[Entry], to: str) -> Iterator[bytes]:
    if to == "jsonl":
        return copied(story.path, story.bytes)
    texts = page(story, entries) if to == "html" else document(story, entries)
    return (text.encode() for text in texts)


def _write(store: Store, file: Path, pieces: Iterator[bytes]) -> None:
    """Write the user's file, for his eyes alone; never one of ours. Raises UsageError, SessionError."""
    try:
        target = file.resolve()
        logs = map(store.log, store.logs())
        if any(target.is_relative_to(one.resolve()) for one in (store.transcripts, store.outputs.parent)) or (
            target.exists() and any(target.samefile(log) for log in logs)
        ):
            raise UsageError(f"`{file}` is a place of the sessions themselves: name another with -o")
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as out:
            out.writelines(pieces)
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(
            f"`{file}` cannot be written: {getattr(error, 'strerror', None) or error}"
        ) from error


def _verdict_lines(store: Store, verdict: Verdict, now: float) -> list[str]:
    lines = [f"{one.id}  {age(now - one.at / 1e9)}  {size(one.bytes)}" for one in verdict.gone]
    kept = [f"{session}  stays: {reason}" for session, reason in verdict.kept]
    total = f"to remove from {store.root}: {_total(verdict.gone)}" if lines else "nothing to remove"
    return [*lines, *kept, total]


def _agrees(place: Place, condemned: list[Condemned]) -> bool:
    if place.stdin is None or not place.stdin.isatty():
        raise UsageError("nobody can be asked here: add `--yes` to remove them, `--dry-run` only to look")
    place.output.say(f"remove {_total(condemned)} for good? y/N")
    return place.stdin.readline().strip().lower() in YES


def _total(condemned: list[Condemned]) -> str:
    return f"{times(len(condemned), 'session')}, {size(sum(one.bytes for one in condemned))}"


def _story(store: Store, wanted: str) -> Story:
    """What the session ``wanted`` (id, its end, or title) tells. Raises SessionError."""
    # By its whole id also one whose head is damaged.
    session = wanted if wanted in store.logs() else store.find(wanted)
    try:
        return read_story(store.log(session))
    except OSError as error:
        raise SessionError(f"`{error.filename}` cannot be read: {error.strerror}") from error
