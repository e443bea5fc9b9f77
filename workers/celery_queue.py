"""The ladder's queue, by Celery: one message with one id for each row that waits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from celery import Celery
from kombu.exceptions import OperationalError
from redis import Redis
from redis.exceptions import RedisError

from ladder.ids import MatchId, VersionId
from ladder.queue import Backlog
from workers.app import make_app
from workers.broker import ANSWER_LIMIT_S, broker_down, lengths

SOON_KEY = "ladder.schedule.soon"
"""Is there while the scheduler has just been asked for, by whichever process."""
LOOK_KEY = "ladder.schedule.look"
"""Is there while some process has just looked whether to ask for it."""
KEPT_CLIENT = "kept_client_of_ladder"
"""The attribute of a channel that holds its client: with the channel it goes."""


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
