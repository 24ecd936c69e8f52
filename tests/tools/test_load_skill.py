"""The load_skill tool: only names of the catalog."""

from pathlib import Path

import pytest

from skills.catalog import Catalog
from skills.discover import discover
from tests.support.tools import Bench, make_bench, text_of
from tools.load_skill import LOAD_SKILL

SKILL = "---\nname: {name}\ndescription: d\n---\n{body}\n"


def write_skill(folder: Path, name: str, body: str) -> None:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL.format(name=name, body=body))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A project whose skills root holds `good` and links to a secret beside it."""
    root, secret = tmp_path / "R", tmp_path / "s-secret"
    write_skill(root / "good", "good", "GOOD BODY")
    write_skill(secret, "secret", "SECRET")
    write_skill(tmp_path / "R-evil" / "a", "evil", "SECRET")
    (root / "linked").symlink_to(secret)
    (root / "l2").mkdir()
    (root / "l2" / "SKILL.md").symlink_to(secret / "SKILL.md")
    catalog = Catalog(discover([root]))
    return make_bench(tmp_path, skills={name: catalog.body(name) for name in catalog.names()})


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("../../../tmp/s-secret", id="a"),
        pytest.param("../s-secret", id="a-near"),
        pytest.param("/tmp/s-secret", id="b"),
        pytest.param("good/../../s-secret", id="c"),
        pytest.param("linked", id="d"),
        pytest.param("l2", id="e"),
        pytest.param("secret", id="d-e"),
        pytest.param("../R-evil/a", id="f"),
        pytest.param("", id="g"),
        pytest.param(".", id="g-dot"),
        pytest.param("a\x00b", id="g-nul"),
        pytest.param("x" * 5_000, id="g-long"),
        pytest.param("GOOD", id="h"),
    ],
)
async def test_f30_only_names_of_the_catalog(bench: Bench, name: str) -> None:
    """Anything else is refused with the list of names, and nothing outside is ever read."""
    result = await bench.call(LOAD_SKILL, name=name)

    assert result.is_error
    assert "SECRET" not in text_of(result)
    assert text_of(result).endswith("The skills are: `good`.")
    assert len(text_of(result)) < 200
    assert "GOOD BODY" in text_of(await bench.call(LOAD_SKILL, name="good"))


async def test_without_skills_that_is_said(tmp_path: Path) -> None:
    """An empty list of names would help nobody."""
    assert "There are no skills here." in text_of(await make_bench(tmp_path).call(LOAD_SKILL, name="x"))


async def test_a_long_body_is_spilled(tmp_path: Path) -> None:
    """The limit holds for skills too, and the whole body is on disk."""
    bench = make_bench(tmp_path, skills={"long": "line\n" * 10_000})

    result = await bench.call(LOAD_SKILL, name="long")

    assert len(text_of(result)) <= 30_000
    assert result.spill is not None
    assert result.facts["marks"]
