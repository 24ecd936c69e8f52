"""What may be removed from the list of sessions: by the rules of `agent sessions prune`."""

import os
from pathlib import Path

import pytest

from agent.session.store import Store
from agent.shelf import shelf_of, why_kept
from tests.agent.sessions.logs import FIRST, SECOND, head, simple, write


def test_a_fork_keeps_its_origin(tmp_path: Path) -> None:
    """Also when that is asked at the last moment; once the fork is gone, it can go."""
    write(tmp_path, FIRST, *simple(FIRST))
    store = Store(root=tmp_path)
    shelf = shelf_of(store)
    assert shelf.why_kept(FIRST) == ""
    write(tmp_path, SECOND, head(SECOND, forked_from=FIRST), *simple(SECOND)[1:])
    assert shelf.remove(FIRST) == f"stays: its fork {SECOND} needs it"
    assert shelf.remove(SECOND) == ""
    assert shelf.remove(FIRST) == ""
    assert store.logs() == []


def test_the_size_is_that_of_all_its_files(tmp_path: Path) -> None:
    """Log, folder and long results."""
    write(tmp_path, FIRST, b"x" * 1_000)
    assert shelf_of(Store(root=tmp_path)).size(FIRST) == "1 kB"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_log_that_cannot_be_read_may_need_it(tmp_path: Path) -> None:
    """Nobody knows: it stays."""
    write(tmp_path, FIRST, *simple(FIRST))
    write(tmp_path, SECOND, *simple(SECOND)).chmod(0)
    assert "cannot be read" in why_kept(Store(root=tmp_path), FIRST)


def test_a_session_that_is_gone(tmp_path: Path) -> None:
    """Somebody else removed it."""
    store = Store(root=tmp_path)
    store.make()
    assert shelf_of(store).remove(FIRST) == f"{FIRST} cannot be removed: No such file or directory"
