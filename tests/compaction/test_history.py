"""The history: it grows with the log, once for each block, and says the same whenever it is asked."""

from hypothesis import given

from compaction.seen import Seen, hashes_in, paths_in
from tests.support.histories import Said, histories, view_of
from tests.support.telling import bash, history, read, session, step

NAMED = "See src/a.py, ./b.md and lib/c.go: not e.g. this and/or that, 3/4, self.view or https://x.y/z.html."


def test_deeds_have_the_newest_last() -> None:
    """What is done again moves to the end and counts on."""
    deeds = history(read("a"), read("b"), bash("ls"), read("a")).deeds

    assert [(deed.kind, deed.target, deed.times, deed.step) for deed in deeds.done.values()] == [
        ("read", "b", 1, 4),
        ("ran", "ls", 1, 6),
        ("read", "a", 2, 8),
    ]


def test_a_branch_takes_the_place_of_the_one_before() -> None:
    """Only the last one that git named counts."""
    deeds = history(bash("git status", "On branch a"), bash("git switch b", "Switched to branch 'b'")).deeds

    assert [deed.target for deed in deeds.of("branch")] == ["b"]


def test_an_answer_to_nothing_is_passed_over() -> None:
    """A result whose call nobody made leaves no deed."""
    view = view_of([Said(role="user", blocks=[{"type": "tool_result", "tool_use_id": "x", "content": "y"}])])

    assert view.history.deeds.done == {}


def test_files_that_a_text_names() -> None:
    """With a folder and a suffix, or with a well-known suffix; attributes, fractions, addresses are none."""
    assert [path for _, path in paths_in(NAMED)] == ["src/a.py", "b.md", "lib/c.go"]
    assert list(paths_in("x" * 5_000 + "/a.py")) == []


def test_hashes_that_a_text_names() -> None:
    """Seven to forty hexadecimal digits, neither a word nor a number."""
    text = "1a2b3c4 defaced 1234567 0x1a2b3c4d " + "a1" * 32 + " " + "b2" * 20

    assert [found[0] for found in hashes_in(text)] == ["1a2b3c4", "b2" * 20]


def test_everything_that_was_said_is_seen() -> None:
    """Words, inputs however deep, and results all count as named."""
    view = session(
        step(1, ("todo_write", {"todos": [{"content": "read x/y.py"}], "n": 1}, "found z.md at 1a2b3c4")),
        asked="look at lib/a.c",
    )

    assert view.history.seen.paths == {"lib/a.c", "x/y.py", "z.md"}
    assert view.history.seen.hashes == {"1a2b3c4"}


def test_a_path_is_known_with_more_or_fewer_folders() -> None:
    """An absolute and a relative spelling are one file; a bare name does not vouch for a folder."""
    seen = Seen(paths={"/home/u/src/a.py", "lib/b.py", "c.py"}, hashes={"1a2b3c4"})

    assert seen.knows_path("src/a.py")
    assert seen.knows_path("/home/u/lib/b.py")
    assert not seen.knows_path("other/c.py")
    assert not seen.knows_path("rc/a.py")
    assert seen.knows_hash("1a2b3c4" + "0" * 33)
    assert seen.knows_hash("1a2b3c")
    assert not seen.knows_hash("1a2b3c5")


@given(histories(max_rounds=6))
def test_a_history_follows_the_log_and_not_the_view(said: list[Said]) -> None:
    """Grown in one go or twice, it says the same; a copy of the view shares it."""
    first, second = view_of(said).history, view_of(said).history

    assert first == second
    assert view_of(said).copy().history == first
