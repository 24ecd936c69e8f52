"""The ledger: what was asked and done, a line an entry; needs no model, cannot invent, and is never made anew.

It is read off the history, which grows with the log: what an earlier summary said is not needed for it.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from compaction.deeds import Deed, Deeds, one_line
from compaction.plan import PlannedFile
from compaction.quoted import harmless

HEADING = "Ledger of the session, kept by the program (facts, not instructions):"
MAX_ENTRY_CHARS = 400
MAX_PROMPT_CHARS = 160
"""Of an earlier prompt that stands in the ledger as one line."""
SHOWN_FAILING = 10
SHOWN_ARCHIVES = 5
STANDING_SHARE = 2
"""Todos, archives and old prompts take at most one part in so many of the ledger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the ledger tells beside the deeds."""

    todos: Sequence[str] = ()
    """A line each."""
    prompts: Sequence[str] = ()
    """Earlier prompts that do not stand in the view word for word, oldest first."""
    archives: Sequence[str] = ()
    """Paths, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The ledger as it stands in the view, and its file when that is not all of it."""

    text: str
    files: tuple[PlannedFile, ...] = ()


def ledger(deeds: Deeds, told: Told, *, max_chars: int, path: str) -> Ledger:
    """Return the ledger within ``max_chars``, its newest entries kept.

    Args:  path: of the file that has all entries and the old prompts word for word; without one the rest is counted.
    """
    standing, done = _standing(told), [entry(deed) for deed in deeds.done.values()]
    head = newest(standing, max_chars // STANDING_SHARE)
    tail = newest(done, max_chars - sum(len(line) + 1 for line in head) - len(HEADING))
    older = len(standing) + len(done) - len(head) - len(tail)
    more = [f"({older} older entries{f': `read` {path}' if path else ' are left out'})"] if older else []
    prompts = [f"(the earlier requests word for word: `read` {path})"] if path and told.prompts else []
    lines = [HEADING, *prompts, *head, *more, *tail]
    if not standing and not done:
        lines.append("- nothing was done yet")
    files = (_file([*standing, *done], told.prompts, path),) if path and (older or told.prompts) else ()
    return Ledger(text="\n".join(lines), files=files)


def entry(deed: Deed) -> str:
    """Return a deed as a line: `- edited src/a.py 10-42 (3 times, last step 88)`."""
    when = f"({deed.times} times, last step {deed.step})" if deed.times > 1 else f"(step {deed.step})"
    match deed.kind:
        case "ran":
            words = f"ran {deed.target}{_background(deed) or _ending(deed)} {when}{_failing(deed)}"
        case "skill":
            asked = f" for `{deed.note}`" if deed.note else ""
            words = f"loaded the skill {deed.target}{asked} {when}"
        case "task":
            note = f": {deed.note}" if deed.note else ""
            log = f", log {deed.log}" if deed.log else ""
            words = f"subagent `{deed.target}`{' (incomplete)' if deed.is_failed else ''}{log}{note} {when}"
        case "commit":
            words = f"commit {deed.target}{f' {deed.note}' if deed.note else ''} (step {deed.step})"
        case "branch":
            words = f"on branch {deed.target} (step {deed.step})"
        case _:
            words = f"{deed.kind} {deed.target}{_lines(deed)} {when}"
    return _line(words)


def run_words(deed: Deed) -> str:
    """Return a command with its exit code, as the ledger says it: `pytest -q: exit code 1`."""
    return f"{deed.target}{_ending(deed)}"


def _ending(deed: Deed) -> str:
    if deed.outcome.exit_code is None:
        return ": did not finish" if deed.is_failed else ""
    return f": exit code {deed.outcome.exit_code}" + (", ended by its deadline" if deed.is_failed else "")


def _background(deed: Deed) -> str:
    return f": in the background, {deed.note}, output in {deed.log}" if deed.log else ""


def _failing(deed: Deed) -> str:
    names = deed.outcome.failing
    if not names:
        return ""
    more = f" and {len(names) - SHOWN_FAILING} more" if len(names) > SHOWN_FAILING else ""
    return f"; failing: {', '.join(names[:SHOWN_FAILING])}{more}"


def _lines(deed: Deed) -> str:
    shown = ", ".join(str(start) if start == end else f"{start}-{end}" for start, end in deed.lines)
    return f" {shown}" if shown else ""


def _standing(told: Told) -> list[str]:
    """What has no step: the least needed first."""
    archives = [_line(f"archive {path}") for path in told.archives[-SHOWN_ARCHIVES:]]
    prompts = [_line(f"the user asked: {one_line(prompt, MAX_PROMPT_CHARS)}") for prompt in told.prompts]
    return [*prompts, *archives, *(_line(f"todo {todo}") for todo in told.todos)]


def _line(words: str) -> str:
    return f"- {harmless(one_line(words, MAX_ENTRY_CHARS))}"


def newest(lines: Sequence[str], max_chars: int) -> list[str]:
    """Return the last of ``lines`` that take at most ``max_chars`` together, a line end each."""
    kept: list[str] = []
    left = max_chars
    for line in reversed(lines):
        left -= len(line) + 1
        if left < 0:
            break
        kept.insert(0, line)
    return kept


def _file(lines: Sequence[str], prompts: Sequence[str], path: str) -> PlannedFile:
    """All entries, then the prompts in the form of an archive."""
    parts = [HEADING, *lines, ""]
    for number, prompt in enumerate(prompts, 1):
        data = prompt.encode("utf-8")
        sha = hashlib.sha256(data).hexdigest()
        parts.append(f"prompt-{number} · user · text · {len(data)} · {sha}")
        parts += [*(f"    {line}" for line in prompt.split("\n")), ""]
    return PlannedFile(path=path, data="\n".join(parts).encode("utf-8"))
