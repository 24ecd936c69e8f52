"""The composition root: a session is opened, and everything that works on it is put together."""

from dataclasses import replace

from agent.assembly.assembly import assemble
from agent.assembly.head import head_of, tools_of
from agent.assembly.shared import Role, Shared
from agent.events import Notice
from agent.going_on import go_on
from agent.hooking.scene import scene_of
from agent.hooking.turn_hooks import SessionHooks
from agent.hooking.words import HookWords, watched
from agent.models import DEFAULT_MODEL
from agent.session.log import first_record
from agent.session.session import Session
from agent.session.snapshots import Snapshots
from agent.subagents.making import Making
from agent.subagents.run import Subagents
from hooks.commands.payload import Scene
from hooks.events import Source
from tools.jobs import end_jobs, look


class Agent:
    """One open session with everything that works on it."""

    def __init__(self, shared: Shared, session: Session) -> None:
        # A session's own hooks are told how things stand in it.
        shared = self.shared = replace(shared, hooks=shared.hooks.at(self._scene, watched(shared.emit)))
        self.session = session
        session.care.listen(lambda words: shared.emit(Notice(text=words, is_error=True)))
        words = HookWords(shared.emit)
        self._hooks = SessionHooks(shared.hooks, words)
        snapshots = Snapshots(session)
        making = Making(
            shared=shared, parent=session, snapshots=snapshots, spent_usd=lambda: self.subagents.spent().usd
        )
        self.subagents = Subagents(
            session, shared.types, make=making, words=words, emit=shared.emit, jobs=shared.jobs
        )
        role = Role(
            name="",
            about="",
            type="",
            tools=shared.config.tools,
            hooks=shared.hooks,
            spawn=self.subagents.spawn,
            emit=shared.emit,
            words=words,
            limits=shared.config.limits,
            snapshots=snapshots,
        )
        self.compactor, self.loop = assemble(shared, session, role)

    @property
    def preset(self) -> str:
        """Name of the preset that keeps its context small."""
        return self.shared.config.preset

    def background(self) -> dict[int, str]:
        """Return what runs in the background: pid -> command."""
        return {pid: command for pid, (command, _) in look(self.shared.jobs).items()}

    async def start(self, source: Source) -> None:
        """Fire SessionStart; what its hooks say stands in the first message."""
        await self._hooks.start(source)

    async def close(self, reason: str) -> None:
        """Fire SessionEnd, end the hooks and processes in the background, close the log."""
        try:
            await self._hooks.end(reason)
            await end_jobs(self.shared.jobs)
        finally:
            self.session.append("end", of="session", reason=reason)
            self.session.close()

    def _scene(self) -> Scene:
        mode = self.shared.permission.mode
        return scene_of(self.session, mode=mode, background=self.background())


def create(shared: Shared) -> Agent:
    """Start a new session."""
    config, model = shared.config, shared.config.model or DEFAULT_MODEL
    shared.permission.set_mode(config.mode or "ask")
    head = head_of(config, model, shared.permission.mode)
    return Agent(shared, Session.create(shared.store, config.project, head, tools=tools_of(config, model)))


def resume(shared: Shared, session_id: str) -> Agent:
    """Open a session again, with its own model and mode unless others are asked for, which is recorded."""
    config = shared.config
    own = first_record(shared.store.log(session_id)) or {}
    # Counted as at its beginning: the meter rescales what another tokenizer would count.
    tools = tools_of(config, str(own.get("model") or DEFAULT_MODEL))
    session = Session.resume(shared.store, session_id, config.project, tools=tools)
    shared.permission.set_mode(go_on(session, model=config.model, mode=config.mode, effort=config.effort))
    return Agent(shared, session)
