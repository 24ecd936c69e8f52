"""Files of a session that are gone from the disk, as after `git clean`, made again.

Each is written again from its descriptor, which stays open as long as the session; its hash tells whether it is the
same. What was gone before the session was opened, or is not held, comes from the log: what left the view stands there
whole. What a tool cut itself, and the bytes kept for rewinding, stand nowhere else, but for a file that is still so.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from agent.compacting.circumstances import shown_path
from agent.session.bridge import BROKEN, Bridge
from agent.session.file_state import FileState, identity_now
from agent.session.keep import keep_file
from agent.session.log import SessionLog, read_records
from agent.session.records import Record
from agent.session.replay import empty_state
from agent.session.state import State
from compaction.archive import archive, image_part
from compaction.messages import Block, result_text

HASHED = {"compaction": "files", "result": "spill", "output": "spill"}
"""Type of a record -> its field that tells of files and their hashes."""
LOG = ".jsonl"
"""How the log of a subagent ends."""


def beside(state: State) -> list[str]:
    """Return the files that belong to a session: spills, archives, logs of subagents and jobs, bytes kept for rewinding."""
    return [*state.own_files, *state.job_logs, *kept_bytes(state)]


def kept_bytes(state: State) -> dict[str, FileState]:
    """Return where bytes are kept for rewinding -> a file that was so."""
    project = str(state.project)
    # Joined as text: there may be thousands, and they are asked for whenever there is one more.
    return {
        kept if kept.startswith("/") else f"{project}/{kept}": one
        for one in state.changes
        if (kept := one["kept"])
    }


def missing_files(state: State) -> list[str]:
    """Return the files of a session that are not on disk.

    Asked at every step, of more files from step to step: their folders are listed, which are few.
    """
    listed: dict[str, set[str]] = {}
    return [path for path in beside(state) if not _is_listed(path, listed)]


def _is_listed(path: str, listed: dict[str, set[str]]) -> bool:
    """True if ``path`` is in its folder, by what is ``listed`` of folders already."""
    folder, _, name = path.rpartition("/")
    if folder not in listed:
        listed[folder] = set()
        with suppress(OSError), os.scandir(folder) as entries:  # a folder that is gone holds nothing
            listed[folder].update(entry.name for entry in entries)
    return name in listed[folder]


def unfinished(state: State) -> list[str]:
    """Return the files that the rewind at the end of a log has not made what they were; reads them.

    Whatever happens after a rewind is logged: one at the very end may have been interrupted.
    """
    if not state.rewound or state.rewound["id"] != state.last:
        return []
    return [
        file["path"] for file in state.rewound["files"] if identity_now(Path(file["path"])) != file["now"]
    ]


def put_back(log: SessionLog, state: State, missing: Sequence[str]) -> list[str]:
    """Write ``missing`` again, as it was; return those of which that cannot be done.

    Raises OSError for a disk that refuses. The state is not changed.
    """
    for path in missing:
        if path.endswith(LOG):
            log.held.put_back(path, "")
    logs = [log.path, *(Path(path) for path in state.own_files if path.endswith(LOG) and Path(path).exists())]
    hashes = {path: sha for one in logs for path, sha in _hashes(one, state.project)}
    kept = kept_bytes(state)
    hashes.update((path, file["sha256"]) for path, file in kept.items())
    left = [path for path in _gone(missing) if not log.held.put_back(path, hashes.get(path, ""))]
    for path in left:
        if path in kept and identity_now(Path(kept[path]["path"])) == kept[path]["sha256"]:
            keep_file(Path(path), Path(kept[path]["path"]).read_bytes())
    for one in logs:
        _write_again(one, state, _gone(left))
    return _gone(left)


def _gone(paths: Sequence[str]) -> list[str]:
    return [path for path in paths if not Path(path).exists()]


def _write_again(log: Path, state: State, missing: Sequence[str]) -> None:
    """Write those of ``missing`` again that a compaction of ``log`` put on disk."""
    wanted = set(missing)
    hashes = {path: sha for path, sha in _hashes(log, state.project) if path in wanted}
    if not hashes:
        return
    before = empty_state(state.project, state.count, state.price)
    bridge = Bridge(before)
    for _, record in read_records(log):
        if record is None:
            continue
        if record["type"] == "compaction" and hashes:
            _write_those_of(record, before, hashes)
        bridge.apply(record)


def _hashes(log: Path, project: Path) -> Iterator[tuple[str, str]]:
    """Yield (absolute path, sha256) of what compactions and tools put on disk; the last of a path is the one there."""
    for _, record in read_records(log):
        files = record.get(HASHED.get(record["type"], "")) if record else None
        for file in files if isinstance(files, list) else [files]:
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
    except BROKEN:
        return  # a damaged record: what is not there is told by the caller


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
