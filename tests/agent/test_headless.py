"""One turn without a screen: what stands on stdout and stderr in each format, and the exit code."""

import json
from http import HTTPStatus
from pathlib import Path

import pytest

from agent.cli import main
from agent.flags import Flags
from agent.launch import launch
from agent.offline import MessagesServer, Script, calls, error, refuses, says, thinks
from agent.offline.script import Turn
from agent.output import Output
from agent.query import Patience
from tests.support.command import NOBODY, Command, Ran, piped


def run(
    tmp_path: Path, *turns: Turn, args: tuple[str, ...] = (), prompt: str = "hi"
) -> tuple[Ran, MessagesServer]:
    """Run one turn in this process against a server that says ``turns``."""
    with MessagesServer(Script(*turns)) as server:
        ran = Command(root=tmp_path, url=server.url).here("-p", prompt, *args)
        assert not [refusal for refusal in server.refusals if refusal[0] == HTTPStatus.BAD_REQUEST]
    return ran, server


def test_text_is_the_answer_alone(tmp_path: Path) -> None:
    """stdout holds the last words only; stderr how to go on."""
    ran, _ = run(tmp_path, says("Looking.") + calls("glob", pattern="*"), thinks("hm") + says("Done: é."))
    assert ran.code == 0
    assert ran.text == "Done: é.\n"
    (line,) = ran.err.splitlines()
    (log,) = (tmp_path / "project/.transcripts").glob("*.jsonl")
    assert line == f"resume: agent --cwd {tmp_path.resolve()}/project -r {log.stem}"


def test_json_is_the_result_alone(tmp_path: Path) -> None:
    """One object; nothing on stderr."""
    ran, _ = run(tmp_path, says("Done."), args=("--output-format", "json"))
    (message,) = ran.messages
    assert (ran.code, ran.err) == (0, "")
    assert (message["type"], message["subtype"], message["result"]) == ("result", "success", "Done.")
    assert message["num_turns"] == 1
    assert message["total_cost_usd"] > 0
    assert message["usage"]["output_tokens"] > 0


def test_stream_json_tells_it_all_in_order(tmp_path: Path) -> None:
    """From init to result, every message with the session's id; subagents hang on their call."""
    ran, _ = run(
        tmp_path,
        calls("task", description="d", prompt="p"),
        says("sub"),
        calls("compact"),
        says("<summary>1. Request: hi</summary>"),
        says("Done."),
        args=("--output-format", "stream-json"),
    )
    kinds = [(m["type"], m.get("subtype", "")) for m in ran.messages]
    assert kinds == [
        ("system", "init"),
        ("assistant", ""),
        ("assistant", ""),
        ("user", ""),
        ("assistant", ""),
        ("user", ""),
        ("system", "compact_boundary"),
        ("assistant", ""),
        ("result", "success"),
    ]
    assert len({m["session_id"] for m in ran.messages}) == 1
    task = ran.messages[1]["message"]["content"][0]["id"]
    assert [m["parent_tool_use_id"] for m in ran.messages[1:4]] == [None, task, None]
    assert ran.code == 0


def test_verbose_tells_each_step_on_stderr(tmp_path: Path) -> None:
    """Session, calls, answer; stdout stays the answer."""
    ran, _ = run(tmp_path, calls("glob", pattern="*"), says("Done."), args=("--verbose",))
    session, call, answer, resume = ran.err.splitlines()
    assert session.endswith(" · claude-sonnet-5-5 · ask")
    assert call.startswith("step 1 · glob * · 0 files · ")
    assert answer.startswith("step 2 · answer · ")
    assert resume.startswith("resume: ")
    assert ran.text == "Done.\n"


def test_f54_h_a_question_is_a_refusal_that_names_the_rule(tmp_path: Path) -> None:
    """The model is told, the user is told, the turn goes on; drivers find it in the result."""
    turns = (calls("bash", command="npm test"), says("Not allowed."))
    ran, server = run(tmp_path, *turns, args=("--output-format", "json"))
    (line,) = ran.err.splitlines()
    assert line == (
        "agent: refused bash npm test: no rule allows this command; to allow it: --allow 'bash(npm test:*)'"
    )
    (denial,) = ran.messages[0]["permission_denials"]
    assert (denial["tool_name"], denial["tool_input"]["command"]) == ("bash", "npm test")
    assert "bash(npm test:*)" in json.dumps(server.queries[1].body["messages"][-1])
    assert ran.code == 0


def test_the_named_rule_allows_it(tmp_path: Path) -> None:
    """--allow takes what the refusal said, --deny outweighs it."""
    args = ("--allow", "bash(echo:*)", "--deny", "bash(echo no:*)")
    turns = (calls("bash", command="echo yes"), calls("bash", command="echo no"), says("Done."))
    ran, server = run(tmp_path, *turns, args=args)
    first, second = (json.dumps(query.body["messages"][-1]) for query in server.queries[1:])
    assert ran.complaints == []
    assert "yes" in first
    assert "denied by the rule `bash(echo no:*)` (--deny)" in second


@pytest.mark.parametrize(
    ("turn", "args", "words"),
    [
        (error(401), (), "the key was refused: check ANTHROPIC_API_KEY"),
        (
            error(404, "model: nope"),
            ("--model", "nope"),
            "the server has no model `nope`: choose another with --model",
        ),
        (refuses("half", category="cyber"), (), "the model declined to answer (cyber)"),
        (calls("glob", pattern="*"), ("--max-steps", "1"), "stopped after 1 steps (--max-steps)"),
        (calls("glob", pattern="*"), ("--max-cost", "0.0001"), "(--max-cost 0.0001)"),
    ],
)
def test_a_turn_that_fails_is_one_line_and_1(
    tmp_path: Path, turn: Turn, args: tuple[str, ...], words: str
) -> None:
    """Nothing on stdout, one line on stderr that says what to do."""
    ran, _ = run(tmp_path, turn, args=args)
    (line,) = ran.complaints
    assert (ran.code, ran.out) == (1, b"")
    assert words in line


def test_a_failed_turn_is_a_result_in_json(tmp_path: Path) -> None:
    """Drivers get an object in every case."""
    ran, _ = run(tmp_path, error(401), args=("--output-format", "json"))
    (message,) = ran.messages
    assert (message["subtype"], message["is_error"]) == ("error_during_execution", True)
    assert "ANTHROPIC_API_KEY" in message["errors"][0]
    assert (ran.code, len(ran.err.splitlines())) == (1, 1)


def test_retries_are_said(tmp_path: Path) -> None:
    """What happened and when the next try is; the answer comes all the same."""
    ran, _ = run(tmp_path, error(529, retry_after=0.01), says("Done."))
    (line,) = ran.complaints
    assert line == "agent: the server is overloaded: Overloaded; try 2 in 0.0 s"
    assert (ran.code, ran.text) == (0, "Done.\n")


@pytest.mark.parametrize("url", [NOBODY, "http://no-such-host.invalid"])
def test_without_network_patience_ends(tmp_path: Path, capfd: pytest.CaptureFixture[str], url: str) -> None:
    """Connection refused, name not known: the last line says what to check, and nothing was lost."""
    command = Command(root=tmp_path, url=url)
    flags = Flags(prompt="hi", is_print=True, cwd=command.project)
    with Path("/dev/stderr").open("w") as stderr:
        patience = Patience(max_unreached=2, first_delay_s=0.01)
        code = launch(flags, Output(None, stderr), stdin=None, env=command.env, patience=patience)
    retry, last, _ = capfd.readouterr().err.splitlines()
    assert code == 1
    assert f"cannot reach {url}: check the network and ANTHROPIC_BASE_URL" in last
    assert retry.startswith(last)


def test_f54_b_stdin_is_appended_to_the_prompt(tmp_path: Path) -> None:
    """Both reach the model; alone, each is the prompt."""
    with MessagesServer(Script(says("1"), says("2"))) as server:
        command = Command(root=tmp_path, url=server.url)
        with piped(b"hello\n") as stdin:
            assert command.here("-p", "sum up", stdin=stdin).text == "1\n"
        with piped(b"only piped\n") as stdin:
            assert command.here(stdin=stdin).text == "2\n"
        said = [query.body["messages"][0]["content"][-1]["text"] for query in server.queries]
    assert said == ["sum up\n\nhello", "only piped"]


def test_f54_e_no_escape_whatever_the_terminal_is_called(tmp_path: Path) -> None:
    """Not a terminal: no ESC on either stream, with any TERM, with NO_COLOR or without."""
    for more in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": "xterm-256color"}):
        with MessagesServer(Script(error(529, retry_after=0.01), says("\x1b[1mDone"))) as server:
            ran = Command(root=tmp_path, url=server.url, more=more).here("-p", "hi", "--verbose")
        assert b"\x1b" not in ran.out + ran.err.encode()


def test_main_uses_the_streams_of_the_process(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Unless it is given others."""
    assert main(["-p", "hi", "--cwd", str(tmp_path / "none")], env={}) == 2
    assert capfd.readouterr().err.startswith("agent: --cwd ")
