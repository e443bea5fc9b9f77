"""`ladder health`: by what a process itself did last; a service that is away makes none unwell."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.errors import ArenaError
from ladder import health
from ladder.health import LIMIT_S, ProcessKind, SignOfLife, folders_of_signs, require_health, signs, since_start_s
from tests.acceptance.conftest import LADDER, Desk
from tests.patience import patience_s, wait_until
from tests.throwaway import written
from workers.commands import scheduler_command
from workers.embedded.state_file import Running

NOWHERE = {
    "LADDER_DATABASE_URL": "postgresql://ladder@127.0.0.1:1/ladder",
    "LADDER_BROKER_URL": "redis://127.0.0.1:1/0",
}


@contextmanager
def running(desk: Desk, *command: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    variables = {**desk.full_environment(), **environment}
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, env=variables) as process:
        try:
            yield process
        finally:
            process.kill()


def comes(desk: Desk, kind: ProcessKind, *options: str) -> None:
    wait_until(lambda: desk.run("health", kind, *options).returncode == 0, f"the sign of life of {kind}", 0.1)


def test_workers_and_scheduler_of_a_ladder_are_well_and_ready(arena: Desk) -> None:
    for kind in (ProcessKind.WORKER, ProcessKind.SCHEDULER):
        comes(arena, kind, "--ready")
        assert f"{kind}, process " in arena.ok("health", kind)
    assert "has left a sign of life" in arena.refused(1, "health", ProcessKind.PAGES), "they run without pages"


def test_pages_leave_signs_while_they_answer_and_none_when_they_have_ended(
    services: Running, database_url: str, tmp_path: Path
) -> None:
    addresses = {"LADDER_DATABASE_URL": database_url, "LADDER_BROKER_URL": services.broker_url}
    desk = Desk(tmp_path / "home", addresses)
    with running(desk, str(LADDER), "web", "--port", "0") as pages:
        comes(desk, ProcessKind.PAGES)
        pages.terminate()
        pages.wait(patience_s())
    desk.refused(1, "health", ProcessKind.PAGES)


@pytest.mark.parametrize("kind", [ProcessKind.SCHEDULER, ProcessKind.METRICS])
def test_services_that_are_away_leave_a_process_alive_and_unready(tmp_path: Path, kind: ProcessKind) -> None:
    desk = Desk(tmp_path / "home", NOWHERE)
    command = (
        scheduler_command() if kind == ProcessKind.SCHEDULER else (str(LADDER), "metrics", "--listen", "127.0.0.1:0")
    )
    with running(desk, *command):
        comes(desk, kind)
        if kind == ProcessKind.SCHEDULER:
            wait_until(lambda: "the broker" in desk.run("health", kind, "--ready").stderr, "a word of the broker", 0.1)
        desk.ok("health", kind)


def test_a_process_that_stands_still_is_unwell_after_a_minute_and_well_when_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(tmp_path / "home", NOWHERE)
    with running(desk, str(LADDER), "metrics", "--listen", "127.0.0.1:0") as exporter:
        comes(desk, ProcessKind.METRICS)
        exporter.send_signal(signal.SIGSTOP)
        now = since_start_s()
        with monkeypatch.context() as later:
            later.setattr(health, "since_start_s", lambda: now + LIMIT_S + 1)
            assert "has given no sign of life for" in desk.refused(1, "health", ProcessKind.METRICS)
        exporter.send_signal(signal.SIGCONT)
        wait_until(lambda: signs(desk.home, ProcessKind.METRICS)[0].at_s > now, "a new sign")
        desk.ok("health", ProcessKind.METRICS)


def test_signs_of_those_that_are_gone_count_for_nothing_and_are_taken_away(tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    alive, _ = folders_of_signs(tmp_path)
    alive.mkdir()
    for pid, at_s in ((gone.pid, since_start_s()), (os.getppid(), since_start_s() + 1000)):
        (alive / f"worker-{pid}.json").write_text(f'{{"at": {at_s}, "lacks": ""}}')
    (alive / "worker-1.json").write_text("{")
    with pytest.raises(ArenaError, match="no process of the kind worker"):
        require_health(tmp_path, ProcessKind.WORKER, ready=False)
    SignOfLife(tmp_path, ProcessKind.WORKER).renew()
    assert [sign.pid for sign in signs(tmp_path, ProcessKind.WORKER)] == [os.getpid()]
    assert "was at work" in require_health(tmp_path, ProcessKind.WORKER, ready=True)


def test_a_sign_is_renewed_now_and_then_and_at_once_when_something_is_lacking(tmp_path: Path) -> None:
    sign = SignOfLife(tmp_path, ProcessKind.WORKER)
    sign.renew()
    first = signs(tmp_path, ProcessKind.WORKER)[0].at_s
    sign.renew()
    assert signs(tmp_path, ProcessKind.WORKER)[0].at_s == first or since_start_s() - first > health.RENEWED_EVERY_S
    sign.renew("its database")
    with pytest.raises(ArenaError, match="is not ready: its database"):
        require_health(tmp_path, ProcessKind.WORKER, ready=True)
    assert "not ready" in require_health(tmp_path, ProcessKind.WORKER, ready=False)


def test_a_home_that_cannot_be_written_makes_no_process_unwell(tmp_path: Path) -> None:
    desk = Desk(written(tmp_path / "home", "a file"), NOWHERE)
    with running(desk, *scheduler_command()) as scheduler:
        comes(desk, ProcessKind.SCHEDULER)
        scheduler.send_signal(signal.SIGINT)
        scheduler.wait(patience_s())
    shutil.rmtree(folders_of_signs(desk.home)[1])
    assert "has left a sign of life" in desk.refused(1, "health", ProcessKind.SCHEDULER)


def test_a_folder_in_memory_that_is_somebody_elses_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = written(tmp_path / "home", "a file")
    monkeypatch.setattr(health, "MEMORY", tmp_path)
    monkeypatch.setattr(os, "getuid", lambda: 12_345)
    folder = folders_of_signs(home)[1]
    folder.mkdir()
    SignOfLife(home, ProcessKind.WORKER).renew()
    assert list(folder.iterdir()) == []


def test_an_unknown_kind_is_refused(desk: Desk) -> None:
    desk.refused(2, "health", "broker")
