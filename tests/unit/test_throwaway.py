"""What a run of the tests leaves where it is cut off: nothing that runs, and no folder after the next run."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.patience import patience_s, wait_until
from tests.processes import processes_of
from tests.throwaway import PREFIX, YOUNG_S, new_folder, sweep
from workers.embedded import control, state_file
from workers.embedded.home import LadderHome

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
