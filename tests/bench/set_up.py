"""What the set-up takes of a clone that nobody has used, with an empty HOME; and what pip alone takes for the same.

How this works. The files of this clone are copied, so what is fetched and installed is there afterwards and nowhere
else. The baseline installs the same lock file into an environment of its own, with a cache that is as empty.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from tests.bench.cpu import cpu_s_of_children
from tests.bench.report import line

ROOT = Path(__file__).parents[2]
MEGABYTE = 1024 * 1024


def lines() -> Iterator[str]:
    """Measure and give what the bench prints."""
    with tempfile.TemporaryDirectory(prefix="ladder-bench-", dir="/tmp") as folder:
        clone, home = Path(folder, "clone"), Path(folder, "home")
        home.mkdir()
        subprocess.run(("git", "clone", "-q", ROOT, clone), check=True)
        environment = empty_home(home)
        setup = took(("sh", str(clone / "deploy/setup.sh"), "program"), environment)
        if setup is None:
            yield line("set-up of the program", "not here", "", "packages could not be installed")
            return
        yield line("set-up of the program", setup[1], "s", f"on the wall; {installed(clone / '.venv')}")
        yield line("set-up of the program", setup[0], "s", "of CPU time")
        alone = Path(folder, "alone")
        subprocess.run((sys.executable, "-m", "venv", alone), check=True)
        lock = str(clone / "requirements/program.lock")
        install = (str(alone / "bin/pip"), "install", "-q", "--require-hashes", "-r", lock)
        baseline = took(install, {**environment, "PIP_CACHE_DIR": f"{folder}/cache"})
        if baseline is None:
            yield line("pip alone", "not here", "", "pip could not install the packages")
            return
        yield line("pip alone", baseline[1], "s", f"on the wall, the same lock file; {installed(alone)}")
        yield line("pip alone", baseline[0], "s", "of CPU time")


def empty_home(home: Path) -> Mapping[str, str]:
    caches = {"XDG_CACHE_HOME", "UV_CACHE_DIR", "PIP_CACHE_DIR"}
    return {**{name: value for name, value in os.environ.items() if name not in caches}, "HOME": str(home)}


def took(command: tuple[str, ...], environment: Mapping[str, str]) -> tuple[float, float] | None:
    """Return the CPU time and the wall time of a command, in seconds; None where it failed."""
    cpu_s, began_s = cpu_s_of_children(), time.monotonic()
    with suppress(subprocess.CalledProcessError):
        subprocess.run(command, env=environment, check=True, capture_output=True)
        return cpu_s_of_children() - cpu_s, time.monotonic() - began_s
    return None


def installed(environment: Path) -> str:
    packages = list(environment.glob("lib/python*/site-packages/*.dist-info"))
    size = sum(file.stat().st_size for file in environment.rglob("*") if file.is_file() and not file.is_symlink())
    return f"{len(packages)} packages, {size / MEGABYTE:.0f} MB"
