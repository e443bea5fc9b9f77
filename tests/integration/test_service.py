"""The whole service with real workers: nothing is lost and nothing counted twice when processes are killed."""

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
from ladder.fleet.workers import live_workers
from ladder.flows.submission import Submission
from ladder.leagues import leagues
from ladder.matches import match_rows
from ladder.views.progress import Progress, progress
from ladder.views.summary import Summary, summary
from tests.acceptance.conftest import SURFACER
from tests.catalogue import GAMES
from tests.ladder.arena import keep_one_boss, rows_of, within
from tests.ladder.rated import change
from tests.patience import wait_until
from tests.processes import workers_of
from tests.throwaway import lay_database
from workers.app import queue_for
from workers.broker import broker
from workers.commands import embedded_children
from workers.embedded import control
from workers.embedded.home import LadderHome
from workers.embedded.state_file import Running

pytestmark = [pytest.mark.smoke, pytest.mark.long]
GAME = GAMES.find("ocean-of-code")
BATTLES = 1
SLOW = "import time\n" + SURFACER.replace('    print("SURFACE"', '    time.sleep(0.02)\n    print("SURFACE"')
"""A bot whose matches last for a moment, and cost little."""


@pytest.fixture(scope="module")
def running(open_folder: Path) -> Iterator[Running]:
    """Services with a worker of two processes, and the lowest boss; each test submits bots of its own."""
    home = LadderHome.at(open_folder / "service")
    lay_database(home)
    running = control.up(home, embedded_children(2), prepare="ladder.actions.installation:bring_up_to_date")
    with connect(running.database_url) as connection:
        leagues.set_battles(connection, GAME.name, BATTLES)
        keep_one_boss(connection)
    yield running
    control.destroy(home)


@pytest.fixture(scope="module")
def pool(running: Running) -> Iterator[Pool]:
    pool = open_pool(running.database_url)
    yield pool
    pool.close()


@pytest.fixture
def bots(running: Running, pool: Pool, request: pytest.FixtureRequest) -> Iterator[None]:
    """Three that were just submitted, beside which only the boss plays."""
    queue = queue_for(running.broker_url)
    for bot in (f"{name}-{request.node.name[-9:]}" for name in ("minnow", "barracuda", "shell")):
        submit(Actor("tess"), pool, queue, Submission(GAME.name, bot, f"{SLOW}# {bot}", "python"))
    yield
    change(pool, "UPDATE standings SET on_board = false WHERE version_id > (SELECT min(id) FROM versions)")


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
        if within(self.pool, match_rows.count_matches).running == 0:
            return
        with suppress(psutil.NoSuchProcess):
            victims = [process for process in workers_of(self.home) if process.children()]  # others rest
            if victims:  # else the worker is just being started again
                self.chance.choice(victims).send_signal(signal.SIGKILL)
                self.left -= 1
                time.sleep(0.5)


def test_each_match_is_played_once_though_workers_are_killed(running: Running, pool: Pool, bots: None) -> None:
    killer = Killer(running, pool, times=2)
    sums = wait_until_quiet(running, killer)
    assert killer.left == 0, "it had something to kill"
    assert sums.is_complete
    assert sums.asked >= 3 * BATTLES * 2
    assert sums.repeated >= 1, "a match was begun again"
    with transaction(pool) as connection:
        wrong = connection.execute(
            "SELECT matches.id FROM matches LEFT JOIN ledger ON ledger.match_id = matches.id"
            " GROUP BY matches.id HAVING count(ledger.match_id) <> 2 OR bool_or(matches.state <> 'finished')"
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


def test_a_resting_worker_has_a_session_and_a_connection_per_process(running: Running, pool: Pool) -> None:
    """Tasks of the scheduler come each second: their sessions are kept as long as it goes on."""
    wait_until_quiet(running)
    assert len(within(pool, live_workers)) == 2
    sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'ladder worker'"
    kept = f"{sessions} AND backend_start < now() - interval '2 s'"
    wait_until(lambda: rows_of(pool, kept)[0][0] > 1, "a session that is kept")
    scheduler = psutil.Process(running.children["scheduler"])
    scheduler.suspend()
    try:
        wait_until(lambda: rows_of(pool, sessions) == [(1,)], "its rest")
    finally:
        scheduler.resume()
    with broker(running.broker_url) as client:
        others = [row for row in client.client_list() if int(row["id"]) != client.client_id()]
    assert len(others) <= 2 + 2 + 1 + 2, "two of the last are of this test's own queue"
