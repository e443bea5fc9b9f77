"""Ladders that several tests start from."""

from __future__ import annotations

import pytest

from ladder.database.connection import Pool, transaction
from ladder.leagues import leagues
from tests.ladder.arena import (
    GAME,
    accept_bosses,
)


@pytest.fixture
def arena(pool: Pool) -> Pool:
    accept_bosses(pool)
    with transaction(pool) as connection:
        leagues.set_battles(connection, GAME, 3)
    return pool
