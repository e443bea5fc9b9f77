"""Class-data archives: what a JVM has found out about a jar's classes, so that the next JVM begins with that.

How this works. At a jar's first use on a machine a JVM plays a match in which no seat answers, in a box, and writes an
archive of the classes that it has loaded when it ends. JVMs take an archive only with the very jar, and in the very
JVM, that it was made with: so a copy of the jar is kept beside it, with a time of our own, and both are entries of the
workspace, whose names hold all that matters. Workers that need one at the same time make it twice, and one is kept. A
process reads an entry once, and makes a damaged one again.

Where there is trouble of any kind, the referee is started without: that takes longer, and does the same.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from zipfile import ZipFile

from engine.boxes import OUT_FOLDER, PATH_INSIDE, Limits
from engine.errors import ArenaError, SandboxFault
from engine.referees.blocks import block_of
from engine.referees.java import JarStart
from engine.sandbox.box import Box, Sandbox
from engine.sandbox.run_to_end import run_to_end
from engine.workspace import Workspace, open_workspace

LAYOUT = 1
JAR, ARCHIVE, DIGEST = "referee.jar", "classes.jsa", "digest"
TIME_OF_JARS_S = 1_000_000_000
"""When kept jars were last changed, as far as a JVM can see."""
JVM_FILES = ("lib/server/libjvm.so", "lib/server/classes.jsa", "lib/modules")
"""Which tell one JVM from another, below its folder."""
PATIENCE_S = 10
"""A JVM that goes on for this long after its match is asked to end; it writes its archive then too."""
MAKING = f'seconds=$1; shift; timeout $seconds "$@" >&2; cat {OUT_FOLDER}/{ARCHIVE}'
MAKING_LIMITS = Limits(memory_mb=1024, file_size_mb=256)
MAKING_S = 30
MOST_ARCHIVE_KB = 128 * 1024
MOST_WORDS_KB = 16
SILENT_ANSWERS = 16


@dataclass(frozen=True, slots=True)
class FirstMatch:
    """The match with which an archive is made: for how many, and with which parameters."""

    players: int
    parameters: Mapping[str, str]

    def silent(self) -> bytes:
        """Return what the referee is sent if no seat ever answers."""
        given = [f"{name}={value}" for name, value in self.parameters.items()]
        ask = block_of("GET_GAME_INFO")
        return (
            block_of("INIT", [str(self.players), *given])
            + ask
            + SILENT_ANSWERS * (block_of("SET_PLAYER_TIMEOUT") + ask)
        )


def with_class_data(box: Box, start: JarStart, sandbox: Sandbox, first_match: FirstMatch) -> Box:
    """Return a box in which a jar is started with its archive, which is made where it is not there yet.

    `box`: in which `start` is the command; it stays as it is where there is trouble. `first_match`: which the archive
    is made with.
    """
    try:
        workspace = open_workspace()
        jar = kept_jar(workspace, box.folder / start.jar)
        start = replace(start, jar=str(jar / JAR))
        with_jar = replace(box, command=start.command, extra_paths=(*box.extra_paths, jar))
        archive = kept_archive(workspace, with_jar, start, sandbox, first_match)
    except (ArenaError, OSError):
        return box
    java, *words = start.command
    command = (java, f"-XX:SharedArchiveFile={archive / ARCHIVE}", *words)
    return replace(with_jar, command=command, extra_paths=(*with_jar.extra_paths, archive))


def kept_jar(workspace: Workspace, jar: Path) -> Path:
    """Return the entry that holds a copy of a jar. Raises SandboxFault, also for a jar that needs others beside it."""
    digest = digest_of(jar)
    key = key_of("jar", digest)
    require_hope(key)

    def copy(folder: Path) -> str:
        if needs_others(jar):
            raise hopeless(key, f"{jar} names other jars, which a copy of it would not find")
        shutil.copyfile(jar, folder / JAR)
        os.utime(folder / JAR, (TIME_OF_JARS_S, TIME_OF_JARS_S))
        return digest

    return kept(workspace, key, JAR, copy)


def needs_others(jar: Path) -> bool:
    with ZipFile(jar) as archive:
        return "META-INF/MANIFEST.MF" in archive.namelist() and b"Class-Path:" in archive.read("META-INF/MANIFEST.MF")


def kept_archive(workspace: Workspace, box: Box, start: JarStart, sandbox: Sandbox, first_match: FirstMatch) -> Path:
    """Return the entry that holds the archive of a kept jar. Raises SandboxFault where none comes out."""
    key = key_of("archive", start.command, jvm_identity(start.java, box.environment))
    require_hope(key)

    def make(folder: Path) -> str:
        archive = archive_from(box, sandbox, first_match)
        if not archive:
            raise hopeless(key, f"{start.java} wrote no archive")
        (folder / ARCHIVE).write_bytes(archive)
        return hashlib.sha256(archive).hexdigest()

    return kept(workspace, key, ARCHIVE, make)


def hopeless(key: str, why: str) -> SandboxFault:
    """Return the error that says why an entry cannot be made; this process does not try again."""
    _hopeless.add(key)
    return SandboxFault(why)


def require_hope(key: str) -> None:
    """Raise SandboxFault for an entry that this process could not make."""
    if key in _hopeless:
        raise SandboxFault("there is none, as was found before")


_hopeless: set[str] = set()
"""The keys of entries that this process could not make."""


def archive_from(box: Box, sandbox: Sandbox, first_match: FirstMatch) -> bytes:
    """Play a match without answers and return the archive that the JVM writes at its end; b"" where none comes out."""
    java, *words = box.command
    command = (java, f"-XX:ArchiveClassesAtExit={OUT_FOLDER}/{ARCHIVE}", *words)
    making = replace(
        box,
        command=("/bin/sh", "-c", MAKING, "sh", str(PATIENCE_S), *command),
        limits=MAKING_LIMITS,
        writable=True,
        compiles=True,
    )
    ended = run_to_end(
        sandbox,
        making,
        first_match.silent(),
        wall_limit_s=MAKING_S,
        output_kb=MOST_WORDS_KB,
        stdout_kb=MOST_ARCHIVE_KB,
    )
    is_whole = ended.exit_code == 0 and len(ended.stdout) < MOST_ARCHIVE_KB * 1024
    return ended.stdout if is_whole else b""


def jvm_identity(java: str, environment: Mapping[str, str]) -> list[tuple[str, int, int]]:
    """Return what tells this JVM from another one, and from another version: its files, their sizes and times."""
    found = shutil.which(java, path=environment.get("PATH", PATH_INSIDE))
    if found is None:
        raise SandboxFault(f"there is no {java}")
    program = Path(found).resolve()
    files = [program, *(program.parents[1] / name for name in JVM_FILES)]
    return [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files if path.is_file()]


def key_of(*identity: object) -> str:
    """Return the name of the entry for this."""
    return hashlib.sha256(json.dumps([LAYOUT, *identity]).encode()).hexdigest()


def kept(workspace: Workspace, key: str, name: str, make: Callable[[Path], str]) -> Path:
    """Return the entry `key`, in which the file `name` is whole; it is made where it is not there or is damaged.

    `make` puts the file into a folder and returns its digest.
    """
    entry = workspace.entry(key)
    if is_whole(entry, name):
        return entry
    with workspace.scratch() as scratch:
        folder = scratch / "entry"
        folder.mkdir(mode=0o755)
        (folder / DIGEST).write_text(make(folder))
        (folder / name).chmod(0o444)
        if not is_whole(entry, name):  # others may have made it meanwhile
            remove(entry, scratch)
        workspace.publish(folder, key)
    return entry


def remove(entry: Path, scratch: Path) -> None:
    """Put a damaged entry out of the way."""
    try:
        entry.rename(scratch / "damaged")
    except FileNotFoundError:
        return


def is_whole(entry: Path, name: str) -> bool:
    try:
        return digest_of(entry / name) == (entry / DIGEST).read_text()
    except OSError:
        return False


def digest_of(path: Path) -> str:
    """Return a file's SHA-256 in hex, read anew only where the file has changed."""
    status = path.stat()
    seen = (str(path), status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    if seen not in _digests:
        with path.open("rb") as file:
            _digests[seen] = hashlib.file_digest(file, "sha256").hexdigest()
    return _digests[seen]


_digests: dict[tuple[str, int, int, int, int], str] = {}
"""The digests of the files that this process has read."""
