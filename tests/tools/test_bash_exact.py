"""bash: byte for byte what `bash -c` gives."""

import asyncio
import os
import shlex
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.tools import make_bench, text_of
from tools.bash import BASH
from tools.visible import VisibleText

COMMANDS = {
    "a": "echo test && python3 <<'EOF'\nprint(\"it's $HOME \\x60x\\x60 \\\\n!\")\nEOF",
    "b": "printf '%s' 'a != b' | od -An -tx1",
    "c": "cat <<'X' | md5sum\n'single' \"double\" \\\\ \\n $(no) !!\nX\n",
    "d": "cat <<EOF\nno newline after the end mark\nEOF",
    "e": "echo one # comment",
    "f": "true;\necho two \\\nthree",
    "g": "cat <<-E\n\tindented\n\tE",
    "syntax error": "echo 'open",
    "unknown": "nosuchprogram -x; echo $?",
    "line numbers": "\n\nnosuchprogram\necho $LINENO",
    "options": "echo $-; shopt -p | md5sum; set -o | md5sum",
    "arguments": 'echo "$0 $# $@" "${BASH_EXECUTION_STRING}"',
    "names": "compgen -v | grep -i palimpsest; declare -F; alias; env | grep -c BASH_ENV",
    "status": "echo $?; false",
    "trace": "set -x; echo hi",
    "errexit": "set -eu; false; echo no",
    "unset": "set -u; echo $nosuch; echo no",
    "own trap": "trap 'echo bye' EXIT; echo hi",
    "debug trap": "trap 'echo dbg' DEBUG; true",
    "error trap": "set -E; trap 'echo err' ERR; false; echo on",
    "subshell": "(trap 'echo sub' EXIT; exit 4); echo $?",
    "exec": "exec echo gone",
    "shadowed": "pwd() { echo mine; }; trap() { echo mine; }; set() { echo mine; }; builtin() { echo mine; }; true",
    "nested": "bash -c 'echo in; exit 5'",
    "script": "printf 'echo $0 $BASH_ENV' >s; bash s a; sh s",
    "closed": "exec 230>&-; echo hi",
    "streams": "echo 1; echo 2 >&2; echo 3; ls /nosuch; echo 4",
    "wait": "sleep 0.05 & wait; echo $?",
    "nul": r"printf 'a\0b\351'",
}


def native(command: str, cwd: Path, env: dict[str, str] | None = None) -> tuple[str, int]:
    """What a plain `bash -c` gives, spelled as the tool spells it."""
    calm = {**(env or os.environ), "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=cwd,
        env=calm,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return VisibleText().feed(done.stdout, is_last=True), done.returncode


async def ours(command: str, cwd: Path) -> tuple[str, int]:
    result = await make_bench(cwd).call(BASH, command=command)
    output, _, _ = text_of(result).rpartition("[exit code")
    return ("" if output == "(no output)\n" else output), result.facts["exit_code"]


@pytest.mark.parametrize("name", COMMANDS)
async def test_f08_equal_to_bash_c(name: str, tmp_path: Path) -> None:
    """F08 and every way in which our directory report could show: same output, same exit code."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    expected, code = native(COMMANDS[name], tmp_path / "a")
    output, our_code = await ours(COMMANDS[name], tmp_path / "b")
    ends = "" if expected.endswith("\n") or not expected else "\n"  # the exit code has a line of its own
    assert (output, our_code) == (expected + ends, code)


@pytest.mark.parametrize(
    "value", ["{home}/env.sh", "$HOME/env.sh", "env.sh", "{home}/none.sh", "", '{home}/a"b.sh']
)
async def test_users_bash_env_runs_as_ever(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user's BASH_ENV is expanded, sourced and stands in the environment as without us."""
    for name in ("env.sh", 'a"b.sh'):
        (tmp_path / name).write_text("mine=set\nshopt -s expand_aliases\nalias greet='echo hello'\ntrue\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("BASH_ENV", value.format(home=tmp_path))
    command = 'echo "$mine [$BASH_ENV]"; greet; env | grep BASH_ENV; compgen -v | grep palimpsest'
    assert await ours(command, tmp_path) == native(command, tmp_path)


async def test_verbose_shows_the_trap(tmp_path: Path) -> None:
    """The one known difference: `set -v` makes bash echo our trap, too."""
    output, code = await ours("set -v\necho hi", tmp_path)
    assert output.startswith("echo hi\nhi\n")
    assert (output.count("\n"), code) == (3, 0)


async def test_users_exit_trap_in_bash_env_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An EXIT trap set by the user's file is not replaced."""
    (tmp_path / "env.sh").write_text("trap 'echo bye' EXIT\n")
    monkeypatch.setenv("BASH_ENV", str(tmp_path / "env.sh"))
    assert await ours("echo hi", tmp_path) == ("hi\nbye\n", 0)


# What runs side by side (`&`, `|`, `<(…)`) writes in any order, so it stands in well-formed quotes only.
broken = st.text(alphabet=st.sampled_from("ab '\"\\$`!*?[]{}();#~%\n\té€"), max_size=12)
quoted = st.text(alphabet=st.sampled_from("ab\"\\$`!*<>|&;#\n\té€'"), max_size=12).map(shlex.quote)
verbs = st.sampled_from(["echo", "echo -n", "printf '%s\\n'", "printf '<%q>'"])


def chains(words: st.SearchStrategy[str], joints: list[str]) -> st.SearchStrategy[str]:
    """Commands with ``words`` as arguments, joined."""
    simple = st.builds(lambda verb, parts: " ".join([verb, *parts]), verbs, st.lists(words, max_size=4))
    return st.builds(
        lambda joint, parts: joint.join(parts),
        st.sampled_from(joints),
        st.lists(simple, min_size=1, max_size=3),
    )


commands = st.one_of(chains(broken, [" && ", "; ", "\n", " || "]), chains(quoted, [" && ", " | cat; "]))


@settings(max_examples=60, deadline=None)
@given(command=commands)
def test_any_command_is_equal_to_bash_c(command: str) -> None:
    """Whatever stands in the command, broken or not, comes out as from `bash -c`."""
    assume("$$" not in command)  # the shell's own number differs
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a", "b"):
            Path(folder, name).mkdir()
        expected, code = native(command, Path(folder, "a"))
        output, our_code = asyncio.run(ours(command, Path(folder, "b")))
        ends = "" if expected.endswith("\n") or not expected else "\n"
        assert (output, our_code) == (expected + ends, code)
