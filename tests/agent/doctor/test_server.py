"""What `agent doctor` says of a server: whatever it answers, in one line, in time, without a secret."""

import asyncio
from pathlib import Path

import pytest

from agent.doctor.finding import Finding
from agent.doctor.server import server_findings, shown_url
from agent.offline import MessagesServer, Script
from agent.offline.service import API_KEY
from tests.support.command import NOBODY
from tests.support.raw_http import Step, answer, raw_server

MODEL = "claude-sonnet-5-5"
SECRET = "geheim"


def asked(url: str, model: str = MODEL, **more: str) -> list[Finding]:
    return server_findings({"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": API_KEY, **more}, model)


def test_a_key_that_is_refused() -> None:
    """Names the variable that it came from; the key itself is not shown."""
    with MessagesServer(Script()) as server:
        (finding,) = asked(server.url, ANTHROPIC_API_KEY=SECRET)
        (by_token,) = server_findings(
            {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_AUTH_TOKEN": SECRET}, MODEL
        )
        (good,) = server_findings({"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_AUTH_TOKEN": API_KEY}, MODEL)
    assert (finding.mark, by_token.mark, good.mark) == ("fault", "fault", "ok")
    assert finding.text.endswith("the key is refused (HTTP 401): check ANTHROPIC_API_KEY")
    assert by_token.text.endswith("check ANTHROPIC_AUTH_TOKEN")
    assert SECRET not in finding.text + by_token.text


def test_a_model_that_the_server_does_not_list() -> None:
    """A note, for names can have aliases; a dated form of the name counts as it."""
    with MessagesServer(Script()) as server:
        accepted, unlisted = asked(server.url, "no-such-model")
        assert len(asked(server.url, MODEL)) == 1
    assert (accepted.mark, unlisted.mark) == ("ok", "note")
    assert unlisted.text.startswith("it does not list `no-such-model`; it has ")


def test_a_server_that_is_down() -> None:
    """What the system says, and what to check."""
    (finding,) = asked(NOBODY)
    assert finding.mark == "fault"
    assert finding.text.startswith(f"{NOBODY} cannot be reached (")
    assert finding.text.endswith("check the network, or check ANTHROPIC_BASE_URL")


ANSWERS: list[tuple[bytes, str, str]] = [
    (
        answer("200 OK", b"<html>welcome</html>"),
        "fault",
        "this is no Messages API (HTTP 200, no list of models)",
    ),
    (answer("200 OK", b'{"models": []}'), "fault", "this is no Messages API"),
    (answer("200 OK", b"[" * 100_000), "fault", "this is no Messages API"),
    (answer("200 OK", b'{"data": []}'), "ok", "the key is accepted"),
    (answer("200 OK", b'{"data": [1, {"x": 1}]}'), "ok", "the key is accepted"),
    (answer("404 Not Found", b""), "note", "has no list of models, so the key was not tried"),
    (answer("403 Forbidden", b"{}"), "fault", "the key is refused (HTTP 403)"),
    (answer("429 Too Many", b"{}"), "note", "cannot serve now (HTTP 429): try again later"),
    (answer("529 Overloaded", b"{}"), "note", "cannot serve now (HTTP 529): try again later"),
    (answer("301 Moved", b"", {"location": "http://192.0.2.1/"}), "fault", "it sends elsewhere (HTTP 301)"),
    (answer("400 Bad", b"{}"), "fault", "this is no Messages API (HTTP 400"),
    (b"SSH-2.0-OpenSSH_9.2\r\n", "fault", "cannot be reached ("),
    (b"", "fault", "cannot be reached ("),
]


@pytest.mark.parametrize(("sent", "mark", "said"), ANSWERS)
async def test_whatever_it_answers_is_one_line(sent: bytes, mark: str, said: str) -> None:
    """HTML, other JSON, errors, another protocol, a closed connection."""
    async with raw_server(sent) as server:
        findings = await asyncio.to_thread(asked, server.url)
    assert [finding.mark for finding in findings] == [mark]
    assert said in findings[0].line
    assert "\n" not in findings[0].line


@pytest.mark.parametrize(
    "steps", [(30.0,), (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{", *[4.0, b" "] * 4)]
)
async def test_a_server_that_does_not_get_on_is_left(steps: tuple[Step, ...]) -> None:
    """Silence, or a drop now and then: after five seconds in all that is the finding."""
    async with raw_server(*steps) as server:
        (finding,) = await asyncio.to_thread(asked, server.url)
        assert finding.text == f"{server.url} did not answer within 5 s: check network, proxy and address"


@pytest.mark.parametrize(
    "url", ["localhost:1", "http://", "ftp://127.0.0.1", "http://127.0.0.1:99999", "not a url"]
)
def test_an_address_that_is_none(url: str) -> None:
    """Is a fault like one where nobody answers."""
    (finding,) = asked(url)
    assert finding.mark == "fault"
    assert finding.text.endswith("check ANTHROPIC_BASE_URL")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:geheim@host:8080/v1?key=geheim#geheim", "https://host:8080/v1"),
        ("http://geheim@[::1]:9/", "http://[::1]:9/"),
        ("http://host", "http://host"),
        ("http://[", "ANTHROPIC_BASE_URL"),
        ("https://u:geheim@host:x", "ANTHROPIC_BASE_URL"),
    ],
)
def test_an_address_is_shown_without_secrets(url: str, shown: str) -> None:
    """Neither user nor password nor query."""
    assert shown_url(url) == shown


@pytest.mark.parametrize("columns", [20, 40, 80, 160])
def test_on_a_terminal_a_line_is_wrapped_between_words(columns: int) -> None:
    """What does not fit goes on below, indented; no word is lost or cut."""
    finding = Finding("fault", "server", "a rather long text of many words " * 6)
    lines = finding.wrapped(columns).splitlines()
    assert all(len(line) <= columns for line in lines)
    assert all(line.startswith("    ") for line in lines[1:])
    assert " ".join(" ".join(lines).split()) == " ".join(finding.line.split())


def test_a_key_that_cannot_be_sent(tmp_path: Path) -> None:
    """As one with a letter beyond ASCII that came along when it was copied."""
    (finding,) = asked(NOBODY, ANTHROPIC_API_KEY="schlüssel")
    assert finding.mark == "fault"
    assert "schlüssel" not in finding.text
