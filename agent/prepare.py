"""From flags, settings and environment to all that is known before a session is opened."""

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from agent.assembly.head import head_of
from agent.assembly.shared import Config, Shared
from agent.calls.approval import Approver
from agent.choices import (
    Access,
    access_of,
    config_of,
    has_vi_keys,
    hooks_of,
    is_resumed,
    layers_of,
    rules_of,
    standing_by,
)
from agent.client import MessagesClient
from agent.confinement import remarks_of, sandbox_of, wanted_sandbox
from agent.errors import SessionError, UsageError
from agent.events import Emit
from agent.flags import Flags
from agent.home import user_home
from agent.models import DEFAULT_MODEL, ROWS
from agent.protection import protected_places
from agent.query import Patience
from agent.session.adoption import TOLD, adopt
from agent.session.forks import fork
from agent.session.register import head_of as first_head
from agent.session.store import Store
from agent.skilled.resources import readable_skills
from agent.subagents.catalog import AgentTypes
from agent.subagents.finding import types_of
from agent.trust import Standing
from agent.wiring import Agent, create, resume
from hooks.commands.command import CommandHooks
from hooks.commands.scripts import scripts_of
from hooks.engine import HookEngine
from hooks.events import Source
from hooks.permission.judge import Permission
from hooks.permission.rules import PermissionRules
from skills.catalog import Catalog
from skills.discover import SkillPlaces
from tools.running import Jobs
from tools.sandbox import Sandbox

SHOWN_SESSIONS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What a session will be opened with."""

    config: Config
    client: MessagesClient
    permission: Permission
    commands: CommandHooks
    store: Store
    skills: Catalog
    """As they were found: they are read once."""
    standing: Standing
    """What of the project is in force."""
    wanted: str | None
    """Id of the session to go on with; None for a new one."""
    is_fork: bool
    """Go on in a copy of it."""
    source: Source
    """How the session begins, as hooks are told."""
    takes_any_log: bool
    """Also a session that was not begun here is gone on with as it is."""
    has_key: bool
    has_vi_keys: bool
    """The input begins with vi keys."""
    resume_with: str
    """The command that goes on with a session, to be completed by its id."""
    types: AgentTypes
    """Of subagents."""
    sandbox: Sandbox | None
    """In which the model's commands run; None: in none."""
    remarks: tuple[str, ...]
    """What the user should know of before anything runs, a line each."""


def prepare(
    flags: Flags,
    env: Mapping[str, str],
    *,
    patience: Patience | None = None,
    standing: Standing | None = None,
) -> Prepared:
    """Read settings and environment; the model client is warmed in the background meanwhile.

    ``patience``: with a server that fails; None: the usual. ``standing``: the project as the user was asked about it;
    None: nobody was asked.

    Raises:    UserError, SessionError: nothing was sent; the text says what to do.
    """
    standing = standing or standing_by(flags, env)
    layers = layers_of(flags, standing)
    config = replace(config_of(flags, layers, env), imports=standing.in_force.imports)
    rules = rules_of(flags, layers)
    access = access_of(env)
    wanted, home = _wanted(flags, config), user_home(env)
    skills, client = _skills(config, home), _warming(access)  # one by one: side by side both take longer
    store = _store(config)  # before the sandbox, in which it is read-only
    hooks = hooks_of(layers)
    scripts = scripts_of(hooks, config.project, home)
    sandbox = sandbox_of(
        wanted_sandbox(layers), project=config.project, home=home, own=config.home, scripts=scripts
    )
    return Prepared(
        config=replace(config, patience=patience) if patience else config,
        client=client,
        skills=skills,
        permission=permission_of(rules, standing, home=home, scripts=scripts),
        commands=CommandHooks(hooks, env=env),
        store=store,
        standing=standing,
        wanted=wanted,
        is_fork=flags.is_fork,
        source="resume" if wanted else "startup",
        takes_any_log=flags.is_trusting,
        has_key=access.has_key,
        has_vi_keys=has_vi_keys(layers),
        resume_with=_resume_command(flags),
        types=types_of(standing, home),
        sandbox=sandbox,
        remarks=(*standing.remarks, *_remarks(flags), *remarks_of(sandbox)),
    )


def _skills(config: Config, home: Path) -> Catalog:
    places = SkillPlaces.of(config.project, config.home, home)
    return Catalog(places.found(), places)


def _warming(access: Access) -> MessagesClient:
    """Return the client, which loads what it needs in the background."""
    client = MessagesClient(base_url=access.base_url, api_key=access.api_key, auth_token=access.auth_token)
    client.warm()
    return client


def permission_of(
    rules: PermissionRules, standing: Standing, *, home: Path, scripts: tuple[str, ...]
) -> Permission:
    """Return what judges calls; ``home``: the user's home folder.

    What hooks run, ``scripts``, is protected, and so is what was trusted with the hooks of the project.
    """
    places = protected_places(standing.project, standing.home, home)
    trusted = map(os.path.realpath, standing.scripts)
    return Permission(
        rules=rules,
        home=home,
        project=standing.project,
        protected=tuple(sorted({*places, *trusted, *scripts})),
        readable=readable_skills(standing.home, home),
    )


def forked(prepared: Prepared) -> Prepared:
    """Return what the session is opened with; with --fork, the copy is made and takes its place. Raises SessionError."""
    store = prepared.store
    if prepared.wanted is None or not prepared.is_fork:
        return prepared
    if not (prepared.takes_any_log or store.is_own(prepared.wanted)):
        return replace(prepared, is_fork=False)  # of such a one a copy is made anyway
    try:
        made = fork(store, prepared.wanted, prepared.config.clock())
    except OSError as error:
        raise SessionError(f"not forked: {error.filename}: {error.strerror}") from error
    told = f"this is a fork of session {prepared.wanted}, which stays as it is"
    return replace(prepared, wanted=made, is_fork=False, source="fork", remarks=(*prepared.remarks, told))


def shared_of(prepared: Prepared, *, approver: Approver, emit: Emit) -> Shared:
    """Return what all agents of the process have in common."""
    config = prepared.config
    return Shared(
        config=config,
        model=prepared.client,
        store=prepared.store,
        permission=prepared.permission,
        hooks=HookEngine(prepared.permission.judge, prepared.commands),
        approver=approver,
        skills=prepared.skills,
        emit=emit,
        jobs=Jobs(sandbox=prepared.sandbox),
        types=prepared.types,
    )


def open_agent(shared: Shared, wanted: str | None, *, takes_any_log: bool = False) -> Agent:
    """Open the session ``wanted``, or a new one when None. Raises SessionError.

    One that was not begun here is gone on with in a copy that believes little of it, unless the user ``takes_any_log``.
    """
    store = shared.store
    try:
        if not wanted:
            return create(shared)
        if takes_any_log and store.register is not None:
            store.register.add(store.log(wanted))
        elif not store.is_own(wanted):
            return _adopted(shared, wanted)
        return resume(shared, wanted)
    except OSError as error:
        raise SessionError(f"the session cannot be opened: {error.filename}: {error.strerror}") from error


def _adopted(shared: Shared, wanted: str) -> Agent:
    """Go on with a copy of a session that was not begun here."""
    config = shared.config
    theirs = (first_head(shared.store.log(wanted)) or {}).get("model")
    model = config.model or next((one.id for one in ROWS if one.id == theirs), DEFAULT_MODEL)
    head = head_of(config, model, config.mode or "ask")
    agent = resume(shared, adopt(shared.store, wanted, head, config.clock()))
    agent.session.care.say(TOLD.format(wanted))
    return agent


def _remarks(flags: Flags) -> list[str]:
    if is_resumed(flags) and flags.append_system_prompt is not None:
        return ["--append-system-prompt has no effect on a session that goes on: it keeps its own"]
    return []


def _store(config: Config) -> Store:
    try:
        return Store.of(config.project, config.home)
    except OSError as error:
        place = f"{error.filename or config.home}: {error.strerror}"
        raise SessionError(f"no folder can hold the session ({place}): set AGENT_HOME") from error


def _wanted(flags: Flags, config: Config) -> str | None:
    """Return the id of the session to go on with; None for a new one."""
    if not is_resumed(flags):
        if flags.is_fork:
            raise UsageError("--fork needs a session to copy: give -c for the newest, or -r ID")
        return None
    if flags.is_continue and flags.resume is not None:
        raise UsageError(
            "-c and -r exclude each other: -c takes the newest session, -r the one that is named"
        )
    store = _store(config)
    if flags.is_continue:
        return store.newest()
    if flags.resume:
        return store.find(flags.resume)
    newest = ", ".join(list(store.newest_first())[:SHOWN_SESSIONS])
    raise UsageError(f"-r needs the id of a session; the newest here: {newest or 'none'}")


def _resume_command(flags: Flags) -> str:
    place = f"--cwd {shlex.quote(str(flags.cwd))} ".replace("{", "{{").replace("}", "}}") if flags.cwd else ""
    return f"agent {place}-r {{}}"
