"""The ladder's doorbell, by Celery: one message with one id for each row that waits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from celery import Celery
from kombu.exceptions import OperationalError
from redis import Redis
from redis.exceptions import RedisError

from ladder.errors import QueueDown
from workers.app import QUEUES, make_app


class Bell:
    """Rings for rows; see `ladder.queue.Queue`. Safe to use from several threads."""

    def __init__(self, app: Celery) -> None:
        self._app = app

    def ring_build(self, version_id: int) -> None:
        """A version waits to be built."""
        self._ring("ladder.build", version_id)

    def ring_play(self, match_id: int, *, first: bool = False) -> None:
        """A match waits to be played, `first`: before those that wait already."""
        self._ring("ladder.play", match_id, queue="first" if first else None)

    def ring_schedule(self) -> None:
        """There may be matches to make or promotions to give."""
        self._ring("ladder.schedule")

    def ring_sweep(self) -> None:
        """Dead workers may hold something."""
        self._ring("ladder.sweep")

    def _ring(self, task: str, *ids: int, queue: str | None = None) -> None:
        try:
            self._app.send_task(task, args=ids, queue=queue, retry=False)
        except OperationalError as error:
            raise QueueDown(f"the broker does not answer ({error}); is `ladder up` running?") from error


def bell_for(broker_url: str) -> Bell:
    """Return a bell that rings at that broker, and gives up at once where it does not answer: the sweep rings later."""
    app = make_app(broker_url)
    app.conf.broker_transport_options = {**app.conf.broker_transport_options, "max_retries": 0}
    return Bell(app)


def queue_lengths(broker_url: str) -> dict[str, int]:
    """Return how many messages wait in each queue. Raises QueueDown."""
    with broker(broker_url) as client:
        return {name: int(client.llen(name)) for name in QUEUES.split(",")}


@contextmanager
def broker(broker_url: str) -> Iterator[Redis]:
    """Open a plain connection to the broker. Raises QueueDown where it does not answer."""
    url = broker_url.replace("redis+socket://", "unix://")
    try:
        with Redis.from_url(url, socket_connect_timeout=5) as client:
            yield client
    except RedisError as error:
        raise QueueDown(f"the broker does not answer ({error}); is `ladder up` running?") from error
