"""What the scripted model says and does: it reads like the transcript that it makes."""

import re
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal

from agent.demo.stage import PYTHON, TEST_COMMAND
from agent.offline import Reply, Request, Script, always, calls, last_text_starts, says, when
from agent.offline.script import Route, Turn
from compaction.summary import OPENING

PROMPT = (
    "A customer says that the VAT on his invoice is a cent too low. "
    "Find the cause, fix it, and show me that the tests pass."
)
TESTS = " ".join(TEST_COMMAND)
REPORT = f"{PYTHON} -m ledger.report data/invoices-2026.csv"
DIFF = "git diff"
ALLOWED = (f"bash({TESTS})", f"bash({DIFF})")
"""All that the demo allows beyond reading and, by its mode, editing."""

_TODOS = ("Reproduce the wrong VAT", "Find and fix the cause", "Run the tests again")
_ROW = re.compile(
    r"(?m)^\d+\t(?P<number>\d{4}-\d{4}),[^,]*,[^,]*,(?P<net>[\d.]+),(?P<rate>[\d.]+),(?P<vat>[\d.]+)$"
)

_SUMMARY = f"""<summary>
1. Request and intent
The VAT on an invoice is a cent too low: find the cause, fix it, show that the tests pass.
2. Decisions and concepts
Half a cent of VAT must be rounded up. Every rounding goes through ledger/money.py (AGENTS.md).
3. Files and code
data/invoices-2026.csv: invoices with VAT that ends in half a cent were booked a cent low. No code was read yet.
4. Errors and fixes
`{TESTS}`: test_half_a_cent_of_vat_is_rounded_up fails, 1.42 instead of 1.43. Nothing is changed yet.
`{REPORT}` was refused; the file was read instead.
5. Problem solving
The sums are right, the rounding is not.
6. The user's messages
One request, see 1.
7. Pending work
Find the rounding, correct it, run the tests.
8. Current work
The invoices were counted; the code comes next.
9. Next step
Read ledger/money.py.
</summary>"""


def script(*, has_git: bool) -> Script:
    """Return the model's replies; ``has_git``: the project is a repository."""
    return Script(*tour(has_git=has_git), routes=[summary()])


def summary() -> Route:
    """Return the reply to the request for a summary, whenever it comes."""
    return when(last_text_starts(OPENING), always(says(_SUMMARY)))


def tour(*, has_git: bool) -> Sequence[Turn]:
    """Return the replies from the first look to the last word."""
    return (*_search(), *_repair(has_git=has_git))


def _search() -> Sequence[Turn]:
    return (
        says("I'll look at the project first.") + _todos(done=0) + calls("glob", pattern="**/*.py"),
        says("Now its tests.") + calls("bash", command=TESTS, description="Run the tests"),
        _after(
            "AssertionError: Decimal('1.42') != Decimal('1.43')",
            says("Reproduced: VAT of 1.42 where 1.43 is due. The project's report tells how many are wrong.")
            + _todos(done=1)
            + calls("bash", command=REPORT, description="List the invoices with wrong VAT"),
        ),
        _read_the_invoices,
        _count_wrong_rows,
        says("Now the code.") + _reads("money.py", "invoice.py", "report.py"),
    )


def _repair(*, has_git: bool) -> Sequence[Turn]:
    return (
        says("`quantize` rounds half to even unless told otherwise; half a cent must go up.")
        + calls(
            "edit",
            file_path="ledger/money.py",
            old_string="from decimal import Decimal, InvalidOperation",
            new_string="from decimal import ROUND_HALF_UP, Decimal, InvalidOperation",
        )
        + calls(
            "edit",
            file_path="ledger/money.py",
            old_string="amount.quantize(CENT)",
            new_string="amount.quantize(CENT, rounding=ROUND_HALF_UP)",
        ),
        calls("bash", command=TESTS, description="Run the tests again"),
        _after(
            "\nOK\n",
            _todos(done=3) + (calls("bash", command=DIFF) if has_git else calls("glob", pattern="*")),
        ),
        says(
            "Fixed in `ledger/money.py:29`: `to_cents` used Decimal's default, which rounds half to the even cent. It "
            f"now rounds half up, as AGENTS.md asks. All tests pass (`{TESTS}`). Invoices already sent are unchanged."
        ),
    )


def _after(part: str, reply: Reply) -> Callable[[Request], Reply]:
    """Go on with ``reply`` if a result holds ``part``; otherwise the show is over, and says so."""

    def answer(request: Request) -> Reply:
        is_there = part in _seen(request)
        return reply if is_there else says(f"I expected `{part.strip()}` in the result and stop here.")

    return answer


def _read_the_invoices(request: Request) -> Reply:
    """Go to the file itself, whether the report could be run or not."""
    is_refused = any(text.startswith("Refused: ") for text in request.results.values())
    why = "I may not run that, so I read the file itself." if is_refused else "Now the file that it reads."
    return says(why) + calls("read", file_path="data/invoices-2026.csv")


def _count_wrong_rows(request: Request) -> Reply:
    """Say how many of the rows just read were rounded the wrong way, and let go of them."""
    rows = _ROW.findall(_seen(request))
    wrong = [number for number, net, rate, vat in rows if _vat(net, rate) != Decimal(vat)]
    if not wrong:
        return says("I found no wrong invoice and stop here.")
    found = f"{len(wrong)} of {len(rows)} invoices are a cent low, all with VAT that ends in half a cent."
    told = f"{found} The rows have served: a summary keeps the history small."
    return says(told) + calls("compact", focus="the failing test and the rule for half a cent")


def _seen(request: Request) -> str:
    """The newest results, and what a compaction made of them in the first message."""
    return "\n".join([request.first_text, *request.results.values()])


def _vat(net: str, rate: str) -> Decimal:
    return (Decimal(net) * Decimal(rate)).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)


def _reads(*names: str) -> Reply:
    """Read files of the package, side by side."""
    first, *others = [calls("read", file_path=f"ledger/{name}") for name in names]
    return sum(others, first)


def _todos(*, done: int) -> Reply:
    states = ["completed"] * done + ["in_progress"] + ["pending"] * len(_TODOS)
    items = [{"content": todo, "status": state} for todo, state in zip(_TODOS, states, strict=False)]
    return calls("todo_write", todos=items)
