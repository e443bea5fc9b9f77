"""What a worker does with messages: from which queue it takes the next one, and which need care.

How this works. Any program that can write to the broker can leave anything in a queue, and that would end the worker,
or fill its log. So everything is checked first. Messages of ours name a task and carry its numbers; of any other there
is a line in the log, and it is gone.

Kombu asks `UrgentButFair` for the order of the queues each time it takes a message, and says from which queue one came.
Usually that is the order in which the worker listens. But after several matches that somebody has asked for, the queue
of all other matches comes before theirs once, so newcomers get at least a quarter of a busy ladder. And while half of a
worker's processes build it takes no more builds, so the others play.

A worker asks for a message each second while one of its processes has nothing to do. It has happened, when the broker
was killed in the moment in which a match ended, that Celery connected anew and then never asked again. A worker that is
deaf so ends, and is started again.
"""

import base64
import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Empty
from typing import Any, Literal

from kombu.transport import TRANSPORT_ALIASES, redis

from engine.text import shortened

BUILDS = "build"
ASKED_FOR = "first"
ORDINARY = "play"
IN_A_ROW = 3
"""This many messages of the one, then one of the other, while there are both."""


class UrgentButFair:
    """The order of a worker's queues, as kombu's `queue_order_strategy` wants it."""

    def __init__(self) -> None:
        self._queues: list[str] = []
        self._in_a_row = 0
        self._takes_builds = True

    def update(self, queues: Iterable[str]) -> None:
        self._queues = list(queues)

    def note(self, counts: Mapping[str, int], processes: int) -> None:
        self._takes_builds = counts.get(BUILDS, 0) < most_builds(processes)

    def consume(self, most: int) -> list[str]:
        queues = [queue for queue in self._queues[:most] if self._takes_builds or queue != BUILDS]
        if self._in_a_row < IN_A_ROW or not {ASKED_FOR, ORDINARY} <= set(queues):
            return queues
        queues.remove(ORDINARY)
        queues.insert(queues.index(ASKED_FOR), ORDINARY)
        return queues

    def rotate(self, queue: str) -> None:
        if queue == ASKED_FOR:
            self._in_a_row += 1
        elif queue == ORDINARY:
            self._in_a_row = 0


def most_builds(processes: int) -> int:
    """Half of a worker's processes, so that others play, and at least one."""
    return max(1, processes // 2)


log = logging.getLogger(__name__)

TASKS = {"ladder.schedule": 0, "ladder.sweep": 0, "ladder.prune": 1, "ladder.build": 1, "ladder.play": 1}
"""What may be asked for, and how many numbers come with it."""

DEAF_AFTER_S = 60
"""Much longer than it takes to connect anew to a broker that is back."""
SURE_AFTER_S = 10
"""A process that was stopped for long, and goes on, asks within this time."""


@dataclass(slots=True)
class Hearing:
    """When this process asked the broker for a message last; None: not yet, or the broker is known to be away."""

    asked_at: float | None = None
    deaf_since: float | None = None

    def is_deaf(self, is_idle: Callable[[], bool]) -> bool:
        """Nothing is to be done, nor is the broker known to be away, but nobody has asked for a message for long."""
        now = time.monotonic()
        if self.asked_at is None or now - self.asked_at <= DEAF_AFTER_S or not is_idle():
            self.deaf_since = None
            return False
        self.deaf_since = self.deaf_since or now
        return now - self.deaf_since > SURE_AFTER_S


HEARING = Hearing()


class NotOurs(ValueError):
    """A message that no part of this project has sent."""


class QoS(redis.QoS):
    """Frees the place of a message that cannot be acknowledged. Kombu counts it as worked on: with all places taken a
    worker asks for no message any more, and never sees the broker come back. It is delivered once more, and the row
    says that it is done.
    """

    def ack(self, delivery_tag: str) -> None:
        with self._freeing(delivery_tag):
            acknowledge: Callable[[str], None] = super().ack
            acknowledge(delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        with self._freeing(delivery_tag):
            give_back: Callable[[str, bool], None] = super().reject
            give_back(delivery_tag, requeue)

    @contextmanager
    def _freeing(self, delivery_tag: str) -> Iterator[None]:
        try:
            yield
        finally:
            free: Callable[[str], None] = self._quick_ack
            free(delivery_tag)


class Channel(redis.Channel):
    """Takes messages from the queues, no more builds than may run at once, and drops what is not a message of ours."""

    QoS = QoS

    def _brpop_start(self, timeout: float | None = None) -> None:
        messages: dict[str, Any] = vars(self.qos)["_delivered"]
        counts = Counter(message.delivery_info["routing_key"] for message in messages.values())
        self._queue_cycle.note(counts, self.qos.prefetch_count)
        HEARING.asked_at = time.monotonic()
        ask: Callable[..., None] = super()._brpop_start
        ask(timeout=timeout)

    def _brpop_read(self, **options: Any) -> Literal[True]:
        read: Callable[..., Any] = super()._brpop_read
        try:
            read(**options)
        except (NotOurs, json.JSONDecodeError, UnicodeDecodeError) as error:
            log.warning("a message in the queue that is none of ours was dropped: %s", shortened(str(error)))
            raise Empty from error
        return True


class Transport(redis.Transport):
    """Redis, as far as it holds messages of ours. `queues`: those in which there are tasks."""

    Channel = Channel
    queues: frozenset[str] = frozenset()

    def _deliver(self, message: Any, queue: str) -> None:
        if queue in self.queues:
            require_task(message)
        hand_on: Callable[..., None] = super()._deliver
        hand_on(message, queue)


def require_task(message: Any) -> None:
    """Raise NotOurs unless it asks for one of the tasks, as Celery's protocol 2 writes it."""
    try:
        task = message["headers"]["task"]
        numbers, named, _ = json.loads(base64.b64decode(message["body"], validate=True))
        is_whole = isinstance(message["properties"]["delivery_tag"], str) and isinstance(message["headers"]["id"], str)
        fits = len(numbers) == TASKS[task] and all(type(number) is int for number in numbers) and not named
    except (KeyError, TypeError, ValueError) as error:
        raise NotOurs(json.dumps(message)) from error
    if not (is_whole and fits and message.get("content-type") == "application/json"):
        raise NotOurs(json.dumps(message))


def look_at_messages(queues: Iterable[str]) -> None:
    """Let all connections to Redis that Celery makes from now on check what they get from these queues."""
    Transport.queues = frozenset(queues)
    for scheme in ("redis", "rediss"):
        TRANSPORT_ALIASES[scheme] = f"{__name__}:{Transport.__name__}"
