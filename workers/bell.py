"""The ladder's doorbell, by Celery: one message with one id for each row that waits."""

from __future__ import annotations

from celery import Celery
from kombu.exceptions import OperationalError

from ladder.errors import QueueDown


class Bell:
    """Rings for rows; see `ladder.queue.Queue`. Safe to use from several threads."""

    def __init__(self, app: Celery) -> None:
        self._app = app

    def ring_build(self, version_id: int) -> None:
        """A version waits to be built."""
        self._ring("ladder.build", version_id)

    def ring_play(self, match_id: int) -> None:
        """A match waits to be played."""
        self._ring("ladder.play", match_id)

    def ring_schedule(self) -> None:
        """There may be matches to make or promotions to give."""
        self._ring("ladder.schedule")

    def _ring(self, task: str, *ids: int) -> None:
        try:
            self._app.send_task(task, args=ids, retry=False)
        except OperationalError as error:
            raise QueueDown(f"the broker does not answer ({error}); is `ladder up` running?") from error


def bell_for(broker_url: str) -> Bell:
    """Return a bell that rings at that broker."""
    from workers.app import app

    app.conf.broker_url = broker_url
    return Bell(app)
