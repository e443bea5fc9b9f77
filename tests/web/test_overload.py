"""A served ladder of which more is asked than it can do: who waits, who does not, and what they read."""

import logging
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from threading import Event, current_thread
from typing import Any

import pytest

from ladder.access import Actor, Scope
from ladder.accounts import passwords
from ladder.actions.tokens import WantedToken, create
from ladder.bots.players import player_id
from ladder.database.connection import Pool, transaction
from ladder.errors import DatabaseDown, ForOperators, Overloaded
from ladder.settings import Rates
from ladder.web.identity import RequestLimits
from ladder.web.problems import problem_of
from ladder.web.rendering import IS_SERVED, OPERATES
from ladder.web.server import Connections, connected
from tests.ladder.arena import within
from tests.patience import wait_until
from tests.web.serving import serving
from tests.web.test_accounts import WEB, Visit

LOGINS = 60
"""More than the pages have threads."""
OVERLOAD = "more people ask at once than this ladder can answer: try again in a few seconds"
BOARD = "/games/ocean-of-code/leagues/wood-2"
EVERYONE = replace(WEB, read="everyone")


class Checks:
    """Passwords that are being checked for as long as a test wants."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked, self.threads, self.may_end = 0, set[str](), Event()
        in_turn = RequestLimits.in_turn

        def fits(_password: str, _kept: str | None) -> bool:
            self.threads.add(current_thread().name)
            return not self.may_end.wait()

        async def counted(limits: RequestLimits, *work: Any) -> Any:
            self.asked += 1
            return await in_turn(limits, *work)

        monkeypatch.setattr(passwords, "fits", fits)
        monkeypatch.setattr(RequestLimits, "in_turn", counted)


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> Checks:
    return Checks(monkeypatch)


@contextmanager
def logins(site: Any, checks: Checks, most: int) -> Iterator[list[Future[int]]]:
    """Let that many people log in, each with a name of their own, whose passwords wait while the block lasts."""

    def log_in(number: int) -> int:
        return Visit(site, "x").post("/login", name=f"pupil{number}", password="x" * 12).status_code

    with ThreadPoolExecutor(most) as browsers:
        try:
            done = [browsers.submit(log_in, number) for number in range(most)]
            wait_until(lambda: checks.asked, "the logins", fits=most.__eq__)
            yield done
        finally:
            checks.may_end.set()


def test_boards_are_answered_while_sixty_logins_wait(pool: Pool, checks: Checks) -> None:
    with serving(pool, None, web=EVERYONE) as site, logins(site, checks, LOGINS) as waiting:
        for _ in range(3):
            assert Visit(site, "x").ask("GET", BOARD).status_code == 200
        assert not [one for one in waiting if one.done()], "all of them wait still"
    assert {one.result() for one in waiting} == {403}
    assert len(checks.threads) == passwords.AT_ONCE
    assert all(name.startswith("password") for name in checks.threads)


def test_more_than_may_wait_are_asked_to_come_again(pool: Pool, checks: Checks) -> None:
    web = replace(WEB, rates=Rates(waiting_logins=3))
    with serving(pool, None, web=web) as site, logins(site, checks, 3) as waiting:
        refused = Visit(site, "x").post("/login", name="late", password="x" * 12)
        assert (refused.status_code, refused.headers["retry-after"], OVERLOAD in refused.text) == (503, "5", True)
        assert "LADDER" not in refused.text
        assert "refresh" not in refused.headers, "a form is not sent again by itself"
        assert "data-retry" not in refused.text
    assert [one.result() for one in waiting] == [403] * 3


@contextmanager
def all_in_use(connections: Connections) -> Iterator[None]:
    """Let all connections be in use for the block, in which nobody waits long for one."""
    with transaction(connections) as connection:
        connection.execute("SELECT 1")
        usual, connections._pool.timeout = connections._pool.timeout, 0.2
        yield
        connections._pool.timeout = usual


def test_an_overload_is_not_called_a_lost_database(database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ladder.events")
    with connected(database_url, 1) as connections:
        with all_in_use(connections):
            for _ in range(2):
                with pytest.raises(Overloaded, match="all 1 connections of the pages"), transaction(connections):
                    raise AssertionError("no connection is free")
        assert [record.getMessage() for record in caplog.records] == ["pages_overloaded"], "once a minute"
        with transaction(connections) as connection:
            connection.execute("SELECT 1")


def test_a_lost_database_is_not_called_an_overload(database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ladder.events")
    nowhere = f"{database_url}&port=1"
    with connected(nowhere, 1) as connections, pytest.raises(DatabaseDown), transaction(connections):
        raise AssertionError("there is no connection")
    assert [record.getMessage() for record in caplog.records] == ["database_lost"]


def test_under_overload_players_read_words_for_players(pool: Pool, database_url: str) -> None:
    within(pool, player_id, "kim")
    token = create(Actor("kim"), pool, WantedToken("ci", frozenset({Scope.READ}))).secret
    with connected(database_url, 1) as connections, serving(connections, None, web=EVERYONE) as site:
        assert Visit(site, "x").ask("GET", BOARD).status_code == 200
        with all_in_use(connections):
            for headers in ({}, {"Authorization": f"Bearer {token}"}):
                for path in (BOARD, "/api/v1/status"):
                    answer = Visit(site, "x").ask("GET", path, None, **headers)
                    assert (answer.status_code, OVERLOAD in answer.text) == (503, True), answer.text
                    assert "LADDER_" not in answer.text


def test_players_read_nothing_that_only_operators_can_mend() -> None:
    words, kinds = "is LADDER_DATABASE_URL right?", list[Any](ForOperators.__subclasses__())
    assert kinds
    for kind in kinds:
        assert problem_of(kind(words)).detail == words, "who is alone operates"
        served, operates = IS_SERVED.set(True), OPERATES.set(True)
        assert problem_of(kind(words)).detail == words
        OPERATES.reset(operates)
        assert problem_of(kind(words)).detail == kind.for_players
        IS_SERVED.reset(served)
