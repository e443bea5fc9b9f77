"""One core per match, held by lock files that the kernel lets go."""

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Timer

import pytest

from engine import cores
from engine.cores import core_for_a_match, take_core
from engine.workspace import open_workspace
from tests.catalogue import GAMES
from tests.patience import wait_until
from tests.processes import finished

HOLDER = """
import sys, time
from engine.cores import take_core
core, lock = take_core({int(number) for number in sys.argv[1:]})
print(core, flush=True)
time.sleep(600)
"""


@pytest.fixture(autouse=True)
def own_workspace(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, open_folder: Path) -> None:
    monkeypatch.setenv("LADDER_CACHE", str(open_folder))


@dataclass
class Other:
    """A process that asks for one of some cores and holds it to its end."""

    process: subprocess.Popen[str]

    def core(self) -> int:
        """Return which core it got; wait until it has one."""
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())

    def has_none_for(self, seconds: float) -> None:
        with pytest.raises(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


Ask = Callable[..., Other]
"""Starts such a process; it ends with the test at the latest."""


@pytest.fixture
def ask() -> Iterator[Ask]:
    with ExitStack() as ending:

        def begin(*cores: int) -> Other:
            command = [sys.executable, "-c", HOLDER, *map(str, cores)]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
            ending.enter_context(process)
            ending.callback(process.kill)
            return Other(process)

        yield begin


def test_a_match_stays_on_its_core_and_what_it_starts_does_too() -> None:
    before = os.sched_getaffinity(0)
    with core_for_a_match() as core:
        assert os.sched_getaffinity(0) == {core}
        done = finished([sys.executable, "-c", "import os; print(os.sched_getaffinity(0))"])
        assert done.stdout == f"{{{core}}}\n"
    assert os.sched_getaffinity(0) == before


def test_no_two_processes_hold_the_same_core(ask: Ask) -> None:
    """The numbers of cores are only names here: a machine with one core can run this."""
    assert {ask(100, 101).core(), ask(100, 101).core()} == {100, 101}


def test_a_match_that_finds_no_core_waits_until_one_is_free(ask: Ask) -> None:
    one = ask(100)
    assert one.core() == 100
    waiting = ask(100)
    waiting.has_none_for(0.5)
    one.end()
    assert waiting.core() == 100


def test_the_core_of_a_killed_process_is_free_at_once(ask: Ask) -> None:
    one = ask(100)
    one.core()
    one.end()
    core, lock = take_core({100})
    os.close(lock)
    assert core == 100


def test_a_long_wait_is_reported_once(monkeypatch: pytest.MonkeyPatch, ask: Ask) -> None:
    monkeypatch.setattr(cores, "WORTH_TELLING_S", 0)
    one = ask(100)
    one.core()
    told: list[int] = []

    def tell() -> None:
        told.append(1)
        Timer(0.1, one.end).start()

    _, lock = take_core({100}, tell)
    os.close(lock)
    assert told == [1]


def test_ladder_play_says_what_it_waits_for_and_then_plays(open_folder: Path) -> None:
    cache = Path(tempfile.mkdtemp(dir=open_folder))
    cache.chmod(0o755)
    (cache / cores.FOLDER).mkdir(mode=0o700)
    winner, loser = (str(GAMES.find("ocean-of-code").bots_folder / name) for name in ("hunter.py", "drifter_v1.py"))
    with ExitStack() as held:
        for core in os.sched_getaffinity(0):
            fcntl.flock(held.enter_context((cache / cores.FOLDER / str(core)).open("w")), fcntl.LOCK_EX)
        playing = subprocess.Popen(
            [sys.executable, "-c", "from cli.main import main; main()", "play", "ocean-of-code", winner, loser],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "LADDER_CACHE": str(cache)},
        )
        assert playing.stderr is not None
        said = playing.stderr.readline()
        assert said.startswith("ladder: other matches hold every core: a process that does not say what it is for ")
        assert "in the order of asking. Ending what holds them lifts that" in said
    assert playing.communicate()[1] == ""
    assert playing.returncode == 0


def test_who_waits_is_told_who_holds_the_cores_and_of_which_ladder(monkeypatch: pytest.MonkeyPatch, ask: Ask) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {100, 101})
    holders = []
    for core, home in ((100, "first"), (101, "second")):
        monkeypatch.setenv("LADDER_HOME", f"/home/kim/{home}")
        holders.append(ask(core))
        holders[-1].core()
    for other, home, words in zip(holders, ("first", "second"), cores.holders(), strict=True):
        assert f"process {other.process.pid} (`-c 10" in words
        assert f", of the ladder in /home/kim/{home})" in words
        assert words.endswith(" s")
    for other in holders:
        other.end()
    assert cores.holders() == []


def test_cores_are_given_in_the_order_of_asking(ask: Ask) -> None:
    one = ask(100)
    one.core()
    line = open_workspace().root / cores.FOLDER / cores.LINE
    waiting = []
    for number in range(1, 4):
        waiting.append(ask(100))
        wait_until(partial(stand, line, number), "it stands in the line")
    waiting.pop(1).end()
    waiting[1].has_none_for(0.1)
    assert cores.take_free_core(line.parent, {100}) is None, "others asked earlier"
    _, free = cores.take_free_core(line.parent, {101}) or (0, -1)
    os.close(free)
    one.end()
    for other in waiting:
        assert other.core() == 100
        other.end()
    assert visible(line) == []


def stand(line: Path, wanted: int) -> bool:
    return len(visible(line)) == wanted


def visible(line: Path) -> list[str]:
    return [file.name for file in line.iterdir() if not file.name.startswith(".")] if line.exists() else []


def test_one_that_was_stopped_in_the_line_keeps_nobody(monkeypatch: pytest.MonkeyPatch, ask: Ask) -> None:
    monkeypatch.setattr(cores, "STOPPED_S", 0.3)
    one = ask(100)
    one.core()
    stopped = ask(100)
    wait_until(lambda: visible(open_workspace().root / cores.FOLDER / cores.LINE), "it stands in the line")
    stopped.process.send_signal(signal.SIGSTOP)
    one.end()
    core, lock = take_core({100})
    os.close(lock)
    assert core == 100
