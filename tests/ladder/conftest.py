"""Ladders that several tests start from."""

import pytest

from ladder.database.connection import Pool, transaction
from ladder.leagues import leagues
from tests.ladder.arena import GAME


@pytest.fixture
def arena(pool: Pool, bosses: None) -> Pool:
    with transaction(pool) as connection:
        leagues.set_battles(connection, GAME, 3)
    return pool
