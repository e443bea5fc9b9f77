"""Machines with different languages and games: what one lacks is left to others, and what all lack is not played."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest

from engine.game import Games
from ladder.bots import builds
from ladder.database.connection import Connection, Pool, transaction
from ladder.fleet.workers import fleet_of, stranded
from ladder.flows.scheduling import schedule, sweep
from ladder.gauntlets.execution import advance, begin, stop
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import spec_of
from ladder.ids import MatchId, VersionId
from ladder.matchmaking import requests
from ladder.matchmaking.matchmaker import MOST_WAITING
from ladder.matchmaking.requests import ask
from ladder.names import read_name
from ladder.views.fleet import UnplayableGame, unplayable_games, unplayable_text
from tests.catalogue import GAMES
from tests.conftest import once_found
from tests.fakes import RememberingQueue
from tests.ladder.arena import (
    GAME,
    ByName,
    a_pair,
    dead_worker,
    living_worker,
    on_the_board,
    rows_of,
    rung_for_by_sweeping,
    scheduled,
    submitted,
    takes_match,
    within,
)
from tests.ladder.rated import change
from tests.ladder.test_games import added, of_ladder, pair
from tests.ladder.test_games import on_the_board as on_the_new_board

takes_build = partial(takes_match, claim=builds.claim_build)


def seated(pool: Pool, match_ids: list[MatchId]) -> set[VersionId]:
    return {row[0] for row in rows_of(pool, "SELECT version_id FROM seats WHERE match_id = ANY(%s)", match_ids)}


def in_three_languages(pool: Pool) -> ByName:
    return {name: on_the_board(pool, f"in-{name}", name, language=name) for name in ("python", "ruby", "perl")}


made, mixed = once_found(in_three_languages)


def test_a_build_is_left_to_who_has_its_language_or_done_by_whoever_is_asked(pool: Pool, database_url: str) -> None:
    version_id = submitted(pool, language="ruby")
    with (
        living_worker(database_url, "python") as without,
        living_worker(database_url, "ruby", "perl") as able,
        living_worker(database_url) as untold,
    ):
        assert not takes_build(pool, version_id, without)
        assert takes_build(pool, version_id, able)
        assert takes_build(pool, version_id, untold)
    dead_worker(pool)  # it told nothing, so it could do everything
    with living_worker(database_url, "python") as without, living_worker(database_url, "perl"):
        assert takes_build(pool, version_id, without)


def test_a_build_left_to_others_is_rung_for_when_its_ring_is_lost(pool: Pool, database_url: str, bosses: None) -> None:
    version_id = submitted(pool, language="ruby")
    queue = RememberingQueue(builds=[version_id])
    with living_worker(database_url, "python") as without, living_worker(database_url, "ruby"):
        change(pool, "UPDATE versions SET enqueued_at = now() - interval '1 minute' WHERE id = %s", version_id)
        sweep(pool, queue)
        assert queue.builds == [version_id], "it is under way"
        assert not takes_build(pool, queue.builds.pop(), without)
        for _ in range(3):
            sweep(pool, queue)
        assert queue.builds == [version_id]


def test_a_match_waits_unrung_for_who_has_both_languages(pool: Pool, database_url: str, mixed: ByName) -> None:
    pair = a_pair(pool, mixed["python"], mixed["ruby"])
    with (
        living_worker(database_url, "python", "perl") as with_one,
        living_worker(database_url, "perl") as with_none,
        living_worker(database_url, "ruby", "python") as with_both,
    ):
        assert not takes_match(pool, pair[0], with_one)
        assert not takes_match(pool, pair[0], with_none)
        assert takes_match(pool, pair[0], with_both)
    change(pool, "UPDATE matches SET enqueued_at = now() - interval '1 minute'")
    with living_worker(database_url, "python") as with_one, living_worker(database_url, "ruby"):
        assert not takes_match(pool, pair[0], with_one)
        assert rung_for_by_sweeping(pool) == []
        with living_worker(database_url, "ruby", "python") as with_both:
            assert rung_for_by_sweeping(pool) == pair
            assert takes_match(pool, pair[0], with_both)


def test_versions_in_a_language_that_no_worker_has_get_no_battles(pool: Pool, database_url: str, bosses: None) -> None:
    mixed = in_three_languages(pool)
    with living_worker(database_url, "ruby", "perl"):
        assert seated(pool, scheduled(pool)) == {mixed["ruby"], mixed["perl"]}


def test_matches_that_none_can_play_keep_others_from_nothing(pool: Pool, database_url: str, mixed: ByName) -> None:
    for _ in range(MOST_WAITING // 2):
        a_pair(pool, mixed["python"], mixed["ruby"])
    with living_worker(database_url, "ruby", "perl"):
        assert seated(pool, scheduled(pool)) == {mixed["ruby"], mixed["perl"]}


@pytest.mark.parametrize("lives", [True, False])
def test_without_live_workers_or_with_one_of_unknown_languages_every_version_gets_battles(
    pool: Pool, database_url: str, mixed: ByName, lives: bool
) -> None:
    with living_worker(database_url, "perl"):
        if lives:
            with living_worker(database_url):
                assert seated(pool, scheduled(pool)) == set(mixed.values())
            return
    assert seated(pool, scheduled(pool)) == set(mixed.values())


def test_two_whose_languages_no_worker_has_do_not_meet(pool: Pool, database_url: str, mixed: ByName) -> None:
    with living_worker(database_url, "python", "ruby"), living_worker(database_url, "python", "perl"):
        scheduled(pool)
    with transaction(pool) as connection:
        rows = connection.execute(
            "SELECT DISTINCT array_agg(version_id ORDER BY version_id) FROM seats GROUP BY match_id"
        )
        met = {tuple(row[0]) for row in rows}
    assert met == {(mixed["python"], mixed["ruby"]), (mixed["python"], mixed["perl"])}


def test_a_request_for_a_battle_that_no_worker_can_play_waits(pool: Pool, database_url: str, mixed: ByName) -> None:
    wanted = within(pool, ask, (read_name("in-python"), read_name("in-ruby")), 2, "kim", GAME)
    with living_worker(database_url, "python"):
        scheduled(pool)
        left = within(pool, requests.find, wanted.id)
        assert (left.left, left.lapsed) == (2, None)
        with living_worker(database_url, "python", "ruby"):
            scheduled(pool, 2)
        assert within(pool, requests.find, wanted.id).left == 0


def test_a_gauntlet_plays_what_can_be_played_and_then_waits(pool: Pool, database_url: str, mixed: ByName) -> None:
    with transaction(pool) as connection:
        begin(
            connection,
            spec_of(connection, GauntletRequest("in-python", "kim", ("in-ruby", "in-perl"), pairs=1, seed=7)),
        )
    with living_worker(database_url, "python", "perl"):
        assert gauntlet_meets(pool) == {mixed["python"], mixed["perl"]}
        assert gauntlet_meets(pool) == set()
        with living_worker(database_url, "python", "ruby"):
            assert gauntlet_meets(pool) == {mixed["python"], mixed["ruby"]}


def test_an_opponent_that_is_on_no_board_is_named_while_its_gauntlet_waits(pool: Pool, database_url: str) -> None:
    on_the_board(pool, "kraken", "one", language="ruby")
    on_the_board(pool, "kraken", "two")
    on_the_board(pool, "orca")
    with living_worker(database_url, "python"), transaction(pool) as connection:
        gauntlet = begin(connection, spec_of(connection, GauntletRequest("orca", "kim", ("kraken@v1",))))
        assert waits_for_ruby(connection) == ["kraken@v1"]
        stop(connection, gauntlet.id)
        assert waits_for_ruby(connection) == []


def waits_for_ruby(connection: Connection) -> list[str]:
    found = stranded(connection, fleet_of(connection))
    return [name for wanted in found if wanted.language == "ruby" for name in wanted.versions]


def gauntlet_meets(pool: Pool) -> set[VersionId]:
    return seated(pool, within(pool, lambda connection: advance(connection, fleet_of(connection))))


pytestmark = pytest.mark.usefixtures("workspace")


def test_a_match_is_left_to_a_live_worker_that_has_the_game_and_waits_for_it(pool: Pool, database_url: str) -> None:
    made = a_pair(pool, on_the_board(pool, "ann"), on_the_board(pool, "bob"))
    with (
        living_worker(database_url, "python", games=["ice-and-fire"]) as without,
        living_worker(database_url, "python", games=[GAME]) as able,
        living_worker(database_url, "python") as silent,
    ):
        assert not takes_match(pool, made[0], without)
        assert takes_match(pool, made[0], able)
        assert takes_match(pool, made[0], silent)
    change(pool, "UPDATE matches SET enqueued_at = now() - interval '1 minute'")
    with living_worker(database_url, "python", games=["ice-and-fire"]):
        assert rung_for_by_sweeping(pool) == []
        assert scheduled(pool) == []
        fleet = within(pool, fleet_of)
        assert not fleet.for_game(GAME).plays("python")
        assert not fleet.for_game(GAME).can("builds", "python")
        assert fleet.for_game("ice-and-fire").plays("python")
        with living_worker(database_url, "python", games=[GAME]):
            assert rung_for_by_sweeping(pool) == made
            assert scheduled(pool)


def test_a_version_is_built_where_its_game_is(pool: Pool, database_url: str) -> None:
    version_id = submitted(pool)
    with living_worker(database_url, "python", games=[]) as without:
        assert takes_build(pool, version_id, without), "nobody else could"
        with living_worker(database_url, "python", games=[GAME]) as able:
            assert not takes_build(pool, version_id, without)
            assert within(pool, builds.is_built_by_others, version_id, without)
            assert takes_build(pool, version_id, able)


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


def test_a_worker_says_again_what_it_has_when_asked(pool: Pool, database_url: str) -> None:
    for games in (None, [GAME]):
        with living_worker(database_url, "python", games=games):
            (worker,) = within(pool, fleet_of).workers
        assert worker.games == games
