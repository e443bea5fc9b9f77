"""One more worker by hand; none starts where its sandbox does not keep what is demanded."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli import demo
from engine.sandbox import choice
from ladder.database.connection import Pool
from tests.acceptance.conftest import LADDER, Desk, Shell
from tests.ladder.arena import a_pair, on_the_board, state_of
from tests.patience import patience_s, wait_until
from tests.processes import a_worker, finished
from tests.throwaway import written
from workers import worker_process
from workers.app import queue_for
from workers.embedded import control, state_file
from workers.embedded.home import LadderHome

WITHOUT_SEMAPHORES = 'mount -t tmpfs -o ro none /dev/shm && exec "$@"'


@pytest.mark.smoke
def test_a_worker_joins_by_addresses_leaves_on_request_and_writes_events(arena: Desk, open_folder: Path) -> None:
    """Also as root, about which Celery would warn. Ctrl-C is how it is ended, and no failure."""
    running = state_file.running(LadderHome.at(arena.home))
    assert running is not None
    addresses = {"LADDER_DATABASE_URL": running.database_url, "LADDER_BROKER_URL": running.broker_url}
    elsewhere = Desk(open_folder / "no-home-of-its-own", addresses)

    def alive() -> set[int]:
        return {found["id"] for found in elsewhere.json("status")["workers"]}

    cores = len(os.sched_getaffinity(0))
    before = wait_until(alive, "a worker for each core", fits=lambda found: len(found) == cores)
    worker = elsewhere.begin("worker", "--concurrency", "2")
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


def test_up_says_why_its_worker_has_ended_and_status_why_worker_and_pages_have(open_folder: Path) -> None:
    """In the foreground, and where it waits for the worker of services in the background.

    Few open files: enough for all but the boxes of some languages.
    """
    home = LadderHome.at(open_folder / "few-files")
    desk = Desk(home.folder)
    home.create()
    key = written(home.folder / "web.key", "")
    why = "the limit on open files is too low here for any box: 256 files"
    up = subprocess.Popen(
        ["sh", "-c", 'ulimit -n 256 && exec "$@"', "sh", LADDER, "up", "--foreground"],
        stderr=subprocess.PIPE,
        text=True,
        env=desk.full_environment(),
    )
    try:
        assert up.stderr is not None
        assert up.stderr.readline(), "it has begun to start the services"
        done = desk.run("up")
        assert done.returncode == 1
        assert f"\nladder: the ladder runs (supervisor {up.pid}), but its worker has ended" in done.stderr
        assert why in done.stderr
        assert "worker has ended" in next((line for line in up.stderr if why in line), "nothing")
        shown = desk.ok("status")
        assert f"no worker is alive, and the last one ended: {why}" in shown
        assert "`ladder worker` starts one" not in shown
        assert why in desk.json("status")["worker_ended"]
        pages = f"the pages have ended, and are started again: {key} holds no key"
        wait_until(lambda: pages in desk.ok("status"), "a word of the pages", 0.2)
        up.send_signal(signal.SIGINT)
        up.communicate(timeout=patience_s())
        assert up.returncode == 0
    finally:
        control.destroy(home)


def test_a_worker_that_can_make_no_semaphores_says_so_in_one_sentence() -> None:
    worker = [sys.executable, "-c", "from workers.worker_process import refuse_or_start; refuse_or_start()"]
    done = finished(["unshare", "--map-root-user", "--mount", "sh", "-c", WITHOUT_SEMAPHORES, "sh", *worker])
    assert done.stderr == (
        "ladder: no worker can start here, as no semaphore can be made in /dev/shm (Read-only file system): mount it "
        "so that this account can write there\n"
    )
    assert done.returncode == 3


CELERY = (sys.executable, "-m", "celery", "--app", "workers.app", "--quiet", "worker", "--concurrency", "1")


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """What sandbox this process would use is not known yet."""
    fresh_look = worker_process.serving_sandbox.__wrapped__
    for module in (worker_process, demo):
        monkeypatch.setattr(module, "serving_sandbox", fresh_look)
    monkeypatch.setattr(choice, "strongest", choice.strongest.__wrapped__)


@pytest.mark.usefixtures("fresh")
def test_nothing_is_started_where_bots_would_not_be_held(desk: Desk) -> None:
    for command, status, environment, sentence in (
        ("up", 3, {"LADDER_SANDBOX": "none"}, "workers run the bots of others"),
        ("worker", 3, {"LADDER_SANDBOX": "none"}, "workers run the bots of others"),
        ("up", 5, {"PATH": "/nowhere"}, "sudo apt install bubblewrap"),
    ):
        assert sentence in desk.refused(status, command, **environment)
        assert not desk.home.exists()


@pytest.mark.usefixtures("fresh")
def test_nothing_is_started_with_a_setting_without_sense(desk: Desk) -> None:
    for command, environment, sentence in (
        ("worker", {"LADDER_GUARANTEES": "lax"}, "must be one of strict, reduced"),
        ("up", {"LADDER_SANDBOX": "paper"}, "unknown sandbox 'paper'; known: auto"),
        ("worker", {"LADDER_CACHE": "/etc/passwd/x"}, "cannot use the cache folder /etc/passwd/x"),
        ("up", {"LADDER_LANGUAGES": "/no/table.toml"}, "cannot read /no/table.toml"),
        ("up", {"LADDER_KEEP_NEWEST": "many"}, "LADDER_KEEP_NEWEST is 'many'; it must be a number"),
        ("up", {"LADDER_CACHE_MB": "-1"}, "LADDER_CACHE_MB is '-1'; it must be"),
        ("worker", {"LADDER_LEAST_ROOM_MB": "-1"}, "LADDER_LEAST_ROOM_MB is '-1'; it must be a number"),
        ("demo", {"LADDER_GUARANTEES": "lax"}, "must be one of strict, reduced"),
        ("demo", {"LADDER_CACHE": "/etc/passwd/x"}, "cannot use the cache folder /etc/passwd/x"),
    ):
        assert sentence in desk.refused(2, command, **environment)
        assert not desk.home.exists()
        assert not desk.home.with_name(f"{desk.home.name}-demo").exists()


def test_a_worker_that_is_started_by_hand_refuses_as_well(shell: Shell) -> None:
    """Celery's own command goes round `ladder worker`, but not round this."""
    services = {"LADDER_DATABASE_URL": "postgresql://nobody", "LADDER_BROKER_URL": "redis://127.0.0.1:1/0"}
    environment = shell.full_environment(LADDER_SANDBOX="none", C_FORCE_ROOT="1", **services)
    done = finished(CELERY, cwd=Path(__file__).parents[2], env=environment)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1].startswith("ladder: workers run the bots of others")


def test_a_named_tier_is_used(database_url: str, broker_url: str, pool: Pool, desk: Desk, tmp_path: Path) -> None:
    """Another one than the usual: so it is seen in the matches whether it was taken."""
    match_id, _ = a_pair(pool, on_the_board(pool, "seal"), on_the_board(pool, "orca"))
    queue_for(broker_url).enqueue_match(match_id)
    with a_worker(tmp_path / "log", database_url, broker_url, LADDER_SANDBOX="nested"):
        wait_until(lambda: state_of(pool, match_id) == "finished", "the match", 0.1)
    assert desk.json("match", "show", str(match_id))["sandbox"] == "nested"


def test_workers_for_ladders_own_bots_alone_run_no_others(
    database_url: str, broker_url: str, desk: Desk, bot: Path, tmp_path: Path, bosses: None
) -> None:
    """So the permission to go without a sandbox cannot be used for anything else."""
    alone = {"LADDER_SANDBOX": "none", "LADDER_HOUSE_BOTS_ONLY": "1"}
    with a_worker(tmp_path / "log", database_url, broker_url, 1, **alone):
        done = desk.run("submit", bot, "--game", "ocean-of-code", "--bot", "stranger", "--watch")
    assert done.returncode == 3
    assert "only the bots that ship with Ladder" in done.stderr


WORDS = "bwrap: No permissions to create new namespace"


@pytest.mark.usefixtures("fresh")
def test_a_machine_that_forbids_boxes_is_a_reason_to_refuse(desk: Desk, open_folder: Path) -> None:
    """bubblewrap is there, and fails as it does where user namespaces are forbidden."""
    folder = open_folder / "forbidding"
    folder.mkdir(exist_ok=True)
    written(folder / "bwrap", f"#!/bin/sh\necho '{WORDS}' >&2\nexit 1\n").chmod(0o755)
    forbidding = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    for command, environment in (
        ("up", {}),
        ("worker", {"LADDER_SANDBOX": "nested", "LADDER_HOUSE_BOTS_ONLY": "1"}),
        ("demo", {"LADDER_SANDBOX": "bubblewrap"}),
    ):
        told = desk.refused(3, command, **forbidding, **environment)
        assert WORDS in told
        assert "`ladder doctor` says what would help" in told
        assert not desk.home.exists()
