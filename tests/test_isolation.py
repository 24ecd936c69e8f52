"""The walls around every test."""

import asyncio
import os
import socket
from pathlib import Path

import pytest

ELSEWHERE = ("192.0.2.1", 80)
"""An address that is nobody's, by RFC 5737."""


def test_home_and_folder_are_the_tests_own(isolation: Path) -> None:
    """A test sees neither the caller's home nor settings, and starts in an empty folder."""
    assert Path.home() == isolation / "home"
    assert os.environ["AGENT_HOME"] == str(isolation / "home" / ".agent")
    assert list(Path.cwd().iterdir()) == []
    assert not [
        name for name in os.environ if name.startswith("ANTHROPIC_") or name.lower().endswith("_proxy")
    ]


def test_the_network_is_out_of_reach() -> None:
    """A connection to another machine fails loudly, by address and by name."""
    with socket.socket() as client, pytest.raises(RuntimeError, match="tried to reach `192"):
        client.connect(ELSEWHERE)
    with pytest.raises(RuntimeError, match="tried to reach `example"):
        socket.getaddrinfo("example.org", 443)


async def test_asyncio_is_guarded_too() -> None:
    """The event loop's own connections are held as well."""
    with pytest.raises(RuntimeError, match="tried to reach"):
        await asyncio.open_connection(*ELSEWHERE)


def test_loopback_is_open() -> None:
    """A server of the test's own can be reached."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass


def test_an_invalid_name_is_unknown() -> None:
    """Names under `.invalid` fail as on a machine without network."""
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("nowhere.invalid", 443)
