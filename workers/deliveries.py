"""What a worker does with messages that need care: those that are not ours, cannot be acknowledged, or are too many.

How this works. Any program that can write to the broker can leave anything in a queue, if only by mistake. Kombu takes
each item for a message and Celery each message for a task; anything else would end the worker, or fill twenty lines of
its log. So everything that comes is checked first. Messages of ours name a task and carry its numbers; of any other
there is a line in the log, and it is gone.
"""

from __future__ import annotations

import base64
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from queue import Empty
from typing import Any, Literal

from kombu.transport import TRANSPORT_ALIASES, redis

from engine.text import shortened

log = logging.getLogger(__name__)

TASKS = {"ladder.schedule": 0, "ladder.sweep": 0, "ladder.build": 1, "ladder.play": 1}
"""What may be asked for, and how many numbers come with it."""


class NotOurs(ValueError):
    """A message that no part of this project has sent."""


class QoS(redis.QoS):
    """The messages that a worker has taken. One that cannot be acknowledged takes no place of another.

    Kombu counts such a message as one that is still worked on. A worker whose places are all taken in this way asks for
    no message any more, and so never sees that the broker is gone, or back. The broker delivers the message once more,
    and the row says that it is done.
    """

    def ack(self, delivery_tag: str) -> None:
        """Acknowledge a message. Raises what redis raises where the broker is gone."""
        with self._freeing(delivery_tag):
            acknowledge: Callable[[str], None] = super().ack
            acknowledge(delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Give a message back, or drop it. Raises what redis raises where the broker is gone."""
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
    """Takes messages from the queues, no more builds than may run at once, and drops what is no message of ours."""

    QoS = QoS

    def _brpop_start(self, timeout: float | None = None) -> None:
        """Ask for the next message. All that are taken and not acknowledged are being worked on."""
        messages: dict[str, Any] = vars(self.qos)["_delivered"]
        taken = Counter(message.delivery_info["routing_key"] for message in messages.values())
        self._queue_cycle.note(taken, self.qos.prefetch_count)
        ask: Callable[..., None] = super()._brpop_start
        ask(timeout=timeout)

    def _brpop_read(self, **options: Any) -> Literal[True]:
        """Take the next message. Raises Empty where there is none, which the callers expect."""
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
        """Hand a message on to who waits for it. Raises NotOurs."""
        if queue in self.queues:
            require_task(message)
        hand_on: Callable[..., None] = super()._deliver
        hand_on(message, queue)


def require_task(message: Any) -> None:
    """Raise NotOurs unless this is a message that asks for one of the tasks, as Celery's protocol 2 writes it."""
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
    """Let all connections to Redis that Celery makes from now on look at what they get from these queues."""
    Transport.queues = frozenset(queues)
    for scheme in ("redis", "rediss"):
        TRANSPORT_ALIASES[scheme] = f"{__name__}:{Transport.__name__}"
