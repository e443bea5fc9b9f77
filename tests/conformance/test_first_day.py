"""A newcomer can leave the lowest league of every game: a first day's bot beats its boss."""

from __future__ import annotations

import pytest

from engine.game import Game
from tests.bosses import newcomers_contest, try_out
from tests.catalogue import GAMES

MATCHES = 20  # `make bosses` plays 400


@pytest.mark.parametrize("game", GAMES.all, ids=lambda game: game.name)
def test_a_first_days_bot_beats_the_lowest_boss_and_breaks_no_rule(game: Game) -> None:
    contest = newcomers_contest(game)
    trial = try_out(contest, MATCHES, jobs=1)
    assert trial.faults == ()
    assert trial.is_passed(contest.wanted), f"{trial.percent} % of the points"
