"""Settings of the queue that must fit what the ladder promises."""

from __future__ import annotations

import pytest

from engine.game import Game
from engine.games import GAMES
from ladder.storage.leagues import longest_match_s
from workers.app import LONGEST_TASK_S


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_no_match_is_killed_while_its_lease_still_runs(game: Game) -> None:
    assert longest_match_s(game) < LONGEST_TASK_S
