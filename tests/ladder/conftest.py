"""Ladders that several tests start from."""

import pytest

from ladder.database.connection import Pool
from ladder.leagues import leagues
from tests.ladder.arena import GAME, within


@pytest.fixture
def arena(pool: Pool, bosses: None) -> Pool:
    within(pool, leagues.set_battles, GAME, 3)
    return pool
