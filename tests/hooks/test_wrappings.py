"""Whatever a program is wrapped in, rules that allow the wrapping never let it through; bash is the witness."""

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.faults.wrappings import Tally, proved, report
from tests.hooks.harmless import RULES, Harmless, harmless
from tests.hooks.judgements import is_allowed, let_through
from tests.hooks.soups import nearly_commands
from tests.hooks.wrappings import ALL, BY_NAME, Wrapping, wrappings, written
from tests.support.calls import judge_bash
from tests.support.marked_bash import MarkedBash

ON_LINUX = pytest.mark.skipif(
    sys.platform != "linux", reason="the productions are written for the programs of Linux"
)
ARGUMENTS = " -x 'b c'"


def test_no_production_alone_lets_the_program_through() -> None:
    """No way of writing is left to chance."""
    through = {name: let_through(Wrapping(written([name]), (name,))) for name in BY_NAME}
    assert {name: judgements for name, judgements in through.items() if judgements} == {}


@settings(max_examples=100, deadline=None)
@given(wrappings())
def test_no_wrapping_lets_the_program_through(wrapping: Wrapping) -> None:
    """A program that no rule allows, or one denies, is never let through by the rules for what stands around it."""
    assert let_through(wrapping) == []


@ON_LINUX
def test_what_is_allowed_does_not_run_the_program(tmp_path: Path) -> None:
    """Of texts that are nearly commands bash runs the program in none that permission allows."""
    bash = MarkedBash(tmp_path)

    @settings(max_examples=100, deadline=None)
    @given(nearly_commands)
    def check(command: str) -> None:
        assert not (is_allowed(command) and bash.runs(command))

    check()


@settings(max_examples=100, deadline=None)
@given(harmless())
def test_what_only_reads_is_allowed_however_it_is_written(command: Harmless) -> None:
    """Quotes, lists, pipes, comments and thrown away output raise no question where all is literal."""
    verdict = judge_bash(command.command, allow=RULES)
    assert verdict.decision == "allow" or not command.is_plain, verdict.reason


@ON_LINUX
@pytest.mark.parametrize("part", range(4))
def test_bash_runs_what_is_wrapped(tmp_path: Path, part: int) -> None:
    """The generator proves something: bash runs the program in what it writes (an eighth of all productions)."""
    bash = MarkedBash(tmp_path)
    names = [production.name for production in ALL[part::32]]
    assert [name for name in names if not bash.runs(written([name], f"forbidden{ARGUMENTS}"))] == []


@pytest.mark.parametrize(
    "command", ["echo forbidden", "ls # ; forbidden", "cat <<'E'\n$(forbidden)\nE", "'forbidden x'"]
)
def test_bash_leaves_no_mark_where_the_program_is_only_text(tmp_path: Path, command: str) -> None:
    """The witness does not say yes to everything."""
    assert not MarkedBash(tmp_path).runs(command)


@ON_LINUX
def test_the_command_counts_and_proves(tmp_path: Path) -> None:
    """`python -m tests.faults.wrappings` uses every production as often as it is told, and finds no bypass."""
    some = ALL[::25]
    tally = Tally.of(seed=1, each=3, through=some)
    assert all(tally.used()[production.name] >= 3 for production in some)
    found = proved(tally.sample(20), tmp_path)
    told = report(tally, tally.sample(20), found)
    assert told["wrappings"] == len(some) * 3
    assert told["bypasses"] == []
    assert sum(one["proved"] > 0 for one in told["productions"].values()) > 10
