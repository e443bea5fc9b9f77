"""`ladder health` and `ladder metrics`: what processes did last, what Prometheus gets, also while services are away."""

import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest

from engine.errors import ArenaError
from ladder import health
from ladder.database.connection import Pool, open_pool, transaction
from ladder.health import LIMIT_S, ProcessKind, SignOfLife, folders_of_signs, require_health, signs, since_start_s
from ladder.views.metrics import samples
from tests.acceptance.conftest import LADDER, Desk, Shell
from tests.ladder.arena import a_pair, on_the_board
from tests.patience import patience_s, wait_until
from tests.throwaway import written
from workers.commands import QUEUES, scheduler_command
from workers.embedded.state_file import Running
from workers.exporter import LadderCollector, MetricsServer, address_of

AWAY = {"LADDER_DATABASE_URL": "postgresql://ladder@127.0.0.1:1/ladder", "LADDER_BROKER_URL": "redis://127.0.0.1:1/0"}


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


def test_pages_leave_signs_until_they_have_ended(services: Running, database_url: str, tmp_path: Path) -> None:
    desk = Desk(tmp_path / "home", {"LADDER_DATABASE_URL": database_url, "LADDER_BROKER_URL": services.broker_url})
    with running(desk, str(LADDER), "web", "--port", "0") as pages:
        comes(desk, ProcessKind.PAGES)
        pages.terminate()
        pages.wait(patience_s())
    desk.refused(1, "health", ProcessKind.PAGES)


@pytest.mark.parametrize("kind", [ProcessKind.SCHEDULER, ProcessKind.METRICS])
def test_services_that_are_away_leave_all_alive_and_a_scheduler_unready(tmp_path: Path, kind: ProcessKind) -> None:
    desk = Desk(tmp_path / "home", AWAY)
    command = (
        scheduler_command() if kind == ProcessKind.SCHEDULER else (str(LADDER), "metrics", "--listen", "127.0.0.1:0")
    )
    with running(desk, *command):
        comes(desk, kind)
        if kind == ProcessKind.SCHEDULER:
            wait_until(lambda: "the broker" in desk.run("health", kind, "--ready").stderr, "a word of the broker", 0.1)
        desk.ok("health", kind)


def test_a_process_is_unwell_while_it_stands_still(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(tmp_path / "home", AWAY)
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
    desk = Desk(written(tmp_path / "home", "a file"), AWAY)
    with running(desk, *scheduler_command()) as scheduler:
        comes(desk, ProcessKind.SCHEDULER)
        scheduler.send_signal(signal.SIGINT)
        scheduler.wait(patience_s())
    assert "has left a sign of life" in desk.refused(1, "health", ProcessKind.SCHEDULER)


def test_a_home_that_is_deleted_stays_so_and_makes_no_process_unwell(tmp_path: Path) -> None:
    sign = SignOfLife(tmp_path / "home", ProcessKind.WORKER)
    sign.renew()
    shutil.rmtree(tmp_path / "home")
    sign.renew("a home")
    assert not (tmp_path / "home").exists()
    assert "is not ready: a home" in require_health(tmp_path / "home", ProcessKind.WORKER, ready=False)
    sign.end()
    assert not folders_of_signs(tmp_path / "home")[1].exists()


def test_a_folder_that_is_somebody_elses_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = written(tmp_path / "home", "a file")
    monkeypatch.setattr(health, "MEMORY", tmp_path)
    monkeypatch.setattr(os, "getuid", lambda: 12_345)
    folder = folders_of_signs(home)[1]
    folder.mkdir()
    SignOfLife(home, ProcessKind.WORKER).renew()
    assert list(folder.iterdir()) == []


def test_an_unknown_kind_is_refused(desk: Desk) -> None:
    desk.refused(2, "health", "broker")


PROMTOOL = ("promtool", "check", "metrics")


@contextmanager
def exporting(database_url: str, broker_url: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the command for the block; give its process and where it answers."""
    environment = {**os.environ, "LADDER_DATABASE_URL": database_url, "LADDER_BROKER_URL": broker_url}
    command = [str(LADDER), "metrics", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as running:
        assert running.stderr is not None
        try:
            found = re.search(r"http://\S+/metrics", running.stderr.readline())
            assert found is not None
            yield running, found[0]
        finally:
            running.kill()


def scraped(address: str) -> str:
    answer = httpx.get(address, timeout=patience_s())
    assert answer.status_code == 200
    return answer.text


def test_prometheus_is_answered_until_sigterm(services: Running, database_url: str, pool: Pool, bosses: None) -> None:
    a_pair(pool, on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b"))
    with exporting(database_url, services.broker_url) as (running, address):
        text = scraped(address)
        assert 'ladder_matches{game="ocean-of-code",league="wood-2",state="queued"} 2.0' in text
        assert 'ladder_up{service="database"} 1.0' in text
        assert all(f'ladder_queue_messages{{queue="{queue}"}}' in text for queue in QUEUES.split(","))
        assert "kraken" not in text
        if shutil.which("promtool"):
            check = subprocess.run(PROMTOOL, input=text, capture_output=True, text=True, check=False)
            assert (check.returncode, check.stdout + check.stderr) == (0, "")
        assert httpx.get(address.removesuffix("metrics")).status_code == 404
        running.terminate()
        assert running.wait(patience_s()) == 0


def test_a_signal_in_the_middle_of_an_answer_ends_it_too(tmp_path: Path) -> None:
    """What handles a request swallows all that is raised in it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = address_of(listener)
        with (
            MetricsServer(listener, SignOfLife(tmp_path, ProcessKind.METRICS)) as server,
            ThreadPoolExecutor() as client,
        ):
            server.set_app(lambda *_: server.end())
            answer = client.submit(httpx.get, address, timeout=patience_s())
            with pytest.raises(KeyboardInterrupt):
                server.serve_forever()
            assert answer.result().status_code == 500


def test_while_both_services_are_away_it_answers_and_has_no_number_of_theirs(services: Running) -> None:
    with exporting("postgresql://ladder@127.0.0.1:1/ladder", "redis://127.0.0.1:1/0") as (_, address):
        text = scraped(address)
    assert set(re.findall(r"^(\w+)", text, flags=re.MULTILINE)) == {"ladder_build_info", "ladder_up"}
    assert 'ladder_up{service="database"} 0.0' in text


def test_a_client_that_is_silent_or_gone_delays_nobody(services: Running, database_url: str) -> None:
    with exporting(database_url, services.broker_url) as (_, address):
        host, port = re.findall(r"//(.*):(\d+)", address)[0]
        with socket.create_connection((host, int(port))):
            socket.create_connection((host, int(port))).close()
            assert "ladder_up" in scraped(address)


def test_a_database_that_goes_is_down_at_once_and_comes_back(services: Running, database_url: str) -> None:
    pool = open_pool(database_url, most=1, wait_s=1)
    collector = LadderCollector(pool, services.broker_url, 300.0)

    def sampled() -> dict[str, float]:
        found = [one for family in collector.collect() for one in family.samples]
        return {f"{one.name}{sorted(one.labels.values())}": one.value for one in found}

    name = re.findall(r"/(test_\w+)", database_url)[0]
    assert sampled()["ladder_up['database']"] == 1
    with psycopg.connect(services.database_url, autocommit=True) as operator:
        operator.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
        operator.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
        down = sampled()
        assert down["ladder_up['database']"] == 0
        assert not any(sample.startswith(("ladder_matches", "ladder_workers")) for sample in down)
        operator.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())
    wait_until(lambda: sampled()["ladder_up['database']"] == 1, "the database, for the exporter")
    pool.close()


def test_a_place_that_is_not_a_host_and_a_port_is_refused(database_url: str, desk: Desk) -> None:
    for place in ("nonsense", "127.0.0.1", ":9310", "127.0.0.1:70000", "127.0.0.1:-1", "::1:9310"):
        assert "must be a host and a port" in desk.refused(2, "metrics", "--listen", place)


def test_a_port_that_is_taken_and_a_host_that_is_not_here_are_said(database_url: str, desk: Desk) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        place = f"127.0.0.1:{other.getsockname()[1]}"
        assert desk.refused(4, "metrics", "--listen", place).startswith(f"ladder: cannot listen on {place}: ")
    desk.refused(4, "metrics", "--listen", "192.0.2.1:9310")


def test_a_ladder_on_one_machine_answers_prometheus_where_the_setting_says(arena: Desk) -> None:
    wait_until(lambda: arena.run("health", "metrics").returncode == 0, "the process that answers", 0.2)
    a_worker = re.compile(r'ladder_workers\{state="\w+",tier="[^"]+"\} [1-9]')
    address = f"http://{arena.environment['LADDER_METRICS']}/metrics"
    wait_until(lambda: a_worker.search(scraped(address)), "a worker among the metrics", 0.2)


def test_a_place_in_the_settings_that_is_none_is_refused(desk: Desk) -> None:
    for place in ("nonsense", "127.0.0.1"):
        assert "LADDER_METRICS" in desk.refused(2, "up", LADDER_METRICS=place)


def test_a_wait_that_is_not_a_number_of_seconds_is_refused(desk: Desk) -> None:
    for seconds in ("0", "-1", "soon"):
        assert "LADDER_ACCEPTED_WAIT_S" in desk.refused(2, "metrics", LADDER_ACCEPTED_WAIT_S=seconds)


def test_a_failed_start_is_counted_by_reason(services: Running, database_url: str, pool: Pool, shell: Shell) -> None:
    addresses = {"LADDER_DATABASE_URL": database_url, "LADDER_BROKER_URL": services.broker_url}
    shell.refused(3, "worker", LADDER_SANDBOX="none", **addresses)
    with transaction(pool) as connection:
        assert samples(connection, 300).values["ladder_workers_refused_total"]["guarantees",] == 1
