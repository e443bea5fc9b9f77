"""Versions come and go while others do: threads and open transactions that want the same rows."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from random import Random

import pytest

from engine.errors import Refused, UnknownName
from ladder.access import Actor, Role
from ladder.actions import bots as actions
from ladder.bots import bots, versions
from ladder.bots.bots import find_bot
from ladder.database.connection import Connection, Pool, connect, one, transaction
from ladder.errors import DuplicateSource
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule
from ladder.flows.submission import Submission, insert
from ladder.matches import claims
from ladder.promotions.lifecycle import activate, boards, rewind
from ladder.ratings import standings
from ladder.views.summary import summary
from tests.catalogue import GAMES
from tests.fakes import RememberingQueue, result_of
from tests.ladder.arena import (
    GAME,
    a_pair,
    board,
    claimed,
    dead_worker,
    league_of,
    on_the_board,
    rows_of,
    scheduled,
    set_up,
    within,
)
from tests.ladder.rated import History, change, checked
from tests.patience import patience_s, wait_until


def test_a_promotion_decided_before_another_version_took_the_place_is_not_made(arena: Pool, database_url: str) -> None:
    on_the_board(arena, "kraken", "a")
    second = on_the_board(arena, "kraken", "b")
    change(arena, "UPDATE standings SET eligible_at = now() WHERE version_id = %s", second)
    with ThreadPoolExecutor(1) as thread, connect(database_url) as open_transaction:
        activate(open_transaction, Actor("kim"), "kraken", 1)
        scheduling = thread.submit(schedule, arena, RememberingQueue(), Random(1), GAMES)
        wait_until(lambda: rows_of(arena, "SELECT 1 FROM pg_locks WHERE NOT granted"), "one that waits for a lock")
        open_transaction.commit()
        scheduling.result(timeout=patience_s())
    assert league_of(arena, "kraken") == "Wood 2"
    assert "kraken@v1" in board(arena)


def test_whatever_happens_at_once_a_bot_plays_by_one_version_and_every_match_is_rated(arena: Pool) -> None:
    names = ["kraken", "orca", "eel"]
    for name in names:
        for number in range(3):
            on_the_board(arena, name, f"{name} {number}", leaves_rival=number == 2)
    chance = Random(5)
    worker = dead_worker(arena)

    def wish(action: Callable[[Connection], object]) -> None:
        with suppress(Refused, DuplicateSource, UnknownName), transaction(arena) as connection:
            action(connection)

    def play_what_waits() -> None:
        scheduled(arena, 7)
        waiting = rows_of(arena, "SELECT id FROM matches WHERE state = 'queued' ORDER BY id LIMIT 8")
        for (match_id,) in waiting:
            claim = within(arena, claims.claim_match, match_id, worker)
            if claim is not None:
                within(arena, record, claim, result_of(claim, (1, 0) if match_id % 3 else (0, 1)))

    def random_action(number: int) -> Callable[[], object]:
        name = names[number % 3]
        choices: list[Callable[[], object]] = [
            play_what_waits,
            play_what_waits,
            partial(wish, lambda connection: activate(connection, Actor("kim"), name, number % 4 + 1)),
            partial(wish, lambda connection: rewind(connection, Actor("kim"), name)),
            partial(on_the_board, arena, name, f"{name} more {number}", leaves_rival=number % 2 == 0),
            partial(set_up, arena, "wood-2", battles=2 + number % 2),
        ]
        return chance.choice(choices)

    actions = [random_action(number) for number in range(120)]
    with ThreadPoolExecutor(6) as threads:
        for done in [threads.submit(action) for action in actions]:
            done.result(timeout=patience_s())
    check_that_nothing_is_in_two_places(arena, names)


def check_that_nothing_is_in_two_places(pool: Pool, names: list[str]) -> None:
    with transaction(pool) as connection:
        for name in names:
            bot = bots.find_bot(connection, name)
            present = standings.present_version(connection, bot.id)
            assert present is not None
            assert present[1] == bot.league_id
        playing = [
            row.bot
            for board in boards(connection)
            for row in board.standings
            if not row.is_rival and row.player != "house"
        ]
        assert sorted(playing) == sorted(names)
        assert all(
            version.state == "accepted"
            for name in names
            for version in versions.versions_of(connection, bots.find_bot(connection, name).id)
        )
        assert summary(connection).ledger_lines == 2 * summary(connection).finished > 0


WAITING = """
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


@contextmanager
def meanwhile(pool: Pool, work: Callable[[], object]) -> Iterator[tuple[Connection, Future[object]]]:
    """Let work begin at the block's end, while the block's transaction is open; it goes on once it waits for that."""
    with ThreadPoolExecutor(1) as threads:
        with transaction(pool) as connection:
            found: Future[object] = Future()
            yield connection, found
            running = threads.submit(work)
            wait_until(lambda: within(pool, one, WAITING, {})[0] or running.done(), "the work to wait", 0.01)
            assert not running.done(), running.exception()
        try:
            found.set_result(running.result())
        except Refused as error:
            found.set_exception(error)


def test_a_name_cannot_be_taken_while_its_bot_is_being_renamed(pool: Pool) -> None:
    on_the_board(pool, "kraken")

    def take_it() -> None:
        within(pool, insert, Actor("ann"), Submission(GAME, "kraken", "mine", "python"))

    with meanwhile(pool, take_it) as (connection, taken):
        bots.rename(connection, find_bot(connection, "kraken"), "leviathan")
    with pytest.raises(Refused, match="another bot had that name before"):
        taken.result()
    assert within(pool, find_bot, "kraken").name == "leviathan"


def test_a_match_that_is_just_being_recorded_is_waited_for_and_counts_no_more(pool: Pool, history: History) -> None:
    match_id = a_pair(pool, history.versions["kraken"], history.versions["eel"])[0]
    claim = claimed(pool, match_id)

    def disqualify() -> object:
        return actions.disqualify(Actor("olga", Role.OPERATOR), pool, "kraken", "x")

    with meanwhile(pool, disqualify) as (connection, done):
        assert record(connection, claim, result_of(claim, (1, 0)))
    done.result()
    state, rates = within(pool, one, "SELECT state, rates FROM matches WHERE id = %(id)s", {"id": match_id})
    assert (state, rates) == ("finished", False)
    assert checked(pool).is_clean
    actions.reinstate(Actor("olga", Role.OPERATOR), pool, "kraken")
    assert checked(pool).is_clean
    assert checked(pool).matches == len(history.matches) + 1
