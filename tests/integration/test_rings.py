"""The doorbell at a real broker: in which queue a ring waits, and how many there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from ladder.database.connection import Pool, transaction
from ladder.flows.scheduling import schedule, sweep
from ladder.matchmaking.requesting import ask
from ladder.names import read_name
from ladder.queue import Unheard
from tests.catalogue import GAMES
from tests.ladder.arena import GAME, on_the_board
from workers.app import QUEUES, make_app
from workers.embedded.state_file import Running
from workers.queue.doorbell import Bell, bell_for, broker, queue_lengths

SPARE_ROOM = "?virtual_host=9"
"""Where no worker listens."""


@pytest.fixture
def broker_url(services: Running) -> Iterator[str]:
    """A broker in which nothing waits."""
    url = services.broker_url + SPARE_ROOM
    with broker(url) as client:
        client.flushdb()
        yield url
        client.flushdb()


@pytest.fixture
def bell(broker_url: str) -> Bell:
    """A bell that rings there."""
    return bell_for(broker_url)


def test_what_was_asked_for_waits_in_the_queue_that_is_heard_first(pool: Pool, bell: Bell, broker_url: str) -> None:
    for name in ("kraken", "orca"):
        on_the_board(pool, name, name)
    ordinary = schedule(pool, bell, Random(1), GAMES)
    with transaction(pool) as connection:
        ask(connection, (read_name("kraken"), read_name("orca")), 2, "kim", GAME)
    schedule(pool, bell, Random(2), GAMES)
    lengths = queue_lengths(broker_url)
    assert ordinary
    assert (lengths["first"], lengths["play"]) == (4, len(ordinary))
    assert bell.unheard() == Unheard(lengths["build"], 4 + len(ordinary))


def test_sweeping_again_and_again_doubles_no_message_and_replaces_all_that_are_lost(
    pool: Pool, bell: Bell, broker_url: str
) -> None:
    for name in ("kraken", "orca"):
        on_the_board(pool, name, name)
    schedule(pool, bell, Random(1), GAMES)
    sweep(pool, bell)
    before = queue_lengths(broker_url)
    for _ in range(3):
        let_them_be_silent(pool)
        sweep(pool, bell)
    assert queue_lengths(broker_url) == before
    with broker(broker_url) as client:
        client.flushdb()
    let_them_be_silent(pool)
    sweep(pool, bell)
    assert queue_lengths(broker_url) == before


def test_of_four_matches_one_is_an_ordinary_one_however_many_are_asked_for(bell: Bell, broker_url: str) -> None:
    """Newcomers play while somebody's thousand battles do; what is more urgent than matches comes before both."""
    for number in range(1, 3):
        bell.ring_play(number)
    for number in range(11, 21):
        bell.ring_play(number, first=True)
    bell.ring_schedule()
    assert heard(broker_url) == ["schedule", 11, 12, 13, 1, 14, 15, 16, 2, 17, 18, 19, 20]


def test_ordinary_matches_make_those_that_are_asked_for_wait_for_one_of_them_at_most(
    bell: Bell, broker_url: str
) -> None:
    for number in range(1, 5):
        bell.ring_play(number)
    bell.ring_play(11, first=True)
    assert heard(broker_url) == [11, 1, 2, 3, 4]


def heard(broker_url: str) -> list[object]:
    """Return what a worker with one process takes from its queues, in that order: a match's id, or the task's name."""
    taken: list[object] = []

    def take(message: Any) -> None:
        (ids, *_), task = message.payload, message.headers["task"]
        taken.append(ids[0] if ids else task.removeprefix("ladder."))
        message.ack()

    with make_app(broker_url).connection() as connection, connection.channel() as channel, suppress(TimeoutError):
        channel.basic_qos(0, 1)
        for queue in QUEUES.split(","):
            channel.queue_declare(queue)
            channel.basic_consume(queue, no_ack=False, callback=take, consumer_tag=queue)
        while True:
            connection.drain_events(timeout=0.5)
    return taken


def let_them_be_silent(pool: Pool) -> None:
    """Let the last ring for each row be long ago."""
    with transaction(pool) as connection:
        connection.execute("UPDATE matches SET rung_at = now() - interval '1 hour'")
        connection.execute("UPDATE versions SET rung_at = now() - interval '1 hour'")
