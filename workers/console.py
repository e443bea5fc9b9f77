"""What a worker says to the process that started it: that it is ready, that it is about to end, that it has ended.

How this works. Celery speaks of the same in words of its own, about shutdowns that are warm or cold, on the standard
output, where nothing else of a worker goes. So that is led to nowhere, and our lines go where warnings go. They are
written without Python's buffers, as one of them is written in the middle of a signal.
"""

from __future__ import annotations

import logging
import os
import time
import warnings
from contextlib import suppress
from typing import Any

from celery.exceptions import SecurityWarning
from celery.signals import celeryd_init, setup_logging, worker_ready, worker_shutdown, worker_shutting_down

from engine.toolchains.build import languages_here
from ladder.event_log import FORM, JSON, Outage, Unbuffered, event, log_to
from workers.deliveries import HEARING
from workers.worker_process import serving_sandbox

IN_GOOD_ORDER = "Warm"
"""Celery's word for an end that waits for what is being played; the other one is Cold."""
WHEN_IT_ENDS = {
    IN_GOOD_ORDER: "the worker ends when its matches are over; Ctrl-C again ends it at once, and they are played again",
    "Cold": "the worker ends at once; the matches that it has begun are played again",
}

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
    """Ctrl-C is how a worker is ended: what it did in good order then is no failure."""
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
