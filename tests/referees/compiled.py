"""The test referees ready to be run: compiled at first use, and kept in this machine's workspace for later runs.

foragers.jar    speaks `sdk` by its class RefereeMain; its own main class starts the bots itself
foragers        speaks `brutaltester`
foragers.py     speaks `sdk`
"""

import hashlib
import platform
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from engine.workspace import open_workspace

HERE = Path(__file__).parent
JAVA, BENCH, C, PYTHON = HERE / "java", HERE / "bench", HERE / "foragers.c", HERE / "foragers" / "foragers.py"
MAIN_CLASS = "foragers.Outer"


LIBRARIES = [
    Path("/usr/share/java", f"{name}.jar") for name in ("aopalliance", "atinject-jsr330-api", "gson", "guava", "guice")
]
"""As Debian's packages libguice-java and libgoogle-gson-java bring them."""


def referees() -> Path:
    """Return the folder that holds all three. Raises CalledProcessError with the compiler's words."""

    def make(folder: Path, scratch: Path) -> None:
        shutil.copy(PYTHON, folder)
        run("gcc", "-O1", "-std=c11", "-o", folder / "foragers", C)
        compile_java(sorted(JAVA.rglob("*.java")), scratch / "classes")
        pack(folder / "foragers.jar", scratch / "classes")

    return kept((*sorted(JAVA.rglob("*.java")), C, PYTHON), make)


def referee_with_libraries() -> Path:
    """Return the folder that holds `foragers.jar` with libraries, which the parameter `libraries=1` makes it load."""
    sources = [*sorted(JAVA.rglob("*.java")), *sorted(BENCH.rglob("*.java"))]

    def make(folder: Path, scratch: Path) -> None:
        compile_java(sources, scratch / "classes", "-cp", ":".join(map(str, LIBRARIES)))
        with ExitStack() as jars:
            pack(folder / "foragers.jar", scratch / "classes", [jars.enter_context(ZipFile(jar)) for jar in LIBRARIES])

    return kept(sources, make)


def kept(sources: Iterable[Path], make: Callable[[Path, Path], None]) -> Path:
    """Return the folder in the workspace that `make` fills from these sources, with a scratch folder beside it."""
    workspace = open_workspace()
    key = hashlib.sha256(b"\0".join((platform.machine().encode(), *map(Path.read_bytes, sources)))).hexdigest()
    if not workspace.entry(key).is_dir():
        with workspace.scratch() as scratch:
            folder = scratch / "referees"
            folder.mkdir(mode=0o755)
            make(folder, scratch)
            workspace.publish(folder, key)
    return workspace.entry(key)


def compile_java(sources: Iterable[Path], classes: Path, *options: str) -> None:
    run("javac", "-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1", *options, "-d", classes, *sources)


def run(*command: str | Path) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def pack(jar: Path, classes: Path, others: Iterable[ZipFile] = ()) -> None:
    manifest = f"Manifest-Version: 1.0\r\nMain-Class: {MAIN_CLASS}\r\n\r\n".encode()
    files = {str(path.relative_to(classes)): path.read_bytes() for path in classes.rglob("*.class")}
    with ZipFile(jar, "w", ZIP_DEFLATED) as archive:
        for name, data in {"META-INF/MANIFEST.MF": manifest, **merged(others), **files}.items():
            archive.writestr(name, data)


def merged(jars: Iterable[ZipFile]) -> Mapping[str, bytes]:
    return {name: jar.read(name) for jar in jars for name in jar.namelist() if not name.startswith("META-INF/")}
