"""F33 c: a hook that runs the agent itself, in the same folder."""

import json
import signal
import sys
import time
from pathlib import Path

from agent.offline import MessagesServer, Script, always, says
from tests.support.command import ROOT, Command
from tests.support.hook_scripts import script, settings

AGENT = f'"{sys.executable}" -P "{ROOT}/palimpsest_agent.py"'


def test_f33_c_a_stop_hook_that_starts_the_agent(tmp_path: Path) -> None:
    """The agent inside does not run that hook again, and says so; another hook of the event runs there, too."""
    with MessagesServer(Script(always(says("Done.")))) as server:
        command = Command(root=tmp_path, url=server.url)
        again = script(tmp_path, f"{AGENT} -p inner < /dev/null 2>> {tmp_path}/err; exit 0", name="again")
        other = script(tmp_path, f"echo once >> {tmp_path}/others", name="other")
        hooks = {"hooks": settings("Stop", again, other)}
        (command.home / "settings.json").write_text(json.dumps(hooks))
        ran = command.run("-p", "outer")
        prompts = [query.body["messages"][0]["content"][-1]["text"] for query in server.queries]
    assert (ran.code, ran.text) == (0, "Done.\n")
    assert prompts == ["outer", "inner"]
    assert "started this agent: it is not run again inside of it" in (tmp_path / "err").read_text()
    assert (tmp_path / "others").read_text() == "once\nonce\n"


def test_a_signal_while_the_hooks_of_the_start_run(tmp_path: Path) -> None:
    """One Ctrl-C ends them, nothing is sent, and the exit code is that of an interrupt."""
    pid = tmp_path / "pid"
    with MessagesServer(Script(always(says("Done.")))) as server:
        command = Command(root=tmp_path, url=server.url)
        hang = script(tmp_path, f"echo $$ > {pid}; exec sleep 61", name="hang")
        (command.home / "settings.json").write_text(json.dumps({"hooks": settings("SessionStart", hang)}))
        process = command.start_anew("-p", "outer")
        give_up_at = time.monotonic() + 40
        while not (pid.exists() and pid.read_text().strip()) and time.monotonic() < give_up_at:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=40)
        assert process.returncode == 130
        assert server.requests == []
    assert not Path(f"/proc/{pid.read_text().strip()}").exists()
