"""The script `bin/ladder` of a clone: it sets the clone up once, saying how far it is, and then is the program."""

from __future__ import annotations

import hashlib
import os
import pty
import shutil
import subprocess
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from zipfile import ZipFile

import pytest

CHECKOUT = Path(__file__).parents[2]
PYPROJECT = """\
[build-system]
requires = ["builder"]
build-backend = "builder"
[project]
name = "program"
version = "1.0"
"""
BUILDER = """\
import pathlib, shutil
def build_editable(folder, config_settings=None, metadata_directory=None):
    return pathlib.Path(shutil.copy(pathlib.Path("../wheels/program-1.0-py3-none-any.whl").absolute(), folder)).name
"""
PROGRAM = """\
import os, sys
def main():
    print(sys.argv[1:], os.getcwd(), os.environ["LADDER_CALLED_AS"])
    return 7
"""


def wheel(clone: Path, name: str, code: str, points: str = "") -> None:
    """Write a package of one module, as pip takes it."""
    about = f"{name}-1.0.dist-info"
    (clone.parent / "wheels").mkdir(exist_ok=True)
    with ZipFile(clone.parent / "wheels" / f"{name}-1.0-py3-none-any.whl", "w") as file:
        file.writestr(f"{name}.py", code)
        file.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: us\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{about}/entry_points.txt", points)
        file.writestr(f"{about}/RECORD", "".join(f"{name_in},,\n" for name_in in [*file.namelist(), f"{about}/RECORD"]))


def lock(clone: Path, *names: str) -> None:
    """Write a lock file with these packages, and one that is for another system."""
    lines = ["elsewhere==1.0 ; sys_platform == 'win32' --hash=sha256:" + 64 * "0"]
    for name in names:
        found = hashlib.sha256((clone.parent / "wheels" / f"{name}-1.0-py3-none-any.whl").read_bytes()).hexdigest()
        lines.append(f"{name}==1.0 --hash=sha256:{found}")
    (clone / "requirements.lock").write_text("\n".join(lines) + "\n")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with our scripts, of a program that has two packages and prints how it was called."""
    clone = tmp_path / "a clone"
    for name in ("bin", "deploy"):
        shutil.copytree(CHECKOUT / name, clone / name)
    wheel(clone, "builder", BUILDER)
    wheel(clone, "other", "")
    wheel(clone, "third", "")
    wheel(clone, "program", PROGRAM, "[console_scripts]\nladder = program:main\n")
    (clone / "pyproject.toml").write_text(PYPROJECT)
    lock(clone, "builder", "other")
    return clone


def environment(clone: Path) -> dict[str, str]:
    """Return an environment in which pip takes the clone's own packages alone."""
    return {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(clone.parent / "wheels")}


def run(
    clone: Path, *words: str | Path, cwd: Path, more: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command line to its end."""
    return subprocess.run(
        words, cwd=cwd, env={**environment(clone), **(more or {})}, capture_output=True, text=True, check=False
    )


def test_the_script_sets_its_clone_up_once_and_then_is_the_program(clone: Path, tmp_path: Path) -> None:
    """From any folder, with its arguments and exit status; what the set-up says goes to stderr alone."""
    script = clone / "bin" / "ladder"
    first = run(clone, script, "play", "a file", cwd=tmp_path)
    assert (first.returncode, first.stdout) == (7, f"['play', 'a file'] {tmp_path} {script}\n")
    assert first.stderr.startswith("setup: making the virtual environment .venv (once)\n")
    assert "setup: 2 packages installed in " in first.stderr
    assert "elsewhere" not in first.stderr

    second = run(clone, "bin/ladder", cwd=clone)
    assert (second.returncode, second.stdout, second.stderr) == (7, f"[] {clone} bin/ladder\n", "")
    (tmp_path / "ladder").symlink_to(script)
    third = run(clone, "ladder", "up", cwd=clone, more={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert (third.stdout, third.stderr) == (f"['up'] {clone} {tmp_path / 'ladder'}\n", "")


@pytest.mark.long
def test_a_changed_lock_file_is_set_up_again_and_a_terminal_sees_one_line_that_grows(
    clone: Path, tmp_path: Path
) -> None:
    """And packages that cannot be installed end it with pip's own reason, until they can."""
    lock(clone, "builder", "other", "third")
    (clone.parent / "wheels" / "third-1.0-py3-none-any.whl").write_bytes(b"not what it was")
    failed = run(clone, clone / "bin" / "ladder", cwd=tmp_path)
    assert failed.returncode == 1
    assert "setup: could not install the packages" in failed.stderr
    assert "third" in failed.stderr
    assert failed.stdout == ""

    wheel(clone, "third", "")
    lock(clone, "builder", "other", "third")
    screen, its_end = pty.openpty()
    done = subprocess.run(
        [clone / "bin" / "ladder"], env=environment(clone), stdout=subprocess.PIPE, stderr=its_end, check=False
    )
    os.close(its_end)
    shown = os.read(screen, 100_000).decode()
    os.close(screen)
    assert done.returncode == 7
    assert done.stdout.startswith(b"[] ")
    *_, last = shown.rstrip().split("\r\x1b[K")
    assert last.startswith("setup: 3 packages installed in ")
    assert shown.count("\n") == 2, "one line for the environment and one for the packages, however often it is written"


def test_make_calls_the_script_as_the_person_can_call_it_too(tmp_path: Path) -> None:
    for cwd, script in ((CHECKOUT, "bin/ladder"), (tmp_path, f"{CHECKOUT}/bin/ladder")):
        done = subprocess.run(
            ["make", "--no-print-directory", "-C", CHECKOUT, "-n", "demo"],
            cwd=cwd,
            env={**os.environ, "PWD": str(cwd)},  # as a shell sets it
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.splitlines()[-1] == f"{script} demo"


@pytest.fixture
def packages() -> ModuleType:
    """The module that installs the packages."""
    spec = spec_from_file_location("packages", CHECKOUT / "deploy" / "packages.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_progress_is_packages_done_of_all_that_this_system_needs(packages: ModuleType) -> None:
    lock = "one==1.0 \\\n    --hash=sha256:0\ntwo[extra]==2.0 \\\n    --hash\nthree==3 ; sys_platform == 'win32' \\\n"
    log = "Ignoring three: markers 'sys_platform' do not match\n"
    assert packages.progress(lock, log, 0) == "asking for packages"
    log += "Collecting one==1.0 (from -r requirements.lock (line 1))\n  Downloading one-1.0.whl (4 kB)\n"
    assert packages.progress(lock, log, 0) == "fetching packages: 1 of 2"
    log += "Processing /a/folder/two-2.0.whl (from -r requirements.lock (line 3))\n"
    assert packages.progress(lock, log, 0) == "fetching packages: 2 of 2"
    log += "Installing collected packages: one, two\n"
    assert packages.progress(lock, log, 1) == "installing packages: 1 of 2"


def test_where_there_is_no_terminal_a_line_is_written_every_few_seconds(
    packages: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 100.0
    monkeypatch.setattr(packages.time, "monotonic", lambda: now)
    line = packages.Line()
    for second in range(12):
        now = 100.0 + second
        line.show(f"fetching packages: {second} of 12")
    line.end("12 packages installed in 12 s")
    assert capsys.readouterr().err.splitlines() == [
        "setup: fetching packages: 5 of 12",
        "setup: fetching packages: 10 of 12",
        "setup: 12 packages installed in 12 s",
    ]
