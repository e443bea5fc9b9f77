"""The scheduler: every second or two it enqueues the tasks that look after the ladder, and at times the daily one.

How this works. It goes by a clock that only runs forward, and its messages hold no time. While all workers are busy it
sends one message of each kind and waits until a worker has taken it. Notices are sent from here, by a thread of its
own: bots run on workers' machines, which may have no way to the internet.

`python -m workers.scheduler` runs it for the broker that LADDER_BROKER_URL names. Any number of them may run.
"""

import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread

from engine.errors import ArenaError
from ladder import notices
from ladder.database.connection import Within, connect
from ladder.errors import DatabaseDown, QueueDown
from ladder.event_log import Outage, Unbuffered, event, log_to
from ladder.fleet import workers
from ladder.health import ProcessKind
from ladder.settings import POOLED_URL, Settings, settings_from
from workers.app import queue_for
from workers.embedded.home import LadderHome
from workers.wait_for_schema import wait_until_migrated

SCHEDULE_EVERY_S = 1.0
SWEEP_EVERY_S = 2.0
NOTICES_EVERY_S = 5.0
PRUNE_EVERY_S = 600.0
"""The worker that is asked looks whether a day is over."""
LOOK_EVERY_S = 0.25
SIGN_OF_LIFE_EVERY_S = 15.0
"""Written into the database, by which others know that a scheduler lives."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class RegularTask:
    """`due`: by the clock that only runs forward."""

    enqueue: Callable[[], None]
    every_s: float
    due: float = 0.0


def enqueue_due(duties: list[RegularTask], control_is_empty: Callable[[], bool]) -> None:
    due = [duty for duty in duties if time.monotonic() >= duty.due]
    if due and control_is_empty():
        for duty in due:
            duty.enqueue()
            duty.due = time.monotonic() + duty.every_s


def write_round_down() -> None:
    if address := os.environ.get(POOLED_URL):
        with suppress(DatabaseDown), connect(address, autocommit=True) as connection:
            workers.write_down_round(connection, workers.MaintenanceRound.SCHEDULER)


def keep_sending(database_url: str, settings: Settings) -> None:
    database = Outage("database")
    while True:
        try:
            with connect(database_url, autocommit=True) as connection:
                arrived = notices.outbox.send_all(Within(connection), settings)
            database.ends()
            if arrived:
                event("round", kind="notices", arrived=arrived)
        except ArenaError as fault:
            database.begins(str(fault))
        except Exception:  # the next round may do better; nobody else would hear of it
            log.exception("no notices were sent")
        time.sleep(NOTICES_EVERY_S)


def main() -> int:
    log_to(Unbuffered())
    broker_url = os.environ.get("LADDER_BROKER_URL", "redis://localhost:6379/0")
    queue = queue_for(broker_url)
    duties = [
        RegularTask(queue.enqueue_schedule, SCHEDULE_EVERY_S),
        RegularTask(queue.enqueue_sweep, SWEEP_EVERY_S),
        RegularTask(queue.enqueue_prune, PRUNE_EVERY_S),
    ]
    with suppress(KeyboardInterrupt):
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sign = LadderHome.from_environment().sign(ProcessKind.SCHEDULER)
        sign.renew("it is starting")
        if os.environ.get(POOLED_URL):
            wait_until_migrated(os.environ[POOLED_URL], sign)
            Thread(target=keep_sending, args=(os.environ[POOLED_URL], settings_from()), daemon=True).start()
        event("scheduler_started")
        broker = Outage("broker")
        own_round = RegularTask(write_round_down, SIGN_OF_LIFE_EVERY_S)
        while True:
            enqueue_due([own_round], lambda: True)
            try:
                enqueue_due(duties, lambda: queue.lengths()["control"] == 0)
                broker.ends()
                sign.renew()
            except QueueDown as down:  # it will be back
                broker.begins(str(down))
                sign.renew("the broker does not answer")
            time.sleep(LOOK_EVERY_S)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ArenaError as error:
        sys.stderr.write(f"ladder: {error}\n")
        sys.exit(error.exit_status)
