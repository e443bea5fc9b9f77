"""The whole vocabulary of the queue: build, play, schedule, sweep. A task takes an id and calls one function.

A worker says to the process that started it that it is ready, that it is about to end, that it has ended. Celery speaks
of the same in words of its own, about shutdowns that are warm or cold, on the standard output, where nothing else of a
worker goes. So that is led to nowhere, and our lines go where warnings go. They are written without Python's buffers,
as one of them is written in the middle of a signal.
"""

import logging
import os
import signal
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from celery.exceptions import SecurityWarning
from celery.signals import (
    celeryd_init,
    setup_logging,
    worker_process_init,
    worker_process_shutdown,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)

from engine.errors import Refused, Unavailable
from engine.sandbox.watchdog import dismiss_our_watch
from engine.toolchains.build import languages_here
from ladder.bots import builds
from ladder.database.connection import transaction
from ladder.errors import DatabaseDown, SchemaUnknown
from ladder.event_log import FORM, JSON, Outage, Unbuffered, event, log_to, ms_since
from ladder.fleet import workers
from ladder.fleet.workers import MaintenanceRound
from ladder.flows import pruning, scheduling
from ladder.flows.pruning import PrunedAmount, Pruning
from ladder.ids import MatchId, VersionId
from ladder.retention import MEGABYTE, retention_from
from workers.app import LONGEST_TASK_S, app
from workers.deliveries import HEARING
from workers.jobs import build_version, play_match
from workers.worker_process import WorkerProcess, let_alarms_end_us, open_process, serving_sandbox

P = ParamSpec("P")
Number = TypeVar("Number", bound=int)

PRUNE_FOR_S = 2.0
"""Then the worker plays a match, or whatever waits."""

IN_GOOD_ORDER = "Warm"
"""Celery's word for an end that waits for what is being played; the other one is Cold."""
WHEN_IT_ENDS = {
    IN_GOOD_ORDER: "the worker ends when its matches are over; Ctrl-C again ends it at once, and they are played again",
    "Cold": "the worker ends at once; the matches that it has begun are played again",
}

log = logging.getLogger(__name__)

_opened: list[WorkerProcess] = []


def this_process() -> WorkerProcess:
    if not _opened:
        _opened.append(open_process(app))
    return _opened[0]


@worker_process_init.connect
def _start(**_: object) -> None:
    let_alarms_end_us()
    with suppress(Unavailable):  # it tries again before its first match
        this_process().presence.worker_id()


@worker_process_shutdown.connect
def _stop(**_: object) -> None:
    while _opened:
        process = _opened.pop()
        process.presence.close()
        process.pool.close()
    dismiss_our_watch()


def ends_when_outdated(task: Callable[P, None]) -> Callable[P, None]:
    """Let this worker end in good order where a newer program has migrated the database."""

    @wraps(task)
    def ending_task(*arguments: P.args, **named: P.kwargs) -> None:
        try:
            task(*arguments, **named)
        except SchemaUnknown:
            os.kill(os.getppid(), signal.SIGTERM)
            raise

    return ending_task


def once_database_is_back(task: Callable[P, None]) -> Callable[P, None]:
    """While the database is away such a task is left out: it is asked for again."""

    @wraps(task)
    def patient_task(*arguments: P.args, **named: P.kwargs) -> None:
        try:
            task(*arguments, **named)
        except DatabaseDown as down:
            this_process().database.begins(str(down))
        else:
            this_process().database.ends()

    return patient_task


def logged(what: str) -> Callable[[Callable[[Number], None]], Callable[[Number], None]]:
    """The log is all that hears of it: what has to happen then is written down in the rows."""

    def with_words(task: Callable[[Number], None]) -> Callable[[Number], None]:
        @wraps(task)
        def logged_task(number: Number) -> None:
            try:
                task(number)
            except Exception:
                log.exception("%s %d", what, number)

        return logged_task

    return with_words


@app.task(name="ladder.build")
@logged("no build of version")
@ends_when_outdated
def build(version_id: VersionId) -> None:
    build_version(this_process(), version_id)


@app.task(name="ladder.play")
@logged("no result of match")
@ends_when_outdated
def play(match_id: MatchId) -> None:
    play_match(this_process(), match_id)


@app.task(name="ladder.schedule", time_limit=LONGEST_TASK_S)
@once_database_is_back
@ends_when_outdated
def schedule() -> None:
    process = this_process()
    process.presence.worker_id_once_there()  # a process that asks who is alive must itself be registered as alive
    began = time.monotonic()
    made = scheduling.schedule(process.pool, process.queue, process.chance, process.games, process.seeds_from)
    process.pool.keep()
    event("round", logging.INFO if made else logging.DEBUG, kind="schedule", matches=len(made), ms=ms_since(began))


@app.task(name="ladder.sweep", time_limit=LONGEST_TASK_S)
@once_database_is_back
@ends_when_outdated
def sweep() -> None:
    process = this_process()
    process.presence.worker_id_once_there()
    began = time.monotonic()
    swept = scheduling.sweep(process.pool, process.queue)
    process.pool.keep()
    level = logging.INFO if swept.freed or swept.given_up else logging.DEBUG
    event("round", level, kind="sweep", **asdict(swept), ms=ms_since(began))


@app.task(name="ladder.prune", time_limit=LONGEST_TASK_S)
@once_database_is_back
@ends_when_outdated
def prune(after: int = 0) -> None:
    """Let go of what is old, for a moment, and ask for the rest. `after`: see `CeleryQueue.enqueue_prune`."""
    process = this_process()
    began = time.monotonic()
    retention = retention_from()
    artefacts = 0
    if after == 0:
        with transaction(process.pool) as connection:
            if not workers.begin_of_day(connection, MaintenanceRound.PRUNE):
                return
            artefacts = builds.prune_artefacts(connection, retention.artefacts_mb * MEGABYTE)
    try:
        pruned, last = pruning.prune_for(process.pool, Pruning(retention), after, PRUNE_FOR_S)
    except (Refused, Unavailable) as fault:  # of the archive: nothing is let go until tomorrow
        if isinstance(fault, DatabaseDown):
            raise
        event("retention", logging.ERROR, words=str(fault))
        return
    level = logging.DEBUG if pruned == PrunedAmount() and not artefacts else logging.INFO
    event("retention", level, **asdict(pruned), artefacts=artefacts, ms=ms_since(began))
    if last is not None:
        process.queue.enqueue_prune(last)


_ends: list[str] = []


def silence_celery(**_: object) -> None:
    """Its warnings of messages that hold programs, and of root: ours hold a number, and bots have no rights."""
    logging.getLogger("kombu.transport.virtual.base").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", category=SecurityWarning)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def say_ready(sender: Any, **_: object) -> None:
    count = sender.controller.concurrency
    sandbox = serving_sandbox()
    event("worker_started", tier=sandbox.name, matches_at_once=count, languages=languages_here(sandbox).plays)
    matches = f"up to {count} matches" if count > 1 else "one match"
    say(f"the worker is ready and plays {matches} at a time; Ctrl-C ends it", "worker_ready")


def say_ending(how: str, **_: object) -> None:
    _ends.append(how)
    if _ends.count(how) == 1:
        say(WHEN_IT_ENDS[how], "worker_ending")


def say_ended(sender: Any, **_: object) -> None:
    """Ctrl-C is how a worker is ended: what it did in good order then is not a failure."""
    if set(_ends) == {IN_GOOD_ORDER}:
        sender.exitcode = 0
        say("the worker has ended", "worker_drained")


def say(words: str, name: str) -> None:
    """Say it to a person. `name`: of the event, for who reads JSON."""
    if os.environ.get(FORM) == JSON:
        event(name, words=words)
        return
    with suppress(OSError):  # there is no reader any more
        os.write(2, f"ladder: {words}\n".encode())


def write_events(**_: object) -> None:
    handler = Unbuffered()
    handler.addFilter(of_the_broker)
    log_to(handler)
    logging.getLogger("celery.worker.consumer.connection").setLevel(logging.INFO)


_broker = Outage("broker")


def of_the_broker(record: logging.LogRecord) -> bool:
    """Make two events of what Celery says of its connection at each try; say whether it is anything else."""
    if record.name == "celery.worker.consumer.connection":
        _broker.ends()
        HEARING.asked_at = time.monotonic()
        return False
    if record.name == "celery.worker.consumer.consumer" and record.levelno >= logging.WARNING:
        words = record.getMessage()
        if "onnect" in words:
            _broker.begins(words.partition("\n")[0].removeprefix("consumer: "))
            HEARING.asked_at = None
            return False
    return True


setup_logging.connect(write_events)
celeryd_init.connect(silence_celery)
worker_ready.connect(say_ready)
worker_shutting_down.connect(say_ending)
worker_shutdown.connect(say_ended)
