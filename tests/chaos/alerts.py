"""What wakes an operator: a Prometheus watches the ladder. Each fault that nobody mends raises its alert and no other.

How this works. What the other faults do is mended within seconds, and nobody is to be woken for that. Here the same is
done and not mended: the supervisor stands still meanwhile, so what is killed stays away. Prometheus goes by a copy of
deploy/alerts.yaml. In it all durations are a twentieth, as alerts wait minutes; none by which something is measured is
below LEAST_S, as a scheduler that is well says so every fifteen seconds.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import httpx
import psutil
import psycopg

from ladder.database.worker_sessions import borrowable
from tests.chaos import faults
from tests.chaos.faults import Scene
from tests.chaos.load import BATTLES
from tests.chaos.run import Say
from tests.chaos.victim import LADDER, ROOM_MB, WORKERS, Stuck, Victim, wait_for
from tests.networks import free_port
from tests.patience import patience_s
from tests.sources import CHECKOUT
from workers.commands import ENVIRONMENT, worker_command

PROMETHEUS = "prometheus"
TIMES_SOONER, LEAST_S = 20, 45
UNIT_S = {"m": 60, "h": 3600}
SCRAPED_EVERY_S, LOOK_EVERY_S = 6, 1
"""Metrics wait four seconds for a database, and are to say within one scrape that it is away."""
QUIET_S = 10.0
"""So long no alert comes where nothing is wrong, and no other once one has come."""
ENDLESS = 1_000_000
KILLED_EVERY_S = 2.5


@dataclass(frozen=True, slots=True)
class Raised:
    """Which alerts a fault has raised. `after_s`: its own."""

    fault: str
    alert: str
    after_s: float | None
    others: frozenset[str]

    @property
    def is_good(self) -> bool:
        return self.after_s is not None and not self.others


def sooner(rules: str) -> str:
    """Return the rules with shorter durations; numbers below 100 are not seconds."""
    rules = re.sub(r"\bfor: (\d+)([mh])", lambda found: f"for: {scaled_s(found, least_s=2)}s", rules)
    rules = re.sub(r"\[(\d+)([mh])\]", lambda found: f"[{scaled_s(found)}s]", rules)
    return re.sub(r"([<>] )(\d{3,})\b", lambda found: f"{found[1]}{max(int(found[2]) // TIMES_SOONER, LEAST_S)}", rules)


def scaled_s(duration: re.Match[str], least_s: int = LEAST_S) -> int:
    return max(int(duration[1]) * UNIT_S[duration[2]] // TIMES_SOONER, least_s)


class Watch:
    """A Prometheus and the `ladder metrics` that it asks, in a folder of their own."""

    def __init__(self, victim: Victim) -> None:
        self._victim = victim
        self._folder = victim.folder / "watch"
        self._folder.mkdir()
        self._metrics_port, self._port = free_port(), free_port()
        self._exporter: subprocess.Popen[bytes] | None = None
        self._prometheus: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        self.start_exporter()
        (self._folder / "alerts.yaml").write_text(sooner((CHECKOUT / "deploy" / "alerts.yaml").read_text("utf-8")))
        settings = {
            "global": {"scrape_interval": f"{SCRAPED_EVERY_S}s", "evaluation_interval": f"{LOOK_EVERY_S}s"},
            "rule_files": ["alerts.yaml"],
            "scrape_configs": [
                {"job_name": "ladder", "static_configs": [{"targets": [f"127.0.0.1:{self._metrics_port}"]}]}
            ],
        }
        (self._folder / "prometheus.yaml").write_text(json.dumps(settings))
        command = [
            PROMETHEUS,
            "--config.file=prometheus.yaml",
            "--storage.tsdb.path=data",
            f"--web.listen-address=127.0.0.1:{self._port}",
        ]
        with (self._folder / "prometheus.log").open("wb") as log:
            self._prometheus = subprocess.Popen(command, cwd=self._folder, stderr=log, stdout=log)
        wait_for(lambda: self.values("ladder_build_info"), "Prometheus to have asked the ladder", patience_s(60))

    def end(self) -> None:
        self.kill_exporter()
        if self._prometheus is not None:
            self._prometheus.kill()
            self._prometheus.wait()

    def start_exporter(self) -> None:
        environment = {
            **os.environ,
            "LADDER_HOME": str(self._victim.home.folder),
            "LADDER_DATABASE_URL": self._victim.database_url,
            "LADDER_BROKER_URL": self._victim.broker_url,
        }
        command = [str(LADDER), "metrics", "--listen", f"127.0.0.1:{self._metrics_port}"]
        self._exporter = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)

    def kill_exporter(self) -> None:
        if self._exporter is not None:
            self._exporter.kill()
            self._exporter.wait()

    def values(self, expression: str) -> list[Any]:
        """Return the series that an expression gives; none where Prometheus does not answer yet. Raises Stuck."""
        with suppress(httpx.TransportError):
            address = f"http://127.0.0.1:{self._port}/api/v1/query"
            answer = httpx.get(address, params={"query": expression}, timeout=patience_s())
            if answer.status_code == httpx.codes.OK:
                return list(answer.json()["data"]["result"])
            if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                raise Stuck(f"Prometheus does not take {expression}: {answer.text}")
        return []

    def alerts(self, state: str = "firing") -> set[str]:
        return {one["metric"]["alertname"] for one in self.values(f'ALERTS{{alertstate=~"{state}"}}')}


@contextmanager
def watch(victim: Victim) -> Iterator[Watch]:
    """Run both for the block, and end them."""
    made = Watch(victim)
    try:
        made.begin()
        yield made
    finally:
        made.end()


@contextmanager
def left_alone(victim: Victim) -> Iterator[None]:
    """Nothing that is killed is started again for the block."""
    pid = victim.running().pid
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def away(*children: str, number: signal.Signals = signal.SIGKILL) -> Callable[[Scene, Watch], Any]:
    @contextmanager
    def fault(scene: Scene, _: Watch) -> Iterator[None]:
        pids = [scene.victim.pid_of(child) for child in children]
        scene.victim.remember_marks()
        with left_alone(scene.victim):
            for pid in pids:
                os.kill(pid, number)
            yield

    return fault


@contextmanager
def machine_stands_still(scene: Scene, _: Watch) -> Iterator[None]:
    pids = scene.victim.pids_of_second()
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            faults.go_on(pid)


@contextmanager
def killed_again_and_again(scene: Scene, _: Watch) -> Iterator[None]:
    over = threading.Event()

    def kill() -> None:
        while not over.wait(KILLED_EVERY_S):
            with suppress(Stuck, psycopg.Error, psutil.Error):
                faults.kill_in_mid_match(scene)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield
    finally:
        over.set()
        killer.join()


@contextmanager
def database_is_too_large(scene: Scene, _: Watch) -> Iterator[None]:
    scene.victim.ask("CREATE UNLOGGED TABLE filler (words text)")
    scene.victim.ask("ALTER TABLE filler ALTER words SET STORAGE PLAIN")
    try:
        scene.victim.ask(
            "INSERT INTO filler SELECT repeat('x', 7000) FROM generate_series(1, %s) AS page",
            ROOM_MB * 1_000_000 // 8192,
        )
        yield
    finally:
        scene.victim.ask("DROP TABLE filler")


@contextmanager
def sessions_are_taken(scene: Scene, _: Watch) -> Iterator[None]:
    """With four that the ladder always has nine tenths of those are taken with which workers wait: these find some."""
    with scene.victim.connect() as connection:
        most = borrowable(connection)
    with ExitStack() as opened:
        for _number in range(int(0.9 * most) - 2):
            opened.enter_context(psycopg.connect(scene.victim.database_url, autocommit=True))
        yield


@contextmanager
def metrics_are_away(_: Scene, watch: Watch) -> Iterator[None]:
    watch.kill_exporter()
    try:
        yield
    finally:
        watch.start_exporter()


@contextmanager
def workers_refuse(scene: Scene, _: Watch) -> Iterator[None]:
    environment = {
        **os.environ,
        **ENVIRONMENT,
        "LADDER_HOME": str(scene.victim.home.folder),
        "LADDER_DATABASE_URL": scene.victim.database_url,
        "LADDER_BROKER_URL": scene.victim.broker_url,
        "LADDER_KEEP_NEWEST": "many",
    }
    for number in range(5):
        command = worker_command(1, f"refused{number}")
        subprocess.run(command, env=environment, stderr=subprocess.DEVNULL, check=False)
    yield


HELD: Mapping[str, tuple[str, Callable[[Scene, Watch], Any]]] = {
    "the scheduler is away": ("LadderSchedulerMissing", away("scheduler")),
    "the workers are away": ("LadderNoWorkers", away(*WORKERS)),
    "Redis is away": ("LadderBrokerDown", away("redis")),
    "PostgreSQL is away": ("LadderDatabaseDown", away("postgres", number=signal.SIGQUIT)),
    "a machine stands still": ("LadderMachineOutOfReach", machine_stands_still),
    "the database is too large": ("LadderNoRoom", database_is_too_large),
    "sessions are taken": ("LadderConnectionsNearlyUsed", sessions_are_taken),
    "the metrics are away": ("LadderUnseen", metrics_are_away),
    "workers with a bad setting": ("LadderWorkersRefuse", workers_refuse),
    "processes are killed in mid match, again and again": ("LadderAttemptsFail", killed_again_and_again),
}
"""By fault its alert. The others of deploy/alerts.yaml are tried by promtool alone."""
MENDED = (
    faults.kill_in_mid_match,
    faults.kill_referee,
    faults.kill_worker,
    faults.kill_scheduler,
    faults.kill_web,
    faults.deliver_twice,
    faults.result_before_anybody_saw,
)
"""What is mended at once raises none."""


def watched(scene: Scene, say: Say) -> tuple[list[Raised], list[str]]:
    """Make each fault while the ladder plays; return what was raised, and what else is wrong. Raises Stuck."""
    scene.victim.ask("UPDATE leagues SET battles = %s", ENDLESS)
    with watch(scene.victim) as watching:
        found = [mended(scene, watching)]
        say(words_of(found[0]))
        for name, (alert, fault) in HELD.items():
            found.append(held(scene, watching, name, alert, fault))
            say(words_of(found[-1]))
        wrong = empty_panels(watching, say)
    scene.victim.ask("UPDATE leagues SET battles = %s", BATTLES)
    return found, wrong


def words_of(raised: Raised) -> str:
    came = "no alert" if raised.after_s is None else f"{raised.alert or 'none, rightly,'} after {raised.after_s:.0f} s"
    return f"{raised.fault}: {came}" + (f"; also {', '.join(sorted(raised.others))}" if raised.others else "")


def mended(scene: Scene, watching: Watch) -> Raised:
    began = time.monotonic()
    names: set[str] = set()
    for fault in MENDED:
        with suppress(Stuck, psycopg.Error):
            fault(scene)
        names |= watching.alerts()
    names |= all_within(watching, QUIET_S)
    return Raised("what is mended at once", "", time.monotonic() - began, frozenset(names))


def held(scene: Scene, watching: Watch, name: str, alert: str, fault: Callable[[Scene, Watch], Any]) -> Raised:
    wait_for(lambda: not watching.alerts("firing|pending"), f"no alert to be left before {name}", patience_s(300))
    names: set[str] = set()
    after_s = None
    with fault(scene, watching):
        began = time.monotonic()
        while after_s is None and time.monotonic() - began < patience_s():
            names |= watching.alerts()
            if alert in names:
                after_s = time.monotonic() - began
            time.sleep(LOOK_EVERY_S)
        names |= all_within(watching, SCRAPED_EVERY_S)
    names |= all_within(watching, QUIET_S)
    return Raised(name, alert, after_s, frozenset(names - {alert}))


def all_within(watching: Watch, seconds: float) -> set[str]:
    names: set[str] = set()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        names |= watching.alerts()
        time.sleep(LOOK_EVERY_S)
    return names


def empty_panels(watching: Watch, say: Say) -> list[str]:
    """Return the panels of the dashboard that show nothing of a ladder that has played. Raises Stuck for bad ones."""
    found: list[str] = []
    for panel in json.loads((CHECKOUT / "deploy" / "dashboard.json").read_text("utf-8"))["panels"]:
        empty = [target["expr"] for target in panel["targets"] if not watching.values(target["expr"])]
        for expression in empty:
            say(f"the dashboard has no series of {expression}")
        if len(empty) == len(panel["targets"]):
            found.append(f"the panel {panel['title']!r} shows nothing")
    return found


def can_watch() -> bool:
    return shutil.which(PROMETHEUS) is not None
