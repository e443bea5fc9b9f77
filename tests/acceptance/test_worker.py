"""One more worker by hand: it says when it is ready and when it ends, in its own words alone."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.conftest import LADDER, Desk
from tests.patience import patience_s, wait_until
from tests.processes import finished
from workers.embedded import control, state_file
from workers.embedded.home import LadderHome

FEW_FILES = 'ulimit -n 256 && exec "$@"'
WITHOUT_SEMAPHORES = 'mount -t tmpfs -o ro none /dev/shm && exec "$@"'


@pytest.mark.smoke
def test_one_more_worker_joins_by_the_addresses_says_so_and_leaves_on_request_and_otherwise_writes_events(
    arena: Desk, open_folder: Path
) -> None:
    """Also as root, about which Celery would warn. Ctrl-C is how it is ended, and no failure."""
    running = state_file.running(LadderHome.at(arena.home))
    assert running is not None
    addresses = {"LADDER_DATABASE_URL": running.database_url, "LADDER_BROKER_URL": running.broker_url}
    elsewhere = Desk(open_folder / "no-home-of-its-own", addresses)

    def alive() -> set[int]:
        return {found["id"] for found in elsewhere.json("status")["workers"]}

    cores = len(os.sched_getaffinity(0))
    before = wait_until(alive, "a worker for each core", fits=lambda found: len(found) == cores)
    worker = subprocess.Popen(
        [LADDER, "worker", "--concurrency", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=elsewhere.full_environment(),
    )
    assert worker.stderr is not None
    first = next(line for line in worker.stderr if "ladder: " in line)
    wait_until(alive, "its two processes", fits=lambda found: len(found - before) == 2)
    worker.send_signal(signal.SIGINT)
    stdout, stderr = worker.communicate(timeout=patience_s())
    assert first == "ladder: the worker is ready and plays up to 2 matches at a time; Ctrl-C ends it\n"
    assert [line for line in stderr.splitlines() if not re.match(r"\d{4}-\S+ (info|warning) \w+ \w+=", line)] == [
        "ladder: the worker ends when its matches are over; Ctrl-C again ends it at once, and they are played again",
        "ladder: the worker has ended",
    ]
    assert stdout == ""
    assert worker.returncode == 0
    wait_until(alive, "its end", fits=lambda found: found == before)


def test_up_says_why_its_worker_has_ended_and_status_repeats_it(open_folder: Path) -> None:
    """In the foreground, and where it waits for the worker of services in the background.

    Few open files: enough for all but the boxes of some languages.
    """
    home = LadderHome.at(open_folder / "few-files")
    desk = Desk(home.folder)
    why = "the limit on open files is too low here for any box: 256 files"
    up = subprocess.Popen(
        ["sh", "-c", FEW_FILES, "sh", LADDER, "up", "--no-web", "--foreground"],
        stderr=subprocess.PIPE,
        text=True,
        env=desk.full_environment(),
    )
    try:
        assert up.stderr is not None
        assert up.stderr.readline(), "it has begun to start the services"
        said = desk.refused(1, "up", "--no-web")
        assert said.startswith(f"ladder: the ladder runs (supervisor {up.pid}), but its worker has ended")
        assert why in said
        assert "worker has ended" in next((line for line in up.stderr if why in line), "nothing")
        shown = desk.ok("status")
        assert f"no worker is alive, and the last one ended: {why}" in shown
        assert "`ladder worker` starts one" not in shown
        assert why in desk.json("status")["worker_ended"]
        up.send_signal(signal.SIGINT)
        up.communicate(timeout=patience_s())
        assert up.returncode == 0
    finally:
        control.destroy(home)


def test_a_worker_that_can_make_no_semaphores_says_so_in_one_sentence() -> None:
    worker = [sys.executable, "-c", "from workers.worker_process import refuse_or_start; refuse_or_start()"]
    alone = ["unshare", "--map-root-user", "--mount", "sh", "-c", WITHOUT_SEMAPHORES, "sh"]
    done = finished([*alone, *worker])
    assert done.stderr == (
        "ladder: no worker can start here, as no semaphore can be made in /dev/shm (Read-only file system): mount it "
        "so that this account can write there\n"
    )
    assert done.returncode == 3
