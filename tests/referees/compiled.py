"""The test referees ready to be run: compiled at first use, and kept in this machine's workspace for later runs.

foragers.jar    speaks `sdk` by its class RefereeMain; its own main class starts the bots itself
foragers        speaks `brutaltester`
foragers.py     speaks `sdk`
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from zipfile import ZipFile

from engine.workspace import open_workspace

HERE = Path(__file__).parent
JAVA, C, PYTHON = HERE / "java", HERE / "foragers.c", HERE / "foragers" / "foragers.py"
MAIN_CLASS = "foragers.Outer"


def referees() -> Path:
    """Return the folder that holds all three. Raises CalledProcessError with the compiler's words."""
    sources = (*sorted(JAVA.rglob("*.java")), C, PYTHON)
    workspace = open_workspace()
    key = hashlib.sha256(b"\0".join((platform.machine().encode(), *map(Path.read_bytes, sources)))).hexdigest()
    if not workspace.entry(key).is_dir():
        with workspace.scratch() as scratch:
            folder = scratch / "referees"
            folder.mkdir(mode=0o755)
            shutil.copy(PYTHON, folder)
            run("gcc", "-O1", "-std=c11", "-o", folder / "foragers", C)
            compile_java(sorted(JAVA.rglob("*.java")), scratch / "classes")
            pack(folder / "foragers.jar", scratch / "classes")
            workspace.publish(folder, key)
    return workspace.entry(key)


def compile_java(sources: Iterable[Path], classes: Path, *options: str) -> None:
    """Compile sources into a folder of classes."""
    run("javac", "-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1", *options, "-d", classes, *sources)


def run(*command: str | Path) -> None:
    """Run a compiler."""
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def pack(jar: Path, classes: Path, main_class: str = MAIN_CLASS, others: Iterable[ZipFile] = ()) -> None:
    """Make a jar of a folder of classes, and of all that is in others."""
    manifest = f"Manifest-Version: 1.0\r\nMain-Class: {main_class}\r\n\r\n".encode()
    files = {str(path.relative_to(classes)): path.read_bytes() for path in classes.rglob("*.class")}
    with ZipFile(jar, "w") as archive:
        for name, data in {"META-INF/MANIFEST.MF": manifest, **merged(others), **files}.items():
            archive.writestr(name, data)


def merged(jars: Iterable[ZipFile]) -> Mapping[str, bytes]:
    """Return the classes and resources of several jars."""
    return {name: jar.read(name) for jar in jars for name in jar.namelist() if not name.startswith("META-INF/")}
