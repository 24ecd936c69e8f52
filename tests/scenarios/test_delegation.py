"""The main job, shared out: four subagents of twenty steps each, and the parent that takes their answers."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from agent.events import Compacted, Event, FromSubagent, TurnEnded
from agent.offline import Reply, always, calls, last_text_starts, says, thinks, when
from agent.stream_json import Ended, Opened, Publisher
from agent.terminal.bar import Bar
from compaction.summary import OPENING
from tests.support.delegation import billed_usd, does, ordered
from tests.support.invariants import main_requests, messages_of
from tests.support.rewinding import rewind
from tests.support.rig import Rig, rig

ORDERS = ("Read the orders.", "Read the invoices.", "Count the lines.", "List the names.")
STEPS = 20
WINDOW = 32_000
PAGE = "".join(f"{number:05d} a line of the ledger, as long as such lines are\n" for number in range(180))
SUMMARY = "<summary>1. Request and intent: read the ledger. 2. Pages 1 to 9 say nothing new.</summary>"
CENT = 0.005


def steps_of(order: str) -> list[Reply]:
    """Twenty replies: the first two subagents read pages that fill their windows, the others run small commands."""
    number = ORDERS.index(order)
    if number < 2:
        work = [calls("read", file_path=f"pages/{number}-{page}.txt") for page in range(STEPS - 1)]
        work[3] = thinks("So many. ") + work[3]
    else:
        work = [calls("bash", command=f"echo {order} {step} | wc -c") for step in range(STEPS - 1)]
    return [*work, says(f"{order} All is well.")]


def pages() -> dict[str, str]:
    """The files that are read, no two alike."""
    return {
        f"pages/{number}-{page}.txt": f"{number} {page}\n{PAGE}"
        for number in range(2)
        for page in range(STEPS)
    }


@asynccontextmanager
async def delegated(tmp_path: Path, *more: Reply) -> AsyncGenerator[Rig]:
    """A session whose first turn gives the four orders; it has been run when the screen says so."""
    routes = [
        when(last_text_starts(OPENING), always(says(SUMMARY))),
        *(does(order, *steps_of(order)) for order in ORDERS),
    ]
    replies = (says("I share it out.") + ordered(*ORDERS), says("All four are well."), *more)
    async with rig(
        tmp_path, *replies, routes=routes, files=pages(), config={"window": WINDOW}, may_move=True
    ) as made:
        yield made


def bar_of(made: Rig) -> Bar:
    return Bar(made.desk, made.show, lambda: "main", queued=lambda: 0, questions=lambda: made.approver.open)


async def test_four_subagents_of_twenty_steps(tmp_path: Path) -> None:
    """Nothing is refused, each works all its steps, some compact, and the parent has the answers in call order."""
    async with delegated(tmp_path) as made:
        await made.says("Look at it all.", "All four are well.")
        server, records = made.harness.server, made.harness.log_records("subagent")
        ended = [record for record in records if not record.get("is_open")]
        assert server.refusals == []
        assert [bool(record.get("is_open")) for record in records[:4]] == [True] * 4, "all at once"
        assert sorted(record["steps"] for record in ended) == [STEPS] * 4
        compacted = {one.agent for one in made.harness.of(FromSubagent) if isinstance(one.event, Compacted)}
        assert compacted == {"task-001", "task-002"}
        results = [record for record in made.harness.log_records("result") if record["name"] == "task"]
        answer = messages_of(main_requests(server.queries)[-1])[-1]["content"]
        said = [str(block["content"]).split("\n")[0] for block in answer if block["type"] == "tool_result"]
        assert said == [f"{order} All is well." for order in ORDERS]
        assert [record["is_error"] for record in results] == [False] * 4


async def test_the_parents_context_grows_by_the_answers_only(tmp_path: Path) -> None:
    """Nothing that they read or did stands in it, and what it takes is what the answers take."""
    async with delegated(tmp_path) as made:
        await made.says("Look at it all.", "All four are well.")
        first, second = main_requests(made.harness.server.queries)
        assert "a line of the ledger" not in str(second.body)
        assert first.bill is not None
        assert second.bill is not None
        assert second.bill.total - first.bill.total < 1_000
        assert made.harness.state.compactions == 0
        assert made.harness.of(Compacted) == []


async def test_what_it_cost_to_the_cent(tmp_path: Path) -> None:
    """By every request that the server answered: in the log, /cost, the bar, the json result; after a resume, too."""
    async with delegated(tmp_path, says("Good.")) as made:
        publisher = Publisher(lambda: 0.0)
        publisher.open(Opened(session="s", cwd="/", model=made.harness.state.model, mode="bypass", tools=[]))
        made.harness.once(lambda event: not list(publisher.messages(event)) and False, lambda: None)
        await made.says("Look at it all.", "All four are well.")
        bill = billed_usd(made.harness.server.queries)
        state = made.harness.state
        assert abs(state.spent.usd - bill) < 1e-9
        assert state.delegated.usd < state.spent.usd
        assert abs(bar_of(made).status().usd - bill) < CENT
        await made.says("/cost", "4 subagents")
        assert f"${bill:.2f}" in made.text
        assert f"4 subagents ${state.delegated.usd:.2f}" in made.text
        ended = TurnEnded(reason="done", text="x")
        result = publisher.result(Ended(turn=ended, cost_usd=state.spent.usd, is_cost_known=True))
        assert abs(result["total_cost_usd"] - bill) < 1e-6
        assert abs(sum(one["costUSD"] for one in result["modelUsage"].values()) - bill) < 1e-6
        session, size = state.session_id, bar_of(made).status().size
        await made.says("/clear", "now in session")
        await made.says(f"/resume {session}", f"now in session {session}")
        assert abs(made.desk.agent.subagents.spent().usd - bill) < 1e-9
        assert bar_of(made).status().size == size
        await made.says("Thanks.", "Good.")
        bill = billed_usd(made.harness.server.queries)
        assert abs(made.desk.agent.session.state.spent.usd - bill) < 1e-9


async def test_the_bar_shows_the_parents_context_only(tmp_path: Path) -> None:
    """While they run it stands still but for the results that are there; after a rewind it is what it was."""
    async with delegated(tmp_path) as made:
        bar, sizes, usd = bar_of(made), list[int](), list[float]()

        def note(event: Event) -> bool:
            if isinstance(event, FromSubagent):
                sizes.append(bar.status().size)
                usd.append(bar.status().usd)
            return False

        made.harness.once(note, lambda: None)
        before = bar.status().size
        await made.says("Look at it all.", "All four are well.")
        parent = main_requests(made.harness.server.queries)[-1].bill
        assert parent is not None
        assert max(sizes) <= parent.total + 50
        assert max(sizes) - min(sizes) < 500
        assert usd == sorted(usd)
        assert usd[-1] > usd[0] > 0, "what they spend is counted while they spend it"
        assert made.harness.state.compactions == 0
        assert bar.status().compactions == 0
        await rewind(made, "1 conversation")
        assert abs(bar.status().size - before) < before * 0.05, "by another measurement, the same"
        assert bar.status().usd >= usd[-1]
