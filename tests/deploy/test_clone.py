"""The script `bin/ladder` of a clone: it sets the clone up once, saying how far it is, and then is the program."""

import ensurepip
import hashlib
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from shlex import quote
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
    about = f"{name}-1.0.dist-info"
    (clone.parent / "wheels").mkdir(exist_ok=True)
    with ZipFile(clone.parent / "wheels" / f"{name}-1.0-py3-none-any.whl", "w") as file:
        file.writestr(f"{name}.py", code)
        file.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: us\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{about}/entry_points.txt", points)
        file.writestr(f"{about}/RECORD", "".join(f"{name_in},,\n" for name_in in [*file.namelist(), f"{about}/RECORD"]))


def lock(clone: Path, *names: str, to: str = "program") -> None:
    lines = ["elsewhere==1.0 ; sys_platform == 'win32' --hash=sha256:" + 64 * "0"]
    for name in names:
        found = hashlib.sha256((clone.parent / "wheels" / f"{name}-1.0-py3-none-any.whl").read_bytes()).hexdigest()
        lines.append(f"{name}==1.0 --hash=sha256:{found}")
    (clone / "requirements").mkdir(exist_ok=True)
    (clone / "requirements" / f"{to}.lock").write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="session")
def compiled_pip(open_folder: Path) -> Path:
    """Where Python finds the pip that comes with it as files, which it compiles once: a wheel it compiles always."""
    folder = shutil.copytree(Path(ensurepip.__path__[0]), open_folder / "pip" / "ensurepip")
    for wheel in folder.glob("_bundled/pip-*.whl"):
        with ZipFile(wheel.rename(folder / "pip.zip")) as file:
            file.extractall(wheel)
    return folder.parent


@pytest.fixture
def clone_by_pip(tmp_path: Path, compiled_pip: Path) -> Path:
    """A clone with our scripts, of a program that has two packages and prints how it was called. uv cannot be had."""
    (tmp_path / "pip").symlink_to(compiled_pip)
    clone = tmp_path / "a clone"
    for name in ("bin", "deploy"):
        shutil.copytree(CHECKOUT / name, clone / name)
    wheel(clone, "builder", BUILDER)
    for name in ("other", "third", "fourth", "fifth"):
        wheel(clone, name, "")
    wheel(clone, "program", PROGRAM, "[console_scripts]\nladder = program:main\n")
    (clone / "pyproject.toml").write_text(PYPROJECT)
    lock(clone, "builder", "other")
    lock(clone, "third", to="openskill")
    lock(clone, "other", to="gym")
    lock(clone, "fifth", to="parquet")
    lock(clone, "other", "fourth", to="tests")
    (clone / "requirements" / "uv.lock").write_text("uv==1.0 --hash=sha256:" + 64 * "0" + "\n")
    return clone


@pytest.fixture
def clone(clone_by_pip: Path) -> Path:
    if not (CHECKOUT / ".uv" / "bin" / "uv").exists():
        pytest.skip("uv could not be had when this checkout was set up")
    (clone_by_pip / ".uv" / "bin").mkdir(parents=True)
    (clone_by_pip / ".uv" / "bin" / "uv").symlink_to(CHECKOUT / ".uv" / "bin" / "uv")
    shutil.copy(clone_by_pip / "requirements" / "uv.lock", clone_by_pip / ".uv" / "made-from")
    return clone_by_pip


def environment(clone: Path) -> dict[str, str]:
    home = {"HOME": str(clone.parent / "home"), "PIP_CONFIG_FILE": os.devnull}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "XDG_"))}
    packages = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(clone.parent / "wheels")}
    python = {"PYTHON": f"{sys.base_prefix}/bin/python3", "PYTHONPATH": str(clone.parent / "pip")}
    return {**inherited, **home, **packages, **python}


def run(
    clone: Path, *words: str | Path, cwd: Path, more: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=cwd, env={**environment(clone), **(more or {})}, capture_output=True, text=True, check=False
    )


def has(clone: Path, name: str) -> bool:
    return any(clone.glob(f".venv/lib/python*/site-packages/{name}.py"))


@pytest.mark.long
def test_the_script_sets_its_clone_up_once_and_then_is_the_program_until_a_lock_file_changes(
    clone: Path, tmp_path: Path
) -> None:
    """A terminal then sees a line that grows. Packages that cannot be installed end it with the installer's own reason,
    until they can. The environment's own Python may be the first on the path, as after `. .venv/bin/activate`.
    """
    script = clone / "bin" / "ladder"
    first = run(clone, script, "play", "a file", cwd=tmp_path)
    assert (first.returncode, first.stdout) == (7, f"['play', 'a file'] {tmp_path} {script}\n")
    assert first.stderr.startswith(
        "setup: making the virtual environment .venv (once)\nsetup: fetching packages: 0 of 2,"
    )
    assert "setup: 2 packages installed in " in first.stderr
    assert "elsewhere" not in first.stderr
    assert "Successfully installed" not in (clone / ".setup.log").read_text(), "that would be pip"

    second = run(clone, "bin/ladder", cwd=clone)
    assert (second.returncode, second.stdout, second.stderr) == (7, f"[] {clone} bin/ladder\n", "")
    (tmp_path / "ladder").symlink_to(script)
    third = run(clone, "ladder", "up", cwd=clone, more={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert (third.stdout, third.stderr) == (f"['up'] {clone} {tmp_path / 'ladder'}\n", "")

    lock(clone, "builder", "other", "third")
    (clone.parent / "wheels" / "third-1.0-py3-none-any.whl").write_bytes(b"not what it was")
    failed = run(clone, clone / "bin" / "ladder", cwd=tmp_path)
    assert failed.returncode == 5
    assert "setup: could not install the packages" in failed.stderr
    assert "third" in failed.stderr
    assert failed.stdout == ""

    wheel(clone, "third", "")
    lock(clone, "builder", "other", "third")
    screen, its_end = pty.openpty()
    active = {"PATH": f"{clone / '.venv' / 'bin'}:{os.environ['PATH']}", "PYTHON": ""}
    done = subprocess.run(
        [clone / "bin" / "ladder"],
        env={**environment(clone), **active},
        stdout=subprocess.PIPE,
        stderr=its_end,
        check=False,
    )
    os.close(its_end)
    shown = os.read(screen, 100_000).decode()
    os.close(screen)
    assert done.returncode == 7
    assert done.stdout.startswith(b"[] ")
    *_, last = shown.rstrip().split("\r\x1b[K")
    assert last.startswith("setup: 3 packages installed in ")
    assert shown.count("\n") == 2, "one line for the environment and one for the packages, however often it is written"


def test_each_word_adds_its_packages_and_leaves_those_that_are_there_but_makes_anew_what_was_left_unfinished(
    clone: Path, tmp_path: Path
) -> None:
    setup = clone / "deploy" / "setup.sh"
    with_a_module(clone)
    (clone / ".venv" / "bin").mkdir(parents=True)
    (clone / ".venv" / "bin" / "python").write_text("half of it")
    assert run(clone, "sh", setup, cwd=tmp_path).returncode == 0
    assert (has(clone, "other"), has(clone, "third"), has(clone, "fourth")) == (True, False, False)
    assert compiled_packages(clone) == set(), "Python does that when it first imports them"
    kept = clone / ".venv" / "kept"
    kept.touch()
    assert run(clone, "sh", setup, "openskill", cwd=tmp_path).returncode == 0
    assert (has(clone, "third"), has(clone, "fourth")) == (True, False)
    added = run(clone, "sh", setup, "parquet", cwd=tmp_path)
    assert (added.returncode, has(clone, "fifth"), has(clone, "fourth"), kept.exists()) == (0, True, False, True)
    assert "making the virtual environment" not in added.stderr
    (clone / ".venv" / "unfinished").touch()  # as adding packages leaves it, where that is cut off
    assert run(clone, clone / "bin" / "ladder", cwd=tmp_path).stderr == "", "the program's own packages are whole"
    anew = run(clone, "sh", setup, "tests", cwd=tmp_path)
    assert (anew.returncode, has(clone, "fourth"), kept.exists()) == (0, True, False)
    assert not (clone / ".venv" / "unfinished").exists()
    assert "making the virtual environment" in anew.stderr
    for word in ("program", "openskill", "parquet", "tests"):
        nothing = run(clone, "sh", setup, word, cwd=tmp_path)
        assert (nothing.returncode, nothing.stderr) == (0, "")
    unknown = run(clone, "sh", setup, "test", cwd=tmp_path)
    known = "program, openskill, gym, parquet, tests, all-tests, lint, bench, mutants"
    assert (unknown.returncode, unknown.stderr) == (2, f"setup: unknown word 'test'; known: {known}\n")


@pytest.fixture
def silent_index() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0), backlog=100) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/simple"


def asks(index: str) -> dict[str, str]:
    patience = {"PIP_DEFAULT_TIMEOUT": "1", "PIP_RETRIES": "1", "UV_HTTP_RETRIES": "0"}
    return {"PIP_INDEX_URL": index, "PIP_NO_INDEX": "", "PIP_FIND_LINKS": "", "NO_PROXY": "127.0.0.1", **patience}


def find_no_index(clone: Path, index: str, tmp_path: Path) -> None:
    failed = run(clone, clone / "bin" / "ladder", cwd=tmp_path, more=asks(index))
    making, *progress, last = failed.stderr.splitlines()
    assert (failed.returncode, failed.stdout) == (5, "")
    assert making == "setup: making the virtual environment .venv (once)"
    assert all(line.startswith("setup: fetching packages: 0 of 2, ") for line in progress)
    assert last == (
        "setup: packages could not be fetched, as their index does not answer: see to the network, then try again"
    )


def test_an_index_that_is_not_there_is_one_sentence(clone: Path, tmp_path: Path) -> None:
    find_no_index(clone, "http://127.0.0.1:1/simple", tmp_path)


def test_an_index_that_does_not_answer_is_one_sentence_and_the_next_run_goes_on_without_uv_too(
    clone_by_pip: Path, tmp_path: Path, silent_index: str
) -> None:
    find_no_index(clone_by_pip, silent_index, tmp_path)
    done = run(clone_by_pip, clone_by_pip / "bin" / "ladder", cwd=tmp_path)
    assert (done.returncode, "setup: 2 packages installed in " in done.stderr) == (7, True), done.stderr
    assert "Successfully installed" in (clone_by_pip / ".setup.log").read_text()


def test_ctrl_c_ends_a_set_up_with_one_sentence_and_of_the_next_two_at_once_one_waits_for_the_other(
    clone: Path, silent_index: str
) -> None:
    going_on = subprocess.Popen(
        [clone / "bin" / "ladder"],
        env={**environment(clone), **asks(silent_index), "PIP_DEFAULT_TIMEOUT": "600"},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert going_on.stderr is not None
    line = next(line for line in going_on.stderr if "fetching packages" in line)
    os.killpg(going_on.pid, signal.SIGINT)
    rest = [other for other in going_on.stderr if "fetching packages" not in other]
    assert line.startswith("setup: ")
    assert rest == ["setup: interrupted; the next run goes on with what was fetched\n"]
    going_on.stderr.close()
    assert going_on.wait() in {130, -signal.SIGINT}

    command = [clone / "bin" / "ladder"]
    both = [
        subprocess.Popen(command, env=environment(clone), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = sorted(process.communicate()[1] for process in both)
    assert [process.returncode for process in both] == [7, 7]
    assert said[0] == "setup: another set-up of this clone is under way; waiting for it\n"
    assert "setup: 2 packages installed in " in said[1]


def test_a_full_disk_is_one_sentence_and_the_next_run_goes_on(clone: Path, tmp_path: Path) -> None:
    wheel(clone, "other", f"ballast = {os.urandom(1_000_000).hex()!r}")
    lock(clone, "builder", "other")
    small = tmp_path / "small"
    small.mkdir()
    script = f"""
        cp -r {quote(str(clone))}/. {small}; head -c 4000000 /dev/zero >{small}/ballast
        {small}/bin/ladder; echo $?; rm {small}/ballast; {small}/bin/ladder; echo $?
    """
    small_disk = ("bwrap", "--dev-bind", "/", "/", "--size", "5000000", "--tmpfs", small)
    done = run(clone, *small_disk, "sh", "-c", script, cwd=tmp_path)
    assert done.stdout.splitlines() == ["5", f"[] {tmp_path} {small}/bin/ladder", "7"], done.stderr
    said = [line for line in done.stderr.splitlines() if "packages: " not in line]
    assert said[:2] == [
        "setup: making the virtual environment .venv (once)",
        "setup: the disk is full: make room, then try again",
    ]


def test_a_python_that_is_too_old_is_one_sentence(clone: Path, tmp_path: Path) -> None:
    names = ("python3", *(f"python3.{minor}" for minor in range(11, 20)))
    for name in names:  # each says what Python 3.10 says when it is asked whether it is new enough
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    only_old = {"PYTHON": "", "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    failed = run(clone, clone / "bin" / "ladder", cwd=tmp_path, more=only_old)
    assert (failed.returncode, failed.stdout) == (5, "")
    assert failed.stderr.splitlines()[-1] == (
        "setup: Python 3.11 or newer is missing: install it with 'apt-get install python3 python3-venv'"
    )
    assert not any("Traceback" in line for line in failed.stderr.splitlines())


def with_a_module(clone: Path) -> None:
    (clone / "cli").mkdir()
    (clone / "cli" / "__init__.py").write_text("import other\n")


def compiled_packages(clone: Path) -> set[str]:
    """Return which of its packages are compiled; its module always is."""
    assert len(list((clone / "cli" / "__pycache__").glob("__init__.*.pyc"))) == 1
    files = clone.glob(".venv/lib/python*/site-packages/__pycache__/*.pyc")
    return {file.name.partition(".")[0] for file in files} & {"other", "third"}


def test_packages_that_our_modules_import_are_compiled_where_python_may_not_later(clone: Path, tmp_path: Path) -> None:
    with_a_module(clone)
    lock(clone, "builder", "other", "third")
    done = run(clone, "sh", clone / "deploy" / "setup.sh", cwd=tmp_path, more={"PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, done.stderr
    assert compiled_packages(clone) == {"other"}


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
    spec = spec_from_file_location("packages", CHECKOUT / "deploy" / "packages.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_total_is_all_that_this_system_needs(packages: ModuleType) -> None:
    lock = "one==1.0 \\\n    --hash=sha256:0\ntwo[extra]==2.0 \\\n    --hash\nthree==3 ; sys_platform == 'win32' \\\n"
    assert packages.pinned(lock) == {"one", "two"}
    names = packages.pinned(lock + "one==1.0 --hash=sha256:0\nfour==4 ; python_version > '3' --hash=sha256:0\n")
    assert names == {"one", "two", "four"}


def test_progress_is_packages_done_of_all(packages: ModuleType) -> None:
    assert packages.progress(3, 0, 0) == "fetching packages: 0 of 3"
    assert packages.progress(3, 2, 0) == "fetching packages: 2 of 3"
    assert packages.progress(3, 4, 0) == "fetching packages: 3 of 3", "one more was fetched to build another"
    assert packages.progress(3, 3, 1) == "installing packages: 1 of 3"


def test_uv_is_given_what_matters_of_pips_configuration(packages: ModuleType) -> None:
    listed = (
        ":env:.index-url='https://of.variable/simple'\n"
        "global.index-url='https://of.file/simple'\n"
        "global.extra-index-url='https://one/simple https://two/simple'\n"
        "global.cert='/a/file'\nglobal.timeout='7'\nglobal.colour='blue'\n"
    )
    options, variables = packages.of_pip(listed)
    assert options[2:] == [
        *("--default-index", "https://of.variable/simple"),
        *("--index", "https://one/simple", "--index", "https://two/simple"),
    ]
    assert variables == {"SSL_CERT_FILE": "/a/file", "UV_HTTP_TIMEOUT": "7"}
    assert "--no-index" in packages.of_pip(":env:.no-index='1'\n")[0]
    assert "--no-index" not in packages.of_pip(":env:.no-index='0'\n")[0]


def test_where_there_is_no_terminal_a_line_is_written_at_once_and_then_every_few_seconds(
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
        "setup: fetching packages: 0 of 12",
        "setup: fetching packages: 5 of 12",
        "setup: fetching packages: 10 of 12",
        "setup: 12 packages installed in 12 s",
    ]
