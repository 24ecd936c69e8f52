"""`agent sessions prune`: never silently, never what is open or what a fork needs."""

import io
import shutil
from pathlib import Path
from typing import Any

import pytest

from agent.session.forks import fork
from agent.session.log import locked
from agent.session.store import Store
from agent.sessions.pruning import judge, remove, why_locked
from tests.agent.sessions.logs import FIRST, SECOND, head, ran, simple, terminal, write

THIRD = "20260101-000000-cccccc"


def store(folder: Path) -> Store:
    return Store.existing(folder, folder / "home")


def left(folder: Path) -> set[str]:
    """Names of all that is left of sessions."""
    places = (store(folder).transcripts, store(folder).outputs)
    return {path.name for place in places for path in place.iterdir() if path.name != ".gitignore"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An old session and a new one."""
    write(tmp_path, FIRST, *simple(FIRST), age_days=40)
    write(tmp_path, SECOND, *simple(SECOND))
    return tmp_path


def test_a_dry_run_only_shows(project: Path) -> None:
    """Each session with its age and size, and the total."""
    before = left(project)
    done = ran(project, "prune", "--older-than", "30d", "--dry-run", "--yes")
    assert (done.code, done.err, left(project)) == (0, "", before)
    first, total = done.text.splitlines()
    assert first.startswith(f"{FIRST}  40d ago  ")
    assert total.startswith(f"to remove from {project}: 1 session, ")


def test_with_yes_the_session_goes_with_all_that_is_its_own(project: Path) -> None:
    """Log, folder and long results; the new session keeps its own. A second time there is nothing to do."""
    done = ran(project, "prune", "--older-than", "30 d", "--yes")
    assert (done.code, left(project)) == (0, {f"{SECOND}.jsonl", SECOND})
    assert done.err.startswith("removed 1 session, ")
    again = ran(project, "prune", "--older-than", "30d")
    assert (again.code, again.text) == (0, "nothing to remove\n")


@pytest.mark.parametrize(("answer", "number"), [("y", 2), ("n", 3), ("", 3), ("yes", 2)])
def test_at_a_terminal_it_asks(project: Path, answer: str, number: int) -> None:
    """Only a yes removes anything."""
    with terminal(answer) as stdin:
        done = ran(project, "prune", "--older-than", "2w", stdin=stdin)
    assert done.code == 0
    assert done.err.startswith("remove 1 session, ")
    assert len(left(project)) == number + (answer not in ("y", "yes"))
    assert ("nothing was removed" in done.err) == (answer not in ("y", "yes"))


def test_where_nobody_can_be_asked_nothing_goes(project: Path) -> None:
    """Exit 2, and the flag to give."""
    before = left(project)
    done = ran(project, "prune", "--older-than", "12h")
    assert (done.code, done.err.count("\n"), left(project)) == (2, 1, before)
    assert "`--yes`" in done.err


def test_what_another_process_has_open_stays(project: Path) -> None:
    """It is named, with the reason."""
    with locked(store(project).log(FIRST)):
        done = ran(project, "prune", "--older-than", "30d", "--yes")
        assert f"{FIRST}  stays: open in another process" in done.text
        assert f"{FIRST}.jsonl" in left(project)
    assert ran(project, "prune", "--older-than", "30d", "--yes").code == 0
    assert f"{FIRST}.jsonl" not in left(project)


def test_what_a_fork_needs_stays_also_through_another_fork(project: Path) -> None:
    """A new fork of an old fork holds both; when the forks are old too, all go."""
    write(project, SECOND, *simple(SECOND), head(SECOND, forked_from=FIRST), age_days=40)
    path = write(project, THIRD, head(SECOND), head(THIRD), b"{torn", age_days=1)
    before = left(project)
    done = ran(project, "prune", "--older-than", "30d", "--yes")
    assert f"{FIRST}  stays: its fork {SECOND} needs it" in done.text
    assert f"{SECOND}  stays: its fork {THIRD} needs it" in done.text
    assert left(project) == before
    path.unlink()
    assert "removed 2 sessions" in ran(project, "prune", "--older-than", "30d", "--yes").err


def test_what_changes_meanwhile_stays(project: Path) -> None:
    """Written to, opened, or gone: each is told, the exit code says so."""
    condemned = judge(store(project), before=2e9 + 1e9).gone
    log = store(project).log(SECOND)
    log.write_bytes(log.read_bytes() + b"\n")
    with locked(store(project).log(FIRST)):
        gone, problems = remove(store(project), condemned)
    assert (gone, len(problems)) == ([], 2)
    assert any("written to meanwhile" in problem for problem in problems)
    log.unlink()
    gone, problems = remove(store(project), [one for one in condemned if one.id == SECOND])
    assert "not wholly removed" in problems[0]


def test_links_are_removed_not_followed(project: Path) -> None:
    """What they lead to is not ours."""
    outside = project / "outside"
    outside.mkdir()
    (outside / "keep.txt").write_text("mine")
    spills = store(project).outputs / FIRST
    (spills / "1-0-bash.txt").unlink()
    spills.rmdir()
    spills.symlink_to(outside)
    assert ran(project, "prune", "--older-than", "30d", "--yes").code == 0
    assert (outside / "keep.txt").read_text() == "mine"
    assert not spills.is_symlink()


def test_a_session_without_a_folder_goes_too(project: Path) -> None:
    """As an import from elsewhere has it."""
    folder = store(project).folder(FIRST)
    (folder / "archive-001.md").unlink()
    folder.rmdir()
    assert ran(project, "prune", "--older-than", "30d", "--yes").code == 0
    assert FIRST not in "".join(left(project))


@pytest.mark.parametrize("age", ["", "30", "d", "-1d", "1y", "1.5d", "99999999d"])
def test_an_age_that_is_none_costs_one_line(project: Path, age: str) -> None:
    """Exit 2."""
    done = ran(project, "prune", f"--older-than={age}", "--yes")
    assert (done.code, done.out, done.err.count("\n")) == (2, b"", 1)


def test_an_age_must_be_given(project: Path) -> None:
    """There is no default for what is removed."""
    done = ran(project, "prune", "--yes")
    assert (done.code, done.err.count("\n")) == (2, 1)


def test_a_dry_run_shows_what_then_goes(project: Path) -> None:
    """With forks of forks too: the same sessions, the same total, and nothing else is touched."""
    kept = fork(store(project), SECOND, 1e9)
    old = fork(store(project), FIRST, 1e9)
    fork(store(project), old, 1e9 + 1)
    (store(project).log(kept)).touch()
    dry = ran(project, "prune", "--older-than", "30d", "--dry-run").text
    before = set(store(project).logs())
    done = ran(project, "prune", "--older-than", "30d", "--yes")
    assert (done.code, done.text) == (0, dry)
    gone = before - set(store(project).logs())
    assert {line.split()[0] for line in dry.splitlines()[:-1]} == gone
    assert (len(gone), kept in gone, SECOND in gone) == (3, False, False)


def test_a_fork_that_comes_while_it_asks_holds_its_origin(project: Path) -> None:
    """What was shown is judged again once somebody agreed."""

    class Slow(io.RawIOBase):
        """A terminal at which nobody answers before another process has made a fork."""

        def readable(self) -> bool:
            return True

        def isatty(self) -> bool:
            return True

        def readinto(self, buffer: Any, /) -> int:
            store(project).log(fork(store(project), FIRST, 1e9)).touch()
            buffer[:2] = b"y\n"
            return 2

    stdin = io.TextIOWrapper(io.BufferedReader(Slow()))
    done = ran(project, "prune", "--older-than", "30d", stdin=stdin)
    assert done.code == 1
    assert f"agent: {FIRST} stays: " in done.err
    assert f"{FIRST}.jsonl" in left(project)


def test_what_cannot_be_locked_has_a_reason(project: Path) -> None:
    """Whatever stands in the session's folder is none, nor is a log that is gone; one that cannot be opened is."""
    log = store(project).log(FIRST)
    (store(project).folder(FIRST) / "lock").mkdir()
    assert why_locked(store(project), FIRST) == ""
    log.unlink()
    assert why_locked(store(project), FIRST) == ""
    log.symlink_to(log.name)
    assert why_locked(store(project), FIRST) == "its log cannot be locked: Too many levels of symbolic links"


@pytest.mark.parametrize("made", ["folder", "file", "nothing"])
def test_a_session_goes_whatever_stands_beside_it(project: Path, made: str) -> None:
    """In place of its folder there may be a file, or nothing."""
    folder = store(project).folder(FIRST)
    if made != "folder":
        shutil.rmtree(folder)
    if made == "file":
        folder.write_text("in the way", "utf-8")
    done = ran(project, "prune", "--older-than", "30d", "--yes")
    assert (done.code, done.err) == (0, done.err)
    assert not [name for name in left(project) if FIRST in name]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_folder_that_is_a_link_is_left_alone(project: Path, is_there: bool) -> None:
    """Nothing of what it leads to is touched."""
    condemned = judge(store(project), before=2e9 + 1e9).gone
    outside = project / "outside"
    folder = store(project).folder(FIRST)
    folder.rename(outside if is_there else project / "away")
    folder.symlink_to(outside)
    done = ran(project, "prune", "--older-than", "30d", "--yes")
    assert f"{FIRST}  stays: its folder is a link" in done.text
    gone, problems = remove(store(project), [one for one in condemned if one.id == FIRST])
    assert (gone, problems) == ([], [f"{FIRST} stays: its folder is a link"])
    assert outside.exists() == is_there
