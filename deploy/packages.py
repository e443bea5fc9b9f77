"""Makes the virtual environment of a clone, or adds packages to it, and shows how far it is.

    python3 deploy/packages.py program tests

Each word is a lock file in `requirements`. With `program` the environment is made anew, and this project goes into it;
without, packages are added. On a terminal one line is written over and over; elsewhere a line is written every few
seconds. All goes to stderr, and the installers' own words go into .setup.log. Exit status: 5 after a failure, 130 after
Ctrl-C.

How this works. The pip that comes with Python puts one package beside the environment, in `.uv`: uv, an installer that
takes a tenth of the time. It does not read pip's configuration, so it is given what matters of that. Where uv cannot be
had, or fails, pip installs. Each package is checked against the hashes of its lock file. Both keep what they fetched
in the account's cache, and so a set-up that was cut off goes on from there.

Of packages no byte code is made here, as Python makes it when it first imports them. Only where PYTHONDONTWRITEBYTECODE
forbids that, what our modules import is compiled: each command would else do it again.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

ENVIRONMENT, LOCKS, LOG, UV = Path(".venv"), Path("requirements"), Path(".setup.log"), Path(".uv")
PYTHON = ENVIRONMENT / "bin" / "python"
FAILURE, INTERRUPTED = 5, 130
"""Exit statuses."""

PIP_INSTALL = (
    "install",
    "--disable-pip-version-check",
    "--no-input",
    "--progress-bar",
    "off",
    "--no-compile",
    "--no-deps",
)
UV_INSTALL = ("pip", "install", "--no-python-downloads", "--no-compile-bytecode", "--no-deps")
UV_OPTIONS = {
    "index-url": "--default-index",
    "extra-index-url": "--index",
    "find-links": "--find-links",
    "trusted-host": "--allow-insecure-host",
}
"""For each value of a key of pip's configuration."""
UV_VARIABLES = {"cert": "SSL_CERT_FILE", "timeout": "UV_HTTP_TIMEOUT", "default-timeout": "UV_HTTP_TIMEOUT"}

OURS = ("cli", "workers", "ladder", "engine")
NOT_COMPILED = r"/games/.*/(bots|starters)/|/new_game/template/"
"""Programs of their own, which other Pythons run."""
MODULES = {"program": OURS, "tests": ("tests",)}
"""Folders of ours with what imports the packages of a lock file."""
NOT_IMPORTED = frozenset({"games", "new_game", "first_day", "__main__.py"})
IMPORT_ALL = """\
import contextlib, importlib, sys
for name in sys.argv[1:]:
    with contextlib.suppress(BaseException):  # tests may say at once that they are skipped
        importlib.import_module(name)
"""

REASONS = (
    (r"No space left on device|Disk quota exceeded", "the disk is full: make room, then try again"),
    (
        r"Retrying \(|error sending request|timed out|connection (refused|reset|broken)",
        "packages could not be fetched, as their index does not answer: see to the network, then try again",
    ),
)
"""What installers say, and what that means."""
LEAST_ROOM = 1 << 20
"""Bytes; a disk with less is full."""
LOOK_EVERY_S = 0.2
PLAIN_EVERY_S = 5.0
LAST_LINES = 5
"""Of an installer's words, after a failure of another kind."""


class Failure(Exception):
    """The set-up cannot go on. The message says why, in one sentence."""


def main(words: Sequence[str]) -> int:
    """Install the packages of these lock files and return the exit status."""
    line = Line()
    began = time.monotonic()
    try:
        LOG.write_text("")
        total = Installation(words, line).run()
    except KeyboardInterrupt:
        line.end("interrupted; the next run goes on with what was fetched")
        return INTERRUPTED
    except (Failure, OSError) as error:
        line.end(str(error) if isinstance(error, Failure) else reason(str(error)) or f"cannot go on: {error}")
        return FAILURE
    line.end(f"{total} packages installed in {time.monotonic() - began:.0f} s")
    return 0


def make_environment() -> None:
    """Make the environment, without pip, which would take longer than all else. Raises Failure."""
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    command = [sys.executable, "-m", "venv", "--without-pip", ENVIRONMENT]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        said = made.stderr + made.stdout
        raise Failure(reason(said) or f"could not make {ENVIRONMENT}: {said.strip()}")


class Installation:
    """Packages on their way into the environment."""

    def __init__(self, words: Sequence[str], line: Line) -> None:
        """Prepare to install the packages of these lock files, and this project with those of the program."""
        self.words = words
        self.has_project = "program" in words
        self.locks = [LOCKS / f"{word}.lock" for word in words]
        self.total = len(pinned("\n".join(lock.read_text("utf-8") for lock in self.locks)))
        self.line = line
        self.began = time.monotonic()
        self.installed_before = 0
        self.cache: Path | None = None
        self.cached_before = 0
        self.said = ""

    def run(self) -> int:
        """Install them and return how many they are. Raises Failure."""
        self.show(0)
        if self.has_project:
            make_environment()
        self.installed_before = installed()
        configuration = subprocess.Popen([*pip(), "config", "list"], stdout=subprocess.PIPE, text=True)
        uv = self.uv()
        said_of_pip, _ = configuration.communicate()
        if not (uv and self.by_uv(uv, said_of_pip)) and not self.by_pip():
            last = "\n".join(self.said.splitlines()[-LAST_LINES:])
            raise Failure(reason(self.said) or f"could not install the packages; the end of {LOG}:\n{last}")
        self.compile()
        return self.total

    def uv(self) -> Path | None:
        """Return uv, fetched where it is not there; None where it cannot be had. Raises Failure where nothing can."""
        program, made_from, lock = UV / "bin" / "uv", UV / "made-from", LOCKS / "uv.lock"
        with suppress(OSError):
            if program.exists() and made_from.read_text() == lock.read_text():
                return program
        shutil.rmtree(UV, ignore_errors=True)
        if self.do([*pip(), *PIP_INSTALL, "--require-hashes", "--only-binary", ":all:", "--target", UV, "-r", lock]):
            made_from.write_text(lock.read_text())
            return program
        if why := reason(self.said):
            raise Failure(why)
        return None

    def by_uv(self, uv: Path, said_of_pip: str) -> bool:
        """Install by uv, and say whether it could. `said_of_pip`: its configuration, as it lists that."""
        options, variables = of_pip(said_of_pip)
        folder = subprocess.run([uv, "cache", "dir"], capture_output=True, text=True, check=False).stdout
        self.cache = Path(folder.strip(), "archive-v0")
        self.cached_before = entries(self.cache)
        install = [uv, *UV_INSTALL, "--python", PYTHON, *options]
        # What is published as source alone is built by the setuptools of the lock file.
        checked = ["--require-hashes", "--build-constraints", LOCKS / "program.lock"]
        return self.do([*install, *checked, *self.packages()], variables) and self.project(install, variables)

    def by_pip(self) -> bool:
        """Install by pip, and say whether it could."""
        self.cache = None
        if self.has_project:
            make_environment()
        install = [*pip(), "--python", PYTHON, *PIP_INSTALL]
        return self.do([*install, "--require-hashes", *self.packages()]) and self.project(install)

    def packages(self) -> list[str | Path]:
        """Return the options that name the lock files."""
        return [word for lock in self.locks for word in ("-r", lock)]

    def project(self, install: Sequence[str | Path], variables: Mapping[str, str] | None = None) -> bool:
        """Install this project where it is wanted, and say whether that went well."""
        return not self.has_project or self.do([*install, "--no-build-isolation", "--editable", "."], variables)

    def compile(self) -> None:
        """Compile our modules and, where Python may not do that later, what they import."""
        folders = [name for name in OURS if Path(name).is_dir()]
        compileall = [PYTHON, "-m", "compileall", "-qq", "-j", "0", "-x", NOT_COMPILED, *folders]
        if self.has_project:
            self.wait(subprocess.Popen(compileall, stderr=subprocess.DEVNULL))
        if os.environ.get("PYTHONDONTWRITEBYTECODE"):
            environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
            names = [name for word in self.words for folder in MODULES.get(word, ()) for name in modules(Path(folder))]
            self.wait(subprocess.Popen([PYTHON, "-c", IMPORT_ALL, *names], stderr=subprocess.DEVNULL, env=environment))

    def do(self, command: Sequence[str | Path], variables: Mapping[str, str] | None = None) -> bool:
        """Run an installer to its end and say whether it went well. Its words go into `said` and the log."""
        with LOG.open("a+", encoding="utf-8", errors="replace") as log:
            begin = log.tell()
            environment = {**os.environ, **(variables or {})}
            running = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment)
            self.wait(running)
            log.seek(begin)
            self.said = log.read()
        return running.returncode == 0

    def wait(self, running: subprocess.Popen[bytes]) -> None:
        """Wait for the end of a process, and show how far it all is."""
        while running.poll() is None:  # the seconds show that it lives, however long one package takes
            fetched = entries(self.cache) - self.cached_before if self.cache else collected(LOG)
            self.show(fetched, installed() - self.installed_before)
            with suppress(subprocess.TimeoutExpired):
                running.wait(LOOK_EVERY_S)

    def show(self, fetched: int, installed: int = 0) -> None:
        """Show how many packages are fetched or installed."""
        self.line.show(f"{progress(self.total, fetched, installed)}, {time.monotonic() - self.began:.0f} s")


def pip() -> list[str | Path]:
    """Return the command that runs the pip which comes with Python; where none does, one that is installed."""
    found = find_spec("ensurepip")
    folders = [sysconfig.get_config_var("WHEEL_PKG_DIR"), found and found.origin and Path(found.origin, "../_bundled")]
    wheels = [wheel for folder in folders if folder for wheel in Path(os.path.normpath(folder)).glob("pip-*.whl")]
    return [sys.executable, wheels[0] / "pip"] if wheels else [sys.executable, "-m", "pip"]


def of_pip(configuration: str) -> tuple[list[str], dict[str, str]]:
    """Return what pip's configuration is for uv: options and variables. `configuration`: as pip lists it."""
    options = ["--index-strategy", "unsafe-best-match"]  # any index may have a package, as for pip; hashes decide
    variables = {}
    lines = [line.partition("=") for line in configuration.splitlines()]
    settings = {
        name.rpartition(".")[2]: str(ast.literal_eval(value)) for name, _, value in sorted(lines, key=is_variable)
    }
    for key, value in settings.items():
        if key in UV_OPTIONS:
            options += [word for one in value.split() for word in (UV_OPTIONS[key], one)]
        elif key in UV_VARIABLES:
            variables[UV_VARIABLES[key]] = value
        elif key == "proxy":
            variables |= {"HTTP_PROXY": value, "HTTPS_PROXY": value}
        elif key == "no-index" and value.lower() in {"1", "true", "yes", "on"}:
            options.append("--no-index")
    return options, variables


def is_variable(setting: tuple[str, str, str]) -> bool:
    """Say whether a setting comes from a variable, which counts more than files."""
    return setting[0].startswith(":env:")


def reason(said: str) -> str | None:
    """Return what is meant by an installer's or the system's words, if it is one of the usual reasons."""
    if shutil.disk_usage(".").free < LEAST_ROOM:
        return REASONS[0][1]
    return next((meant for words, meant in REASONS if re.search(words, said, re.IGNORECASE)), None)


def modules(folder: Path) -> list[str]:
    """Return the names of the modules in a folder."""
    files = [file for file in sorted(folder.rglob("*.py")) if not NOT_IMPORTED & set(file.parts)]
    return [".".join(file.with_suffix("").parts).removesuffix(".__init__") for file in files]


def pinned(locks: str) -> set[str]:
    """Return the names of the packages that this system needs of lock files."""
    with suppress(ImportError):
        sys.path.insert(0, str(Path(pip()[1]).parent))
        from pip._vendor.packaging.markers import Marker

        return {
            name
            for name, marker in re.findall(
                r"^([\w.-]+)(?:\[[^]]*\])?==[^\s;]+(?: *; (.+?))?(?= --hash| \\|$)", locks, re.MULTILINE
            )
            if not marker or Marker(marker).evaluate()
        }
    return set(re.findall(r"^[\w.-]+(?===)", locks, re.MULTILINE))


def entries(folder: Path) -> int:
    """Return how many files and folders there are in one; in that of uv's cache each is a package."""
    return sum(1 for _ in folder.iterdir()) if folder.is_dir() else 0


def collected(log: Path) -> int:
    """Return how many packages pip has begun to fetch, by its words."""
    return len(re.findall(r"^(?:Collecting|Processing) ", log.read_text("utf-8", "replace"), re.MULTILINE))


def installed() -> int:
    """Return how many packages the environment has."""
    return sum(1 for _ in ENVIRONMENT.glob("lib/python*/site-packages/*.dist-info/RECORD"))


def progress(total: int, fetched: int, installed: int) -> str:
    """Say how far it is."""
    what, done = ("installing", installed) if installed else ("fetching", fetched)
    return f"{what} packages: {min(done, total)} of {total}"


class Line:
    """The line that shows how far it is."""

    def __init__(self) -> None:
        """Begin; nothing is shown yet."""
        self.is_terminal = sys.stderr.isatty()
        self.shown = ""
        self.next_at = 0.0

    def show(self, words: str) -> None:
        """Show these words where it is time for that."""
        if words != self.shown and time.monotonic() >= self.next_at:
            self.write(words, end="" if self.is_terminal else "\n")
            self.next_at = time.monotonic() + (0 if self.is_terminal else PLAIN_EVERY_S)

    def end(self, words: str) -> None:
        """Show these words last."""
        self.write(words, end="\n")

    def write(self, words: str, end: str) -> None:
        """Write a line; on a terminal in the place of the one before."""
        self.shown = words
        sys.stderr.write(f"\r\x1b[Ksetup: {words}{end}" if self.is_terminal else f"setup: {words}{end}")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
