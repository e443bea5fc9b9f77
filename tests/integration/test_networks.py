"""Machines and networks that are lost without a word: a match is free within half a minute, and blames nobody.

Services and two workers stand in network namespaces of their own, which takes root and the Debian package iproute2. An
ordinary user's run says that these were left out.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString

import psutil
import psycopg
import pytest

from ladder.database.connection import open_pool
from ladder.ids import MatchId
from ladder.leagues import leagues
from tests.acceptance.conftest import LADDER
from tests.ladder.arena import GAME, drifter, submitted, within
from tests.networks import NETWORK, Machine, Services, entering, machines, services_at
from tests.patience import wait_until
from workers.commands import ENVIRONMENT, scheduler_command

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make network namespaces")
AWAY_S = 30
FREE_WITHIN_S = 30
"""So it is promised: PostgreSQL ends the session 25 s after the machine's last word, and a sweep, which comes every two
seconds, frees the match."""
SLEEPER = drifter(in_each_turn="time.sleep(0.02)", beforehand="import time")
"""A bot whose matches last, and cost the machine that tests run on little."""
BATTLES = 500
"""More than are played in all this time: there is always a match to be cut."""


@dataclass(frozen=True)
class Network:
    """Services and two workers' machines."""

    services: Services
    machines: list[Machine]
    connection: psycopg.Connection[Any]

    def ask(self, query: LiteralString, *parameters: Any) -> list[tuple[Any, ...]]:
        done = self.connection.execute(query, parameters or None)
        return done.fetchall() if done.description else []

    def hosts_in_status(self) -> set[str]:
        done = subprocess.run(
            [*entering(self.machines[0].services), LADDER, "status", "--json"],
            env={**os.environ, **self.services.environment},
            capture_output=True,
            check=True,
        )
        return {worker["host"] for worker in json.loads(done.stdout)["workers"]}

    def match_at(self, host: str) -> tuple[Any, ...] | None:
        rows = self.ask(
            "SELECT matches.id, matches.attempt FROM matches JOIN workers ON workers.id = worker_id"
            " WHERE state = 'running' AND workers.host = %s AND worker_id IN (SELECT id FROM live_workers)",
            host,
        )
        return rows[0] if rows else None

    def finished(self) -> int:
        return int(self.ask("SELECT count(*) FROM matches WHERE state = 'finished'")[0][0])


@pytest.fixture
def network(open_folder: Path) -> Iterator[Network]:
    """Services, a scheduler beside them, and two machines with a worker each, both of which play."""
    folder = open_folder / f"networks-{os.urandom(3).hex()}"
    folder.mkdir(mode=0o755)
    with (
        machines(["first", "second"]) as (services_name, found),
        services_at(folder / "services", f"{NETWORK}.1", services_name) as services,
        psycopg.connect(services.inside_url, autocommit=True) as connection,
    ):
        network = Network(services, found, connection)
        beside = Machine(services_name, "", services_name)
        try:
            submit_some(network)
            beside.start(scheduler_command(), services.environment, folder / "scheduler.log")
            for machine in found:
                machine.start(
                    [LADDER, "worker", "--concurrency", "1"],
                    {**services.environment, **ENVIRONMENT, "LADDER_HOME": str(folder / machine.name)},
                    folder / f"{machine.name}.log",
                )
            wait_until(lambda: all(network.match_at(machine.name) for machine in found), "both play")
            yield network
        finally:
            for log in sorted(folder.glob("*.log")):
                sys.stdout.write(f"{log.name}:\n{log.read_text(errors='replace')[-2000:]}\n")  # shown where it fails
            for machine in [beside, *found]:
                kill(machine)


def submit_some(network: Network) -> None:
    """Submit three bots; the bosses are left out, as building them takes long."""
    network.ask("UPDATE versions SET state = 'rejected', message = 'not in this test' WHERE state = 'building'")
    pool = open_pool(network.services.inside_url)
    within(pool, leagues.set_battles, GAME, BATTLES)
    for bot in ("minnow", "barracuda", "perch"):
        submitted(pool, bot, f"{SLEEPER}# {bot}\n", "tess")
    pool.close()


def kill(machine: Machine) -> None:
    for started in machine.started:
        with suppress(psutil.NoSuchProcess):
            parent = psutil.Process(started.pid)
            for process in [parent, *parent.children(recursive=True)]:
                with suppress(psutil.NoSuchProcess):
                    process.send_signal(signal.SIGKILL)
        started.wait()


def unplug_in_a_match(network: Network, machine: Machine) -> tuple[int, int]:
    """Lose a machine in the middle of a match; return the match and its attempt."""

    def cut() -> tuple[int, int] | None:
        playing = network.match_at(machine.name)
        if playing is None:
            return None
        machine.unplug()
        time.sleep(1)  # what was on its way has arrived
        if network.match_at(machine.name) == playing:
            return playing[0], playing[1]
        machine.plug_in()
        return None

    found = wait_until(cut, "a match that can be cut in its middle")
    assert found is not None
    return found


def is_free(network: Network, match_id: MatchId, attempt: int) -> bool:
    rows = network.ask("SELECT state = 'running' AND attempt = %s FROM matches WHERE id = %s", attempt, match_id)
    return rows == [(False,)]


def check_that_nothing_is_lost_or_blamed(network: Network) -> None:
    """Each finished match is in the ledger of both once; no failed attempt counts, and no match is void."""
    wrong = network.ask(
        "SELECT matches.id, state, count(ledger.match_id) FROM matches LEFT JOIN ledger ON ledger.match_id = matches.id"
        " GROUP BY matches.id HAVING count(ledger.match_id) <> CASE WHEN state = 'finished' THEN 2 ELSE 0 END"
        " OR state = 'void'"
    )
    assert wrong == []
    assert network.ask("SELECT match_id, attempt, why FROM failed_attempts WHERE counts") == []


@pytest.mark.long
@pytest.mark.weekly
def test_a_network_that_is_away_for_half_a_minute_costs_nothing_but_time(network: Network) -> None:
    machine = network.machines[0]
    match_id, _ = unplug_in_a_match(network, machine)
    before = network.finished()
    time.sleep(AWAY_S)
    assert network.finished() > before, "the other one plays meanwhile"
    machine.plug_in()
    wait_until(lambda: network.match_at(machine.name), "it plays again")
    wait_until(
        lambda: network.ask("SELECT id FROM matches WHERE id = %s AND state = 'finished'", match_id),
        "the match that was cut is finished",
    )
    check_that_nothing_is_lost_or_blamed(network)
    assert machine.started[0].poll() is None


@pytest.mark.long
def test_a_machine_that_is_gone_without_a_word_frees_its_match_and_no_bot_is_blamed(network: Network) -> None:
    machine, other = network.machines
    match_id, attempt = unplug_in_a_match(network, machine)
    kill(machine)
    network.ask("UPDATE leagues SET battles = 1")  # the other one need not play all the time
    assert not is_free(network, MatchId(match_id), attempt), "nobody can know yet"
    wait_until(lambda: is_free(network, MatchId(match_id), attempt), "it is free", 0.2, quiet_s=FREE_WITHIN_S + 5)
    why = network.ask("SELECT why, counts FROM failed_attempts WHERE match_id = %s", match_id)
    assert why == [("its worker was out of reach: its machine or its network was lost", False)]
    assert network.hosts_in_status() == {other.name}
    check_that_nothing_is_lost_or_blamed(network)
