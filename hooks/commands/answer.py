"""What a command hook answered: its exit code and what it printed, as Claude Code documents them, made one outcome."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from hooks.commands.process import Ended
from hooks.commands.spelling import input_here
from hooks.events import Decision, HookEvent, Outcome, PreToolUse, SessionStart, UserPromptSubmit

BLOCK = 2
"""The exit code that refuses."""
CAN_BLOCK = frozenset(
    {
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "UserPromptSubmit",
        "Stop",
        "SubagentStop",
        "PreCompact",
    }
)
"""Events at which exit code 2 and `block` say something to the model, or stop what is under way."""
_KNOWN = frozenset(
    {
        "continue",
        "stopReason",
        "suppressOutput",
        "systemMessage",
        "decision",
        "reason",
        "hookSpecificOutput",
        "terminalSequence",
    }
)
_DECISIONS: Mapping[str, Decision] = {"allow": "allow", "ask": "ask", "deny": "deny"}
_OLD_DECISIONS: Mapping[str, Decision] = {"approve": "allow", "block": "deny"}
_OPENING = re.compile(r"^[ \t]*\{", re.MULTILINE)
_DECODER = json.JSONDecoder()
_MOST_READ_CHARS = 20_000_000
"""Of rubbish, what was read again counted again: it holds the whole program up, about a second at worst."""
_CHARS_A_FIND = 400
_CHARS_TOO_DEEP = 1_000_000
"""What finding an object, and finding that one nests too deeply, may cost."""
_RESULT_STAYS = "the result stays as it is"
_NOT_DONE: Mapping[str, str] = {
    "updatedToolOutput": _RESULT_STAYS,
    "updatedMCPToolOutput": _RESULT_STAYS,
    "sessionTitle": "the session keeps its title",
    "initialUserMessage": "no prompt is sent",
    "watchPaths": "no file is watched",
    "reloadSkills": "skills are read once",
    "terminalSequence": "nothing but ours is sent to the terminal",
}
"""Documented fields that are not supported, and what happens all the same."""


class AnswerError(Exception):
    """A hook ended, and what it answered cannot be used; the text says why."""


class _Fields:
    """The fields of a JSON object, read by type; what is of another type is complained of once and left out."""

    def __init__(self, value: Mapping[str, Any], *, inside: str = "") -> None:
        self.value = value
        self.problems: list[str] = []
        self._inside = inside

    def take(self, key: str, kind: type, default: Any) -> Any:
        """Return the field ``key``; ``default`` where it is missing, null, or no ``kind``."""
        found = self.value.get(key)
        if found is None or isinstance(found, kind):
            return default if found is None else found
        self.problems.append(f"`{self._inside}{key}` is {json.dumps(found)[:40]}, no {_KINDS[kind]}")
        return default

    def choose(self, key: str, known: Mapping[str, Decision]) -> Decision | None:
        """Return what the field ``key`` decides; a word that is not known decides nothing and is complained of."""
        said = self.take(key, str, "")
        if said and said not in known:
            self.problems.append(f"`{self._inside}{key}` is `{said[:40]}`; it may be {' or '.join(known)}")
        return known.get(said)


_KINDS: Mapping[type, str] = {str: "text", bool: "true or false", dict: "object"}


def outcome_of(ended: Ended, event: HookEvent, *, name: str) -> tuple[Outcome, str]:
    """Return what the hook ``name`` answered, and what is wrong with it; empty: nothing is.

    Contract: whatever else is wrong, exit code 2 refuses at the events that can be refused, and so does a refusal that can be
    read.
    """
    answer, problem = _read(ended, event)
    outcome, complaints = _said(answer, event, name) if answer is not None else (_plain(ended, event), [])
    problems = [*([problem] if problem else []), *complaints]
    if ended.code == BLOCK and not ended.is_late:
        return _refused(outcome, event, ended, name), "; ".join(problems)
    if ended.code and answer is None:
        problems.insert(0, _how_it_ended(ended))
    return outcome, "; ".join(problems)


def _read(ended: Ended, event: HookEvent) -> tuple[Mapping[str, Any] | None, str]:
    """Return the JSON object of stdout, None where it is plain text; and what is wrong with it."""
    text = ended.stdout.strip()
    if ended.is_cut:
        return None, "it printed more than 8 MB: what it answered is not read"
    try:
        objects = list(_objects(text))
    except ValueError as problem:
        return None, str(problem)
    answer = next((found for found in objects if not _KNOWN.isdisjoint(found)), None)
    is_context = isinstance(event, SessionStart | UserPromptSubmit)
    if answer is not None or is_context or not text.startswith("{"):
        return answer, ""
    if not objects:
        return None, "its output is no JSON, though it begins as such"
    unknown = ", ".join(f"`{str(key)[:20]}`" for key in list(objects[0])[:3])
    return None, f"its JSON has no field that is known, but {unknown}" if unknown else ""


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects that begin a line, whatever stands around them: a greeting must not hide a refusal.

    Raises ValueError: there is too much of what only begins as one.
    """
    at, left = 0, _MOST_READ_CHARS
    while (found := _OPENING.search(text, at)) is not None:
        if left < 0:
            raise ValueError("it printed too much that only begins as JSON: what it answered is not read")
        try:
            value, at = _DECODER.raw_decode(text, found.end() - 1)
            yield value
            left -= _CHARS_A_FIND
        except json.JSONDecodeError as problem:
            at = found.end()
            left -= problem.pos
        except RecursionError:
            at = found.end()
            left -= _CHARS_TOO_DEEP


def _plain(ended: Ended, event: HookEvent) -> Outcome:
    """Return what plain output comes to: at two events it is for the model."""
    text = ended.stdout.strip()
    is_context = isinstance(event, SessionStart | UserPromptSubmit) and ended.code == 0 and not ended.is_cut
    return Outcome(contexts=(text,)) if text and is_context else Outcome()


def _said(answer: Mapping[str, Any], event: HookEvent, name: str) -> tuple[Outcome, list[str]]:
    """Return what the JSON object ``answer`` comes to, and what of it cannot be used."""
    fields = _Fields(answer)
    specific = _Fields(fields.take("hookSpecificOutput", dict, {}), inside="hookSpecificOutput.")
    if (about := specific.take("hookEventName", str, event.event_name)) != event.event_name:
        specific = _only_a_refusal(specific, f"is for {about[:40]}, and this is {event.event_name}")
    decision, reason = _decision(fields, specific, event)
    message = fields.take("systemMessage", str, "")
    context = specific.take("additionalContext", str, "")
    is_ended = not fields.take("continue", bool, True)
    outcome = Outcome(
        decision=decision,
        reason=reason,
        updated_input=_updated(specific, event),
        contexts=(context,) if context else (),
        stop_reason=(fields.take("stopReason", str, "") or f"hook `{name}` ended the turn")
        if is_ended
        else None,
        notices=(f"hook `{name}`: {message}",) if message else (),
    )
    specific.problems += [
        f"`{key}` is not supported: {instead}"
        for key, instead in _NOT_DONE.items()
        if key in specific.value or key in answer
    ]
    return outcome, [*fields.problems, *specific.problems]


def _only_a_refusal(specific: _Fields, problem: str) -> _Fields:
    """Return what counts of fields that are meant for another event: that something is refused."""
    is_refusal = specific.value.get("permissionDecision") == "deny"
    kept = _Fields(specific.value if is_refusal else {}, inside="hookSpecificOutput.")
    kept.problems.append(f"`hookSpecificOutput` {problem}")
    return kept


def _decision(fields: _Fields, specific: _Fields, event: HookEvent) -> tuple[Decision | None, str]:
    old = fields.choose("decision", _OLD_DECISIONS)
    reason = fields.take("reason", str, "")
    if event.event_name not in CAN_BLOCK:
        return None, ""
    if not isinstance(event, PreToolUse):
        return ("deny", reason) if old == "deny" else (None, "")
    new = specific.choose("permissionDecision", _DECISIONS)
    if new is None or old == "deny":
        return old, reason
    return new, specific.take("permissionDecisionReason", str, "") or reason


def _updated(specific: _Fields, event: HookEvent) -> Mapping[str, Any] | None:
    updated: dict[str, Any] | None = specific.take("updatedInput", dict, None)
    if updated is None or not isinstance(event, PreToolUse):
        return None
    return input_here(event.tool_name, updated, input=event.tool_input, paths=event.paths)


def _refused(outcome: Outcome, event: HookEvent, ended: Ended, name: str) -> Outcome:
    """Return what exit code 2 comes to: a refusal that nothing else overrules, or a word to the user."""
    said = ended.stderr.strip()
    own_reason = outcome.reason if outcome.decision == "deny" else ""
    if event.event_name not in CAN_BLOCK:
        note = (
            f"hook `{name}`: {said}"
            if said
            else f"hook `{name}` ended with exit code 2 on {event.event_name}"
        )
        return replace(outcome, notices=(*outcome.notices, note))
    reason = own_reason or said or f"hook `{name}` refuses this and gives no reason"
    return replace(outcome, decision="deny", reason=reason)


def _how_it_ended(ended: Ended) -> str:
    how = f"exit code {ended.code}" if ended.code > 0 else f"killed by signal {-ended.code}"
    first = next((line.strip() for line in ended.stderr.splitlines() if line.strip()), "")
    return f"{how}: {first}" if first else how
