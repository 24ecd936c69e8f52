"""`agent sessions export`: the conversation as it was appended, and no text from outside becomes markup."""

import base64
import io
import json
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt
from PIL import Image

from agent.offline import calls, says
from agent.session.records import encode
from tests.agent.sessions.logs import (
    FIRST,
    NASTY,
    compacted,
    context,
    head,
    ran,
    record,
    replied,
    said,
    simple,
    text,
    write,
)
from tests.support.agent import scenario
from tests.support.long_session import SUMMARY

ALLOWED = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "h1",
        "h2",
        "p",
        "pre",
        "section",
        "details",
        "summary",
    ),
    *("div", "figure", "figcaption", "img", "svg", "line", "text", "polyline", "a", "g", "circle"),
}


def image() -> dict[str, Any]:
    made = io.BytesIO()
    Image.new("RGB", (2, 2)).save(made, "PNG")
    data = base64.b64encode(made.getvalue()).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def parsed(page: str) -> ET.Element:
    """The page, by a parser that takes nothing but what is well-formed; only elements of ours in it, each id once."""
    tree = ET.fromstring(page)
    assert {element.tag.rpartition("}")[2] for element in tree.iter()} <= ALLOWED
    names = {name for element in tree.iter() for name in element.attrib}
    assert not any(name.startswith("on") for name in names)
    ids = [element.attrib["id"] for element in tree.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids))
    return tree


def words(tree: ET.Element) -> str:
    return "".join(tree.itertext())


def exported(folder: Path, to: str, wanted: str = FIRST) -> str:
    done = ran(folder, "export", wanted, "--to", to)
    assert done.code == 0, done.err
    return done.text


def hostile() -> list[Any]:
    """A session in which everything that comes from outside is hostile."""
    call = {"type": "tool_use", "id": "c1", "name": NASTY, "input": {"command": NASTY, NASTY: [NASTY]}}
    bad = {
        "type": "image",
        "source": {"type": "base64", "media_type": 'image/png"><script>', "data": '"><b>'},
    }
    thinking = {"type": "thinking", "thinking": NASTY, "signature": ""}
    return [
        head(FIRST, model=NASTY),
        context(NASTY),
        said(3, NASTY),
        replied(4, thinking, text(NASTY), call, {"type": NASTY}, model=NASTY, cut="x"),
        record(5, "result", call="c1", name=NASTY, content=[text(NASTY), image(), bad], is_error=True),
        {**record(6, "message", role="user", results=["r5"], content=[image(), text(NASTY)], said=[])},
        compacted(7, layer=NASTY, trigger=NASTY, archive=NASTY, summary_by=NASTY),
        record(8, "title", text=NASTY),
        record(9, "note", text=NASTY),
        record(10, "pin", text=NASTY),
        record(11, NASTY, field=NASTY),
        record(12, "subagent", agent=NASTY, number=1, log=f"../{NASTY}", spent={}, description=NASTY),
        {**compacted(13), "id": '"><script>'},
    ]


def test_hostile_text_never_becomes_markup(tmp_path: Path) -> None:
    """The page is well-formed, has no element but ours, and the words stand in it as they are, controls escaped."""
    write(tmp_path, FIRST, *hostile())
    page = exported(tmp_path, "html")
    tree = parsed(page)
    assert "<script" not in page
    assert not set(page) & {"\x1b", "\x00", "\u202e", "\ufffe"}
    assert "</pre><script>alert(1)</script>\\x1b[31m\\x00 & \\u202e" in words(tree)
    sources = [element.attrib["src"] for element in tree.iter("img")]
    assert len(sources) == 2
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    assert "cannot be shown" in page


def test_hostile_text_closes_no_fence(tmp_path: Path) -> None:
    """In Markdown what tools said stays in its fence; no control character is left."""
    write(tmp_path, FIRST, *hostile())
    document = exported(tmp_path, "md")
    assert not set(document) & {"\x1b", "\x00", "\u202e"}
    assert "\n`````\n" in document


def test_the_document_is_read_as_it_was_written(tmp_path: Path) -> None:
    """A fence that an answer left open, its HTML and its headings do not reach the next prompt, nor pretend to be one."""
    forged = "## turn 7\n\n> delete it all\n\n<!--\n```"
    log = [
        head(FIRST),
        said(3, NASTY),
        replied(4, text(forged)),
        said(5, "And then?", turn=2),
        replied(6, text("Done.")),
    ]
    write(tmp_path, FIRST, *log)
    tokens = MarkdownIt("commonmark").parse(exported(tmp_path, "md"))
    headings = [
        inline.content
        for token, inline in pairwise(tokens)
        if (token.type, token.tag) == ("heading_open", "h2")
    ]
    assert headings == ["turn 1", "turn 2"]
    assert "Done." in [token.content for token in tokens if token.type == "inline" and not token.level - 1]
    assert not [token for token in tokens if token.type.startswith("html")]


def test_what_happened_beside_is_told_in_words(tmp_path: Path) -> None:
    """Titles, models, modes and turns that broke off; what goes without saying is not told, nor anything as field and value."""
    kept = {"path": str(tmp_path / "a.py"), "is_there": True, "mode": 420, "link": "", "sha256": "f" * 64}
    beside = [
        record(5, "snapshot", **kept, kept=".transcripts/x/files/f"),
        record(6, "snapshot", **kept, kept=""),
        record(7, "title", text="Green tests"),
        record(8, "model", model="claude-opus-5-5"),
        record(9, "mode", mode="plan"),
        record(10, "end", of="turn", reason="interrupted", problem=""),
        record(11, "end", of="turn", reason="failed", problem="no key"),
        record(12, "end", of="turn", reason="done", problem=""),
        record(13, "end", of="session", reason="exit"),
    ]
    write(tmp_path, FIRST, head(FIRST), said(3, "Go."), replied(4, text("Done.")), *beside)
    lines = [
        line.strip("*") for line in exported(tmp_path, "md").partition("\nDone.\n")[2].splitlines() if line
    ]
    assert lines == [
        "a.py could not be kept for /rewind before it was changed",
        "the session is called Green tests",
        "from here on with claude-opus-5-5",
        "from here on in mode plan",
        "the turn ended here, interrupted",
        "the turn ended here, failed: no key",
    ]


async def test_a_real_session_with_a_call_a_compaction_and_a_subagent(tmp_path: Path) -> None:
    """In the order in which it was appended; calls and the subagent folded; jsonl is the records."""
    script = (
        says("I look. " * 300) + calls("read", file_path="a.py"),
        calls("task", description="Count", prompt="Count the lines."),
        says("Three lines."),
        says("A long story. " * 300) + calls("compact"),
        says("All done."),
    )
    async with scenario(
        tmp_path, *script, files={"a.py": "one = 1\n"}, routes=[SUMMARY], may_move=True
    ) as harness:
        await harness.turn("Look at a.py.")
        session, log = harness.state.session_id, harness.agent.session.log.path
        await harness.close()
        project = harness.project
        tree = parsed(exported(project, "html", session))
        told = words(tree)
        places = [
            told.index(part)
            for part in ("Look at a.py.", "read: a.py", "Three lines.", "⟲ summary", "All done.")
        ]
        assert places == sorted(places)
        folded = {element.attrib["class"] for element in tree.iter("details")}
        assert {"call", "context", "subagent", "compaction"} <= folded
        document = exported(project, "md", session)
        assert "## asked by the model\n\n> Count the lines.\n" in document
        assert "## turn 1\n\n> Look at a.py.\n" in document
        lines = exported(project, "jsonl", session).splitlines()
        assert lines == log.read_text("utf-8").splitlines()


def test_every_compaction_is_marked_on_the_line(tmp_path: Path) -> None:
    """With its receipt to hover over, and a link to the place where it stands."""
    write(tmp_path, FIRST, *simple(FIRST), compacted(7, layer="micro"))
    tree = parsed(exported(tmp_path, "html"))
    svg = "{http://www.w3.org/2000/svg}"
    titles = [mark.findtext(f"{svg}title") or "" for mark in tree.iter(f"{svg}g")]
    assert [title.split("\n")[0] for title in titles] == [
        "step 1: summary (manual) 1k → 400",
        "step 1: micro (manual) 1k → 400",
    ]
    ids = {element.attrib.get("id") for element in tree.iter()}
    assert {link.attrib["href"].removeprefix("#") for link in tree.iter(f"{svg}a")} <= ids


def test_damage_is_named_in_its_place(tmp_path: Path) -> None:
    """What can be read is there; a result without its call, a call without its result, and an unsent thought too."""
    orphan = record(20, "result", call="gone", name="bash", content="kept", is_error=False)
    alone = replied(
        21, {"type": "tool_use", "id": "c9", "name": "bash", "input": {}}, stop_reason="interrupted"
    )
    thought = replied(22, {"type": "thinking", "thinking": "", "signature": ""})
    strange = replied(23, {"type": "thinking"}, usage=None)
    undo = [record(24, "undo", target="r6", is_redo=is_redo) for is_redo in (False, True)]
    write(tmp_path, FIRST, b"{torn\n", *simple(FIRST), orphan, alone, thought, strange, *undo)
    page = exported(tmp_path, "html")
    told = words(parsed(page))
    for part in (
        "damaged lines: 1",
        "line 1 of the log cannot be read",
        "bash: a result whose call is lost",
        "no result",
        "the reply broke off here",
        "its text was not sent",
        "line 11 of the log is not as it was written",
        "compaction r6 redone",
    ):
        assert part in told
    done = ran(tmp_path, "export", FIRST, "--to", "jsonl")
    assert [json.loads(line)["id"] for line in done.text.splitlines()][:2] == ["r1", "r2"]
    assert done.err == "agent: unreadable, kept in the file and passed over: line 1\n"
    assert "passed over: 1\n" in exported(tmp_path, "md")


def test_logs_outside_of_the_sessions_are_not_read(tmp_path: Path) -> None:
    """A record that names another file as a subagent's log gets none; one that is gone is named."""
    secret = tmp_path / "secret.jsonl"
    secret.write_bytes(encode(said(1, "secret words")))
    more = [
        record(7 + index, "subagent", agent="t", number=1, log=log, spent={})
        for index, log in enumerate((str(secret), "secret.jsonl", ".transcripts/gone.jsonl"))
    ]
    write(tmp_path, FIRST, *simple(FIRST), *more)
    page = exported(tmp_path, "html")
    assert "secret words" not in page
    itself = record(7, "subagent", agent="t", number=1, description="d", log=f".transcripts/{FIRST}.jsonl")
    spent = {"usd": 0.0, "is_known": True, "input_tokens": 0, "cached_tokens": 0, "output_tokens": 0}
    write(tmp_path, FIRST, *simple(FIRST), {**itself, "spent": spent})
    assert exported(tmp_path, "html").count('class="subagent"') == 2


def test_a_file_is_written_for_the_user_alone(tmp_path: Path) -> None:
    """With `-o`, over what stood there; an empty session is a page too."""
    write(tmp_path, FIRST, head(FIRST))
    target = tmp_path / "out.html"
    for _ in range(2):
        done = ran(tmp_path, "export", FIRST, "--to", "html", "-o", str(target))
        assert (done.code, done.out, done.err) == (0, b"", "")
    assert target.stat().st_mode & 0o777 == 0o600
    assert parsed(target.read_text()).findtext("body/h1") == FIRST


@pytest.mark.parametrize("how", ["itself", "link", "hard link", "folder", "missing"])
def test_a_transcript_is_never_written_over(tmp_path: Path, how: str) -> None:
    """Whatever way leads to it; what else cannot be written costs one line as well."""
    log = write(tmp_path, FIRST, *simple(FIRST))
    before = log.read_bytes()
    target = tmp_path / "out"
    if how == "itself":
        target = log
    elif how == "link":
        target.symlink_to(log)
    elif how == "hard link":
        target.hardlink_to(log)
    else:
        target = tmp_path if how == "folder" else tmp_path / "no" / "out"
    done = ran(tmp_path, "export", FIRST, "--to", "jsonl", "-o", str(target))
    assert (done.code, done.out, done.err.count("\n")) == (2, b"", 1)
    assert log.read_bytes() == before


@pytest.mark.parametrize("args", [["--to", "pdf"], []])
def test_a_format_that_is_none_costs_one_line(tmp_path: Path, args: list[str]) -> None:
    """Exit 2."""
    done = ran(tmp_path, "export", FIRST, *args)
    assert (done.code, done.err.count("\n")) == (2, 1)
