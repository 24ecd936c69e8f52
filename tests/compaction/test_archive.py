"""The archive: every byte that leaves the view can be read back, from at most two files."""

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compaction.archive import INLINE_CHARS, VOLUME_CHARS, VOLUME_LINES, Archive, archive, volume_lines
from compaction.messages import text
from compaction.plan import PlannedFile
from compaction.view import Placed, View
from tests.support.histories import IMAGE, TINY_PNG, Said, histories, view_of
from tests.support.layers import add, answered, called

PATH = ".transcripts/s/archive-001.md"
LINE = re.compile(
    r"(?P<id>[a-z]\d+\.\d+) · (user|assistant) · (?P<kind>.+) · (?P<size>\d+) · (?P<sha>[0-9a-f]{64})"
)


def recovered(files: Mapping[str, bytes], path: str = PATH) -> list[tuple[str, bytes]]:
    """(block id, bytes) of every part, read as a reader would: a volume, then the file it names."""
    parts: list[tuple[str, bytes]] = []
    lines = files[path].decode("utf-8").split("\n")
    starts = [index for index, line in enumerate(lines) if LINE.fullmatch(line)]
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        found = LINE.fullmatch(lines[start])
        assert found
        body = [line.removeprefix("    ") for line in lines[start + 1 : stop - 1]]
        data = "\n".join(body).encode("utf-8")
        if len(body) == 1 and body[0].startswith("in file: "):
            data = files[body[0].removeprefix("in file: ")]
        assert (len(data), hashlib.sha256(data).hexdigest()) == (int(found["size"]), found["sha"])
        parts.append((found["id"], data))
    return parts


def expected(placed: Placed) -> list[tuple[str, bytes]]:
    """What must be readable of a block."""
    block: Any = placed.block
    if block["type"] == "text":
        return [(placed.id, block["text"].encode("utf-8"))]
    if block["type"] == "tool_use":
        return [(placed.id, json.dumps(block["input"], ensure_ascii=False, indent=1).encode("utf-8"))]
    if block["type"] == "tool_result":
        content = block["content"]
        parts = [text(content)] if isinstance(content, str) else content
        return [
            (placed.id, part["text"].encode("utf-8") if part["type"] == "text" else TINY_PNG)
            for part in parts
        ]
    return []


def by_path(files: Iterable[PlannedFile]) -> dict[str, bytes]:
    return {file.path: file.data for file in files}


def many_rounds(count: int) -> View:
    """A call and a short result a round: a file of its own and a text each."""
    view = view_of([Said(role="user", blocks=[text("go")])])
    for number in range(1, count + 1):
        add(view, number, (called(f"c{number}"), answered(f"c{number}", f"{number} " + "x" * 200)))
    return view


def shown_chars(data: bytes) -> int:
    """What a reader gets of a file, the numbers of its lines included."""
    lines = data.decode("utf-8").split("\n")
    return sum(len(line) + len(f"{number}\t\n") for number, line in enumerate(lines, 1))


def outcome(found: Archive) -> list[str]:
    """The paths that its lists hold, those at the end of its last volume included."""
    files = by_path(found.files)
    places = [*found.lists, found.volumes[-1].path]
    lists = [
        files[path].decode("utf-8").partition("# Kept before\n\n")[2] for path in places if path in files
    ]
    return [line for lines in lists for line in lines.split("\n") if line]


@given(histories())
def test_every_byte_but_thinking_can_be_read_back(said: list[Said]) -> None:
    """Index and named files give back each block byte for byte, with size and hash as stated."""
    view = list(view_of(said))

    files = by_path(archive(view, PATH).files)

    assert sorted(recovered(files)) == sorted(part for placed in view for part in expected(placed))


def test_what_is_in_files_of_its_own_is_named_first() -> None:
    """A reader of the first page finds the files, however long the texts are."""
    blocks: list[Any] = [
        text("words"),
        {"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "ls"}},
    ]
    [index, _] = archive(list(view_of([Said(role="user", blocks=blocks)])), PATH).files

    assert index.data.index(b"in file: ") < index.data.index(b"    words")


def test_long_texts_images_and_inputs_are_files_of_their_own() -> None:
    """A reader of the index is not buried: what is long or not text stands beside it, under a telling suffix."""
    blocks: list[Any] = [
        text("x" * INLINE_CHARS),
        text("x" * (INLINE_CHARS + 1)),
        IMAGE,
        {"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "ls"}},
    ]
    view = view_of([Said(role="user", blocks=blocks)])

    files = archive(list(view), PATH).files

    folder = PATH.removesuffix(".md")
    names = [f"{folder}/r1.1.0.txt", f"{folder}/r1.2.0.png", f"{folder}/r1.3.0.json"]
    assert [file.path for file in files] == [PATH, *names]
    assert files[2].data == TINY_PNG


def test_what_is_no_known_block_is_kept_as_json() -> None:
    """Unknown block types, unknown parts of results and images without bytes are not lost either."""
    blocks: list[Any] = [
        {"type": "server_tool_use", "id": "s"},
        {"type": "image", "source": {"type": "url", "data": "no base64!"}},
        {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "document", "title": "t"}]},
        {"type": "image", "source": {"media_type": "image/tiff", "data": base64.b64encode(b"II").decode()}},
    ]
    files = archive(list(view_of([Said(role="user", blocks=blocks)])), PATH).files

    contents = [file.data for file in files[1:]]
    assert [json.loads(data) for data in contents[:3]] == [
        {"type": "server_tool_use", "id": "s"},
        {"type": "url", "data": "no base64!"},
        {"type": "document", "title": "t"},
    ]
    assert (contents[3], files[4].path.endswith(".bin")) == (b"II", True)


def test_a_long_archive_comes_in_volumes_that_one_read_shows() -> None:
    """Each within a page, in the order of the blocks; every part is in the volume that its block leads to, or beside."""
    view = list(many_rounds(300))

    found = archive(view, PATH)
    files = by_path(found.files)
    paths = [volume.path for volume in found.volumes]
    parts = [part for path in paths for part in recovered(files, path)]

    assert paths == [PATH, *(f"{PATH.removesuffix('.md')}/{n}.md" for n in range(2, len(paths) + 1))]
    assert len(paths) > 2
    assert [file.path for file in found.files[: len(paths)]] == paths
    assert all(shown_chars(files[path]) <= 49_000 for path in paths)
    assert sorted(parts) == sorted(part for placed in view for part in expected(placed))
    assert all(id_ in dict(recovered(files, found.where[id_])) for id_, _ in parts)
    assert all(path in files[PATH].decode("utf-8") for path in paths[1:])


def test_volumes_say_which_steps_they_hold() -> None:
    """For a marker: a line each in its own form, the first one's being the marker's own."""
    found = archive(list(many_rounds(300)), PATH)
    last = found.volumes[-1]

    assert (found.volumes[0].first, last.last) == (1, 300)
    lines = volume_lines(found)
    assert len(lines) == len(found.volumes) - 1
    assert lines[-1] == f"[[archived: {last.first}-300 · steps {last.first}-300 · read {last.path}]]"
    assert volume_lines(archive(list(many_rounds(3)), PATH)) == []


def test_texts_of_many_lines_fill_a_volume_too() -> None:
    """Not the characters alone: line numbers take room in a page."""
    view = view_of([Said(role="user", blocks=[text("\n" * 900 + str(n)) for n in range(4)])])

    files = archive(list(view), PATH).files

    assert len(files) == 4
    assert all(file.data.count(b"\n") <= VOLUME_LINES for file in files)


def test_an_archive_of_nothing_has_one_volume() -> None:
    """Thinking alone is not archived."""
    found = archive([], PATH)

    assert ([file.path for file in found.files], found.where) == ([PATH], {})


@given(st.integers(0, 2_500), st.integers(0, 300))
def test_all_that_was_put_aside_before_is_listed(count: int, rounds: int) -> None:
    """Once and in order, in files that one read shows, each named for the view."""
    before = [f".task_outputs/tool-results/s/{number}-0-bash.txt" for number in range(count)]

    found = archive(list(many_rounds(rounds)), PATH, before=before)
    files = by_path(found.files)

    assert outcome(found) == before
    assert all(len(files[path]) <= VOLUME_CHARS for path in found.lists)


def test_lists_that_are_full_are_written_once() -> None:
    """Over a hundred archives what they write of lists grows with what is new, not with what is old."""
    before: list[str] = []
    written = 0
    for number in range(1, 101):
        path = f".transcripts/s/archive-{number:03d}.md"
        found = archive([], path, before=before)
        written += sum(len(file.data) for file in found.files)
        before += [file.path for file in found.files]
        before += [f".task_outputs/tool-results/s/{number}-{index}-bash.txt" for index in range(100)]

    total = sum(len(path) + 1 for path in before)
    assert written <= total + 100 * VOLUME_CHARS
    assert len(found.lists) <= total / VOLUME_CHARS + 1
    assert set(found.lists) <= set(before)


def test_another_order_makes_other_lists() -> None:
    """A list is known by what is in it: one that holds other paths is never taken for it."""
    before = [f".task_outputs/tool-results/s/{number}-0-bash.txt" for number in range(2_000)]
    first = archive([], PATH, before=before)
    path = PATH.replace("001", "002")

    again = archive([], path, before=[*before, *first.lists])
    other = archive([], path, before=[*reversed(before), *first.lists])

    assert again.lists == first.lists
    assert not set(other.lists) & set(first.lists)
    assert outcome(other) == before[::-1]
