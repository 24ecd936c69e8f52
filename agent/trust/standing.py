"""How a project stands: what in it runs or decides, and whether the user trusts it as it is now."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from agent.trust import store
from agent.trust.gathered import Gathered, gather
from agent.trust.powers import Power, counted, powers_of
from tools.visible import escape_line, plain

State = Literal["nothing", "trusted", "for this run", "new", "changed"]
"""`nothing`: there is nothing in it to trust; `new`, `changed`: it is not trusted, or not as it is now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One project, as it was when it was looked at."""

    project: Path
    home: Path
    """The user's own folder of the program."""
    gathered: Gathered
    state: State
    powers: tuple[Power, ...]
    """What its files say, in words."""
    agreed: tuple[str, ...] = ()
    """The lines that it was trusted with, when it has changed since; empty where they are not kept."""
    problem: str = ""
    """Why what was agreed to earlier, or now, is not known."""

    @property
    def is_on(self) -> bool:
        """What its files say is in force."""
        return self.state in ("nothing", "trusted", "for this run")

    @property
    def in_force(self) -> Gathered:
        """The files as they were read, when they are in force; else nothing."""
        return self.gathered if self.is_on else Gathered()

    @property
    def lasts(self) -> bool:
        """What we write into its settings is in force at the next start, too."""
        return self.state in ("nothing", "trusted")

    @property
    def scripts(self) -> tuple[str, ...]:
        """The files, absolute, that hooks of the project run: changed within a session they would run as they are then."""
        return tuple(str(self.project / one.name) for one in self.in_force.scripts)

    @property
    def files(self) -> list[str]:
        """What it comes from: names, where links lead, whose it is."""
        return [_described(one.name, one.place, one.owner) for one in self.gathered.files]

    @property
    def sources(self) -> str:
        """All that it comes from, in words."""
        return ", ".join([*self.files, *(["its instruction files"] if self.gathered.imports else [])])

    @property
    def line(self) -> str:
        """How it stands, in one line, for whoever asks: `agent doctor`, `agent hooks list`."""
        if self.state == "nothing":
            return "nothing in this project has to be trusted"
        what = f"{counted(self.powers) or 'nothing'} ({self.sources})"
        if self.state == "trusted":
            return f"this project is trusted: {what}"
        if self.state == "for this run":
            return f"this project is trusted for this run by --trust: {what}"
        return f"{self.why_off}: {what}; `agent` in a terminal asks, --trust turns it on for one run"

    @property
    def why_off(self) -> str:
        """Why it is not in force."""
        return (
            "this project is not trusted"
            if self.state == "new"
            else "this project has changed since it was trusted"
        )

    @property
    def remarks(self) -> list[str]:
        """What to tell the user at the start, a line each: what stays off, and how to turn it on."""
        told = [self.problem] if self.problem and self.state != "nothing" else []
        if self.is_on:
            return told
        off = f"{counted(self.powers) or 'what it says'} of {self.sources} off"
        return [*told, f"{self.why_off}: {off}; --trust turns it on for this run, `agent` in a terminal asks"]

    def for_run(self) -> "Standing":
        """Return it in force for this run; nothing is kept of that."""
        return self if self.is_on else replace(self, state="for this run")

    def trusted(self) -> "Standing":
        """Return it trusted from now on, as it was read; for this run only where that cannot be kept."""
        agreement = store.Agreement(sha256=self.gathered.sha256, lines=lines_of(self.powers))
        try:
            store.agree(self.home, self.project, agreement)
        except OSError as error:
            problem = (
                f"{self.home / store.FILE} cannot be written ({error.strerror}): trusted for this run only"
            )
            return replace(self, state="for this run", problem=problem)
        return replace(self, state="trusted", problem="")


def standing_of(project: Path, home: Path) -> Standing:
    """Look at ``project`` (resolved), each file once. Never raises for what it finds."""
    gathered = gather(project, home)
    known = store.read(home)
    agreement = known.by_project.get(str(project))
    powers = tuple(powers_of(gathered))
    state: State = "new" if agreement is None else "changed"
    if not powers:
        state = "nothing"
    elif agreement is not None and agreement.sha256 == gathered.sha256:
        state = "trusted"
    return Standing(
        project=project,
        home=home,
        gathered=gathered,
        state=state,
        powers=powers,
        agreed=agreement.lines if agreement and state == "changed" else (),
        problem=known.problem,
    )


def lines_of(powers: Sequence[Power]) -> tuple[str, ...]:
    """Return what is kept of an agreement: kind and text of each power."""
    return tuple(f"{power.kind}: {power.text}" for power in powers)


def _described(name: str, place: str, owner: int | None) -> str:
    parts = [plain(escape_line(name))]
    if place:
        outside = " outside the project" if place.startswith("/") else ""
        parts.append(f"a link to {plain(escape_line(place))}{outside}")
    if owner is not None:
        parts.append(f"which belongs to user {owner}")
    return ", ".join(parts)
