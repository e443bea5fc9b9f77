"""Installs the packages of a lock file into the environment of the Python that runs this, and shows how far it is.

    .venv/bin/python deploy/packages.py requirements.lock .setup.log

On a terminal one line is written over and over; elsewhere a line is written every few seconds. All goes to stderr, and
pip's own words into the log. Exit status: pip's.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from sysconfig import get_path

PIP = (
    "-m",
    "pip",
    "install",
    "--disable-pip-version-check",
    "--no-input",
    "--progress-bar",
    "off",
    "--require-hashes",
    "--no-deps",
    "--no-compile",
)
COMPILE = ("-m", "compileall", "-qq", "-j", "0")
"""On all cores, while pip would compile one module after another. What is for another Python is passed over."""
LOOK_EVERY_S = 0.2
PLAIN_EVERY_S = 5.0
LAST_LINES = 5
"""Of pip's words, after a failure."""


def main(lock: Path, log: Path) -> int:
    """Install the packages and return pip's exit status."""
    began = time.time()
    line = Line()
    with log.open("w") as words:
        pip = subprocess.Popen([sys.executable, *PIP, "-r", lock], stdout=words, stderr=subprocess.STDOUT)
    for age in seconds_of(pip):  # they show that it lives, however long one package takes
        how_far = progress(lock.read_text("utf-8"), log.read_text("utf-8", "replace"), installed_since(began))
        line.show(f"{how_far}, {age:.0f} s")
    if pip.returncode:
        line.end(f"could not install the packages; the end of {log}:")
        sys.stderr.write("".join(f"{last}\n" for last in log.read_text("utf-8", "replace").splitlines()[-LAST_LINES:]))
        return pip.returncode
    for age in seconds_of(subprocess.Popen([sys.executable, *COMPILE, get_path("purelib")])):
        line.show(f"compiling the packages, {age:.0f} s")
    line.end(f"{installed_since(began)} packages installed in {time.time() - began:.0f} s")
    return 0


def seconds_of(process: subprocess.Popen[bytes]) -> Iterator[float]:
    """Yield again and again, until a process ends, for how long it has run."""
    began = time.monotonic()
    while process.poll() is None:
        yield time.monotonic() - began
        time.sleep(LOOK_EVERY_S)


def installed_since(began: float) -> int:
    """Return how many packages were installed since a moment. Its record is what pip writes last of a package."""
    records = Path(get_path("purelib")).glob("*.dist-info/RECORD")
    return sum(record.stat().st_mtime >= began for record in records)


def progress(lock: str, log: str, installed: int) -> str:
    """Say how far pip is. `log`: its words so far; `installed`: how many packages it has installed."""
    if chosen := re.search(r"^Installing collected packages: (.+)$", log, re.MULTILINE):
        return f"installing packages: {installed} of {len(chosen[1].split(', '))}"
    passed_over = len(re.findall(r"^Ignoring ", log, re.MULTILINE))  # they are for other systems; named before all else
    every = len(re.findall(r"^[\w.\[\]-]+==", lock, re.MULTILINE)) - passed_over
    fetched = len(re.findall(r"^(?:Collecting|Processing|Requirement already satisfied:) ", log, re.MULTILINE))
    return f"fetching packages: {fetched} of {every}" if fetched else "asking for packages"


class Line:
    """The line that shows how far it is."""

    def __init__(self) -> None:
        """Begin; nothing is shown yet."""
        self.is_terminal = sys.stderr.isatty()
        self.shown = ""
        self.next_at = time.monotonic() + (0 if self.is_terminal else PLAIN_EVERY_S)

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
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
