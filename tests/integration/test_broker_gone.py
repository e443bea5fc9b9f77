"""A broker that is gone when a worker acknowledges what it has done: the worker goes on when the broker is back."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from ladder.access import Actor
from ladder.actions.bots import submit
from ladder.database.connection import connect
from ladder.flows.submission import Submission
from ladder.leagues import leagues
from tests.catalogue import GAMES
from tests.ladder.arena import keep_one_boss
from tests.patience import wait_until
from tests.throwaway import lay_database
from workers.app import queue_for
from workers.commands import embedded_children
from workers.embedded import control
from workers.embedded.home import LadderHome
from workers.embedded.state_file import Running
from workers.worker_process import open_sessions

GAME = GAMES.find("ocean-of-code")


@pytest.fixture
def home(open_folder: Path) -> Iterator[LadderHome]:
    home = LadderHome.at(open_folder / f"broker-gone-{os.urandom(4).hex()}")
    yield home
    control.destroy(home)


def submit_two(running: Running) -> None:
    with connect(running.database_url) as connection:
        leagues.set_battles(connection, GAME.name, 5)
        keep_one_boss(connection)
    source = (GAME.bots_folder / "drifter_v1.py").read_text()
    sessions = open_sessions(running.database_url)
    for name in ("kraken", "orca"):
        new = Submission(GAME.name, name, f"{source}# {name}", "python")
        submit(Actor("tess"), sessions, queue_for(running.broker_url), new)
    sessions.close()


def test_a_worker_that_could_not_acknowledge_a_match_plays_on_when_the_broker_is_back(home: LadderHome) -> None:
    lay_database(home)
    running = control.up(home, embedded_children(1), prepare="ladder.actions.installation:bring_up_to_date")
    submit_two(running)

    def matches_in(state: str) -> list[int]:
        with connect(running.database_url) as connection:
            return [row[0] for row in connection.execute("SELECT id FROM matches WHERE state = %s", (state,))]

    played = wait_until(lambda: matches_in("running"), "a match to be played")
    supervisor = psutil.Process(running.pid)
    supervisor.suspend()  # or it would start the broker again at once
    try:
        os.kill(running.children["redis"], signal.SIGKILL)
        wait_until(lambda: set(played) <= set(matches_in("finished")), "it to be recorded")
        log = home.log("worker")
        wait_until(lambda: "Couldn't ack" in log.read_text(), "its message to fail to be acknowledged")
    finally:
        supervisor.resume()
    known = set(matches_in("finished"))
    wait_until(lambda: set(matches_in("finished")) - known, "another match to be played")
    said = wait_until(log.read_text, "the broker to be found", fits=lambda text: "broker_found" in text)
    assert re.search(r" warning broker_lost words=.*\n(.*\n)*.* info broker_found s=\d", said)
    assert said.count("broker_lost") == said.count("broker_found") == 1
    for name in ("match_claimed", "match_finished"):
        assert re.search(rf" info {name} match={played[0]} attempt=1 worker=\d+ ", said), "a match can be followed"
