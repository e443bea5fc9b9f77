"""How the referee program of a match is started here: as its game says, as a class of a jar, or in a JVM that runs.

How this works. The JVM runs our launcher, which gives each match classes of its own and prints a secret word when the
match has ended and left nothing behind. So a match is known to be over at once, and what bots make a referee say cannot
end it. After any fault, and after a match that left work behind, the JVM is not used again.

A process plays one match after the other, so it keeps one JVM at most, for one purpose. For another game, another
edition of the same, another rules level or another sandbox there is a new one, and then the old one ends.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import secrets
import shutil
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from zipfile import ZipFile

from engine.boxes import PATH_INSIDE
from engine.errors import ArenaError, MissingTool, RefereeFault, SandboxFault
from engine.referees.blocks import block_of
from engine.referees.evidence import Evidence
from engine.referees.java import MAIN_CLASS, JarStart
from engine.referees.jvm.class_data import FirstMatch, jvm_identity, kept, key_of, with_class_data
from engine.referees.process import RefereeProcess, box_of, start_of
from engine.referees.program import RefereeProgram, Reuse
from engine.referees.setup import MatchSetup
from engine.sandbox.box import Box, Sandbox
from engine.workspace import open_workspace

MOST_MATCHES = 200
"""Of one JVM."""
END_S = 0.3
"""How long a match that has said its scores may take to end."""


class Jvm:
    """One JVM and the match that it plays now. It is a `Channel`."""

    def __init__(self, start: Callable[[str], RefereeProcess], purpose: object) -> None:
        """Begin to build its box. `start` starts the launcher with a secret word. `purpose`: what it can be used for.

        Raises what `start` raises.
        """
        word = secrets.token_hex(8)
        self.purpose = purpose
        self.owner = os.getpid()
        self._last_word = block_of(f"OVER {word}")
        self._process = start(word)
        self._matches = 0
        self._is_begun = self._is_over = self._has_failed = False
        self._unread = b""

    def ready(self) -> None:
        """Wait until it can begin a match. Raises SandboxFault."""
        if not self._matches:
            self._process.ready()
        self._matches += 1
        self._is_begun = self._is_over = False
        self._unread = b""

    def begin_again(self) -> None:
        """Come to the core of the next match. Raises PermissionError where it may not be moved."""
        self._process.begin_again()

    def send(self, data: bytes) -> None:
        """Write all of it. See `Channel`."""
        first = b"" if self._is_begun else block_of("NEXT_MATCH")
        self._is_begun = True
        self._process.send(first + data)

    def receive(self, patience_s: float | None = None) -> bytes:
        """Return the next lines of this match, each to its end. See `Channel`."""
        while not self._is_over:
            heard = self._process.receive(patience_s)
            lines, line_end, self._unread = (self._unread + heard).rpartition(b"\n")
            lines += line_end
            if lines.endswith(self._last_word):
                self._is_over = True
                lines = lines.removesuffix(self._last_word)
            if lines or not heard:
                return lines
        if patience_s is None:
            raise RefereeFault("the referee ended before the end of the match")
        return b""

    def evidence(self) -> Evidence:
        """End the JVM, and return what is known of it."""
        self._has_failed = True
        return self._process.evidence()

    def close(self) -> None:
        """End the match: keep the JVM for another one where it can play one, else end it. Safe to call again."""
        if self in _kept:
            return
        if self.can_go_on():
            end_kept()
            _kept.append(self)
        else:
            self.end()

    def can_go_on(self) -> bool:
        """Say whether it can play another match. Waits a moment for the end of the one that it played."""
        if self._has_failed or self._matches >= MOST_MATCHES:
            return False
        with suppress(ArenaError):
            while not self._is_over and self.receive(END_S):
                pass
        return self._is_over and self._process.is_running()

    def end(self) -> None:
        """End the JVM. Safe to call again."""
        self._has_failed = True
        self._process.close()


_kept: list[Jvm] = []
"""The JVM that this process used last, waiting for a match."""


def jvm_for(start: Callable[[str], RefereeProcess], purpose: object) -> Jvm:
    """Return the kept JVM if it is for this purpose, else a new one. Raises what `start` raises."""
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
    """End the kept JVM, if there is one; one of the process from which this one was forked is left alone."""
    while _kept:
        jvm = _kept.pop()
        if jvm.owner == os.getpid():
            jvm.end()


atexit.register(end_kept)


SOURCE = Path(__file__).with_name("Launcher.java")
LAUNCHER = "launcher.jar"
COMPILING_S = 120


def with_launcher(box: Box, start: JarStart, word: str) -> Box:
    """Return a box in which a jar plays many matches. `word`: a secret, by which the end of a match is known.

    Raises MissingTool where there is no `javac`, SandboxFault where our program does not compile or cannot be kept.
    """
    entry = kept_launcher(start.java, box.environment)
    classes = f"{entry / LAUNCHER}:{start.jar}"
    command = (start.java, *start.options, "-cp", classes, SOURCE.stem, start.jar, MAIN_CLASS, word)
    return replace(box, command=command, extra_paths=(*box.extra_paths, entry))


def kept_launcher(java: str, environment: Mapping[str, str]) -> Path:
    """Return the entry that holds our program, compiled for this JVM by the compiler that comes with it."""
    key = key_of("launcher", SOURCE.read_text("utf-8"), jvm_identity(java, environment))
    return kept(open_workspace(), key, LAUNCHER, lambda folder: compiled(folder, environment))


def compiled(folder: Path, environment: Mapping[str, str]) -> str:
    """Compile our program into a folder; return the digest of the jar."""
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
    return hashlib.sha256((folder / LAUNCHER).read_bytes()).hexdigest()


def process_for(setup: MatchSetup, rules_level: int, sandbox: Sandbox) -> RefereeProcess | Jvm:
    """Begin to build the box of a match's referee, or take one that waits.

    Raises SandboxFault, and MissingTool where what the referee needs is not here.
    """
    program = setup.program
    start = start_of(program, rules_level)
    if start is None:
        return RefereeProcess(sandbox, box_of(program), program.bounds)
    if program.reuse is Reuse.LOADER:
        purpose = (sandbox.name, program, start)
        with suppress(MissingTool, SandboxFault):  # without a compiler each match has a JVM of its own
            return jvm_for(partial(with_word, sandbox, program, start), purpose)
    box = box_of(program, start)
    first_match = FirstMatch(setup.players, setup.given)
    return RefereeProcess(sandbox, with_class_data(box, start, sandbox, first_match), program.bounds)


def with_word(sandbox: Sandbox, program: RefereeProgram, start: JarStart, word: str) -> RefereeProcess:
    """Begin to build the box of a JVM for many matches."""
    return RefereeProcess(sandbox, with_launcher(box_of(program, start), start, word), program.bounds)
