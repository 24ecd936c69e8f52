"""Settings: every file that counts, every key with where it comes from; the model, hooks and trust that follow from them."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent.doctor.finding import Finding
from agent.doctor.scene import Scene
from agent.errors import UserError
from agent.models import DEFAULT_MODEL, row
from agent.settings import Settings, commands_of, read_settings, settings_of
from agent.trust.gathered import SETTINGS, is_own

VARIABLES = (
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_MODEL",
    "AGENT_HOME",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
)
_SHOWN = ("ANTHROPIC_MODEL", "AGENT_HOME")
"""Of these also the value; an address can hold a password."""
_MAX_CHARS = 80


def settings_findings(scene: Scene) -> Iterator[Finding]:
    """Read all files and say what of them is in force; fills the layers of ``scene``."""
    for path in _own_files(scene):
        yield from _read(scene, str(path), lambda path=path: read_settings(path))
    for file in scene.standing.in_force.named(*SETTINGS):
        if file.problem:
            yield Finding(
                "fault", "settings", f"{file.name} cannot be used ({file.problem}): mend or remove it"
            )
        else:
            yield from _read(scene, file.name, lambda file=file: settings_of(file.data, file.name))
    if scene.named is not None:
        named = scene.named
        yield from _read(scene, f"--settings {named}", lambda: read_settings(named))
    yield from _in_force(scene)
    yield from _from_environment(scene)


def model_of(scene: Scene) -> tuple[str, str]:
    """Return the model of a new session, and where that comes from."""
    if named := scene.env.get("ANTHROPIC_MODEL", "").strip():
        return named, "ANTHROPIC_MODEL"
    said = ((one.model, origin) for origin, one in reversed(scene.layers) if one.model is not None)
    return next(said, (DEFAULT_MODEL, "the default"))


def model_finding(scene: Scene) -> Finding:
    """Say which model a new session has, and what is known of it."""
    name, origin = model_of(scene)
    known = row(name)
    if known.prices.input is None:
        return Finding(
            "note",
            "model",
            f"`{name}` ({origin}) is not known here: window taken as {known.window:,} tokens, cost not shown",
        )
    price = f"${known.prices.input:g} in, ${known.prices.output:g} out a million tokens"
    return Finding("ok", "model", f"`{name}` ({origin}): window {known.window:,} tokens, {price}")


def trust_findings(scene: Scene) -> Iterator[Finding]:
    """Say how the project stands, and which hooks are in force."""
    standing = scene.standing
    yield Finding("ok" if standing.is_on else "note", "trust", standing.line)
    if standing.problem:
        yield Finding("note", "trust", standing.problem)
    for origin, settings in scene.layers:
        if hooks := commands_of(settings, origin):
            events = Counter(hook.event for hook in hooks)
            counts = ", ".join(f"{event} {number}" for event, number in events.items())
            yield Finding("ok", "hooks", f"{origin}: {counts}; `agent hooks list` names them")


def _own_files(scene: Scene) -> list[Path]:
    own = [scene.home / "settings.json"]
    own += [scene.home / "settings.local.json"] if is_own(scene.project, scene.home) else []
    return [path for path in own if path.exists()]


def _read(scene: Scene, origin: str, read: Any) -> Iterator[Finding]:
    try:
        settings: Settings = read()
    except UserError as error:
        yield Finding("fault", "settings", f"{error}: mend it, nothing starts before")
        return
    scene.layers.append((origin, settings))
    yield Finding(
        "ok", "settings", f"{origin}: {', '.join(sorted(settings.model_fields_set)) or 'says nothing'}"
    )


def _in_force(scene: Scene) -> Iterator[Finding]:
    """Say of each key what it is and where that stands; of lists that add up, each part."""
    for key in Settings.model_fields:
        said = [(origin, one) for origin, one in scene.layers if key in one.model_fields_set]
        for origin, one in said if key in ("permissions", "hooks") else said[-1:]:
            value = one.model_dump(include={key}, exclude_unset=True)[key]
            shown = json.dumps(value, ensure_ascii=False)
            short = shown if len(shown) <= _MAX_CHARS else f"{shown[:_MAX_CHARS]} …"
            yield Finding("ok", "setting", f"{key} {short}  ({origin})")


def _from_environment(scene: Scene) -> Iterator[Finding]:
    for name in VARIABLES:
        if value := scene.env.get(name, "").strip():
            yield Finding("ok", "environment", f"{name} {value if name in _SHOWN else 'is set (not shown)'}")
