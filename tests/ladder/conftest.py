"""Ladders that several tests start from."""

from collections.abc import Iterator

import pytest

from ladder.database.connection import Connection, Pool, connect
from ladder.leagues import leagues
from tests.bench.full_ladder import add_matches, add_versions
from tests.conftest import cloned
from tests.ladder.arena import GAME, within
from workers.embedded.state_file import Running


@pytest.fixture
def arena(pool: Pool, bosses: None) -> Pool:
    within(pool, leagues.set_battles, GAME, 3)
    return pool


@pytest.fixture(scope="session")
def with_many_matches(services: Running) -> Iterator[str]:
    """A ladder that is large enough for the database to use its indexes, and of which it knows how large it is."""
    with cloned(services, "ladder") as name:
        url = services.database_url.replace("/ladder?", f"/{name}?")
        add_versions(url, 2000)
        with connect(url, autocommit=True) as connection:
            add_matches(connection, 6000)
            connection.execute("ANALYZE")
        yield url


@pytest.fixture
def large(with_many_matches: str) -> Iterator[Connection]:
    """A transaction on the large ladder, which leaves nothing."""
    with connect(with_many_matches) as connection:
        yield connection
        connection.rollback()
