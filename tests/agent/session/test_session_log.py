"""The log: append-only, one record a line, readable after any damage."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.session.log import SEARCHED_BYTES, SessionLog, first_record, lines_with, read_records
from agent.session.records import Record, decode, encode

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def record(number: int, **fields: Any) -> Record:
    return {"v": 1, "id": f"r{number}", "type": "note", **fields}


def written(path: Path, *records: Record) -> bytes:
    log = SessionLog(path)
    for each in records:
        log.append(each)
    log.close()
    return path.read_bytes()


def read(path: Path) -> list[Record | None]:
    return [found for _, found in read_records(path)]


@given(json_values)
def test_a_record_comes_back_as_it_was(value: Any) -> None:
    """JSON round trip is identity, but for lone surrogates, which no UTF-8 file can hold."""
    original = record(1, value=value)

    line = encode(original)

    assert line.count(b"\n") == 1
    records, is_damaged = decode(line)
    assert (len(records), is_damaged) == (1, False)
    assert encode(records[0]) == line
    if "\\ud" not in json.dumps(value):
        assert records == [original]


def test_a_lone_surrogate_is_replaced_on_the_way_in_and_out() -> None:
    """A log is UTF-8 whatever is appended, and an old log with an escaped half is repaired on reading."""
    assert decode(encode(record(1, text="a\ud83db")))[0][0]["text"] == "a�b"
    assert decode(b'{"v":1,"id":"r1","type":"note","text":"\\ud83d"}\n')[0][0]["text"] == "�"


@given(st.integers(0, 10_000))
def test_a_log_cut_at_any_byte_loads(cut: int) -> None:
    """Whole lines before the cut are read; the torn one is named or, when empty, not there."""
    lines = [encode(record(number, text="ü" * number)) for number in range(1, 6)]
    data = b"".join(lines)[: cut % (sum(map(len, lines)) + 1)]
    whole = data.count(b"\n")

    found = [each for line in data.splitlines(keepends=True) for each in decode(line)[0]]

    assert [each["id"] for each in found][:whole] == [f"r{number}" for number in range(1, whole + 1)]
    assert len(found) <= whole + 1


def test_appending_after_a_torn_tail_starts_a_fresh_line(tmp_path: Path) -> None:
    """The torn tail stays in the file, and the next record is not lost with it."""
    path = tmp_path / "s.jsonl"
    whole = written(path, record(1), record(2))
    path.write_bytes(whole[:-5])

    written(path, record(3))

    assert path.read_bytes().startswith(whole[:-5] + b"\n")
    assert read(path) == [record(1), None, record(3)]


@pytest.mark.parametrize(
    ("line", "ids", "is_damaged"),
    [
        (b'{"v":1,"id":"r1","type":"note"}{"v":1,"id":"r2","type":"note"}\n', ["r1", "r2"], False),
        (b'{"v":1,"id":"r1","ty{"v":1,"id":"r2","type":"note"}\n', ["r2"], True),
        (b'{"v":1,"id":"r1","type":"note"}\r\n', ["r1"], False),
        (b"\x00" * 4096 + b"\n", [], True),
        (b"\x00" * 10 + b'{"v":1,"id":"r1","type":"note"}\n', ["r1"], False),
        (b"null\n", [], True),
        (b"[]\n", [], True),
        (b'"x"\n', [], True),
        (b"{}\n", [], True),
        (b"\n", [], False),
        (b"\xff\xfe\n", [], True),
        (b'{"v":9,"id":"r1","type":"of the future","x":1}\n', ["r1"], False),
    ],
)
def test_damaged_lines_give_what_they_hold(line: bytes, ids: list[str], is_damaged: bool) -> None:
    """Glued records are told apart, NULs and foreign JSON are no records, unknown types are kept."""
    records, damage = decode(line)

    assert ([each["id"] for each in records], damage) == (ids, is_damaged)


@pytest.mark.parametrize("depth", [600, 100_000])
@pytest.mark.parametrize("line", ['{"v":1,"id":"r1","type":"note","x":%s}', "%s"])
def test_a_line_too_deep_to_read_is_damage(line: str, depth: int) -> None:
    """Whoever made it: it costs this line alone, and never the program."""
    records, is_damaged = decode((line % ("[" * depth + "]" * depth)).encode())

    assert (records == []) == is_damaged


def test_a_line_of_beginnings_is_given_up() -> None:
    """Records are not looked for in what is nested too deep: that took as long as it is wide and deep, which is forever."""
    assert decode(b'{"v":' * 4_000_000) == ([], True)


def test_the_file_is_the_users_alone(tmp_path: Path) -> None:
    """A transcript holds what the user said: nobody else may read it."""
    path = tmp_path / "s.jsonl"
    written(path, record(1))

    assert path.stat().st_mode & 0o777 == 0o600
    assert first_record(path) == record(1)


def test_an_empty_log_has_no_first_record(tmp_path: Path) -> None:
    """An empty file is no session."""
    path = tmp_path / "s.jsonl"
    path.touch()

    assert first_record(path) is None


def test_a_log_whose_file_is_removed_is_still_written(tmp_path: Path) -> None:
    """The descriptor stays open: removing the file under a running session loses no record of it."""
    path = tmp_path / "s.jsonl"
    log = SessionLog(path)
    log.append(record(1))
    path.unlink()

    log.append(record(2))

    assert os.pread(log._descriptor, 1_000, 0) == encode(record(1)) + encode(record(2))
    log.close()
    log.close()


FULL = """
import sys
from pathlib import Path
from agent.session.log import SessionLog
log = SessionLog(Path(sys.argv[1]))
for number in range(1, 9):
    log.append({"v": 1, "id": f"r{number}", "type": "note", "text": "x" * 300})
log.sync()
print(log.problem.strerror if log.problem else "none")
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
log.append({"v": 1, "id": "r9", "type": "note"})
print(log.problem)
log.close()
"""


def test_a_full_disk_keeps_records_in_order_until_there_is_room(tmp_path: Path) -> None:
    """No half line while the disk refuses; with room again everything is there, in order."""
    path = tmp_path / "s.jsonl"

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, resource.RLIM_INFINITY))

    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n" + FULL,
            str(path),
        ],
        preexec_fn=small_files,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
        check=True,
    )

    assert done.stdout.splitlines() == ["File too large", "None"]
    assert [each and each["id"] for each in read(path)] == [f"r{number}" for number in range(1, 10)]


@given(
    lines=st.lists(
        st.sampled_from([b"", b"x", b"MARK", b"xMARKxMARKx", b"MAR", b"K", b"x" * 70_000, b"\x00" * 9]),
        max_size=12,
    ),
    is_ended=st.booleans(),
    before=st.integers(SEARCHED_BYTES - 12, SEARCHED_BYTES + 2),
)
def test_lines_with_a_mark_are_found_wherever_they_stand(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], is_ended: bool, before: int
) -> None:
    """All of them, whole, once and in order, also where a piece that is read ends in one, or in the mark itself."""
    path = tmp_path_factory.mktemp("lines") / "log"
    path.write_bytes(b"-" * before + b"\n".join(lines) + b"\n" * is_ended)

    with path.open("rb") as file:
        assert list(lines_with(path, b"MARK")) == [line for line in file if b"MARK" in line]
