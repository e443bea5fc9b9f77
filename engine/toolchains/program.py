"""A program is a built bot in the workspace, named by a key, ready to be started in a box.

An entry of the workspace holds `bot/`, which the box shows as /bot, and `program.json`, which says how it was built.
How it is run comes from the table of languages here, so that an entry made elsewhere runs with this machine's tools.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.bot.runtime_work import NO_RUNTIME, Runtime
from engine.boxes.limits import Limits
from engine.errors import MissingTool, UnknownName
from engine.sandbox.box import Box
from engine.toolchains.bot_source import earns_favours, source_hash, with_own_recipe, without_favours
from engine.toolchains.languages import MAIN, Language, Toolchain, languages
from engine.toolchains.main_class import main_class
from engine.toolchains.tools import missing_tools, present_folders, search_path, shown_folders
from engine.toolchains.tree import Source
from engine.workspace import Workspace

LAYOUT = 2
BOT = "bot"
ORIGIN = "program.json"
MOST_WARNING_CHARS = 16_000


@dataclass(frozen=True, slots=True)
class Program:
    """A built bot. `folder` is read-only and may be in use by others; `key` names the same bot on every machine.

    `warnings`: what the compiler said of a source that it took.
    """

    key: str
    language: str
    folder: Path
    command: tuple[str, ...]
    environment: Mapping[str, str]
    extra_paths: tuple[Path, ...] = ()
    forks: bool = False
    shared_memory: bool = False
    runtime: Runtime = NO_RUNTIME
    warnings: str = ""

    def box(self, limits: Limits = Limits()) -> Box:  # noqa: B008 - frozen
        """Return the box that the bot plays in."""
        return Box(
            command=self.command,
            folder=self.folder,
            limits=limits,
            extra_paths=self.extra_paths,
            environment=self.environment,
            forks=self.forks,
            shared_memory=self.shared_memory,
        )


def program_key(source: Source, language: Language) -> str:
    """Return the hex key of what `source` builds into: a hash of it, of the language's recipes and of the platform."""
    return key_of(source_hash(source), language)


def key_of(hash_of_source: str, language: Language) -> str:
    """Return the key of what the source with that hash builds into."""
    recipes = [
        [way.name, way.run, way.compile, way.check, way.probe, dict(way.files), dict(way.build_environment)]
        for way in language.toolchains
    ]
    identity = [LAYOUT, sys.platform, platform.machine(), language.name, language.source, recipes, hash_of_source]
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


def find_program(workspace: Workspace, key: str) -> Program | None:
    """Return the program with this key if it is in the workspace.

    Raises MissingTool where what it needs to run is not installed here, UnknownName where its language is not known.
    """
    entry = workspace.entry(checked_key(key))
    try:
        origin = json.loads((entry / ORIGIN).read_bytes())
    except FileNotFoundError:
        return None
    language, toolchain = _recipe(origin)
    folders = present_folders(toolchain.extra_paths) if toolchain.tools else ()
    missing = missing_tools(toolchain.tools, folders)
    if missing:
        raise MissingTool(
            f"{language.title} bots are run by {' and '.join(missing)}, not installed where bots can use it"
        )
    return Program(
        key=key,
        language=language.name,
        folder=entry / BOT,
        command=language.command(toolchain.run, main=origin.get("main", "")),
        environment={"PATH": search_path(folders), **toolchain.environment},
        extra_paths=shown_folders(folders),
        forks=toolchain.forks,
        shared_memory=toolchain.shared_memory,
        runtime=Runtime(toolchain.runtime_threads, toolchain.runtime_cpu_ms, toolchain.runtime_late_cpu_ms),
        warnings=origin.get("warnings", ""),
    )


def publish_program(
    workspace: Workspace, entry: Path, key: str, toolchain: Toolchain, warnings: str, own: Mapping[str, Any]
) -> None:
    """Make a scratch folder, whose `bot` folder is filled, the program `key`. `own`: see `bot_source.own_recipe`."""
    files = [path for path in (entry / BOT).rglob("*") if path.is_file()]
    origin = {**own, "toolchain": toolchain.name, "favours": earns_favours(files, own)}
    if MAIN in toolchain.run:
        origin["main"] = main_class(entry / BOT, own.get("source", ""))
    if warnings:
        origin["warnings"] = warnings[:MOST_WARNING_CHARS]
    (entry / ORIGIN).write_text(json.dumps(origin) + "\n", encoding="utf-8")
    workspace.publish(entry, key)


def checked_key(key: str) -> str:
    """Return `key` if it is one, as it becomes part of a path."""
    if not re.fullmatch(r"[0-9a-f]{64}", key):
        raise ValueError(f"{key!r} is not the key of a program")
    return key


def _recipe(origin: Mapping[str, Any]) -> tuple[Language, Toolchain]:
    """Look up how a stored program was built. Raises UnknownName."""
    language_name, toolchain_name = origin["language"], origin["toolchain"]
    known = languages()
    if language_name not in known:
        raise UnknownName.of("language", language_name, known)
    language = with_own_recipe(known[language_name], origin)
    for toolchain in language.toolchains:
        if toolchain.name == toolchain_name:
            return language, toolchain if origin["favours"] else without_favours(toolchain)
    raise UnknownName.of(f"toolchain of {language.title}", toolchain_name, [way.name for way in language.toolchains])
