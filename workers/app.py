"""The Celery application, its settings, each with its reason, and the ladder's queue by it.

Messages carry one id, that of a row that waits. The rows in PostgreSQL are the truth, so a message may be lost, doubled
or late.
"""

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from celery import Celery
from kombu.exceptions import OperationalError
from redis import Redis
from redis.exceptions import RedisError

from ladder.database.session import GONE_AFTER_S, KEEPALIVE_COUNT, KEEPALIVE_IDLE_S, KEEPALIVE_INTERVAL_S
from ladder.ids import MatchId, VersionId
from ladder.queue import Backlog
from workers.broker import ANSWER_LIMIT_S, broker_down, lengths, tls_of
from workers.commands import QUEUES
from workers.deliveries import look_at_messages

LONGEST_TASK_S = 900
"""Backstop for tasks without a lease: one that takes longer has its process killed. Others end with their leases."""

SILENCE_LIMIT_S = 10
"""A worker asks for messages each second; a broker that leaves that unanswered for so long is connected to anew."""
KEEPALIVE = {
    socket.TCP_KEEPIDLE: KEEPALIVE_IDLE_S,
    socket.TCP_KEEPINTVL: KEEPALIVE_INTERVAL_S,
    socket.TCP_KEEPCNT: KEEPALIVE_COUNT,
    socket.TCP_USER_TIMEOUT: 1000 * GONE_AFTER_S,
}
"""The same as on connections to PostgreSQL: see `ladder.database.session`. A Unix socket has none of it."""

SOON_KEY = "ladder.schedule.soon"
"""Is there while the scheduler has just been asked for, by whichever process."""
LOOK_KEY = "ladder.schedule.look"
"""Is there while some process has just looked whether to ask for it."""
KEPT_CLIENT = "kept_client_of_ladder"
"""The attribute of a channel that holds its client: with the channel it goes."""

SETTINGS: dict[str, Any] = {
    "broker_connection_retry_on_startup": True,
    "broker_connection_max_retries": None,  # a worker waits for its broker as long as it takes
    "broker_transport_options": {
        "visibility_timeout": 2 * LONGEST_TASK_S,  # an unacknowledged message comes back after this ...
        "unacked_restore_interval": 5,  # ... because somebody looks every five seconds,
        "unacked_restore_throttle": 1,  # ... each time and not each tenth
        "queue_order_strategy": "workers.deliveries:UrgentButFair",  # queues are not emptied in turns
        "socket_connect_timeout": 5,
        "socket_keepalive": True,  # a broker that is gone without a goodbye is noticed by the kernel ...
        "socket_keepalive_options": KEEPALIVE,
        "health_check_interval": SILENCE_LIMIT_S,  # ... and by a worker that waits for a message
    },
    "task_default_queue": "play",
    "task_routes": {
        "ladder.build": {"queue": "build"},
        "ladder.play": {"queue": "play"},
        "ladder.*": {"queue": "control"},
    },
    "task_serializer": "json",
    "accept_content": ["json"],
    "task_ignore_result": True,  # results are rows
    "task_acks_late": True,  # a message is done when the row is
    "task_reject_on_worker_lost": True,  # a killed process gives its message back at once
    "worker_prefetch_multiplier": 1,  # matches are long; none waits behind another while a process is idle
    "worker_cancel_long_running_tasks_on_connection_loss": False,  # a match is recorded without the broker too
    "worker_send_task_events": False,
    "worker_enable_remote_control": False,  # workers get no orders but by signals; listening costs two connections
    "worker_hijack_root_logger": False,
}


def make_app(broker_url: str, *, for_tasks: bool = False) -> Celery:
    """`for_tasks`: it also runs tasks, not only enqueues them."""
    celery = Celery("ladder", broker=broker_url, set_as_current=for_tasks)
    celery.conf.update(SETTINGS, broker_use_ssl=tls_of(broker_url))  # else it would speak to rediss:// in clear text
    return celery


class CeleryQueue:
    """Sends messages; see `ladder.queue.Queue`. Safe to use from several threads. Each takes one connection."""

    def __init__(self, app: Celery) -> None:
        self._app = app

    def enqueue_build(self, version_id: VersionId) -> None:
        self._send_one("ladder.build", version_id)

    def enqueue_match(self, match_id: MatchId, *, first: bool = False) -> None:
        self.enqueue_matches([match_id], first=first)

    def enqueue_matches(self, match_ids: Sequence[MatchId], *, first: bool = False) -> None:
        if not match_ids:
            return
        with self._at_broker() as (producer, _), producer.batch():
            for match_id in match_ids:
                self._send(producer, "ladder.play", match_id, queue="first" if first else None)

    def enqueue_schedule(self) -> None:
        self._send_one("ladder.schedule")

    def enqueue_schedule_soon(self, at_most_every_s: float) -> None:
        """Wake the scheduler, unless some process of the fleet has just done so, or its message still waits."""
        with self._at_broker() as (_, client):
            is_ours = client.set(SOON_KEY, 1, nx=True, px=round(1000 * at_most_every_s))
            is_empty = client.llen("control") == 0
        if is_ours and is_empty:
            self.enqueue_schedule()

    def may_look(self, at_most_every_s: float) -> bool:
        """Say whether this process is to look now whether the scheduler is needed: no other has just done so."""
        with self._at_broker() as (_, client):
            return bool(client.set(LOOK_KEY, 1, nx=True, px=round(1000 * at_most_every_s)))

    def enqueue_sweep(self) -> None:
        self._send_one("ladder.sweep")

    def enqueue_prune(self, after: int = 0) -> None:
        """`after`: the number of the match after which a round goes on."""
        self._send_one("ladder.prune", after)

    def backlog(self) -> Backlog:
        lengths = self.lengths()
        return Backlog(lengths["build"], lengths["first"] + lengths["play"])

    def lengths(self) -> dict[str, int]:
        with self._at_broker() as (_, client):
            return lengths(client)

    def _send_one(self, task: str, *ids: int) -> None:
        with self._at_broker() as (producer, _):
            self._send(producer, task, *ids)

    def _send(self, producer: Any, task: str, *ids: int, queue: str | None = None) -> None:
        self._app.send_task(task, args=ids, queue=queue, retry=False, producer=producer)

    @contextmanager
    def _at_broker(self) -> Iterator[tuple[Any, Redis]]:
        try:
            with self._app.producer_or_acquire() as producer:
                yield producer, client_of(producer.channel)
        except (OperationalError, RedisError) as error:
            raise broker_down(error) from error


def client_of(channel: Any) -> Redis:
    """Kept with the channel, which waits for no messages here: to make one takes longer than what it is asked."""
    kept: Redis | None = getattr(channel, KEPT_CLIENT, None)
    if kept is not None:
        return kept
    with channel.conn_or_acquire() as client:
        channel.client.connection_pool.disconnect()
        setattr(channel, KEPT_CLIENT, client)
        return cast("Redis", client)


def queue_for(broker_url: str) -> CeleryQueue:
    """Return the queue of that broker. It gives up at once if the broker does not answer: the sweep enqueues later."""
    app = make_app(broker_url)
    at_once = {"max_retries": 0, "socket_timeout": ANSWER_LIMIT_S}
    app.conf.broker_transport_options = {**app.conf.broker_transport_options, **at_once}
    return CeleryQueue(app)


look_at_messages(QUEUES.split(","))
NOWHERE = "redis+socket:///nowhere"
"""Of a command, which has a queue of its own if any."""
app = make_app(os.environ.get("LADDER_BROKER_URL", NOWHERE), for_tasks=True)
app.conf.include = ["workers.tasks"]
