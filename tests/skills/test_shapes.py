"""Skills in the shapes of public repositories load as they are."""

from pathlib import Path

import pytest

from skills.budget import budget_of
from skills.catalog import Catalog
from skills.discover import Found, Skill, discover
from tests.skills.shapes import write_shapes


@pytest.fixture
def found(tmp_path: Path) -> Found:
    write_shapes(tmp_path)
    return discover([tmp_path])


def skill(found: Found, name: str) -> Skill:
    return next(one for one in found.skills if one.front.name == name)


def test_all_of_them_load(found: Found) -> None:
    """Those of a group behind the others; nothing else is taken for a skill, and nothing is broken."""
    assert [one.front.name for one in found.skills] == [
        "company-portrait",
        "consent",
        "deploy",
        "floor_plan",
        "node-watch",
        "pdf-forms",
        "quoted",
        "release",
        "windows",
        "flaky",
    ]
    assert (found.broken, found.shadowed) == ((), ())


@pytest.mark.parametrize(
    ("name", "about"),
    [
        (
            "pdf-forms",
            "Fill PDF forms, merge and split PDF files. Use when the user mentions PDFs, forms, or document extraction.",
        ),
        ("flaky", "Finds tests that fail now and then. Use when CI is red without a change."),
        ("quoted", 'Says "it": one—two'),
        ("release", "🚀 Ships a release: - tags - notes"),
        ("deploy", "Deploy the app. Example: `/deploy staging`"),
        ("node-watch", "Watch nodes: start, stop, sync status, peers, logs"),
        (
            "company-portrait",
            "维护长期公司画像、事件时间线；当用户想建立公司档案时使用 当用户明确希望长期跟踪时",
        ),
        ("windows", "Written on Windows."),
        ("consent", 'Drafts a consent form. Use when the user says "informed consent".'),
    ],
)
def test_what_they_are_for(found: Found, name: str, about: str) -> None:
    """On one line, as their authors wrote it."""
    assert skill(found, name).front.about == about


def test_their_fields(found: Found) -> None:
    """Every one of them, those of the standard and others."""
    flaky, deploy, node = (skill(found, name).front for name in ("flaky", "deploy", "node-watch"))

    assert skill(found, "pdf-forms").front.license == "Proprietary. LICENSE.txt has complete terms"
    assert skill(found, "release").front.compatibility == "Requires git, gh, and access to the internet"
    assert flaky.allowed_tools == ("Read", "Bash(pytest:*)")
    assert flaky.metadata == {"author": "platform", "version": "2.1", "updated": "2026-03-01"}
    assert deploy.allowed_tools == ("Bash(kubectl apply:*)", "Bash(helm:*)", "Read")
    assert list(deploy.others) == ["argument-hint", "model", "disable-model-invocation", "hooks"]
    assert deploy.others["argument-hint"] == "[environment] [--dry-run]"
    assert node.metadata == {"runner": '{"requires": {"bins": ["curl"]}, "emoji": "🔭"}'}
    assert node.others["homepage"] == "https://example.org/skills#node-watch"


def test_their_bodies(found: Found) -> None:
    """Whole: a rule or a front matter in the text is text; line ends are ours."""
    assert skill(found, "pdf-forms").front.body.endswith("\n---\n\n```yaml\n---\nname: not-this\n---\n```")
    assert skill(found, "windows").front.body == "Step one."


def test_who_is_warned(found: Found) -> None:
    """What keeps to the standard is not spoken of; what does not says what to do."""
    warned = {one.front.name: one.warnings for one in found.skills if one.warnings}

    assert set(warned) == {"company-portrait", "consent", "deploy", "floor_plan", "node-watch", "windows"}
    assert warned["windows"] == ("begins with a byte order mark: save it as UTF-8 without one",)
    assert warned["consent"][0] == "has no `name`: write `name: consent`"
    assert [text.split(":")[0] for text in warned["floor_plan"]] == [
        "has the name `floor_plan`",
        "has a `description` of 1,400 characters",
    ]


def test_what_the_model_is_told(found: Found) -> None:
    """A line each, but for what its author keeps for the user."""
    text = Catalog(found).text(budget_tokens=budget_of(200_000), count=lambda text: len(text) // 3)

    assert [line.split(":")[0] for line in text.splitlines()] == [
        f"- {one.front.name}" for one in found.skills if one.front.name != "deploy"
    ]
