"""What tests stand on: patience for what comes, and nothing that is left of a run that is cut off."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import patience
from tests.patience import patience_s, wait_until
from tests.processes import processes_of
from tests.throwaway import PREFIX, YOUNG_S, new_folder, sweep
from workers.embedded import control, state_file
from workers.embedded.home import LadderHome

CORES = len(os.sched_getaffinity(0))


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The moments of a clock that goes on by what is slept, in no time."""
    moments = [0.0]

    def sleep(slept_s: float) -> None:
        moments.append(moments[-1] + slept_s)

    monkeypatch.setattr(patience, "time", SimpleNamespace(monotonic=lambda: moments[-1], sleep=sleep))
    return moments


def load(monkeypatch: pytest.MonkeyPatch, a_core: float) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (a_core * CORES, 0.0, 0.0))


def test_what_is_found_at_last_is_returned(passing: list[float]) -> None:
    found = iter([[], [], [3]])
    assert wait_until(lambda: next(found)) == [3]
    assert len(passing) == 3, "the clock's beginning, and two pauses"


def test_a_look_that_takes_long_takes_a_tenth_of_the_time(passing: list[float]) -> None:
    def look() -> bool:
        passing.append(passing[-1] + 0.03125)
        return len(passing) > 4

    assert wait_until(look)
    assert passing == [0, 0.03125, 0.3125, 0.34375, 0.625, 0.65625]


def test_what_is_found_has_to_fit(passing: list[float]) -> None:
    found = iter([1, 2, 3, 4])
    assert wait_until(lambda: next(found), fits=lambda number: number == 3) == 3


@pytest.mark.parametrize("what", ["the moon", lambda: "the moon"], ids=["words", "what gives words"])
def test_what_does_not_come_is_named_with_what_came_last(passing: list[float], what: str | Callable[[], str]) -> None:
    with pytest.raises(AssertionError, match=r"it did not come: the moon; last seen: 0"):
        wait_until(lambda: 0, what)


def lasted_s(moments: list[float]) -> float:
    began_s = moments[-1]
    with pytest.raises(AssertionError):
        wait_until(lambda: False, every_s=0.5)
    return moments[-1] - began_s


def test_patience_follows_the_load_and_a_variable(passing: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PATIENCE", raising=False)
    load(monkeypatch, a_core=1)
    quiet_s, timeout_s = lasted_s(passing), patience_s()
    load(monkeypatch, a_core=0)
    assert (lasted_s(passing), patience_s()) == (quiet_s, timeout_s)
    load(monkeypatch, a_core=8)
    assert lasted_s(passing) / quiet_s == pytest.approx(8, rel=0.05)
    assert patience_s() == 8 * timeout_s
    monkeypatch.setenv("PATIENCE", "0.5")
    assert lasted_s(passing) / quiet_s == pytest.approx(4, rel=0.05)
    assert patience_s() == 4 * timeout_s


def test_a_load_that_comes_later_makes_patience_longer(passing: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    load(monkeypatch, a_core=1)
    quiet_s, began_s = lasted_s(passing), passing[-1]

    def look() -> bool:
        if passing[-1] - began_s > quiet_s / 2:
            load(monkeypatch, a_core=4)
        return passing[-1] - began_s > 2 * quiet_s

    assert wait_until(look, every_s=0.5)


def test_one_more_look_is_taken_when_patience_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the machine stood still between two looks."""
    found = iter([False, True])
    monkeypatch.setenv("PATIENCE", "1e-9")
    assert wait_until(lambda: next(found), every_s=0)


def test_the_limit_is_the_callers_where_it_names_one(passing: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    load(monkeypatch, a_core=0)
    limit_s = patience_s(1)
    with pytest.raises(AssertionError):
        wait_until(lambda: passing[-1] > limit_s + 1, quiet_s=1)
    assert wait_until(lambda: passing[-1] > limit_s + 1)


RUN = """
import sys, time
from pathlib import Path
from tests.throwaway import end_with_us
from workers.embedded import control, state_file
from workers.embedded.home import LadderHome
end_with_us()
control.up(LadderHome.at(Path(sys.argv[1])), prepare="builtins:str")
print("up", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_what_a_run_started_ends_with_it_whatever_ends_it(number: signal.Signals) -> None:
    home = LadderHome.at(new_folder() / "home")
    command = [sys.executable, "-c", RUN, str(home.folder)]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert run.stdout is not None
    try:
        assert run.stdout.readline() == b"up\n"
        assert state_file.running(home) is not None
        run.send_signal(number)
        run.communicate(timeout=patience_s())
        wait_until(lambda: state_file.running(home) is None and not processes_of(home.folder), "the end of all", 0.1)
    finally:
        control.destroy(home)


def test_a_folder_of_a_run_that_has_ended_is_swept_and_no_other_one(tmp_path: Path) -> None:
    left, held, young = (tmp_path / f"{PREFIX}{name}" for name in ("left", "held", "young"))
    another = tmp_path / "another"
    for folder in (left, held, young, another):
        (folder / "home").mkdir(parents=True)
        if folder != young:
            os.utime(folder, (0, time.time() - 2 * YOUNG_S))
    lock = os.open(held, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        sweep(tmp_path)
        assert set(tmp_path.iterdir()) == {held, young, another}
    finally:
        os.close(lock)
    sweep(tmp_path)
    assert set(tmp_path.iterdir()) == {young, another}


def test_services_that_still_run_in_such_a_folder_are_ended() -> None:
    left = new_folder() / f"{PREFIX}left"
    home = LadderHome.at(left / "inner" / "home")
    home.folder.parent.mkdir(parents=True)
    control.up(home, prepare="builtins:str")
    os.utime(left, (0, time.time() - 2 * YOUNG_S))
    sweep(left.parent)
    assert not left.exists()
    assert state_file.running(home) is None
    assert processes_of(home.folder) == []
