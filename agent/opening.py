"""Opens a session for the screen: its parts, its keys, its input."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from agent.choices import standing_by
from agent.clock import Clock
from agent.exits import Exit
from agent.first_choice import chooser_of, chosen_first
from agent.interactive import Wanted
from agent.prepare import Prepared
from agent.seating import Seat, Sitting, seated
from agent.session.store import Store
from agent.sessions.command import export_to
from agent.skill_report.places import place
from agent.terminal import commands
from agent.terminal.answering import AnswerField
from agent.terminal.arguments import Offer, offers
from agent.terminal.completion import InputCompleter
from agent.terminal.desk import Person
from agent.terminal.editor import OutsideEditor
from agent.terminal.editor import Surroundings as EditorSurroundings
from agent.terminal.farewell import KEYS
from agent.terminal.history import history_of
from agent.terminal.menu import menu_keys, menu_lines
from agent.terminal.mode_choice import mode_keys
from agent.terminal.project_paths import ProjectPaths
from agent.terminal.question import TerminalApprover, settled
from agent.terminal.queue import queue_lines
from agent.terminal.queue_keys import queue_keys
from agent.terminal.row_keys import row_keys
from agent.terminal.screen import Screen
from agent.terminal.show import Show
from agent.terminal.skill_offers import SkillOffer, skill_offers
from agent.terminal.todos import TodoRow
from agent.terminal.trusting import asked_on_screen
from agent.terminal.unfolding import Unfolding


class TerminalSession:
    """What `interactive.Session` promises: keys and lines in, an exit code out."""

    def __init__(self, sitting: Sitting, screen: Screen) -> None:
        repl, approver, show = sitting.repl, sitting.approver, sitting.seat.show
        self._repl = repl
        self.run = sitting.run
        self.submit = repl.submit
        self.interrupt = repl.interrupt
        self.ask_to_leave = repl.ask_to_leave
        self.leave = repl.leave
        self.takes_answer = approver.takes
        self.answer = approver.answer
        self.key_typed = approver.key_typed
        self.unfold = Unfolding(sitting.desk, show, lambda: screen.width).press
        _draw(sitting, screen)

    @property
    def is_busy(self) -> bool:
        """True while a turn or a command runs."""
        return self._repl.is_busy


async def open_session(wanted: Wanted, screen: Screen, left: asyncio.Future[Exit]) -> TerminalSession | None:
    """Read settings, open the session, put it on the screen. Raises UserError, SessionError.

    What of the project runs or decides is asked about first. A bare `-r` lets the session be chosen first; None when the user wants none.
    """
    flags = wanted.flags
    standing = await asyncio.to_thread(standing_by, flags, wanted.env)
    if not standing.is_on:
        standing = await asked_on_screen(standing, screen)
    if flags.resume == "" and not flags.is_continue:
        if (chosen := await chosen_first(standing, screen)) is None:
            return None
        wanted = replace(wanted, flags=replace(flags, resume=chosen))
    sitting = await seated(wanted, standing, lambda prepared: _seat(screen, prepared), left)
    _equip(sitting, screen, wanted.env)
    return TerminalSession(sitting, screen)


def _seat(screen: Screen, prepared: Prepared) -> Seat:
    clock = prepared.config.clock
    show = Show(
        commit=screen.commit,
        refresh=screen.refresh,
        width=lambda: screen.width,
        clock=clock,
        folded=screen.buffer.folds.shown,
    )
    return Seat(
        show=show,
        refresh=screen.refresh,
        size=lambda: (screen.width, screen.rows),
        person=lambda approver, store: _person(screen, show, approver, store, clock),
        keys=KEYS,
        field=AnswerField(screen.open_field, screen.close_field),
        typed=screen.buffer.on_text_changed.fire,  # it is kept with what stands in the input
        keep=lambda words: _fill(screen, words),
        regain=screen.lending.take_back,
        insert=screen.buffer.insert_text,
        ring=lambda: _ring(screen),
    )


def _ring(screen: Screen) -> None:
    """Call the user, who may look elsewhere."""
    screen.writer.write("\a")
    screen.writer.flush()


def _fill(screen: Screen, words: str) -> None:
    """Put ``words`` into the input, before what is typed there already."""
    screen.buffer.put_before(words)
    screen.refresh()


def _person(screen: Screen, show: Show, approver: TerminalApprover, store: Store, clock: Clock) -> Person:
    async def until_settled() -> None:
        if screen.buffer.text:
            await settled(approver, clock)

    chooser = chooser_of(store, screen, clock=clock, say=show.say, settled=until_settled)
    return Person(
        confirm=approver.confirm,
        fill=lambda words: _fill(screen, words),
        choose=chooser.choose,
        editing=lambda: screen.vi.word,
        use_vi=screen.vi.switch,
        export=partial(export_to, store),
        draft=lambda: "\n".join(text for text in (approver.unsent, screen.buffer.unsent) if text),
    )


def _equip(sitting: Sitting, screen: Screen, env: Mapping[str, str]) -> None:
    """Give the input its keys, its history and its completions."""
    config, repl = sitting.prepared.config, sitting.repl
    editor = OutsideEditor(screen, _around_editor(sitting, env))
    approver = sitting.approver
    screen.fields.add_keys(
        row_keys(),
        queue_keys(repl, screen.buffer),
        menu_keys(screen.buffer),
        mode_keys(sitting.desk, screen.refresh),
        editor.keys(),
        screen.vi.keys(approver.takes, approver.answer),
    )
    if sitting.prepared.has_vi_keys:
        screen.vi.switch("on")
    screen.buffer.on_text_changed += lambda _: repl.draft_changed()
    screen.equip(history=history_of(config.project, config.home), completer=_completer(sitting, env))


def _completer(sitting: Sitting, env: Mapping[str, str]) -> InputCompleter:
    async def offering(name: str, typed: str) -> Sequence[Offer]:
        return await offers(sitting.desk, commands.COMMANDS, name, typed)

    def skills() -> Sequence[SkillOffer]:
        shared = sitting.desk.agent.shared
        found, folders = shared.skills.found, shared.config
        shown = partial(place, project=folders.project, env=env)
        return skill_offers(found.skills, commands.COMMANDS, shown)

    paths = ProjectPaths(sitting.prepared.config.project)
    return InputCompleter(commands.COMMANDS, offering, paths.find, skills=skills)


def _around_editor(sitting: Sitting, env: Mapping[str, str]) -> EditorSurroundings:
    desk = sitting.desk
    return EditorSurroundings(
        env=env,
        project=desk.agent.session.state.project,
        folder=lambda: desk.store.folder(desk.agent.session.state.session_id),
        keep=sitting.repl.keep_draft,
        say=lambda line: desk.say([line]),
    )


def _draw(sitting: Sitting, screen: Screen) -> None:
    """Put the session's own parts on the screen."""
    parts, show = screen.parts, sitting.seat.show
    parts.tail = show.tail
    parts.todos = TodoRow(lambda: sitting.desk.agent.session.state).lines
    parts.activity = show.activity.lines
    shown, waiting = screen.buffer.folds.shown, sitting.repl.waiting
    parts.queue = lambda width: queue_lines([shown(text) for text in waiting()], width)
    parts.question = sitting.approver.lines
    parts.menu = lambda width: menu_lines(screen.buffer, width)
    parts.status = sitting.bar.lines
    screen.refresh()
