"""The programs that hooks run are found in their commands, so that they can be protected."""

from pathlib import Path
from typing import Any

import pytest

from hooks.commands.config import parse_hooks
from hooks.commands.scripts import scripts_of
from tests.support.hook_scripts import settings


def found(project: Path, command: str, **handler: Any) -> list[str]:
    """The scripts of one command, relative to the folder that holds project and home."""
    hooks = parse_hooks(settings("Stop", command, **handler), origin="x")
    root = project.parent
    return [str(Path(path).relative_to(root)) for path in scripts_of(hooks, project, root / "home")]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a few programs and a text."""
    made = tmp_path.resolve() / "project"
    (made / "tools").mkdir(parents=True)
    for name, mode in (("check.py", 0o644), ("tools/run", 0o755), ("NOTES.md", 0o644), ("a b.sh", 0o644)):
        (made / name).write_text("x")
        (made / name).chmod(mode)
    (made / "link").symlink_to("tools/run")
    return made


@pytest.mark.parametrize(
    ("command", "scripts"),
    [
        ("./check.py", ["project/check.py"]),
        ("python3 check.py --fast", ["project/check.py"]),
        ("python3 ./yet-to-be-made", ["project/yet-to-be-made"]),
        ('"$CLAUDE_PROJECT_DIR"/tools/run x', ["project/tools/run"]),
        ("${AGENT_PROJECT_DIR}/tools/run&&tools/run;check.py", ["project/check.py", "project/tools/run"]),
        ("bash 'a b.sh'", ["project/a b.sh"]),
        ("link", ["project/tools/run"]),
        ("~/bin/guard; $HOME/bin/other", ["home/bin/guard", "home/bin/other"]),
        ("../beside/guard", ["beside/guard"]),
        ("cat NOTES.md", []),
        ("grep -q 'tools' && echo tools/none", []),
        ("/usr/bin/python3 -c 'print(1)' > /dev/null", []),
        ('echo "$X/check.py" tools', []),
        ("echo 'unclosed ./check.py", ["project/check.py"]),
        ("true # ./check.py", ["project/check.py"]),
    ],
)
def test_scripts_of_a_command(project: Path, command: str, scripts: list[str]) -> None:
    """Paths, names of programs, placeholders and quotes are understood; what is only text or read is left alone."""
    assert found(project, command) == scripts


def test_arguments(project: Path) -> None:
    """Without a shell each argument is a word as it stands."""
    assert found(project, "python3", args=["${CLAUDE_PROJECT_DIR}/check.py", "a b.sh; ./tools/run"]) == [
        "project/check.py"
    ]
