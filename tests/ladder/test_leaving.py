"""Bots that are renamed or disqualified at the very moment in which something else happens to them."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from engine.errors import Refused
from ladder.access import Actor, Role
from ladder.actions import bots
from ladder.bots import bots as stored_bots
from ladder.bots.bots import find_bot
from ladder.database.connection import Connection, Pool, one, transaction
from ladder.flows.recording import record
from ladder.flows.submission import Submission, insert
from tests.fakes import result_of
from tests.ladder.arena import GAME, a_pair, claimed, on_the_board, within
from tests.ladder.rated import a_history, checked
from tests.patience import wait_until

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
            wait_until(lambda: one_waits(pool) or running.done(), "the work to wait", 0.01)
            assert not running.done(), running.exception()
        try:
            found.set_result(running.result())
        except Refused as error:
            found.set_exception(error)


def one_waits(pool: Pool) -> bool:
    return bool(within(pool, one, WAITING, {})[0])


def test_a_name_cannot_be_taken_while_its_bot_is_being_renamed(pool: Pool) -> None:
    on_the_board(pool, "kraken")

    def take_it() -> None:
        within(pool, insert, Actor("ann"), Submission(GAME, "kraken", "mine", "python"))

    with meanwhile(pool, take_it) as (connection, taken):
        stored_bots.rename(connection, find_bot(connection, "kraken"), "leviathan")
    with pytest.raises(Refused, match="another bot had that name before"):
        taken.result()
    assert within(pool, find_bot, "kraken").name == "leviathan"


def test_a_match_that_is_just_being_recorded_is_waited_for_and_counts_no_more(pool: Pool) -> None:
    history = a_history(pool)
    match_id = a_pair(pool, history.versions["kraken"], history.versions["eel"])[0]
    claim = claimed(pool, match_id)

    def disqualify() -> object:
        return bots.disqualify(Actor("olga", Role.OPERATOR), pool, "kraken", "x")

    with meanwhile(pool, disqualify) as (connection, done):
        assert record(connection, claim, result_of(claim, (1, 0)))
    done.result()
    state, rates = within(pool, one, "SELECT state, rates FROM matches WHERE id = %(id)s", {"id": match_id})
    assert (state, rates) == ("finished", False)
    assert checked(pool).is_clean
    bots.reinstate(Actor("olga", Role.OPERATOR), pool, "kraken")
    assert checked(pool).is_clean
    assert checked(pool).matches == len(history.matches) + 1
