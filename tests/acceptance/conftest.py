"""The command as people use it: a subprocess, its output, its exit status."""

import fcntl
import io
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from cli.run import run
from tests.catalogue import GAMES
from tests.networks import free_port
from tests.patience import patience_s
from tests.processes import finished
from tests.throwaway import end_fixture, written

FOLDER = Path(__file__).parent
LADDER = Path(sys.executable).with_name("ladder")
NO_BROKER = {"LADDER_BROKER_URL": "redis://127.0.0.1:1/0"}
SERVED = {"LADDER_WEB_MODE": "served", "LADDER_PUBLIC_URL": "https://arena.example/"}
REMARKS = ("ladder: other matches hold every core", "ladder: no fair clock here")
"""What programs say of a busy machine, which has nothing to do with what is tested."""


@dataclass(frozen=True)
class Shell:
    """Runs `ladder` with one LADDER_HOME."""

    home: Path
    environment: Mapping[str, str] = field(default_factory=dict[str, str])

    def run(self, *words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        done = finished([LADDER, *words], env=self.full_environment(**environment))
        done.stderr = without_waits(done.stderr)
        return done

    def begin(self, *words: str | Path, start_new_session: bool = False) -> subprocess.Popen[str]:
        """Begin a command that goes on until somebody ends it or waits for its end."""
        pipe, command, own = subprocess.PIPE, [LADDER, *words], start_new_session
        environment = self.full_environment()
        return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment, start_new_session=own)

    def ok(self, *words: str | Path, **environment: str) -> str:
        done = self.run(*words, **environment)
        assert done.returncode == 0, f"{words}: exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def json(self, *words: str | Path, **environment: str) -> Any:
        """Run a command with --json, and return what it has to say."""
        return json.loads(self.ok(*words, "--json", **environment))

    def type(self, line: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Type a line into a shell in which `ladder` is this program."""
        path = f"{LADDER.parent}:{os.environ['PATH']}"
        return finished(["sh", "-c", line], env=self.full_environment(PATH=path, **environment))

    def refused(self, status: int, *words: str | Path, **environment: str) -> str:
        """Run a command that must fail with that status and one sentence, no traceback, and return the sentence."""
        done = self.run(*words, **environment)
        assert done.returncode == status, f"{words}: exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr + done.stdout
        assert done.stderr.startswith("ladder: "), done.stderr
        return done.stderr

    def full_environment(self, **more: str) -> dict[str, str]:
        ours = {"LADDER_HOME": str(self.home), "LADDER_PLAYER": "tess", "COLUMNS": "140"}
        return {**os.environ, **ours, **self.environment, **more}


def on_terminal(shell: Shell, width: int, *words: str | Path, status: int = 0, **environment: str) -> str:
    """Run a command whose output goes to a terminal of that width, and return all that it wrote there."""
    screen, its_end = pty.openpty()
    fcntl.ioctl(its_end, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    plain = {name: value for name, value in shell.full_environment().items() if name not in {"COLUMNS", "NO_COLOR"}}
    running = subprocess.Popen(
        [LADDER, *words], stdin=its_end, stdout=its_end, stderr=its_end, env={**plain, "TERM": "xterm", **environment}
    )
    os.close(its_end)
    shown = b""
    with suppress(OSError):  # so Linux says that the other end is closed
        while part := os.read(screen, 65_536):
            shown += part
    os.close(screen)
    assert running.wait(patience_s()) == status, shown
    return shown.decode().replace("\r\n", "\n")


def without_waits(stderr: str) -> str:
    """Leave out what is said of a busy machine, as that matches wait for those of other tests."""
    return "".join(line for line in stderr.splitlines(keepends=True) if not line.startswith(REMARKS))


class Screen(io.StringIO):
    """What is written to a terminal, as long as nobody asks the system for its width: COLUMNS says that."""

    def isatty(self) -> bool:
        return True


class Desk(Shell):
    """A shell that runs commands in this process, which spares the start of a program for each."""

    def run(self, *words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        return self._run_into(io.StringIO, words, environment)

    def screen(self, columns: int, *words: str | Path, **environment: str) -> str:
        """Run a command on a terminal of that width, and return what it wrote there: results, then remarks."""
        done = self._run_into(Screen, words, {"COLUMNS": str(columns), "TERM": "xterm", **environment})
        assert done.returncode == 0, done
        return done.stdout + done.stderr

    def _run_into(
        self, output: type[io.StringIO], words: Sequence[str | Path], environment: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        out, err = output(), output()
        with in_environment(self.full_environment(**environment)), redirect_stdout(out), redirect_stderr(err):
            status = run([str(word) for word in words])
        return subprocess.CompletedProcess(list(words), status, out.getvalue(), without_waits(err.getvalue()))


def completed(desk: Desk, capfd: pytest.CaptureFixture[str], *words: str) -> set[str]:
    """Return what a shell offers for the last of some words; no complaint may stand beside it."""
    line = {"COMP_WORDS": " ".join(("ladder", *words)), "COMP_CWORD": str(len(words))}
    with in_environment(desk.full_environment(_LADDER_COMPLETE="complete_bash", **line)), pytest.raises(SystemExit):
        run(())
    offered, complaints = capfd.readouterr()
    assert complaints == ""
    return set(offered.split())


def run_at_home(environment: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in this process with a home of its own; what would go on for ever in a process of its own."""
    kind = Shell if words[0] in {"worker", "scheduler", "web"} else Desk
    with TemporaryDirectory() as home:
        return kind(Path(home), dict(environment)).run(*words)


@contextmanager
def in_environment(variables: dict[str, str]) -> Iterator[None]:
    """Let this process have these variables for a while, and then those that it had, whatever became of them."""
    before = dict(os.environ)
    try:
        os.environ.update(variables)
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not uses_arena(item))


def uses_arena(item: pytest.Item | None) -> bool:
    return item is not None and item.path.parent == FOLDER and "arena" in getattr(item, "fixturenames", ())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """End the arena as soon as the next test uses none: a ladder that only waits computes, too."""
    done = yield
    if uses_arena(item) and not uses_arena(nextitem):
        end_fixture("arena", item)
    return done


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "home")


@pytest.fixture
def served(desk: Desk, database_url: str) -> Desk:
    """A desk beside a ladder that is served."""
    return Desk(desk.home, {**desk.environment, **SERVED})


@pytest.fixture(scope="session")
def arena(open_folder: Path) -> Iterator[Desk]:
    """A desk whose services run, with workers. A version has few battles, so that the machine is free for tests."""
    desk = Desk(open_folder / "arena", {"LADDER_METRICS": f"127.0.0.1:{free_port()}"})
    Shell(desk.home, desk.environment).ok("up", "--no-web")
    for game in GAMES.names:
        have_few_battles(desk, game, open_folder)
    yield desk
    desk.ok("down")
    shutil.rmtree(desk.home)


def have_few_battles(desk: Desk, game: str, folder: Path) -> None:
    """Let versions of a game have one battle before they can go up. `folder`: where the leagues' file may be."""
    few = written(
        folder / f"{game}.toml",
        re.sub(r"^battles = .*$", "battles = 1", desk.ok("league", "show", game), flags=re.MULTILINE),
    )
    desk.ok("league", "apply", few)


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    return written(tmp_path / "surfacer.py", SURFACER)


SURFACER = """
width, height, my_id = map(int, input().split())
rows = [input() for _ in range(height)]
print(*next((x, y) for y in range(height) for x in range(width) if rows[y][x] == "."), flush=True)
while True:
    for _ in range(3):
        input()
    print("SURFACE", flush=True)
"""
WHELK = """
import os
k = float(os.environ.get("K", "3"))
width, height, my_id = map(int, input().split())
rows = [input() for _ in range(height)]
x, y = next((x, y) for y in range(height) for x in range(width - 1) if rows[y][x : x + 2] == "..")
print(x, y, flush=True)
orders = iter(["nonsense" if k < 0.7 else "SURFACE" if k < 2 else "MOVE E TORPEDO"])
while True:
    for _ in range(3):
        input()
    print(next(orders, "SURFACE"), flush=True)
"""
"""Lives a turn longer than SURFACER with a K of 2 or more, and says nonsense with one below 0.7; does not read IDLE."""
NONSENSE = "import sys\nprint('what is this?', file=sys.stderr)\nprint('nonsense', flush=True)\ninput()\n"


@pytest.fixture
def nonsense(tmp_path: Path) -> Path:
    return written(tmp_path / "nonsense.py", NONSENSE)
