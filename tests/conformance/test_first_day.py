"""A newcomer can leave every Wood league of every game: a first day's bot, or even the starter, beats its boss."""

import pytest

from tests.bosses import Contest, newcomers_contests, try_out
from tests.catalogue import GAMES

MATCHES = 10  # `make bosses` plays 400


@pytest.mark.parametrize(
    "contest",
    [contest for game in GAMES.all for contest in newcomers_contests(game, MATCHES)],
    ids=lambda contest: f"{contest.game.name} {contest.league.name} {contest.first.file.stem}",
)
def test_a_newcomers_bot_beats_the_boss_of_a_wood_league_and_breaks_no_rule(contest: Contest) -> None:
    trial = try_out(contest, MATCHES, jobs=1)
    assert trial.faults == ()
    assert trial.is_passed(contest.wanted), f"{trial.percent} % of the points"


def test_every_wood_league_has_such_a_contest() -> None:
    contests = [contest for game in GAMES.all for contest in newcomers_contests(game, 1)]
    wood = {"ocean-of-code": {"wood-1", "wood-2"}, "ice-and-fire": {"wood-1", "wood-2", "wood-3"}}
    contested = {(contest.game.name, contest.league.name) for contest in contests}
    assert contested == {(game, league) for game, leagues in wood.items() for league in leagues}
