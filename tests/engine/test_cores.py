"""One core per match, held by lock files that the kernel lets go."""

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from threading import Timer

import pytest

from engine import cores
from engine.cores import core_for_a_match, take_core
from engine.workspace import open_workspace
from tests.catalogue import GAMES
from tests.patience import wait_until

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


def holder(*cores: int) -> tuple[subprocess.Popen[str], int]:
    """Let another process hold one of these cores; return it and which one it got."""
    command = [sys.executable, "-c", HOLDER, *map(str, cores)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_a_match_stays_on_its_core_and_what_it_starts_does_too() -> None:
    before = os.sched_getaffinity(0)
    with core_for_a_match() as core:
        assert os.sched_getaffinity(0) == {core}
        shown = subprocess.run(
            [sys.executable, "-c", "import os; print(os.sched_getaffinity(0))"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert shown.stdout == f"{{{core}}}\n"
    assert os.sched_getaffinity(0) == before


def test_no_two_processes_hold_the_same_core() -> None:
    """The numbers of cores are only names here: a machine with one core can run this."""
    one, first = holder(100, 101)
    other, second = holder(100, 101)
    try:
        assert {first, second} == {100, 101}
    finally:
        end(one)
        end(other)


def test_a_match_that_finds_no_core_waits_until_one_is_free() -> None:
    one, _ = holder(100)
    command = [sys.executable, "-c", HOLDER, "100"]
    waiting = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(0.5)
        end(one)
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == "100\n"
    finally:
        end(waiting)


def test_the_core_of_a_killed_process_is_free_at_once() -> None:
    one, _ = holder(100)
    end(one)
    core, lock = take_core({100})
    os.close(lock)
    assert core == 100


def test_a_long_wait_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "WORTH_TELLING_S", 0)
    one, _ = holder(100)
    told: list[int] = []

    def tell() -> None:
        told.append(1)
        Timer(0.1, end, [one]).start()

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


def test_who_waits_is_told_who_holds_the_cores_and_of_which_ladder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {100, 101})
    monkeypatch.setenv("LADDER_HOME", "/home/kim/first")
    one, _ = holder(100)
    monkeypatch.setenv("LADDER_HOME", "/home/kim/second")
    other, _ = holder(101)
    try:
        both = cores.holders()
        for process, home, words in ((one, "first", both[0]), (other, "second", both[1])):
            assert f"process {process.pid} (`-c 10" in words
            assert f", of the ladder in /home/kim/{home})" in words
            assert words.endswith(" s")
    finally:
        end(one)
        end(other)
    assert cores.holders() == []


def test_cores_are_given_in_the_order_of_asking() -> None:
    one, _ = holder(100)
    command = [sys.executable, "-c", HOLDER, "100"]
    line = open_workspace().root / cores.FOLDER / cores.LINE
    waiting: list[subprocess.Popen[str]] = []
    for number in range(3):
        waiting.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]))
        wait_until(partial(stand, line, number + 1), "it stands in the line")
    try:
        end(waiting.pop(1))
        with pytest.raises(subprocess.TimeoutExpired):
            waiting[1].wait(0.1)
        assert cores.take_free_core(line.parent, {100}) is None, "others asked earlier"
        _, free = cores.take_free_core(line.parent, {101}) or (0, -1)
        os.close(free)
        end(one)
        while waiting:
            first = waiting[0].stdout
            assert first is not None
            assert first.readline() == "100\n"
            end(waiting.pop(0))
        assert visible(line) == []
    finally:
        for process in waiting:
            end(process)


def stand(line: Path, wanted: int) -> bool:
    return len(visible(line)) == wanted


def visible(line: Path) -> list[str]:
    return [file.name for file in line.iterdir() if not file.name.startswith(".")] if line.exists() else []


def test_one_that_was_stopped_in_the_line_keeps_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "STOPPED_S", 0.3)
    folder = open_workspace().root / cores.FOLDER
    one, _ = holder(100)
    command = [sys.executable, "-c", HOLDER, "100"]
    stopped = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    try:
        wait_until(lambda: visible(folder / cores.LINE), "it stands in the line")
        stopped.send_signal(signal.SIGSTOP)
        end(one)
        core, lock = take_core({100})
        os.close(lock)
        assert core == 100
    finally:
        end(stopped)
