"""Questions on a real screen: the command is changed in a field of its own, the draft stays, nothing is lost."""

import os
import signal
from pathlib import Path

import pytest

from agent.offline import Reply, Request, Script, always, calls, says
from tests.support.screen_agent import READY, OnScreen, agent_on_screen, last_text


def asked(on: OnScreen, prompt: str = "tools please") -> None:
    """Have the model ask for something."""
    on.terminal.until(READY)
    on.prompt(prompt)
    on.terminal.until("wants to run")
    on.terminal.rest(0.5)


def press(on: OnScreen, key: str, wanted: str) -> None:
    """Press a key that the question takes, until ``wanted`` stands there."""
    on.terminal.rest(0.5)
    on.terminal.send(key)
    on.terminal.until(wanted)


def leave(on: OnScreen) -> None:
    """Leave; the terminal is as it was, and the server refused nothing."""
    on.terminal.send("\x15\x04")
    assert on.terminal.ended() == 0
    assert on.terminal.is_restored()
    assert on.server.refusals == []


def test_a_command_is_changed_and_run(tmp_path: Path) -> None:
    """The draft is back afterwards; card, output and the model's result are those of what was typed."""
    with agent_on_screen(tmp_path) as on:
        asked(on)
        on.terminal.send("my draft")
        on.terminal.until("> my draft")
        press(on, "e", "edit > echo started; sleep 0.4; echo counted")
        assert "Enter runs it as it stands below" in on.terminal.text
        assert "my draft" not in on.terminal.text
        on.terminal.send("\x15echo other\x1b\r")  # Ctrl-U, and Alt-Enter for a new line
        on.terminal.send("\x1b[200~echo\x07 words\x1b[201~")
        on.terminal.until("edit > echo other\necho words")
        on.terminal.send("\r")
        on.terminal.until("Done with tools.")
        on.terminal.until("> my draft")
        assert "● bash  echo other echo words  2 lines" in on.terminal.history
        [result] = [
            record for record in on.records() if record.get("name") == "bash" and record["type"] == "result"
        ]
        assert "echo other\necho words\n" in result["content"]
        assert "\nother\nwords\n" in result["content"]
        leave(on)


def test_esc_goes_back_and_ctrl_c_interrupts(tmp_path: Path) -> None:
    """Esc in the field leaves the question standing; Ctrl-C ends the turn and gives back what was typed there."""
    with agent_on_screen(tmp_path) as on:
        asked(on)
        press(on, "r", "why not? >")
        on.terminal.send("use the branch")
        on.terminal.until("why not? > use the branch")
        press(on, "\x1b", "[y] once")
        assert "use the branch" not in on.terminal.text
        press(on, "r", "why not? > use the branch")
        on.terminal.send("\x03")
        on.terminal.until("interrupted")
        on.terminal.until("> use the branch")
        assert "why not?" not in on.terminal.lines[-2]
        leave(on)


FAULTS = ("kill", "term", "hang up", "Ctrl-C and kill", "Esc and kill")


@pytest.mark.parametrize(
    ("key", "fault"), [*(("r", fault) for fault in FAULTS), ("e", "kill"), ("e", "term")]
)
def test_what_is_typed_in_the_field_outlives_the_program(tmp_path: Path, key: str, fault: str) -> None:
    """A crash, a signal, a closed window, also after the field was left: it comes back before the draft."""
    with agent_on_screen(tmp_path) as on:
        asked(on)
        on.terminal.send("my draft")
        on.terminal.until("> my draft")
        press(on, key, {"r": "why not? >", "e": "edit >"}[key])
        on.terminal.rest(0.5)
        on.terminal.send(" not so")
        on.terminal.until("not so")
        on.terminal.rest(0.3)
        happen(on, fault)
    with agent_on_screen(tmp_path, "-c") as on:
        on.terminal.until(lambda: "not so\nmy draft" in on.terminal.text)
        on.terminal.send("\x03")
        on.terminal.until(lambda: "my draft" not in on.terminal.text)
        leave(on)


def happen(on: OnScreen, fault: str) -> None:
    """End the program in one of many ways."""
    keys, _, then = fault.rpartition(" and ")
    if keys:
        on.terminal.send("\x03" if keys == "Ctrl-C" else "\x1b")
        on.terminal.rest(0.8)
    signals = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "hang up": signal.SIGHUP}
    os.kill(on.terminal.pid, signals[then])
    on.terminal.ended()


@pytest.mark.parametrize(("columns", "rows"), [(20, 6), (40, 8), (80, 24)])
def test_in_a_small_window(tmp_path: Path, columns: int, rows: int) -> None:
    """What is asked, how the field is left, what is typed and the bar are all seen."""
    with agent_on_screen(tmp_path, columns=columns, rows=rows) as on:
        asked(on, "sleep")
        press(on, "e", "edit >")
        on.terminal.until(lambda: "Enter runs" in " ".join(on.terminal.text.split()))
        assert "bash wants to run" in on.terminal.text
        assert READY in on.terminal.lines[-1]
        on.terminal.send("\x15echo 7 > mark\r")
        on.terminal.until("Done with sleep.")
        assert (on.command.project / "mark").read_text() == "7\n"
        leave(on)


HOSTILE = "printf 'a\x1b[2J\x9b2J\u202eb\\r\\n' # \x07\r\ntouch done"


def hostile(request: Request) -> Reply:
    """Want to run what would take over a terminal if it were obeyed."""
    return says("Ran.") if request.results else calls("bash", command=HOSTILE)


def test_a_hostile_command_is_shown_and_kept_as_it_is(tmp_path: Path) -> None:
    """In the field, too, nothing of it is obeyed; Enter on it as it stands is a plain yes: not a character is lost."""
    with agent_on_screen(tmp_path, script=Script(always(hostile))) as on:
        asked(on, "go")
        press(on, "e", "edit > printf 'a^[[2J")
        assert "\\u202eb" in on.terminal.text
        on.terminal.rest(0.5)
        on.terminal.send("\r")
        on.terminal.until("Ran.")
        [called] = [record for record in on.records() if record["type"] == "call"]
        assert "told" not in called
        assert called["input"]["command"] == HOSTILE
        raw = bytes(on.terminal.raw)
        for control in ("\x1b[2J", "\x9b2J", "\u202e"):
            assert control.encode() not in raw
        assert raw.count(b"\x07") == 1
        leave(on)


@pytest.mark.parametrize("is_off", [False, True])
def test_it_rings_once_and_the_bar_says_so(tmp_path: Path, *, is_off: bool) -> None:
    """A question calls the user once, unless the settings say `"bell": false`; what was decided stays above."""
    settings = tmp_path / "settings.json"
    settings.write_text('{"bell": false}' if is_off else "{}")
    with agent_on_screen(tmp_path, "--settings", str(settings)) as on:
        asked(on)
        on.terminal.until(lambda: on.terminal.lines[-1].startswith("1 question · sonnet-5.5 · "))
        assert bytes(on.terminal.raw).count(b"\x07") == (0 if is_off else 1)
        on.terminal.answer("wants to run", "n")
        on.terminal.until("Done with tools.")
        assert "? bash  echo started; sleep 0.4; echo counted  refused" in on.terminal.history
        assert "question" not in on.terminal.lines[-1]
        assert bytes(on.terminal.raw).count(b"\x07") == (0 if is_off else 1)
        leave(on)


def subagents(request: Request) -> Reply:
    """Start three subagents, each of which wants to run a command."""
    _, mark, name = request.first_text.partition("PART:")
    if mark:
        return says("Seen.") if request.results else calls("bash", command=f"touch {name[0]}")
    if last_text(request.body) == "hi":
        return says("Hello.")
    if request.results:
        return says("All seen.")
    one, two, three = (calls("task", description=f"look at {name}", prompt=f"PART:{name}") for name in "abc")
    return one + two + three


def test_questions_of_subagents(tmp_path: Path) -> None:
    """Each is named and told how many wait, who waits in the order of the calls; Esc takes all back for good."""
    with agent_on_screen(tmp_path, script=Script(always(subagents)), columns=80) as on:
        asked(on, "go")
        on.terminal.until("2 more questions wait")
        on.terminal.until(lambda: on.terminal.lines[-1].startswith("3 questions · "))
        first = standing(on)
        on.terminal.answer(head(first), "y")
        second = min({"a", "b", "c"} - {first})
        on.terminal.until(f"{head(second)} · 1 more question waits")
        number = "abc".index(first) + 1
        assert (
            f"? bash  touch {first}  allowed once, for look at {first} (task {number})" in on.terminal.history
        )
        on.terminal.send("\x1b")
        on.terminal.until("interrupted")
        on.terminal.rest(0.5)
        assert "wants to run" not in on.terminal.text
        on.prompt("hi")
        on.terminal.until("Hello.")
        assert "wants to run" not in on.terminal.text
        assert [name for name in "abc" if (on.command.project / name).exists()] == [first]
        leave(on)


def standing(on: OnScreen) -> str:
    """Return whose question stands: whichever came first."""
    return next(name for name in "abc" if head(name) in on.terminal.text)


def head(name: str) -> str:
    """Return the beginning of a subagent's question."""
    return f"◐ look at {name} (task {'abc'.index(name) + 1}): bash wants to run"


def enter(on: OnScreen, rule: str) -> None:
    """Type a rule in place of the one that stands in the field."""
    on.terminal.send(f"\x15{rule}")
    on.terminal.until(f"rule > {rule}")
    on.terminal.send("\r")


def test_always_is_kept_in_the_project_and_can_be_changed_before(tmp_path: Path) -> None:
    """`c` opens the rule; what is none is said; as it is entered it holds now and in the next session, and is shown."""
    with agent_on_screen(tmp_path, columns=80) as on:
        asked(on)
        assert "[a] always `bash(sleep:*)`  [c] change it" in on.terminal.text
        press(on, "c", "rule > bash(sleep:*)")
        enter(on, "bash(echo $(x):*)")
        on.terminal.until("! rule `bash(echo $(x):*)` in what you typed: before `:*` only plain words")
        enter(on, "bash(echo started; sleep 0.4; echo counted)")
        on.terminal.until("kept in .agent/settings.local.json")
        on.terminal.until("Done with tools.")
        kept = on.command.project / ".agent/settings.local.json"
        assert '"bash(echo started; sleep 0.4; echo counted)"' in kept.read_text()
        on.prompt("/permissions")
        on.terminal.until(".agent/settings.local.json")
        leave(on)
    with agent_on_screen(tmp_path, columns=80) as on:
        on.terminal.until(READY)
        on.prompt("tools please")
        on.terminal.until("Done with tools.")
        assert "wants to run" not in on.terminal.history
        leave(on)


def test_shift_tab_goes_to_the_next_mode(tmp_path: Path) -> None:
    """The bar says which; what is typed stays; the next call is judged by it, also in a turn that runs; never bypass."""
    with agent_on_screen(tmp_path, columns=100) as on:
        on.terminal.until(READY)
        on.terminal.send("my draft")
        on.terminal.until("> my draft")
        for mode in ("accept-edits", "plan", "ask", "accept-edits"):
            on.terminal.send("\x1b[Z")
            on.terminal.until(f" · {mode} · main")
        assert "> my draft" in on.terminal.text
        on.terminal.send("\x15")
        on.prompt("edit please")
        on.terminal.until(lambda: "Done with edit." in on.terminal.text)
        assert "wants to run" not in on.terminal.history
        assert [one["mode"] for one in on.records() if one["type"] == "mode"] == [
            *("accept-edits", "plan", "ask", "accept-edits")
        ]
        leave(on)
