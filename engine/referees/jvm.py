"""How the referee program of a match is started here: as its game says, as a class of a jar, or in a JVM that runs.

How this works. The JVM runs our launcher, which gives each match classes of its own and prints a secret word when the
match has ended and left nothing behind: what bots make a referee say cannot end it. After any fault, and after a match
that left work behind, the JVM is not used again. A process keeps one JVM at most, for one game, edition, rules level
and sandbox; for another there is a new one.

How an archive of classes is made. At a jar's first use on a machine a JVM plays a match in which no seat answers, in a
box, and writes an archive of the classes that it has loaded. JVMs take an archive only with the very jar, and in the
very JVM, that it was made with: so a copy of the jar is kept beside it, with a time of our own, as entries of the
workspace whose names hold all that matters. Workers that need one at the same time make it twice. A process reads an
entry once, and makes a damaged one again.

Where there is trouble of any kind, the referee is started without: that takes longer, and does the same.
"""

import atexit
import hashlib
import json
import os
import secrets
import shutil
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from zipfile import ZipFile

from engine.boxes import OUT_FOLDER, PATH_INSIDE, Limits
from engine.errors import ArenaError, MissingTool, RefereeFault, SandboxFault
from engine.referees.blocks import TIMEOUT, beginning_of_match, block_of
from engine.referees.process import Evidence, MatchSetup, RefereeProcess, box_of
from engine.referees.program import MAIN_CLASS, JarStart, Reuse, jar_start
from engine.sandbox.box import Box, Sandbox
from engine.sandbox.run_to_end import run_to_end
from engine.workspace import Workspace, open_workspace

LAYOUT = 1
JAR, ARCHIVE, DIGEST = "referee.jar", "classes.jsa", "digest"
MANIFEST = "META-INF/MANIFEST.MF"
TIME_OF_JARS_S = 1_000_000_000
"""When kept jars were last changed, as far as a JVM can see."""
JVM_FILES = ("lib/server/libjvm.so", "lib/server/classes.jsa", "lib/modules")
PATIENCE_S = 10
"""A JVM that goes on for this long after its match is asked to end; it writes its archive then too."""
MAKING = f'seconds=$1; shift; timeout $seconds "$@" >&2; cat {OUT_FOLDER}/{ARCHIVE}'
MAKING_LIMITS = Limits(memory_mb=1024, file_size_mb=256)
MAKING_S = 30
MOST_ARCHIVE_KB = 128 * 1024
MOST_WORDS_KB = 16
SILENT_ANSWERS = 16


def with_class_data(box: Box, start: JarStart, sandbox: Sandbox, first_match: bytes) -> Box:
    """`box`: in which `start` is the command; it stays as it is where there is trouble. `first_match`: what the referee
    is sent when an archive is made.
    """
    try:
        workspace = open_workspace()
        jar = keep_jar(workspace, box.folder / start.jar)
        start = replace(start, jar=str(jar / JAR))
        with_jar = replace(box, command=start.command, extra_paths=(*box.extra_paths, jar))
        archive = keep_archive(workspace, with_jar, start, sandbox, first_match)
    except (ArenaError, OSError):
        return box
    java, *words = start.command
    command = (java, f"-XX:SharedArchiveFile={archive / ARCHIVE}", *words)
    return replace(with_jar, command=command, extra_paths=(*with_jar.extra_paths, archive))


def keep_jar(workspace: Workspace, jar: Path) -> Path:
    """Raises SandboxFault, also for a jar that needs others beside it."""
    key = key_of("jar", digest_of(jar))

    def copy(folder: Path) -> None:
        with ZipFile(jar) as archive:
            if MANIFEST in archive.namelist() and b"Class-Path:" in archive.read(MANIFEST):
                _hopeless.add(key)
                raise SandboxFault(f"{jar} names other jars, which a copy of it would not find")
        shutil.copyfile(jar, folder / JAR)
        os.utime(folder / JAR, (TIME_OF_JARS_S, TIME_OF_JARS_S))

    return keep_entry(workspace, key, JAR, copy)


def keep_archive(workspace: Workspace, box: Box, start: JarStart, sandbox: Sandbox, first_match: bytes) -> Path:
    """Raises SandboxFault where none comes out."""
    key = key_of("archive", start.command, jvm_identity(start.java, box.environment))

    def make(folder: Path) -> None:
        if not (archive := archive_from(box, sandbox, first_match)):
            _hopeless.add(key)
            raise SandboxFault(f"{start.java} wrote no archive")
        (folder / ARCHIVE).write_bytes(archive)

    return keep_entry(workspace, key, ARCHIVE, make)


_hopeless: set[str] = set()
"""The keys of entries that cannot be made: it is not tried again."""


def archive_from(box: Box, sandbox: Sandbox, first_match: bytes) -> bytes:
    """Return b"" where none comes out."""
    java, *words = box.command
    archiving = (java, f"-XX:ArchiveClassesAtExit={OUT_FOLDER}/{ARCHIVE}", *words)
    command = ("/bin/sh", "-c", MAKING, "sh", str(PATIENCE_S), *archiving)
    making = replace(box, command=command, limits=MAKING_LIMITS, writable=True, compiles=True)
    ended = run_to_end(
        sandbox, making, first_match, wall_limit_s=MAKING_S, output_kb=MOST_WORDS_KB, stdout_kb=MOST_ARCHIVE_KB
    )
    return ended.stdout if ended.exit_code == 0 and len(ended.stdout) < MOST_ARCHIVE_KB * 1024 else b""


def jvm_identity(java: str, environment: Mapping[str, str]) -> list[tuple[str, int, int]]:
    """Return the files of a JVM, their sizes and times."""
    if (place := shutil.which(java, path=environment.get("PATH", PATH_INSIDE))) is None:
        raise SandboxFault(f"there is no {java}")
    program = Path(place).resolve()
    files = [program, *(program.parents[1] / name for name in JVM_FILES)]
    return [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files if path.is_file()]


def key_of(*identity: object) -> str:
    return hashlib.sha256(json.dumps([LAYOUT, *identity]).encode()).hexdigest()


def keep_entry(workspace: Workspace, key: str, name: str, make: Callable[[Path], None]) -> Path:
    """`make` puts the file into a folder. Raises SandboxFault where that has failed before."""
    entry = workspace.entry(key)
    if is_whole(entry, name):
        return entry
    if key in _hopeless:
        raise SandboxFault("there is none, as was found before")
    with workspace.scratch() as scratch:
        folder = scratch / "entry"
        folder.mkdir(mode=0o755)
        make(folder)
        (folder / DIGEST).write_text(digest_of(folder / name))
        (folder / name).chmod(0o444)
        if not is_whole(entry, name):  # others may have made it meanwhile
            with suppress(FileNotFoundError):
                entry.rename(scratch / "damaged")
        workspace.publish(folder, key)
    return entry


def is_whole(entry: Path, name: str) -> bool:
    try:
        return digest_of(entry / name) == (entry / DIGEST).read_text()
    except OSError:
        return False


def digest_of(path: Path) -> str:
    """The file is read anew only where it has changed."""
    status = path.stat()
    return _digest(path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@cache
def _digest(path: Path, *_version: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


MOST_MATCHES = 200
END_S = 0.3
"""How long a match that has said its scores may take to end."""


class Jvm:
    """One JVM and the match that it plays now. It is a `Channel`."""

    def __init__(self, start: Callable[[str], RefereeProcess], purpose: object) -> None:
        """`start` starts the launcher with a secret word. `purpose`: what it can be used for."""
        word = secrets.token_hex(8)
        self.purpose, self.owner = purpose, os.getpid()
        self._last_word = block_of(f"OVER {word}")
        self._process = start(word)
        self._matches = 0
        self._is_begun = self._is_over = self._has_failed = False
        self._unread = b""

    def ready(self) -> None:
        if not self._matches:
            self._process.ready()
        self._matches += 1
        self._is_begun = self._is_over = False
        self._unread = b""

    def begin_again(self) -> None:
        """Come to the core of the next match. Raises PermissionError where it may not be moved."""
        self._process.begin_again()

    def send(self, data: bytes) -> None:
        first = b"" if self._is_begun else block_of("NEXT_MATCH")
        self._is_begun = True
        self._process.send(first + data)

    def receive(self, patience_s: float | None = None) -> bytes:
        while not self._is_over:
            chunk = self._process.receive(patience_s)
            lines, line_end, self._unread = (self._unread + chunk).rpartition(b"\n")
            lines += line_end
            self._is_over = lines.endswith(self._last_word)
            lines = lines.removesuffix(self._last_word)
            if lines or not chunk:
                return lines
        if patience_s is None:
            raise RefereeFault("the referee ended before the end of the match")
        return b""

    def evidence(self) -> Evidence:
        self._has_failed = True
        return self._process.evidence()

    def close(self) -> None:
        """Keep the JVM for another match where it can play one, else end it. Safe to call again."""
        if self in _kept:
            return
        if self.can_go_on():
            end_kept()
            _kept.append(self)
        else:
            self.end()

    def can_go_on(self) -> bool:
        """Wait a moment for the end of the match that it played."""
        if self._has_failed or self._matches >= MOST_MATCHES:
            return False
        with suppress(ArenaError):
            while not self._is_over and self.receive(END_S):
                pass
        return self._is_over and self._process.is_running()

    def end(self) -> None:
        self._has_failed = True
        self._process.close()


_kept: list[Jvm] = []


def jvm_for(start: Callable[[str], RefereeProcess], purpose: object) -> Jvm:
    while _kept:
        jvm = _kept.pop()
        if jvm.owner != os.getpid():
            continue
        with suppress(PermissionError):  # as where the core of the match is not ours to choose
            if jvm.purpose == purpose and jvm.can_go_on():
                jvm.begin_again()
                return jvm
        jvm.end()
    return Jvm(start, purpose)


def end_kept() -> None:
    """One of the process from which this one was forked is left alone."""
    while _kept:
        jvm = _kept.pop()
        if jvm.owner == os.getpid():
            jvm.end()


atexit.register(end_kept)


SOURCE = Path(__file__).with_name("Launcher.java")
LAUNCHER = "launcher.jar"
COMPILING_S = 120


def with_launcher(box: Box, start: JarStart, word: str) -> Box:
    """`word`: a secret, by which the end of a match is known. Raises MissingTool without `javac`, SandboxFault."""
    key = key_of("launcher", SOURCE.read_text("utf-8"), jvm_identity(start.java, box.environment))
    entry = keep_entry(open_workspace(), key, LAUNCHER, lambda folder: compile_launcher(folder, box.environment))
    classes = f"{entry / LAUNCHER}:{start.jar}"
    command = (start.java, *start.options, "-cp", classes, SOURCE.stem, start.jar, MAIN_CLASS, word)
    return replace(box, command=command, extra_paths=(*box.extra_paths, entry))


def compile_launcher(folder: Path, environment: Mapping[str, str]) -> None:
    """Compile our program by the compiler that comes with this JVM."""
    compiler = shutil.which("javac", path=environment.get("PATH", PATH_INSIDE))
    if compiler is None:
        raise MissingTool("there is no javac, which lets one JVM play many matches: each match has a JVM of its own")
    classes = folder / "classes"
    command = (compiler, "-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1", "-encoding", "UTF-8", "-d", classes, SOURCE)
    ended = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=COMPILING_S, check=False
    )
    if ended.returncode:
        raise SandboxFault(f"{SOURCE.name} does not compile: {ended.stderr.strip()}")
    with ZipFile(folder / LAUNCHER, "w") as jar:
        for file in sorted(classes.iterdir()):
            jar.write(file, file.name)
    shutil.rmtree(classes)


def process_for(setup: MatchSetup, sandbox: Sandbox) -> RefereeProcess | Jvm:
    """Begin to build its box, or take one that waits. Raises SandboxFault, MissingTool."""
    program = setup.program
    if (start := jar_start(program, setup.spec.rules_level)) is None:
        return RefereeProcess(sandbox, box_of(program), program.bounds)
    if program.reuse is Reuse.LOADER:

        def with_word(word: str) -> RefereeProcess:
            return RefereeProcess(sandbox, with_launcher(box_of(program, start), start, word), program.bounds)

        with suppress(MissingTool, SandboxFault):  # without a compiler each match has a JVM of its own
            return jvm_for(with_word, (sandbox.name, program, start))
    box = box_of(program, start)
    silent_match = beginning_of_match(setup.spec.players, setup.all_parameters) + SILENT_ANSWERS * TIMEOUT
    return RefereeProcess(sandbox, with_class_data(box, start, sandbox, silent_match), program.bounds)
