"""The whole service with real workers: nothing is lost and nothing counted twice when processes are killed."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import psutil
import pytest

from ladder.access import Actor
from ladder.actions.bots import submit
from ladder.database.connection import Pool, connect, open_pool, transaction
from ladder.flows.submission import Submission
from ladder.leagues import leagues
from ladder.matches import match_rows
from ladder.views.progress import Progress, progress
from ladder.views.summary import Summary, summary
from tests.catalogue import GAMES
from tests.ladder.arena import keep_one_boss
from tests.patience import wait_until
from tests.processes import workers_of
from workers.app import queue_for
from workers.broker import broker
from workers.commands import embedded_children
from workers.embedded import control
from workers.embedded.home import LadderHome
from workers.embedded.state_file import Running

GAME = GAMES.find("ocean-of-code")
BATTLES = 2


@pytest.fixture
def running(open_folder: Path) -> Iterator[Running]:
    home = LadderHome.at(open_folder / f"service-{os.urandom(4).hex()}")
    running = control.up(home, embedded_children(2), prepare="ladder.actions.installation:bring_up_to_date")
    yield running
    control.destroy(home)


@pytest.fixture
def pool(running: Running) -> Iterator[Pool]:
    pool = open_pool(running.database_url)
    with transaction(pool) as connection:
        leagues.set_battles(connection, GAME.name, BATTLES)
        keep_one_boss(connection)
    yield pool
    pool.close()


def submit_some(running: Running, pool: Pool) -> None:
    queue = queue_for(running.broker_url)
    for bot, file in (("minnow", "drifter_v1.py"), ("barracuda", "gunner.py"), ("shell", "trivial.c")):
        source = (GAME.bots_folder / file).read_text()
        submit(Actor("tess"), pool, queue, Submission(GAME.name, bot, source, "c" if file.endswith(".c") else "python"))


def wait_until_quiet(running: Running, disturb: Callable[[], None] = lambda: None) -> Summary:
    def look() -> tuple[Progress, Summary | None]:
        with connect(running.database_url, snapshot=True) as connection:
            now = progress(connection)
            if now.is_quiet:
                return now, summary(connection)
        disturb()
        return now, None

    _, found = wait_until(look, "quiet", 0.2, fits=lambda seen: seen[1])
    assert found is not None
    return found


class Killer:
    """Kills a process of the worker with SIGKILL whenever a match is running, a number of times."""

    def __init__(self, running: Running, pool: Pool, times: int) -> None:
        self.home = Path(psutil.Process(running.children["worker"]).environ()["LADDER_HOME"])
        self.pool, self.left = pool, times
        self.chance = Random(times)

    def __call__(self) -> None:
        if self.left == 0:
            return
        with transaction(self.pool) as connection:
            if match_rows.count_matches(connection).running == 0:
                return
        with suppress(psutil.NoSuchProcess):
            victims = workers_of(self.home)
            if victims:  # else the worker is just being started again
                self.chance.choice(victims).send_signal(signal.SIGKILL)
                self.left -= 1
                time.sleep(0.5)


@pytest.mark.smoke
@pytest.mark.long
def test_every_match_is_played_once_although_workers_are_killed_in_the_middle(running: Running, pool: Pool) -> None:
    submit_some(running, pool)
    killer = Killer(running, pool, times=3)
    sums = wait_until_quiet(running, killer)
    assert killer.left == 0, "it had something to kill"
    assert sums.is_complete
    assert sums.asked >= 3 * BATTLES * 2
    assert sums.repeated >= 1, "a match was begun again"
    with transaction(pool) as connection:
        wrong = connection.execute(
            """
            SELECT matches.id FROM matches LEFT JOIN ledger ON ledger.match_id = matches.id
            GROUP BY matches.id HAVING count(ledger.match_id) <> 2 OR bool_or(matches.state <> 'finished')
            """
        ).fetchall()
        counts = connection.execute("SELECT sum(matches) FROM standings").fetchone()
    assert wrong == []
    assert counts == (2 * sums.finished,)
    boxes = [process for process in psutil.process_iter(["name"]) if process.info["name"] == "bwrap"]
    assert [box for box in boxes if is_below(box, running.pid)] == [], "a bot has outlived its worker"


def is_below(process: psutil.Process, pid: int) -> bool:
    with suppress(psutil.NoSuchProcess):  # other tests play, too
        return pid in {parent.pid for parent in process.parents()}
    return False


def test_matches_are_played_although_the_broker_forgets_every_message(running: Running, pool: Pool) -> None:
    submit_some(running, pool)
    forgotten = 0

    def forget() -> None:
        nonlocal forgotten
        if forgotten < 3:
            with broker(running.broker_url) as client:
                client.flushall()
            with transaction(pool) as connection:
                connection.execute(
                    "UPDATE matches SET enqueued_at = enqueued_at - interval '30 seconds' WHERE state = 'queued'"
                )
                connection.execute("UPDATE versions SET enqueued_at = enqueued_at - interval '30 seconds'")
            forgotten += 1

    assert wait_until_quiet(running, forget).is_complete
    assert forgotten == 3


def test_a_message_that_comes_twice_is_played_once(running: Running, pool: Pool) -> None:
    submit_some(running, pool)
    queue = queue_for(running.broker_url)

    def ring_again() -> None:
        with transaction(pool) as connection:
            latest = [row[0] for row in connection.execute("SELECT id FROM matches ORDER BY id DESC LIMIT 5")]
        for match_id in latest:
            queue.enqueue_match(match_id)

    sums = wait_until_quiet(running, ring_again)
    assert sums.is_complete
    assert sums.repeated == 0
