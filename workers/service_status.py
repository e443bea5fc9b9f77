"""What runs beside the database, as a process of this home sees it."""

import time
from collections.abc import Mapping
from contextlib import suppress

from engine.errors import UsageFault
from ladder.database.connection import connect
from ladder.errors import DatabaseDown, NotStarted, QueueDown
from ladder.fleet.workers import fleet_size
from ladder.settings import Settings
from ladder.views.fleet import Services
from workers.broker import check_address, queue_lengths
from workers.commands import WEB, WORKER
from workers.embedded import state_file
from workers.embedded.home import LadderHome
from workers.embedded.processes import ChildEnding

LOOK_EVERY_S = 0.1
WORKER_LIMIT_S = 300.0
"""A worker needs some seconds, and longer where the machine is too busy to try its sandbox."""


def services_beside(home: LadderHome, settings: Settings) -> Services:
    running = embedded(home, settings)
    broker_url = settings.broker_url or (running.broker_url if running is not None else "")
    queue: Mapping[str, int] | None = None
    if broker_url:
        with suppress(QueueDown, UsageFault):
            check_address(broker_url)
            queue = queue_lengths(broker_url)
    return services_with(home, settings, running, queue)


def embedded(home: LadderHome, settings: Settings) -> state_file.Running | None:
    return None if settings.database_url else state_file.running(home)


def services_with(
    home: LadderHome, settings: Settings, running: state_file.Running | None, queue: Mapping[str, int] | None
) -> Services:
    database_url = settings.database_url or (running.database_url if running is not None else "")
    pages = state_file.last_pages(home, database_url)
    is_served = settings.web.is_served and (running is None or WEB in running.children)
    return Services(
        home=str(home.folder),
        supervisor=None if running is None else running.pid,
        keeps_worker=running is not None and (WORKER in running.children or WORKER in running.endings),
        worker_ended=ending.words if running is not None and (ending := running.endings.get(WORKER)) else None,
        queue=queue,
        web=(settings.web.public_url if is_served else None) or (None if pages is None else pages.address),
    )


def worker_that_starts(home: LadderHome) -> ChildEnding | None:
    """Return how the supervisor's has ended before; None for a live one. Raises DatabaseDown, NotStarted."""
    deadline = time.monotonic() + WORKER_LIMIT_S
    while time.monotonic() < deadline:
        running = state_file.running(home)
        if running is None:
            raise DatabaseDown(f"the ladder in {home.folder} has ended meanwhile; {home.log('supervisor')} says more")
        with suppress(DatabaseDown), connect(running.database_url, autocommit=True) as connection:
            if fleet_size(connection).processes:
                return None
        if WORKER in running.endings:
            return running.endings[WORKER]
        time.sleep(LOOK_EVERY_S)
    raise NotStarted(f"no worker has come within {WORKER_LIMIT_S:.0f} s; {home.log(WORKER)} may say why")
