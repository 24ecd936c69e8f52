"""What the sandbox refused is told as what it was, and only where output, exit code and rules prove it."""

import os
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.sandboxes import NEEDS_SANDBOX, sandbox_of
from tests.support.tools import Bench, make_bench, text_of
from tools.bash import BASH
from tools.denied import denial
from tools.jobs import end_jobs

pytestmark = NEEDS_SANDBOX
LEAD = "[denied by the sandbox: "


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    """A session whose home folder has a folder with secrets and one that can be seen."""
    for name in (".ssh", "bin"):
        (Path(os.environ["HOME"]) / name).mkdir()
    (Path(os.environ["HOME"]) / ".ssh" / "id").touch()
    bench = make_bench(tmp_path, sandbox=sandbox_of(tmp_path))
    yield bench
    await end_jobs(bench.services.jobs)


async def last_line(bench: Bench, command: str) -> str:
    return text_of(await bench.call(BASH, command=command)).splitlines()[-1]


WRITES = [
    "echo x >{0}",
    "touch {0}",
    "touch '{0}'",
    "cd $(dirname {0}) && touch $(basename {0})",
    "cp /etc/passwd {0}",
    "mkdir -p {0}",
    'python3 -c \'open("{0}", "w")\'',
    "python3 -c 'import os; os.mkdir(\"{0}\")'",
    "echo a | tee {0}; exit 1",
]


@pytest.mark.parametrize("command", WRITES)
async def test_a_write_that_was_refused_names_the_path(command: str, bench: Bench) -> None:
    """By shells, programs and languages: the path, that it is read-only there, and who can do it."""
    path = Path(os.environ["HOME"]).resolve() / "bin" / "f"
    said = await last_line(bench, command.format(path))
    assert said.startswith(
        f"{LEAD}`{path}` is read-only there, as what runs by itself or records what was done; if the task"
    )


async def test_what_can_be_allowed_is_said_with_the_setting(bench: Bench) -> None:
    """A place that nothing speaks against: its folder can be added to the settings."""
    said = await last_line(bench, "touch /usr/palimpsest")
    assert said.endswith("ask the user to add its folder to `sandbox.write` in ~/.agent/settings.json]")


async def test_settings_of_git_are_named(bench: Bench) -> None:
    """A rename onto what is fixed is refused in other words; the reason is the same."""
    await bench.call(BASH, command="git init -q .")
    bench.services.jobs.sandbox = sandbox_of(bench.project)
    said = await last_line(bench, "git config user.name n")
    assert said.startswith(f"{LEAD}`{bench.project}/.git/config` is read-only there")


@pytest.mark.parametrize(
    "command", ["cat {0}/id", "ls {0}", "python3 -c 'open(\"{0}/id\")'", "cat ~/.ssh/id"]
)
async def test_a_look_at_what_is_hidden_names_the_path(command: str, bench: Bench) -> None:
    """And says why it is hidden."""
    folder = Path(os.environ["HOME"]).resolve() / ".ssh"
    said = await last_line(bench, command.format(folder))
    assert said.startswith(f"{LEAD}`{folder}")
    assert "is hidden there, as a place where secrets or sockets are" in said


async def test_a_file_of_the_outer_temporary_folder_is_named(bench: Bench) -> None:
    """The model may have written it with another tool."""
    path = Path("/tmp") / f"palimpsest-denied-{os.getpid()}"
    path.touch()
    try:
        said = await last_line(bench, f"cat {path}")
    finally:
        path.unlink()
    assert said.startswith(f"{LEAD}`{path}` is not there: commands have a temporary folder of their own")


CONNECTIONS = [
    "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80), 5)'",
    "python3 -c 'import socket; socket.getaddrinfo(\"example.com\", 80)'",
    "exec 3<>/dev/tcp/192.0.2.1/80",
]


@pytest.mark.parametrize("command", CONNECTIONS)
async def test_a_connection_that_was_refused_says_so(command: str, bench: Bench) -> None:
    """By address and by name."""
    said = await last_line(bench, command)
    assert said.startswith(
        f"{LEAD}the network is off there; if the task needs it, ask the user to set `sandbox.network`"
    )


COMPLAINTS = [
    "curl: (6) Could not resolve host: example.com",
    "curl: (7) Failed to connect to 192.0.2.1 port 443 after 0 ms: Couldn't connect to server",
    "wget: unable to resolve host address 'example.com'",
    "ssh: Could not resolve hostname example.com: Temporary failure in name resolution",
    "W: Failed to fetch http://example.com/x  Temporary failure resolving 'example.com'",
    "npm ERR! request to https://example.com failed, reason: getaddrinfo EAI_AGAIN example.com",
    "dial tcp: lookup example.com on 127.0.0.53:53: read udp 127.0.0.1:1->127.0.0.53:53: read: connection refused",
    "error: failed to lookup address information: Name or service not known",
]


@pytest.mark.parametrize("complaint", COMPLAINTS)
async def test_programs_that_miss_the_network_are_understood(complaint: str, bench: Bench) -> None:
    """Each in its own words; with the network on, the same words are its own fault, and nothing is said."""
    (bench.project / "said").write_text(complaint)
    said = await last_line(bench, "cat said; echo; exit 1")
    assert said.startswith(f"{LEAD}the network is off there")
    assert denial(complaint, sandbox_of(bench.project, has_network=True), [bench.project]) == ""


FREE = [
    'echo "curl: (7) Failed to connect to localhost port 1 after 0 ms: Couldn\'t connect to server"; exit 7',
    'echo "curl: (7) Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn\'t connect to server"; exit 7',
    "echo 'dial tcp 127.0.0.1:5432: connect: connection refused'; exit 1",
    "cat nosuchfile",
    "cat /nosuch/file",
    "mkdir d; chmod 0 d; cd d/e",
    "false",
    "echo 'Read-only file system'; exit 1",
    "echo '{home}/bin/f: Read-only file system'; exit 0",
    "echo '{project}/f: Read-only file system'; exit 1",
    "echo '{home}/bin/f: some other complaint'; exit 1",
    "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 9), 5)'",
    "cat /tmp/nosuchfile",
]


@pytest.mark.parametrize("command", FREE)
async def test_what_failed_for_another_reason_is_not_claimed(command: str, bench: Bench) -> None:
    """No path that can be written, none that is not there, no success, no local port: nothing is said of the sandbox."""
    text = await last_line(bench, command.format(home=os.environ["HOME"], project=bench.project))
    assert "sandbox" not in text


async def test_a_socket_of_the_system_is_named(bench: Bench) -> None:
    """As that of docker: it exists outside, and is hidden."""
    path = Path("/run") / f"palimpsest-{os.getpid()}.sock"
    if not os.access(path.parent, os.W_OK):
        pytest.skip("a socket in /run needs root")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        try:
            said = denial(
                f"Cannot connect to the daemon at unix://{path}. Is it running?",
                sandbox_of(bench.project),
                [],
            )
            named = denial(
                f"connect {path}: no such file or directory", sandbox_of(bench.project), [bench.project]
            )
        finally:
            path.unlink()
    assert said == ""
    assert named.startswith(f"denied by the sandbox: `{path}` is hidden there")


async def test_a_flood_of_complaints_is_looked_at_quickly(bench: Bench) -> None:
    """However much a command prints, only so much of it is looked at."""
    flood = "\n".join(f"{'/x' * 5_000}: Permission denied {'a/b ' * 5_000}" for _ in range(300))
    assert denial(flood, sandbox_of(bench.project), [bench.project]) == ""
