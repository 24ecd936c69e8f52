"""Paths in trees of links: what is judged is what is opened, and it stays that until it is opened."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.calls.admission import as_use
from tests.support.calls import path_call, permission
from tests.support.tools import make_bench
from tools.base import ToolError
from tools.paths import refuse_moved, resolve
from tools.registry import ToolRegistry
from tools.spelling import spelled
from tools.write import WRITE

NAMES = ["a", "b", "c"]
FOLDERS = ["proj", "proj/a", "proj/b", "out", "out/a", "proj-evil"]
TARGETS = [
    "..",
    ".",
    "a",
    "../out",
    "../proj",
    "b/c",
    "{root}/out",
    "{root}/proj/a",
    "{root}",
    "/proc/self/cwd",
    "x",
]
links = st.lists(
    st.tuples(st.sampled_from(FOLDERS), st.sampled_from(NAMES), st.sampled_from(TARGETS)), max_size=6
)
raws = st.lists(st.sampled_from([*NAMES, "..", ".", "l", "new"]), min_size=1, max_size=6).map("/".join)


def grow(root: Path, tree: list[tuple[str, str, str]]) -> None:
    """Make the folders, a file in each, and the links that find room."""
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
        (root / folder / "f").write_text(folder)
    for folder, name, target in tree:
        place = root / folder / name
        if not os.path.lexists(place):
            place.symlink_to(target.format(root=root))


@given(links, raws)
def test_the_decision_is_about_the_file_that_is_opened(tree: list[tuple[str, str, str]], raw: str) -> None:
    """Whatever links lie on the way: what is allowed as inside lies inside once it is made, what lies outside is asked."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name).resolve()
        grow(root, tree)
        project = root / "proj"
        try:
            found = resolve(raw, access="write", project=project, base=None, is_own_file=lambda _: False)
        except ToolError:
            return
        verdict = permission("accept-edits").judge(path_call("write", as_use(found, project)))
        real = os.path.realpath(project / raw)
        assert str(found.path) == real
        is_inside = os.path.commonpath([real, project]) == str(project)
        assert verdict.decision == ("allow" if is_inside else "ask")
        assert found.is_inside == is_inside
        refuse_moved(found)


@given(links, raws)
def test_a_spelling_is_kept_where_case_counts(tree: list[tuple[str, str, str]], raw: str) -> None:
    """On a disk that tells case apart a path is spelled as it stands, whatever links and lookalikes there are."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name).resolve()
        if (root.parent / root.name.swapcase()).exists():
            pytest.skip("the temporary folder takes names in any case")
        grow(root, tree)
        os.link(root / "out/f", root / "out/F")
        for path in (root / "proj" / raw, root / "out/F", root / "out/f", root / "OUT/f"):
            real = Path(os.path.realpath(path))
            assert spelled(real) == (real, False)


def test_a_disk_that_takes_any_case(tmp_path: Path) -> None:
    """There a name is spelled as the folder lists it, and the path is marked; made new, it is marked by its folder."""
    root = tmp_path.resolve()
    (root / "Dir").mkdir()
    if not (root / "dIR").exists():
        pytest.skip("the temporary folder tells case apart")
    assert spelled(root / "dIR") == (root / "Dir", True)
    assert spelled(root / "DIR" / "new") == (root / "Dir" / "new", True)


async def test_a_path_that_leads_elsewhere_by_now_is_not_opened(tmp_path: Path) -> None:
    """A folder that becomes a link between the question and the answer: the call fails, nothing outside is touched."""
    project = tmp_path / "proj"
    project.mkdir()
    bench, registry = make_bench(project), ToolRegistry([WRITE])
    (bench.project / "d").mkdir()
    given = {"file_path": "d/new.txt", "content": "x"}
    prepared = registry.prepare("write", given, facts=bench.facts, project=bench.project)
    (bench.project / "d").rmdir()
    out = tmp_path / "elsewhere"
    out.mkdir()
    (bench.project / "d").symlink_to(out)
    result = await registry.run(prepared, bench.context(paths=prepared.paths))
    assert result.is_error
    assert "leads elsewhere than when it was asked for" in str(result.content)
    assert not list(out.iterdir())
