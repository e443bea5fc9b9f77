"""The small program that lets a JVM play match after match: compiled at first use, and kept in the workspace."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

from engine.boxes.paths import PATH_INSIDE
from engine.errors import MissingTool, SandboxFault
from engine.referees.java import MAIN_CLASS, JarStart
from engine.referees.jvm.class_data import jvm_identity, kept, key_of
from engine.sandbox.box import Box
from engine.workspace import open_workspace

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
