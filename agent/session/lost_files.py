"""Spills and archives that are gone from the disk, made again from the log.

What left the view stands whole in the log, so its file can be written again, and its hash tells whether it is the same.
What a tool cut itself stands nowhere else.
"""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from agent.circumstances import shown_path
from agent.session.bridge import BROKEN, Bridge
from agent.session.keep import keep_file
from agent.session.log import read_records
from agent.session.records import Record
from agent.session.replay import empty_state
from agent.session.state import State
from compaction.archive import archive, image_part
from compaction.messages import Block, result_text


def missing_files(state: State) -> list[str]:
    """Return the spills and archives of a session that are not on disk."""
    return [path for path in state.own_files if not Path(path).exists()]


def write_again(log: Path, state: State, missing: Sequence[str]) -> list[str]:
    """Write those of ``missing`` again whose content is in the log; return the others.

    Args:  state: what the log adds up to; it is not changed.
    """
    hashes = {path: sha for path, sha in _hashes(log, state.project) if path in set(missing)}
    before = empty_state(state.project, state.count, state.price)
    bridge = Bridge(before)
    for _, record in read_records(log):
        if record is None:
            continue
        if record["type"] == "compaction" and hashes:
            _write_those_of(record, before, hashes)
        bridge.apply(record)
    return [path for path in missing if not Path(path).exists()]


def _hashes(log: Path, project: Path) -> Iterator[tuple[str, str]]:
    """Yield (absolute path, sha256) of the files that compactions put on disk; the last of a path is the one there."""
    for _, record in read_records(log):
        files = record.get("files") if record and record["type"] == "compaction" else None
        for file in files if isinstance(files, list) else ():
            if isinstance(file, dict) and isinstance(file.get("path"), str):
                yield str(project / file["path"]), str(file.get("sha256"))


def _write_those_of(record: Record, before: State, hashes: dict[str, str]) -> None:
    """Write what one compaction put on disk; ``hashes`` loses what is done."""
    try:
        wanted = [str(before.project / file["path"]) for file in record["files"]]
        if not hashes.keys() & set(wanted):
            return
        made = {hashlib.sha256(data).hexdigest(): data for data in _contents(record, before)}
        for path in wanted:
            data = made.get(hashes.get(path, ""))
            if data is not None:
                keep_file(Path(path), data)
                del hashes[path]
    except (OSError, *BROKEN):
        return  # a damaged record, or a disk that refuses: what is not there is told by the caller


def _contents(record: Record, before: State) -> Iterator[bytes]:
    """Yield all that a compaction may have put on disk, from the view ``before`` it."""
    changed = {id_ for change in record["changes"] for id_ in change["ids"]}
    for placed in before.view:
        if placed.id in changed:
            yield from _parts(placed.block)
    for words in (*before.active, *before.active_in_full):
        yield words.encode("utf-8")
    path = record["receipt"].get("archive")
    if not path:
        return
    gone = [placed for placed in before.view if placed.id in set(record["changes"][0]["ids"])]
    for kept_before in ([], [shown_path(before, own) for own in before.own_files]):
        archived = archive(gone, path, before.spills, before=kept_before)
        yield from (file.data for file in archived.files)


def _parts(block: Block) -> Iterator[bytes]:
    """Yield what a placeholder of ``block`` may lead to."""
    if block["type"] == "text":
        yield block["text"].encode("utf-8")
    elif block["type"] == "tool_use":
        yield from (value.encode("utf-8") for value in block["input"].values() if isinstance(value, str))
    elif block["type"] == "image":
        yield image_part(block["source"])[1]
    elif block["type"] == "tool_result":
        yield result_text(block).encode("utf-8")
        parts: Any = block["content"] if isinstance(block["content"], list) else []
        yield "\n".join(str(part["text"]) for part in parts if part["type"] == "text").encode("utf-8")
        yield from (image_part(part["source"])[1] for part in parts if part["type"] == "image")
