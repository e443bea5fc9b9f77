"""Messages at a real broker: where each waits, who gives way to whom, and a broker that is gone for a while."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import psutil
import pytest

from ladder.access import Actor
from ladder.actions.bots import submit
from ladder.bots import versions
from ladder.database.connection import Pool, connect, one, transaction
from ladder.flows.scheduling import schedule, sweep
from ladder.flows.submission import Submission
from ladder.ids import MatchId, VersionId
from ladder.leagues import leagues
from ladder.matchmaking.requests import ask
from ladder.names import HOUSE, read_name
from ladder.queue import Backlog
from tests.catalogue import GAMES
from tests.ladder.arena import DRIFTER, GAME, keep_one_boss, on_the_board, submitted, within
from tests.ladder.rated import change
from tests.patience import wait_until
from tests.throwaway import lay_database
from workers.app import CeleryQueue, make_app, queue_for
from workers.broker import broker, queue_lengths
from workers.commands import QUEUES, embedded_children
from workers.embedded import control
from workers.embedded.home import LadderHome
from workers.embedded.state_file import Running
from workers.jobs import build_version
from workers.worker_process import WorkerProcess, open_sessions


@pytest.fixture
def queue(broker_url: str) -> CeleryQueue:
    return queue_for(broker_url)


def test_requested_matches_wait_in_the_queue_that_comes_first(pool: Pool, queue: CeleryQueue, broker_url: str) -> None:
    for name in ("kraken", "orca"):
        on_the_board(pool, name, name)
    ordinary = schedule(pool, queue, Random(1), GAMES)
    within(pool, ask, (read_name("kraken"), read_name("orca")), 2, "kim", GAME)
    schedule(pool, queue, Random(2), GAMES)
    lengths = queue_lengths(broker_url)
    assert ordinary
    assert (lengths["first"], lengths["play"]) == (4, len(ordinary))
    assert queue.backlog() == Backlog(lengths["build"], 4 + len(ordinary))


def test_sweeps_double_no_message_and_replace_lost_ones(pool: Pool, queue: CeleryQueue, broker_url: str) -> None:
    for name in ("kraken", "orca"):
        on_the_board(pool, name, name)
    schedule(pool, queue, Random(1), GAMES)
    sweep(pool, queue)
    before = queue_lengths(broker_url)
    for _ in range(3):
        let_messages_be_old(pool)
        sweep(pool, queue)
    assert queue_lengths(broker_url) == before
    with broker(broker_url) as client:
        client.flushdb()
    let_messages_be_old(pool)
    sweep(pool, queue)
    assert queue_lengths(broker_url) == before


def test_of_four_matches_one_is_an_ordinary_one_however_many_are_asked_for(queue: CeleryQueue, broker_url: str) -> None:
    """Newcomers play while somebody's thousand battles do; what is more urgent than matches comes before both."""
    for number in range(1, 3):
        queue.enqueue_match(MatchId(number))
    for number in range(11, 21):
        queue.enqueue_match(MatchId(number), first=True)
    queue.enqueue_schedule()
    assert taken_from(broker_url) == ["schedule", 11, 12, 13, 1, 14, 15, 16, 2, 17, 18, 19, 20]


def test_matches_that_are_asked_for_wait_for_one_other_at_most(queue: CeleryQueue, broker_url: str) -> None:
    for number in range(1, 5):
        queue.enqueue_match(MatchId(number))
    queue.enqueue_match(MatchId(11), first=True)
    assert taken_from(broker_url) == [11, 1, 2, 3, 4]


def taken_from(broker_url: str) -> list[object]:
    """Return what a worker with one process takes from its queues, in that order: a match's id, or the task's name."""
    taken: list[object] = []

    def take(message: Any) -> None:
        (ids, *_), task = message.payload, message.headers["task"]
        taken.append(ids[0] if ids else task.removeprefix("ladder."))
        message.ack()

    with make_app(broker_url).connection() as connection, connection.channel() as channel, suppress(TimeoutError):
        channel.basic_qos(0, 1)
        for queue in QUEUES.split(","):
            channel.queue_declare(queue)
            channel.basic_consume(queue, no_ack=False, callback=take, consumer_tag=queue)
        while True:
            connection.drain_events(timeout=0.5)
    return taken


def let_messages_be_old(pool: Pool) -> None:
    change(pool, "UPDATE matches SET enqueued_at = now() - interval '1 hour'")
    change(pool, "UPDATE versions SET enqueued_at = now() - interval '1 hour'")


def first_boss(pool: Pool) -> VersionId:
    """Return the first version of the house that is still to be built, one in Python."""
    query = """
        SELECT versions.id FROM versions JOIN bots ON bots.id = bot_id JOIN players ON players.id = player_id
        WHERE players.name = %(house)s AND state = 'building' AND language = 'python' ORDER BY versions.id LIMIT 1
        """
    return VersionId(within(pool, one, query, {"house": HOUSE})[0])


def states(pool: Pool, *ids: VersionId) -> list[str]:
    with transaction(pool) as connection:
        return [versions.find_version(connection, version_id).state for version_id in ids]


def test_a_boss_gives_way_and_its_message_goes_back(process: WorkerProcess, pool: Pool, broker_url: str) -> None:
    process.queue = queue_for(broker_url)
    boss, own = first_boss(pool), submitted(pool, source=DRIFTER)
    build_version(process, boss)
    assert states(pool, boss, own) == ["building", "accepted"]
    assert queue_lengths(broker_url)["build"] == 1
    build_version(process, own)  # its own message, which came too late
    build_version(process, boss)
    assert states(pool, boss, own) == ["accepted", "accepted"]
    assert queue_lengths(broker_url)["build"] == 1


def test_a_player_gives_way_to_nobody(process: WorkerProcess, pool: Pool, broker_url: str) -> None:
    process.queue = queue_for(broker_url)
    first, second = submitted(pool, source=DRIFTER), submitted(pool, "orca", f"{DRIFTER}\n", player="olga")
    build_version(process, second)
    assert states(pool, first, second) == ["building", "accepted"]
    assert queue_lengths(broker_url)["build"] == 0


def test_a_version_that_could_not_be_built_takes_no_place(process: WorkerProcess, pool: Pool, broker_url: str) -> None:
    process.queue = queue_for(broker_url)
    boss, own = first_boss(pool), submitted(pool, source=DRIFTER)
    change(pool, "UPDATE versions SET attempt = 1, lease_until = NULL WHERE id = %s", own)
    build_version(process, boss)
    assert states(pool, boss, own) == ["accepted", "building"]


OCEAN = GAMES.find("ocean-of-code")


@pytest.fixture
def home(open_folder: Path) -> Iterator[LadderHome]:
    home = LadderHome.at(open_folder / f"broker-gone-{os.urandom(4).hex()}")
    yield home
    control.destroy(home)


def submit_two(running: Running) -> None:
    with connect(running.database_url) as connection:
        leagues.set_battles(connection, OCEAN.name, 5)
        keep_one_boss(connection)
    source = (OCEAN.bots_folder / "drifter_v1.py").read_text()
    sessions = open_sessions(running.database_url)
    for name in ("kraken", "orca"):
        new = Submission(OCEAN.name, name, f"{source}# {name}", "python")
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
