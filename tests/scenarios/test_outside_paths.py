"""F37 with the agent headless: of what lies outside the project nothing is changed, whatever the path looks like."""

import json
import os
from pathlib import Path

import pytest

from agent.offline import MessagesServer, Reply, Request, Script, always, calls, says
from tests.support.command import Command, Ran

WORLD = ("out", "project-evil", "project/sub")


def world(command: Command) -> Path:
    """Make the folders and links of F37 beside and in the project; return what holds them."""
    root = command.root.resolve()
    for folder in WORLD:
        (root / folder).mkdir(parents=True)
    (root / "out/t.txt").write_text("theirs\n")
    (command.project / "l").symlink_to(root / "out")
    (command.project / "t").symlink_to(root / "out/t.txt")
    (root / "wl").symlink_to(command.project)
    (command.project / "shared").hardlink_to(root / "out/t.txt")
    return root


def state(root: Path) -> dict[str, str]:
    """Return every file outside the project and what it holds."""
    return {
        str(path.relative_to(root)): path.read_text()
        for folder in ("out", "project-evil", "PROJECT", ".bashrc", "x", "out.txt")
        for path in ([root / folder] if (root / folder).is_file() else (root / folder).rglob("*"))
        if path.is_file()
    }


def run(command: Command, name: str, *args: str, **given: str) -> tuple[Ran, str]:
    """Have the model make one call; return what came of it, and the call's result."""
    results: list[str] = []

    def model(request: Request) -> Reply:
        if not request.results:
            return calls(name, **given)
        results.extend(request.results.values())
        return says("Done.")

    with MessagesServer(Script(always(model))) as server:
        served = Command(root=command.root, url=server.url)
        ran = served.here("-p", "go", "--permission-mode", "accept-edits", *args)
        assert server.refusals == []
    return ran, results[-1]


F37 = {
    "a": "{w}/project-evil/a",
    "b": "../out.txt",
    "c": "sub/../../out.txt",
    "d": "l/new.txt",
    "e": "l/n1/n2/new.txt",
    "f": "t",
    "g": "{w}/x",
    "i": "{w}/PROJECT/ok.txt",
    "proc cwd": "/proc/self/cwd/../{here}/out.txt",
    "proc root": "/proc/self/root{w}/out.txt",
    "hard link": "shared",
    "home": "{w}/.bashrc",
}


@pytest.mark.parametrize("letter", F37)
def test_f37_nothing_outside_is_written(letter: str, tmp_path: Path) -> None:
    """a to g and i, the same by way of /proc, a file's other name: each is a refusal that says so, and the agent goes on."""
    command = Command(root=tmp_path)
    root = world(command)
    before = state(root)
    here = os.path.relpath(root, Path.cwd().parent)
    path = F37[letter].format(w=root, here=here)
    ran, result = run(command, "write", file_path=path, content="mine\n")
    assert ran.code == 0
    assert result.startswith("Refused: ")
    assert "outside the project" in result or "hard links" in result or "is protected" in result
    assert state(root) == before


@pytest.mark.parametrize("path", ["~/x", "$HOME/x", "~", "~root/x", "${HOME}/x"])
def test_f37_g_a_name_is_not_expanded(path: str, tmp_path: Path) -> None:
    """A name that a shell would expand is not, and the model is told; nothing is made, in the project neither."""
    command = Command(root=tmp_path)
    world(command)
    ran, result = run(command, "write", file_path=path, content="mine\n")
    assert ran.code == 0
    assert "is not expanded in paths" in result
    assert not (command.root / "x").exists()
    assert not [path for path in command.project.iterdir() if path.name.startswith(("~", "$"))]


@pytest.mark.parametrize("path", ["{w}/wl/ok.txt", "./~x/ok.txt", "{w}/wl/sub/../ok.txt"])
def test_f37_h_the_project_by_another_way_is_inside(path: str, tmp_path: Path) -> None:
    """A link to the project, a name that begins with `~` and is meant so: written without a question."""
    command = Command(root=tmp_path)
    root = world(command)
    _, result = run(command, "write", file_path=path.format(w=root), content="mine\n")
    assert "Refused" not in result
    [made] = command.project.rglob("ok.txt")
    assert made.read_text() == "mine\n"


@pytest.mark.parametrize(
    ("name", "given"),
    [
        *(("read", {"file_path": path}) for path in ("{w}/out/t.txt", "../out/t.txt", "l/t.txt", "t")),
        *(("glob", {"pattern": pattern}) for pattern in ("../out/*", "{w}/out/*", "sub/../../out/*")),
        ("glob", {"pattern": "*", "path": "l"}),
        ("glob", {"pattern": "*", "path": "{w}/out"}),
    ],
)
def test_f37_j_reading_outside_is_asked_about_too(name: str, given: dict[str, str], tmp_path: Path) -> None:
    """read and glob by the same ways: a refusal where nobody can be asked, and nothing of it is shown."""
    command = Command(root=tmp_path)
    root = world(command)
    filled = {field: text.format(w=root) for field, text in given.items()}
    _, result = run(command, name, **filled)
    assert result.startswith("Refused: ")
    assert "theirs" not in result
    assert "outside the project" in result


def test_the_agent_cannot_give_itself_rights(tmp_path: Path) -> None:
    """Its own settings, git's hooks and a shell's start-up file stay as they are, also in bypass mode."""
    command = Command(root=tmp_path)
    world(command)
    for path in (
        ".agent/settings.json",
        ".git/hooks/pre-commit",
        str(command.home / "settings.json"),
        ".envrc",
    ):
        ran, result = run(command, "write", "--permission-mode", "bypass", file_path=path, content="{}")
        assert ran.code == 0
        assert result.startswith("Refused: ")
        assert "is protected" in result
        assert not (command.project / path).exists()


def test_an_exact_rule_answers(tmp_path: Path) -> None:
    """A rule that names a protected file lets that one be written, and only that."""
    command = Command(root=tmp_path)
    world(command)
    rule = ("--allow", "edit(.vscode/settings.json)", "--allow", "edit(.vscode/**)")
    _, result = run(command, "write", *rule, file_path=".vscode/settings.json", content="{}")
    assert json.loads((command.project / ".vscode/settings.json").read_text()) == {}
    _, result = run(command, "write", *rule, file_path=".vscode/tasks.json", content="{}")
    assert result.startswith("Refused: ")
