"""A compaction is there whole or not at all: killed at any write, cut at any byte, undone after each of a cascade."""

import json
import shutil
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from agent import wiring
from agent.events import Compacted
from agent.offline import Reply, Request, always, calls, last_text_starts, prefix_bytes, says, when
from agent.offline.script import Always
from compaction.summary import OPENING
from tests.support.agent import Harness, scenario
from tests.support.invariants import main_requests
from tests.support.killed import Mortal
from tests.support.reachable import sha

SUMMARY = when(last_text_starts(OPENING), always(says("<summary>1. Request and intent: SUMMED UP</summary>")))
STORY = "A long story. " * 1_200
OWN = (".transcripts", ".task_outputs")
"""The folders in a project that are the agent's."""
HISTORIES: dict[str, list[Reply]] = {
    "summary": [
        calls("bash", command="seq 5") + calls("bash", command="seq 1000"),
        says(STORY, chunk_chars=20_000),
    ],
    "cut": [*(calls("bash", command=f"seq {number} {number + 4_000}") for number in range(4)), says("Done.")],
}


def view_of(harness: Harness) -> str:
    """What the view sends."""
    return json.dumps(harness.state.view.messages("bound", harness.state.model))


def kept(harness: Harness, folder: Path) -> Path:
    """Copy all files of the session as they are now; return where the copy is."""
    for name in OWN:
        if (harness.project / name).exists():
            shutil.copytree(harness.project / name, folder / name)
    return folder


def put_back(harness: Harness, copy: Path) -> None:
    """Bring the session's files back to what they were."""
    harness.agent.session.close()
    for name in OWN:
        shutil.rmtree(harness.project / name, ignore_errors=True)
        if (copy / name).exists():
            shutil.copytree(copy / name, harness.project / name)


def come_back(harness: Harness) -> str:
    """Open the session again as after a kill; return what its view sends."""
    harness.agent = wiring.resume(harness.shared, harness.state.session_id)
    return view_of(harness)


def check_files(harness: Harness) -> None:
    """Every file that a compaction names is there, byte for byte."""
    for record in harness.log_records("compaction"):
        for file in record["files"]:
            data = (harness.project / file["path"]).read_bytes()
            assert (len(data), sha(data)) == (file["bytes"], file["sha256"])


@pytest.mark.parametrize("kind", HISTORIES)
async def test_killed_at_every_write(tmp_path: Path, kind: str) -> None:
    """A process that dies in its n-th write leaves the view before or the view after, and a session that goes on."""
    turns: list[Reply | Always] = [*HISTORIES[kind], always(says("Hello."))]
    async with scenario(
        tmp_path, *turns, routes=[SUMMARY], config={"preset": "off"}, may_move=True
    ) as harness:
        await harness.turn("Tell me.")
        before = view_of(harness)
        copy = kept(harness, tmp_path / "copy")
        with Mortal(*places(harness), "balanced", "40000") as mortal:
            views = await each_death(harness, mortal, copy)
        after = views[-1]
        assert after != before
        assert set(views) == {before, after}
        assert len(views) > 10
        assert views == sorted(views, key=lambda view: view == after), "never back again"


def places(harness: Harness) -> list[str]:
    """Where everything is, for a process of its own."""
    config, session = harness.shared.config, harness.state.session_id
    return [str(config.project), str(config.home), harness.server.url, session]


async def each_death(harness: Harness, mortal: Mortal, copy: Path) -> list[str]:
    """Kill it at each write in turn; return the views that were found, the last of one that came through."""
    views: list[str] = []
    is_dead = True
    while is_dead:
        put_back(harness, copy)
        is_dead = mortal.dies_at(len(views) + 1)
        views.append(come_back(harness))
        check_files(harness)
        assert (await harness.turn("hi")).text == "Hello."
    return views


async def test_cut_at_every_byte(tmp_path: Path) -> None:
    """Log and files of a finished compaction, cut anywhere: the view before, or after when its line is whole."""
    async with scenario(
        tmp_path, says(STORY, chunk_chars=20_000), always(says("Hello.")), routes=[SUMMARY], may_move=True
    ) as harness:
        await harness.turn("Tell me.")
        before, log = view_of(harness), harness.agent.session.log.path
        start = len(log.read_bytes())
        assert await harness.agent.compactor.compact("manual", "")
        after, whole = view_of(harness), log.read_bytes()
        line = whole[start:]
        assert line.count(b"\n") == 1
        files = harness.log_records("compaction")[0]["files"]
        for cut in [*range(120), *range(120, len(line) - 120, 61), *range(len(line) - 120, len(line))]:
            harness.agent.session.close()
            log.write_bytes(whole[: start + cut])
            # The line is there when all of it is but its end.
            assert come_back(harness) == (after if cut == len(line) - 1 else before), cut
        await each_prefix(harness, whole[:start], files, before)
        assert await harness.agent.compactor.compact("manual", "")
        check_files(harness)
        assert view_of(harness) == after


async def each_prefix(harness: Harness, log: bytes, files: list[Any], before: str) -> None:
    """Some files written, the next one in part, the record not: the view before, and the next turn is answered."""
    data = [(harness.project / file["path"]).read_bytes() for file in files]
    for number in range(len(files) + 1):
        for file, content in zip(files[number:], data[number:], strict=True):
            (harness.project / file["path"]).write_bytes(content[: len(content) // 2])
        await harness.resume(log=log)
        assert view_of(harness) == before
        assert (await harness.turn("hi")).text == "Hello."
        for file, content in zip(files, data, strict=True):
            (harness.project / file["path"]).write_bytes(content)
    await harness.resume(log=log)


class Model:
    """Works until it is told to say ``words``."""

    def __init__(self, words: str) -> None:
        self.is_done = True
        self._words = words
        self._numbers = count()

    def __call__(self, request: Request) -> Reply:
        """Return the next reply."""
        number = next(self._numbers)
        if self.is_done:
            return says(f"{number}. {self._words}", chunk_chars=20_000)
        return calls("bash", command=f"seq {number} 2000")


async def test_undo_after_each_of_ten_summaries(tmp_path: Path) -> None:
    """Each of ten on top of one another is undone: the next request goes on from the exact bytes before it."""
    async with scenario(tmp_path, always(Model(STORY)), routes=[SUMMARY], may_move=True) as harness:
        for number in range(10):
            await harness.turn(f"Work {number}.")
            before = prefix_bytes(last_request(harness))
            assert await harness.agent.compactor.compact("manual", "")
            await check_undone(harness, before)
            assert await harness.agent.compactor.compact("manual", "")
        assert len(harness.state.standing) == 10


async def test_undo_after_each_of_ten_cuts(tmp_path: Path) -> None:
    """The same for what the layers cut, on top of a summary each time."""
    model = Model("Said.")
    async with scenario(
        tmp_path, always(model), routes=[SUMMARY], may_move=True, config={"window": 60_000}
    ) as harness:
        for number in range(10):
            before = await worked(harness, model, f"Work {number}.")
            await check_undone(harness, before)
            assert await harness.agent.compactor.compact("manual", "")
        assert len(harness.state.standing) == 10


async def worked(harness: Harness, model: Model, prompt: str) -> bytes:
    """Run a turn that ends once a layer has cut; return the request before that."""
    found: list[bytes] = []

    def note() -> None:
        found.append(prefix_bytes(last_request(harness)))
        model.is_done = True

    model.is_done = False
    harness.once(Compacted, note)
    await harness.turn(prompt)
    return found[0]


async def check_undone(harness: Harness, before: bytes) -> None:
    """Undo the newest compaction: the next turn's request begins with the bytes of the one before it."""
    assert "undone" in harness.undo()
    await harness.turn("Again.")
    assert prefix_bytes(last_request(harness)).startswith(before)


def last_request(harness: Harness) -> Any:
    """The body of the main agent's newest request."""
    return main_requests(harness.server.queries)[-1].body
