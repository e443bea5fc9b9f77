"""A round that sends the notices that wait; `workers.scheduler` makes one every few seconds."""

from __future__ import annotations

import logging

from ladder.database.connection import Pool, transaction
from ladder.event_log import event
from ladder.notices import outbox, wording
from ladder.notices.outbox import Taken
from ladder.notices.posting import NotArrived, Resolve, addresses_of, post
from ladder.settings import Settings


def send_all(pool: Pool, settings: Settings, resolve: Resolve = addresses_of) -> int:
    """Write what is due and send what waits. Returns how many notices arrived."""
    arrived = 0
    with transaction(pool) as connection:
        outbox.write_due(connection)
    while True:
        with transaction(pool) as connection:
            taken = outbox.take(connection)
            if taken is None:
                return arrived
            body = wording.body_of(taken, wording.facts_of(connection, taken), settings.web.public_url)
        arrived += send(pool, taken, body, settings, resolve)


def send(pool: Pool, taken: Taken, body: bytes, settings: Settings, resolve: Resolve) -> bool:
    headers = wording.headers_of(taken, body)
    try:
        answer = post(taken.url, headers, body, private=settings.private_hooks, resolve=resolve)
    except NotArrived as fault:
        event("notice_failed", logging.WARNING, hook=taken.hook_id, notice=taken.id, words=str(fault))
        with transaction(pool) as connection:
            outbox.write_down_failure(connection, taken, str(fault))
        return False
    with transaction(pool) as connection:
        outbox.write_down_arrival(connection, taken, answer)
    return True
