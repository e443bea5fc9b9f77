"""A program is a built bot in the workspace, named by a key, ready to be started in a box.

An entry of the workspace holds `bot/`, which the box shows as /bot, and `program.json`, which says how it was built.
How it is run comes from the table of languages here, so that an entry made elsewhere runs with this machine's tools.

Which class of a Java program is started is read from its class files: each says its own name and, of each method,
whether it is public and static, its name and its types. A file that makes no sense is not a class.

Built bots are packed for a database: a gzipped tar, the same for the same bot. What a build has left comes as an
archive too, which its author may have written byte by byte. So all of it is looked at as data before anything is
written: only plain files and folders come out, none in another's way, by names that a folder can have.
"""

import glob
import hashlib
import json
import os
import platform
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from engine.bot.runtime_work import NO_RUNTIME, Runtime
from engine.boxes import PATH_INSIDE, Limits, obstacle
from engine.errors import MissingTool, SandboxFault, UnknownName, plain_words
from engine.immutable import immutable
from engine.sandbox.box import Box
from engine.text import shortened
from engine.toolchains.bot_folder import earns_favours, with_own_recipe, without_favours
from engine.toolchains.languages import MAIN, Language, Toolchain, languages
from engine.toolchains.source import (
    DAMAGED,
    Member,
    Unfit,
    entries_of,
    gzipped_tar,
    lay_out,
    open_tar,
    possible_name,
    require_apart,
    unzip,
)
from engine.workspace import Workspace, disk_fault, open_workspace

SYSTEM = Path("/usr")


def present_folders(patterns: Iterable[str]) -> tuple[Path, ...]:
    """Expand `~` and `*`; each that exists and the bots' account can reach comes once, in the order asked for."""
    folders = [Path(name) for pattern in patterns for name in sorted(glob.glob(os.path.expanduser(pattern)))]  # noqa: PTH111, PTH207 - patterns, not paths
    return tuple(path for path in dict.fromkeys(folders) if obstacle(path) is None)


def shown_folders(folders: Iterable[Path]) -> tuple[Path, ...]:
    """Leave out what is below /usr, which is visible anyway."""
    return tuple(folder for folder in folders if not folder.is_relative_to(SYSTEM))


def search_path(folders: Iterable[Path]) -> str:
    """Return a PATH: the programs of these folders first, then the system's."""
    places = [folder / "bin" if (folder / "bin").is_dir() else folder for folder in folders]
    return ":".join([*(str(path) for path in places if path.is_dir() and path.parts[1] != "etc"), PATH_INSIDE])


def missing_tools(tools: Iterable[str], folders: Sequence[Path]) -> list[str]:
    """Return the tools that a box showing `folders` would not find."""
    places = [Path(place) for place in search_path(folders).split(":")]
    visible = [SYSTEM, *(folder.resolve() for folder in folders)]
    return [tool for tool in tools if not any(_usable(place / tool, visible) for place in places)]


def is_usable(program: Path) -> bool:
    return _usable(program, [SYSTEM, *map(Path, ("/bin", "/sbin"))])


def _usable(program: Path, visible: Iterable[Path]) -> bool:
    try:
        target = program.resolve(strict=True)
    except OSError:
        return False
    in_sight = any(target.is_relative_to(folder) for folder in visible)
    return in_sight and target.is_file() and os.access(target, os.X_OK) and obstacle(target) is None


USUAL = "Player"
MAGIC = b"\xca\xfe\xba\xbe"
PLAIN_NAME = re.compile(r"[\w$]+(\.[\w$]+)*")
"""No other name is put into a command: Java would take some for options."""
UTF8, CLASS, LONG, DOUBLE = 1, 7, 5, 6
SIZES = {
    **dict.fromkeys((CLASS, 8, 16, 19, 20), 3),
    **dict.fromkeys((3, 4, 9, 10, 11, 12, 17, 18), 5),
    **dict.fromkeys((LONG, DOUBLE), 9),
    15: 4,
}
"""Of the constants in a class file, but for texts, with the byte that says their kind."""
PUBLIC_STATIC = 0x0009
MAIN_METHOD = (b"main", b"([Ljava/lang/String;)V")


def main_class(folder: Path, source: str) -> str:
    """Of several the usual one, then the one called as the file `source`, then the outermost. Raises OSError."""
    stem = PurePosixPath(source).stem

    def how_unlikely(name: str) -> tuple[bool, bool, bool, int, str]:
        last = name.rpartition(".")[2]
        return name != USUAL, last != stem, last != USUAL, name.count("."), name

    files = [path for path in folder.rglob("*.class") if path.is_file()]
    names = {path: ".".join(path.relative_to(folder).with_suffix("").parts) for path in files}
    plain = {path: name for path, name in names.items() if PLAIN_NAME.fullmatch(name)}
    startable = (name for path, name in plain.items() if name == _name_with_main(path.read_bytes()))
    return min(startable, key=how_unlikely, default=USUAL)


def _name_with_main(data: bytes) -> str | None:
    """Return the name of a class that Java can start; None for any other, and for what is not a class."""
    try:
        constants, at = _constants(data)
        name = constants[int.from_bytes(constants[_number(data, at + 2)])].decode("utf-8")
        at += 8 + 2 * _number(data, at + 6)
        _, at = _fields_or_methods(data, at)
        methods, _ = _fields_or_methods(data, at)
    except (LookupError, ValueError):
        return None
    for access, name_at, types_at in methods:
        if access & PUBLIC_STATIC == PUBLIC_STATIC and (constants.get(name_at), constants.get(types_at)) == MAIN_METHOD:
            return name.replace("/", ".")
    return None


def _constants(data: bytes) -> tuple[dict[int, bytes], int]:
    """Return texts, and classes as the numbers of their names, by their own numbers; and where all constants end."""
    if not data.startswith(MAGIC):
        raise ValueError("no class")
    constants: dict[int, bytes] = {}
    number, at = 1, 10
    while number < _number(data, 8):
        kind = data[at]
        size = 3 + _number(data, at + 1) if kind == UTF8 else SIZES[kind]
        if kind in {UTF8, CLASS}:
            constants[number] = data[at + (3 if kind == UTF8 else 1) : at + size]
        number += 2 if kind in {LONG, DOUBLE} else 1
        at += size
    return constants, at


def _fields_or_methods(data: bytes, at: int) -> tuple[list[tuple[int, int, int]], int]:
    members: list[tuple[int, int, int]] = []
    count = _number(data, at)
    at += 2
    for _ in range(count):
        access, name, types, attributes = (_number(data, at + 2 * place) for place in range(4))
        members.append((access, name, types))
        at += 8
        for _ in range(attributes):
            at += 6 + _number(data, at + 2, 4)
    return members, at


def _number(data: bytes, at: int, size: int = 2) -> int:
    if at + size > len(data):
        raise IndexError
    return int.from_bytes(data[at : at + size])


LAYOUT = 2
BOT = "bot"
ORIGIN = "program.json"
MOST_WARNING_CHARS = 16_000


@immutable
class Program:
    """`folder` is read-only and shared; `key` names the same bot everywhere. `warnings`: the compiler's."""

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
        box = Box(self.command, self.folder, limits, extra_paths=self.extra_paths, environment=self.environment)
        return replace(box, forks=self.forks, shared_memory=self.shared_memory)


def program_key(hash_of_source: str, language: Language) -> str:
    """A hash of that, of the language's recipes and of the platform."""
    recipes = [
        [way.name, way.run, way.compile, way.check, way.probe, dict(way.files), dict(way.build_environment)]
        for way in language.toolchains
    ]
    identity = [LAYOUT, sys.platform, platform.machine(), language.name, language.source, recipes, hash_of_source]
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


def find_program(key: str) -> Program | None:
    """Raises MissingTool where what it needs to run is not here, UnknownName where its language is not known."""
    if not re.fullmatch(r"[0-9a-f]{64}", key):
        raise ValueError(f"{key!r} is not the key of a program")
    entry = open_workspace().entry(key)
    try:
        origin = json.loads((entry / ORIGIN).read_bytes())
    except FileNotFoundError:
        return None
    language, toolchain = _recipe(origin)
    folders = present_folders(toolchain.extra_paths) if toolchain.tools else ()
    if missing := missing_tools(toolchain.tools, folders):
        tools = " and ".join(missing)
        raise MissingTool(f"{language.title} bots are run by {tools}, not installed where bots can use it")
    return Program(
        key,
        language.name,
        entry / BOT,
        command=language.command(toolchain.run, main=origin.get("main", "")),
        environment={"PATH": search_path(folders), **toolchain.environment},
        extra_paths=shown_folders(folders),
        forks=toolchain.forks,
        shared_memory=toolchain.shared_memory,
        runtime=Runtime(toolchain.runtime_threads, toolchain.runtime_cpu_ms, toolchain.runtime_late_cpu_ms),
        warnings=origin.get("warnings", ""),
    )


def publish_program(
    workspace: Workspace, entry: Path, key: str, toolchain: Toolchain, warnings: str, recipe: Mapping[str, Any]
) -> None:
    """`recipe`: see `bot_folder.own_recipe`. The scratch folder's `bot` is filled."""
    files = [path for path in (entry / BOT).rglob("*") if path.is_file()]
    origin = {**recipe, "toolchain": toolchain.name, "favours": earns_favours(files, recipe)}
    if MAIN in toolchain.run:
        origin["main"] = main_class(entry / BOT, recipe.get("source", ""))
    if warnings:
        origin["warnings"] = warnings[:MOST_WARNING_CHARS]
    (entry / ORIGIN).write_text(json.dumps(origin) + "\n", encoding="utf-8")
    workspace.publish(entry, key)


def _recipe(origin: Mapping[str, Any]) -> tuple[Language, Toolchain]:
    language_name, toolchain_name = origin["language"], origin["toolchain"]
    all_languages = languages()
    if language_name not in all_languages:
        raise UnknownName.of("language", language_name, all_languages)
    language = with_own_recipe(all_languages[language_name], origin)
    for toolchain in language.toolchains:
        if toolchain.name == toolchain_name:
            return language, toolchain if origin["favours"] else without_favours(toolchain)
    raise UnknownName.of(f"toolchain of {language.title}", toolchain_name, [way.name for way in language.toolchains])


MOST_MB = 64
MOST_FILES = 5000
MOST_BYTES = MOST_MB * 2**20 + MOST_FILES * 2048
"""With the archive's own headers."""


def pack(program: Program) -> bytes:
    """Raises SandboxFault where it cannot be read any more."""
    entry = program.folder.parent
    try:
        return gzipped_tar(_below(entry))
    except OSError as error:
        raise SandboxFault(f"cannot read the build {entry}: {error.strerror or error}") from error


def unpack(data: bytes, key: str) -> Program:
    """Take it from the workspace if it is there. Raises SandboxFault for a damaged one or a full disk, MissingTool."""
    workspace = open_workspace()
    if (program := find_program(key)) is None:
        with workspace.scratch() as scratch:
            entry = scratch / "entry"
            try:
                take_out(unzip(data, MOST_BYTES, f"it is larger than {MOST_MB} MB"), entry)
            except (zlib.error, EOFError, ValueError, OSError) as error:
                raise disk_fault(f"the stored build {key[:12]} cannot be unpacked", error) from error
            workspace.publish(entry, key)
        program = find_program(key)
    if program is None:
        raise SandboxFault(f"the stored build {key[:12]} is damaged: it does not say how it was built")
    return program


def _below(entry: Path) -> Iterator[Member]:
    for path in sorted(entry.rglob("*")):
        name = str(path.relative_to(entry))
        if path.is_dir():
            yield Member(name, None)
        else:
            yield Member(name, path.read_bytes(), executable=bool(path.stat().st_mode & 0o100))


def take_out(tar: BinaryIO, folder: Path) -> None:
    """Raises Unfit, before anything is written, for an archive that is not fit to be kept; OSError of the disk."""
    try:
        members = list(_members(tar))
    except Unfit:
        raise
    except DAMAGED as error:
        raise Unfit(shortened(plain_words(error))) from error
    require_apart(members)
    lay_out(folder, members)


def _members(tar: BinaryIO) -> Iterator[Member]:
    """Without the folder that holds it all. Raises Unfit, and what is in DAMAGED."""
    with open_tar(tar) as archive:
        for number, (entry, content) in enumerate(entries_of(archive)):
            if number > MOST_FILES:
                raise Unfit(f"it has more than {MOST_FILES:,} files and folders")
            name = possible_name(entry.name)
            if not name and entry.isdir():
                continue
            if not name or (content is None and not entry.isdir()):
                raise Unfit(f"{shortened(name)!r} is neither a file nor a folder")
            yield Member(name, content.read() if content else None, executable=bool(entry.mode & 0o100))
