"""Messages at a real broker: in which queue each waits, and how many there are."""

from contextlib import suppress
from random import Random
from typing import Any

import pytest

from ladder.database.connection import Pool
from ladder.flows.scheduling import schedule, sweep
from ladder.ids import MatchId
from ladder.matchmaking.requesting import ask
from ladder.names import read_name
from ladder.queue import Backlog
from tests.catalogue import GAMES
from tests.ladder.arena import GAME, on_the_board, within
from tests.ladder.rated import change
from workers.app import CeleryQueue, make_app, queue_for
from workers.broker import broker, queue_lengths
from workers.commands import QUEUES


@pytest.fixture
def queue(broker_url: str) -> CeleryQueue:
    return queue_for(broker_url)


def test_requested_matches_wait_in_the_queue_that_comes_first(pool: Pool, queue: CeleryQueue, broker_url: str) -> None:
    for name in ("kraken", "orca"):
        on_the_board(pool, name, name)
    ordinary = schedule(pool, queue, Random(1), GAMES)
    within(pool, ask, (read_name("kraken"), read_name("orca")), 2, "kim", GAME)
    schedule(pool, queue, Random(2), GAMES)
    lengths = queue_lengths(broker_url)
    assert ordinary
    assert (lengths["first"], lengths["play"]) == (4, len(ordinary))
    assert queue.backlog() == Backlog(lengths["build"], 4 + len(ordinary))


def test_sweeping_again_and_again_doubles_no_message_and_replaces_all_that_are_lost(
    pool: Pool, queue: CeleryQueue, broker_url: str
) -> None:
    for name in ("kraken", "orca"):
        on_the_board(pool, name, name)
    schedule(pool, queue, Random(1), GAMES)
    sweep(pool, queue)
    before = queue_lengths(broker_url)
    for _ in range(3):
        let_messages_be_old(pool)
        sweep(pool, queue)
    assert queue_lengths(broker_url) == before
    with broker(broker_url) as client:
        client.flushdb()
    let_messages_be_old(pool)
    sweep(pool, queue)
    assert queue_lengths(broker_url) == before


def test_of_four_matches_one_is_an_ordinary_one_however_many_are_asked_for(queue: CeleryQueue, broker_url: str) -> None:
    """Newcomers play while somebody's thousand battles do; what is more urgent than matches comes before both."""
    for number in range(1, 3):
        queue.enqueue_match(MatchId(number))
    for number in range(11, 21):
        queue.enqueue_match(MatchId(number), first=True)
    queue.enqueue_schedule()
    assert taken_from(broker_url) == ["schedule", 11, 12, 13, 1, 14, 15, 16, 2, 17, 18, 19, 20]


def test_ordinary_matches_make_those_that_are_asked_for_wait_for_one_of_them_at_most(
    queue: CeleryQueue, broker_url: str
) -> None:
    for number in range(1, 5):
        queue.enqueue_match(MatchId(number))
    queue.enqueue_match(MatchId(11), first=True)
    assert taken_from(broker_url) == [11, 1, 2, 3, 4]


def taken_from(broker_url: str) -> list[object]:
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


def let_messages_be_old(pool: Pool) -> None:
    change(pool, "UPDATE matches SET enqueued_at = now() - interval '1 hour'")
    change(pool, "UPDATE versions SET enqueued_at = now() - interval '1 hour'")
