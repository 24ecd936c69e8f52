"""The records of a transcript: one JSON object a line, written once and never changed.

Every record: `v` (1), `id` (`r12`, never reused), `parent` (the record before it on its branch), `at`, `turn`,
`step`, `type`. By type:

    session     session, version, project, model, effort, window, system, tools; forked_from where it applies; of
                a subagent also agent and agent_type
    context     content (blocks about project and day), files {path: sha256} that they were made from
    message     role, content; of a user: results [record ids], said [indices of content that are the user's own
                words], skills [{at, name, given, path, sha256}: what stands at an index of content because the user
                asked for it, and with which words], steering [record ids], shells [ids of `output` records, told before
                content], reminded (its last block is a reminder of ours); of the model: model, stop_reason, usage,
                prefix_sha, and cut
    call        call (tool_use id), name, input where it is not the reply's, told (how the result begins, where the
                user changed the input); written before the tool starts
    result      call, name, content, is_error, spill {path, sha256, bytes}, facts; written when it ends
    compaction  layer, trigger, changes, files [{path, sha256, bytes}], receipt, context_files
    undo        target (a compaction), is_redo
    pin         text
    title       text; what the user calls the session
    snapshot    how a file stood before the first change of a turn: path, is_there, mode, link (target), sha256, kept
                (where its bytes are; empty when they are not kept)
    rewind      to (the record before which all stands again: the first of a turn, or a rewind that is taken back),
                what (conversation, files or both), files [as in snapshot, with now: hash of what was put there]; its
                parent is that of `to`, unless only files went back
    steering    text; typed while a turn ran
    shell       command; the user's own (`!command`), written before it starts
    output      shell (the record of the command), exit_code (None: it did not end by itself), content (what the model
                is told of it), marks, spill {path, sha256, bytes}; written when it ends
    note        text; what happened beside the history, with usage where a request was paid for; compact_wish: the
                focus of a compaction that the user asked for while a turn ran; compact_refused, summary_failed,
                compaction_paused: what became of one; written {path: sha256}: files that a rewind could not put back
    model, mode, effort
                the model, permission mode, or how much the model thinks from here on (null: as the server has it)
    subagent    agent, number, call, agent_type, model, description, log, files [paths of its own], written
                {path: sha256}, spent (as `state.Spent`); written when it begins, with is_open, and when it ends, with
                steps, size (of its context), problem
    end         of (turn or session), reason
"""

import json
from collections.abc import Iterator
from typing import Any

from agent.surrogates import repaired, repaired_text

Record = dict[str, Any]
VERSION = 1


def encode(record: Record) -> bytes:
    """Return the line of a record; lone surrogates become U+FFFD, so that the file is UTF-8."""
    line = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return repaired_text(line).encode("utf-8") + b"\n"


def decode(line: bytes) -> tuple[list[Record], bool]:
    """Return the records of a line, and whether something in it was no record.

    A healthy line holds one. Records glued together by a lost newline are told apart; NULs and torn ends are not
    records.
    """
    text = line.decode("utf-8", "replace").strip("\x00 \t\r\n")
    if not text:
        return [], b"\x00" in line
    records, is_damaged = [], False
    for value in _values(text):
        if (
            isinstance(value, dict)
            and isinstance(value.get("id"), str)
            and isinstance(value.get("type"), str)
        ):
            records.append(value)
        else:
            is_damaged = True
    return records, is_damaged


def _values(text: str) -> Iterator[Any]:
    """Yield the JSON values of a line; None once for a stretch that is none."""
    decoder = json.JSONDecoder()
    at = 0
    while at < len(text):
        try:
            found, at = decoder.raw_decode(text, at)
            value = repaired(found)
        except RecursionError:
            yield None  # looked for in what is nested too deep, records would take forever to be found
            return
        except ValueError:
            yield None
            at = text.find('{"v":', at + 1)
            if at < 0:
                return
        else:
            yield value
            while at < len(text) and text[at] in " \x00\r":
                at += 1


def number_of(record: Record | None) -> int:
    """Return the number in a record's id; 0 where it has none."""
    digits = record["id"].removeprefix("r") if record else ""
    return int(digits) if digits.isdecimal() else 0
