"""Every control character, and the sequences that terminals obey, from every side: shown or left out, never sent."""

from collections.abc import Callable
from pathlib import Path

from agent.offline import Fault, Reply, Request, Script, always, calls, error, says
from tests.support.screen_agent import READY, OnScreen, agent_on_screen

SINGLE = [chr(code) for code in (*range(1, 32), 0x7F, *range(0x80, 0xA0)) if chr(code) not in "\t\n\r"]
"""C0 and C1, without those that are part of a plain text, and NUL, which no file name holds."""
OBEYED = (
    "\x1b]0;taken over\x07",
    "\x1b]52;c;ZXZpbA==\x1b\\",
    "\x1b]8;;http://example.org\x1b\\",
    "\x1b[2J",
    "\x1b[?1049h",
    "\x1b[6n",
    "\x1b[21t",
    "\x1bPevil\x1b\\",
    "\x1b_evil\x1b\\",
    "\x1b^evil\x1b\\",
    "\x1bc",
    "\x9b2J",
    "\x9d0;taken over\x9c",
    "\x90evil\x9c",
)
MARKED = [f"qx{control}xq" for control in SINGLE]
"""Between letters, so that what we send ourselves is not taken for it."""
NOISE = " ".join([*MARKED, *(f"qx{sequence}xq" for sequence in OBEYED)])
SKILL = f"---\nname: noise\ndescription: {NOISE!r}\n---\nMake noise.\n"


def reply(request: Request) -> Reply | Fault:
    """Say it, run a command that prints it, name a file by it, and then fail with it."""
    steps: list[Callable[[], Reply | Fault]] = [
        lambda: says(f"said {NOISE}", chunk_chars=9) + calls("bash", command="cat noise.txt"),
        lambda: calls("read", file_path=NOISE.replace("/", "")[:120]),
        lambda: error(400, f"refused {NOISE}"),
    ]
    answered = len([message for message in request.body["messages"] if message["role"] == "assistant"])
    return steps[min(answered, 2)]()


def test_none_is_sent(tmp_path: Path) -> None:
    """As an earlier prompt in the list of sessions, model text, output, file name, server's error, skill, branch."""
    with agent_on_screen(tmp_path, "--permission-mode", "bypass", script=Script(always(reply))) as on:
        (on.command.project / "noise.txt").write_text(NOISE)
        skill = on.command.project / ".agent/skills/noise/SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text(SKILL)
        (on.command.project / ".git/HEAD").write_text(f"ref: refs/heads/{NOISE}\n")
        on.command.run("-p", NOISE)
        on.terminal.until(READY)
        on.prompt("go")
        on.terminal.until("refused")
        for command in ("/skills", "/status"):
            on.prompt(command)
            on.terminal.until(lambda: on.terminal.lines[-2] == ">")
        on.prompt("/resume")
        on.terminal.until("type to search")
        on.terminal.until("qx")
        check(on)
        on.terminal.send("\x1b")
        on.terminal.until(lambda: "type to search" not in on.terminal.text)
        on.terminal.send(b"\x1b[200~" + NOISE.encode() + b"\x1b[201~")
        on.terminal.until(lambda: "> qx" in on.terminal.text or "pasted" in on.terminal.lines[-2])
        check(on)
        on.terminal.send("\x15\x04")
        assert on.terminal.ended() == 0
        assert on.terminal.is_restored()


def check(on: OnScreen) -> None:
    """Nothing of it has reached the terminal as it is; something of it was shown."""
    raw = bytes(on.terminal.raw)
    assert b"qx" in raw
    for control in (*SINGLE, *OBEYED):
        for sent in (f"x{control}x".encode(), f"x{control}".encode("latin-1") + b"xq"):
            assert sent not in raw, repr(control)
    assert on.terminal.screen.title == ""
