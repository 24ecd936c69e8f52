"""F45: whatever befell the log of a session of six turns, it goes on with all that can be read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent import wiring
from agent.errors import SessionError
from agent.offline import always, calls, says
from agent.session.closing import LOST, NOT_STARTED
from agent.session.records import decode
from tests.support.agent import Harness, scenario
from tests.support.invariants import main_requests

TURNS = 6
TWO = calls("bash", command="echo a") + calls("bash", command="echo b")
FOREIGN = b'null\n[]\n"x"\n{}\n'
FUTURE = b'{"v":2,"id":"r9999","parent":"","at":"","turn":1,"step":1,"type":"hologram","x":[1]}\n'


def script() -> list[Any]:
    """Six turns with two calls each, and a word for whatever comes after."""
    turns = [reply for turn in range(1, TURNS + 1) for reply in (TWO, says(f"Answer {turn}."))]
    return [*turns, always(says("Hello."))]


async def lived(harness: Harness) -> list[bytes]:
    """Live the six turns; return the lines of the log."""
    for turn in range(1, TURNS + 1):
        await harness.turn(f"Question {turn}.")
    await harness.close()
    return harness.agent.session.log.path.read_bytes().splitlines(keepends=True)


def index_of(lines: list[bytes], kind: str, number: int) -> int:
    """Where the n-th record of a type stands; -1: the last."""
    found = [index for index, line in enumerate(lines) if json.loads(line)["type"] == kind]
    return found[number]


async def goes_on(harness: Harness, log: bytes, turns: int, *, is_damaged: bool) -> None:
    """It opens, names the damage, shows the model the first ``turns`` turns, and keeps every byte of the file."""
    await harness.resume(log=log)
    assert bool(harness.agent.session.damaged) is is_damaged
    assert (await harness.turn("hi")).text == "Hello."
    sent = str(main_requests(harness.server.queries)[-1].body["messages"])
    for turn in range(1, turns + 1):
        assert f"Question {turn}." in sent
        assert f"Answer {turn}." in sent
    kept = harness.agent.session.log.path.read_bytes()
    assert kept.startswith(log)
    assert [id_ for id_ in ids(log) if id_ not in ids(kept)] == []


def ids(log: bytes) -> list[str]:
    """Ids of all records that can be read."""
    return [record["id"] for line in log.splitlines(keepends=True) for record in decode(line)[0]]


async def test_f45_a_j_cut_after_every_byte(tmp_path: Path) -> None:
    """A reply at the end, cut after each of its bytes, opens; a new turn behind it is there after one more resume."""
    async with scenario(tmp_path, *script(), may_move=True) as harness:
        lines = await lived(harness)
        last = index_of(lines, "message", -1)
        early = index_of(lines, "message", 3)
        for cut in range(len(lines[early])):
            torn = b"".join(lines[:early]) + lines[early][:cut]
            harness.agent.session.log.path.write_bytes(torn)
            agent = wiring.resume(harness.shared, harness.state.session_id)
            assert agent.session.faults() == []
            agent.session.close()
            assert harness.agent.session.log.path.read_bytes().startswith(torn)
        whole, line = b"".join(lines[:last]), lines[last]
        await goes_on(harness, whole + line[:-40], TURNS - 1, is_damaged=True)
        await harness.resume()
        assert (await harness.turn("again")).text == "Hello."
        sent = str(main_requests(harness.server.queries)[-1].body["messages"])
        assert "'hi'" in sent
        damaged = [
            part for part in harness.agent.session.log.path.read_bytes().splitlines() if decode(part)[1]
        ]
        assert damaged == [line[:-40]]
        await harness.resume(log=b"".join(lines))


Damage = Callable[[list[bytes], int], bytes]
DAMAGES: dict[str, tuple[Damage, bool]] = {
    "b-between": (lambda lines, at: b"".join([*lines[:at], bytes(4_096), *lines[at:]]), False),
    "b-in-a-line-of-its-own": (
        lambda lines, at: b"".join([*lines[:at], bytes(4_096) + b"\n", *lines[at:]]),
        True,
    ),
    "c": (lambda lines, at: b"".join([*lines[:at], lines[at][:-1], *lines[at + 1 :]]), False),
    "d": (lambda lines, at: b"".join([*lines[:at], FOREIGN, *lines[at:]]), True),
    "g": (lambda lines, at: b"".join([*lines[:at], FUTURE, *lines[at:]]), False),
    "i": (lambda lines, _: b"".join(lines).replace(b"\n", b"\r\n"), False),
}


@pytest.mark.parametrize("letter", DAMAGES)
async def test_f45_b_c_d_g_i_in_the_middle(tmp_path: Path, letter: str) -> None:
    """Nothing but the damage is lost: all six turns are sent, and the log keeps what it cannot read."""
    damage, is_damaged = DAMAGES[letter]
    async with scenario(tmp_path, *script(), may_move=True) as harness:
        lines = await lived(harness)
        await goes_on(harness, damage(lines, len(lines) // 2), TURNS, is_damaged=is_damaged)
        await harness.resume(log=b"".join(lines))


async def test_f45_b_in_place_of_a_record(tmp_path: Path) -> None:
    """A block of NULs over the middle of the file, as a lost page: what is before and behind it is sent."""
    async with scenario(tmp_path, *script(), may_move=True) as harness:
        whole = b"".join(await lived(harness))
        middle = len(whole) * 3 // 4
        torn = whole[:middle] + bytes(1_500) + whole[middle + 1_500 :]
        await goes_on(harness, torn, 2, is_damaged=True)
        await harness.resume(log=whole)


async def test_f45_e_an_empty_file(tmp_path: Path) -> None:
    """It is no session, which one line says; going on with the newest passes it over."""
    async with scenario(tmp_path, *script(), may_move=True) as harness:
        lines = await lived(harness)
        store, own = harness.shared.store, harness.state.session_id
        store.log("20990101-000000-aaaaaa").touch()
        assert store.newest() == own
        with pytest.raises(SessionError, match="no readable record"):
            wiring.resume(harness.shared, "20990101-000000-aaaaaa")
        await harness.resume(log=b"".join(lines))


@pytest.mark.parametrize(("called", "told"), [(0, [NOT_STARTED] * 2), (1, [LOST, NOT_STARTED])])
async def test_f45_f_calls_without_results(tmp_path: Path, called: int, told: list[str]) -> None:
    """The last record is a reply with two calls, or the start of the first: both are answered, and that is sent."""
    async with scenario(tmp_path, *script(), may_move=True) as harness:
        lines = await lived(harness)
        end = index_of(lines, "call", -2) + called
        await goes_on(harness, b"".join(lines[:end]), TURNS - 1, is_damaged=False)
        assert [record["content"] for record in harness.log_records("result")][-2:] == told
