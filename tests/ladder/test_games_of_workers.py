"""Machines with different games: what one cannot lead is left to those that can, and what none can is not played."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from engine.game import Games
from ladder.bots import builds
from ladder.database.connection import Pool, transaction
from ladder.fleet.workers import fleet_of
from ladder.flows.scheduling import schedule
from ladder.views.fleet import UnplayableGame, unplayable_games, unplayable_text
from tests.catalogue import GAMES
from tests.fakes import RememberingQueue
from tests.ladder.arena import GAME, a_pair, living_worker, on_the_board, submitted, within
from tests.ladder.rated import change
from tests.ladder.test_fleet import rung_for_by_sweeping, takes_build, takes_match
from tests.ladder.test_games import added, of_ladder, pair
from tests.ladder.test_games import on_the_board as on_the_new_board

pytestmark = pytest.mark.usefixtures("workspace")


def test_a_match_is_left_to_a_live_worker_that_has_the_game(pool: Pool, database_url: str) -> None:
    match_id, _ = a_pair(pool, on_the_board(pool, "ann"), on_the_board(pool, "bob"))
    with (
        living_worker(database_url, "python", games=["ice-and-fire"]) as without,
        living_worker(database_url, "python", games=[GAME]) as able,
        living_worker(database_url, "python") as silent,
    ):
        assert not takes_match(pool, match_id, without)
        assert takes_match(pool, match_id, able)
        assert takes_match(pool, match_id, silent)


def test_a_version_is_built_where_its_game_is(pool: Pool, database_url: str) -> None:
    version_id = submitted(pool)
    with living_worker(database_url, "python", games=[]) as without:
        assert takes_build(pool, version_id, without), "nobody else could"
        with living_worker(database_url, "python", games=[GAME]) as able:
            assert not takes_build(pool, version_id, without)
            assert within(pool, builds.is_built_by_others, version_id, without)
            assert takes_build(pool, version_id, able)


def test_a_game_that_no_live_worker_has_is_not_played_until_one_has_it(pool: Pool, database_url: str) -> None:
    made = a_pair(pool, on_the_board(pool, "ann"), on_the_board(pool, "bob"))
    change(pool, "UPDATE matches SET enqueued_at = now() - interval '1 minute'")
    with living_worker(database_url, "python", games=["ice-and-fire"]):
        assert rung_for_by_sweeping(pool) == []
        assert schedule(pool, RememberingQueue(), Random(1), GAMES) == []
        fleet = within(pool, fleet_of)
        assert not fleet.for_game(GAME).plays("python")
        assert not fleet.for_game(GAME).builds("python")
        assert fleet.for_game("ice-and-fire").plays("python")
        with living_worker(database_url, "python", games=[GAME]):
            assert rung_for_by_sweeping(pool) == made
            assert schedule(pool, RememberingQueue(), Random(1), GAMES)


def test_a_referee_in_java_is_left_to_a_worker_that_has_java(pool: Pool, database_url: str, tmp_path: Path) -> None:
    added(pool, tmp_path)
    first, second = on_the_new_board(pool, "ann"), on_the_new_board(pool, "bob")
    match_id, _ = within(pool, pair, first, second)
    games = Games(GAMES.all, {}, of_ladder(pool))
    with living_worker(database_url, "python", games=[]) as without:
        assert not takes_match(pool, match_id, without)
        assert schedule(pool, RememberingQueue(), Random(1), games) == []
        (found,) = [game for game in unplayable_here(pool) if game.game == "tron"]
        assert (found.needs, found.builds, found.matches >= 2) == (["java"], 0, True)
        assert unplayable_text(replace(found, matches=2)) == (
            "no worker can lead matches of tron, and 2 matches wait: start one where Java is installed, which its "
            "referee needs (`ladder doctor` on a machine says what it lacks)"
        )
        with living_worker(database_url, "python", "java", games=[]) as able:
            assert takes_match(pool, match_id, able)
            assert schedule(pool, RememberingQueue(), Random(1), games)
            assert "tron" not in {game.game for game in unplayable_here(pool)}
    assert unplayable_here(pool) == [], "the next worker may have everything"


def unplayable_here(pool: Pool) -> list[UnplayableGame]:
    with transaction(pool) as connection:
        return unplayable_games(connection, fleet_of(connection))


@pytest.mark.parametrize("games", [None, [GAME]])
def test_a_worker_says_again_what_it_has_when_asked(pool: Pool, database_url: str, games: list[str] | None) -> None:
    with living_worker(database_url, "python", games=games), transaction(pool) as connection:
        (worker,) = fleet_of(connection).workers
        assert worker.games == games
