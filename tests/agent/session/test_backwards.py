"""A log from its end."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.session.backwards import records_back
from agent.session.log import SessionLog, read_records
from agent.session.records import encode

LINES = st.lists(
    st.builds(
        lambda number, text: encode({"v": 1, "id": f"r{number}", "type": "note", "text": text}),
        st.integers(1, 99),
        st.text(max_size=60),
    )
    | st.binary(max_size=30)
    | st.just(b"\n")
    | st.just(b"\x00\x00")
)


@given(LINES, st.integers(1, 90))
def test_a_log_reads_the_same_from_either_end(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], chunk_bytes: int
) -> None:
    """Whatever stands in it and wherever the reads cut it; what is no record is passed over."""
    path = tmp_path_factory.mktemp("logs") / "log.jsonl"
    path.write_bytes(b"".join(lines))
    log = SessionLog(path)
    found = list(records_back(log, chunk_bytes=chunk_bytes))
    log.close()
    assert found[::-1] == [record for _, record in read_records(path) if record is not None]


def test_a_log_that_is_closed_has_nothing(tmp_path: Path) -> None:
    """Its session was left meanwhile."""
    log = SessionLog(tmp_path / "log.jsonl")
    log.append({"v": 1, "id": "r1", "type": "note"})
    log.close()
    assert list(records_back(log)) == []
