"""The fact check: what the log holds for certain and the view after a summary must still say; nothing else is judged."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from compaction.deeds import FILES
from compaction.history import History
from compaction.ledger import run_words
from compaction.seen import Seen, hashes_in, paths_in

UNKNOWN = " (not in the log)"
HEADING = "Facts of the log that the summary does not name:"
MOST_RUNS = 10
"""Test commands whose last run must be told, the newest."""
MOST_COMMITS = 20
MOST_OF_PROMPTS = 200
"""Numbers and quoted strings in the user's words, the newest."""
MOST_IN_RECEIPT = 100
UNITS = (
    r"%|°C|[kKMGT]i?[Bb]|[kMG]?Hz|ms|µs|s|secs?|seconds?|min|mins|minutes?|h|hours?|days?|weeks?|months?|years?|"
    r"px|em|rem|pt|dpi|fps|rpm|mm|cm|km|m|kg|g|bits?|bytes?|chars?|characters?|words?|lines?|rows?|columns?|"
    r"items?|files?|tests?|tokens?|requests?|users?|retries|attempts|times|threads?|workers?|percent|"
    r"EUR|USD|CHF|GBP|€|\$|£"
)
NUMBER = re.compile(
    rf"(?<![\w.,])\d[\d.,_]*?[ \u00a0-]?(?:{UNITS})(?!\w)|(?<!\w)[€$£] ?\d[\d.,]*\d|(?<!\w)[€$£] ?\d"
)
QUOTED = re.compile(
    r"\"([^\"\n]{2,120})\"|“([^”\n]{2,120})”|„([^“”\n]{2,120})[“”]|«([^»\n]{2,120})»|`([^`\n]{2,120})`"
    r"|(?<!\w)'([^'\n]{2,120})'(?!\w)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What must be found: all of ``parts``, on one line where there are several."""

    words: str
    parts: tuple[str, ...]
    is_path: bool = False
    """Found only as a whole: `a.py` is not in `data.py`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What the check found."""

    score: float
    """Share of the facts that are there; 1 without any."""
    missing: tuple[str, ...]
    total: int

    def receipt(self, unknown: Sequence[str]) -> dict[str, Any]:
        """Return the outcome as it stands in a receipt, which keeps the first of long lists.

        Args:  unknown: what the summary names and the log never saw.
        """
        return {
            "score": round(self.score, 3),
            "total": self.total,
            "missing": list(self.missing[:MOST_IN_RECEIPT]),
            "unknown": list(unknown[:MOST_IN_RECEIPT]),
        }


def must_facts(history: History, *, since: int, todos: Iterable[str], prompts: Sequence[str]) -> list[Fact]:
    """Return what must not get lost, each once.

    Args:  since: step of the last summary: files written or edited from then on count; todos: the open ones;
           prompts: all that the user said.
    """
    deeds = history.deeds
    files = [deed.target for deed in deeds.of(*FILES) if deed.step >= since]
    facts = [Fact(words=path, parts=(path,), is_path=True) for path in files]
    for run in [deed for deed in deeds.of("ran") if deed.outcome.is_test][-MOST_RUNS:]:
        code = run.outcome.exit_code
        parts = (run.target, *([f"exit code {code}"] if code is not None else []))
        facts += [Fact(words=run_words(run), parts=parts), *map(_plain, run.outcome.failing)]
    facts += [_plain(todo) for todo in todos]
    facts += [_plain(deed.target) for deed in deeds.of("commit")[-MOST_COMMITS:]]
    facts += [_plain(deed.target) for deed in deeds.of("branch")]
    facts += [_plain(words) for words in _said(prompts)]
    return list(dict.fromkeys(facts))


def check(facts: Sequence[Fact], texts: Iterable[str]) -> Check:
    """Return how many of ``facts`` stand in ``texts``, word for word; white space does not count."""
    whole = "\n".join(flat for text in texts for line in text.split("\n") if (flat := " ".join(line.split())))
    flat = whole.replace("\n", " ")
    missing = tuple(fact.words for fact in facts if not _is_in(fact, whole if len(fact.parts) > 1 else flat))
    score = 1 - len(missing) / len(facts) if facts else 1.0
    return Check(score=score, missing=missing, total=len(facts))


def missing_lines(missing: Sequence[str], max_chars: int) -> str:
    """Return the list that is added to a summary, within ``max_chars``; empty when nothing is missing."""
    lines: list[str] = []
    for words in missing:
        max_chars -= len(words) + 3
        if max_chars < 0:
            lines.append(f"- ({len(missing) - len(lines)} more: see the ledger and the archive)")
            break
        lines.append(f"- {words}")
    return "\n".join([HEADING, *lines]) if lines else ""


def judged(summary: str, seen: Seen) -> tuple[str, list[str]]:
    """Return ``summary`` with every path and commit marked that the log never saw, and these."""
    places: dict[int, str] = {}
    for match, path in paths_in(summary):
        if not seen.knows_path(path):
            places[match.start() + match[0].rfind(path) + len(path)] = path
    for match in hashes_in(summary):
        if not seen.knows_hash(match[0]):
            places[match.end()] = match[0]
    for end in sorted(places, reverse=True):
        summary = f"{summary[:end]}{UNKNOWN}{summary[end:]}"
    return summary, list(dict.fromkeys(places[end] for end in sorted(places)))


def open_todos(todos: str) -> dict[str, str]:
    """Return what is still to be done -> its state: `- [pending] test it` -> `{"test it": "pending"}`."""
    found = [re.fullmatch(r"- \[(\w+)\] (.+)", one, re.DOTALL) for one in re.split(r"\n(?=- \[)", todos)]
    return {" ".join(one[2].split()): one[1] for one in found if one and one[1] != "completed"}


def _plain(words: str) -> Fact:
    return Fact(words=words, parts=(" ".join(words.split()),))


def _said(prompts: Sequence[str]) -> list[str]:
    """Numbers with a unit and quoted strings, the newest kept."""
    found: list[str] = []
    for prompt in prompts:
        found += [match[0] for match in NUMBER.finditer(prompt)]
        found += [next(group for group in match if group) for match in QUOTED.findall(prompt)]
    kept = dict.fromkeys(words.strip() for words in reversed(found) if words.strip())
    return list(reversed(list(kept)[:MOST_OF_PROMPTS]))


def _is_in(fact: Fact, shown: str) -> bool:
    first = fact.parts[0]
    if first not in shown:
        return False
    if fact.is_path:
        pattern = rf"(?<![\w./-])(?:\./)?{re.escape(first)}(?![\w-]|[./]\w)"
        return re.search(pattern, shown) is not None
    rest = fact.parts[1:]
    return not rest or any(all(part in line for part in rest) for line in _lines_with(first, shown))


def _lines_with(words: str, whole: str) -> Iterator[str]:
    at = whole.find(words)
    while at >= 0:
        start, end = whole.rfind("\n", 0, at) + 1, whole.find("\n", at)
        yield whole[start : end if end >= 0 else len(whole)]
        at = whole.find(words, at + 1)
