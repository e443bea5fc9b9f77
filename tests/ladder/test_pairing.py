"""What matchmaking reads from the database, and what the scheduler makes of it."""

from random import Random

import pytest

from ladder.bots import versions
from ladder.database.connection import Pool, transaction
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule
from ladder.ids import MatchId
from ladder.leagues import leagues
from ladder.matchmaking import demand, requests
from ladder.matchmaking.requesting import ask
from ladder.names import read_name
from ladder.ratings import standings
from tests.bench.full_ladder import put_on_board
from tests.catalogue import GAMES
from tests.fakes import RememberingQueue, result_of
from tests.ladder.arena import (
    GAME,
    claimed,
    league_named,
    league_of,
    on_the_board,
    play_all,
    rows_of,
    scheduled,
    within,
)
from tests.ladder.battles import insert_battle
from tests.ladder.rated import change


def set_in_wood_2(pool: Pool, **values: int | str) -> None:
    within(pool, leagues.change_settings, league_named(pool, "wood-2").id, values)


def seated(pool: Pool, match_ids: list[MatchId]) -> list[tuple[int, int]]:
    query = "SELECT array_agg(version_id ORDER BY seat) FROM seats WHERE match_id = %s"
    return [(first, second) for match_id in match_ids for ((first, second),) in rows_of(pool, query, match_id)]


def test_a_league_pairs_as_it_is_set_to(pool: Pool) -> None:
    set_in_wood_2(pool, matchmaking="informed", placement_battles=3, near_ranks=7, battles=9)
    schemes = within(pool, demand.schemes, GAMES.names)
    scheme = schemes[league_named(pool, "wood-2").id]
    assert (scheme.matchmaking, scheme.battles, scheme.placement_battles, scheme.near_ranks) == ("informed", 9, 3, 7)
    assert scheme.draw_probability == 0.05, "the game's own, as long as the league sets none"
    assert schemes[league_named(pool, "wood-1").id].matchmaking == "codingame"


def test_leagues_of_unknown_games_alone_rest(pool: Pool, caplog: pytest.LogCaptureFixture, bosses: None) -> None:
    ours = {on_the_board(pool, name, name) for name in ("kraken", "orca")}
    with transaction(pool) as connection:
        connection.execute("UPDATE leagues SET game = 'go', draw_probability = 0.1 WHERE game = 'ice-and-fire'")
        connection.execute("UPDATE bots SET game = 'go' WHERE game = 'ice-and-fire'")
        (league,) = (league for league in leagues.leagues(connection, "go") if league.position == 1)
        strangers = [row.version_id for row in standings.board(connection, league.id)]
        bot = versions.find_version(connection, on_the_board(pool, "stray", "stray"))
        connection.execute("UPDATE bots SET league_id = %s, game = 'go' WHERE id = %s", [league.id, bot.bot_id])
        connection.execute("UPDATE standings SET league_id = %s WHERE version_id = %s", [league.id, bot.id])
        strangers.append(bot.id)
        request_id = requests.insert(connection, league.id, (strangers[0], strangers[1]), 3, asked_by="kim")
    made = scheduled(pool) + scheduled(pool, 2)
    played = {version_id for pair in seated(pool, made) for version_id in pair}
    assert ours <= played
    assert not played.intersection(strangers)
    request = within(pool, requests.find, request_id)
    assert (request.made, request.lapsed) == (0, None), "it waits for the game"
    assert [record.getMessage() for record in caplog.records if "game" in record.getMessage()] == [
        "go is a game that is not known here, so no matches are made in its leagues"
    ]


def test_players_have_equal_shares_of_what_waits_however_many_bots_they_have(pool: Pool, bosses: None) -> None:
    for number in range(8):
        on_the_board(pool, f"flood{number}", f"source {number}", player="flood")
    for player in ("ben", "kim", "mia"):
        on_the_board(pool, f"bot-of-{player}", f"source of {player}", player=player)
    scheduled(pool)
    shares = within(pool, demand.waiting_shares)
    assert sum(shares.values()) == 32
    del shares["house"]  # its boss has its battles as everybody's opponent
    assert set(shares) == {"flood", "ben", "kim", "mia"}
    assert max(shares.values()) - min(shares.values()) <= 1


def test_battles_of_a_replaced_version_still_count_as_its_players(pool: Pool, bosses: None) -> None:
    on_the_board(pool, "kraken", "one", player="kim")
    on_the_board(pool, "minnow", "two", player="mia")
    scheduled(pool)
    before = within(pool, demand.waiting_shares)
    on_the_board(pool, "kraken", "a newer one", player="kim")
    assert within(pool, demand.waiting_shares) == before


def test_a_newcomer_can_earn_its_promotion_by_wins_against_the_boss_on_any_board(pool: Pool, bosses: None) -> None:
    """It meets the boss in its own battles, although twenty others stand there and nobody else lacks a battle."""
    set_in_wood_2(pool, promotion="boss_wins", boss_wins=4, battles=12)
    wood_2 = league_named(pool, "wood-2").id
    within(pool, put_on_board, wood_2, 20)
    change(pool, "UPDATE standings SET matches = 1000, wins = 1000, mu = 25, sigma = 25.0 / 3, score = 0")
    kraken = on_the_board(pool, "kraken")
    queue, played = RememberingQueue(), 0
    for _ in range(13):
        schedule(pool, queue, Random(played), GAMES)
        ours = [claim for claim in (claimed(pool, match_id) for match_id in queue.plays) if claim.league_id == wood_2]
        queue.plays.clear()
        for claim in ours:
            assert kraken in claim.version_ids
            assert within(pool, record, claim, result_of(claim, (1, 0) if claim.version_ids[0] == kraken else (0, 1)))
            played += 1
    assert played == 24
    assert league_of(pool, "kraken") == "Wood 1"


def test_wins_against_the_boss_in_requested_battles_promote_no_version(pool: Pool, bosses: None) -> None:
    set_in_wood_2(pool, promotion="boss_wins", boss_wins=4, battles=1)
    kraken = on_the_board(pool, "kraken")
    assert play_all(pool, kraken) == 2
    assert league_of(pool, "kraken") == "Wood 2", "it has had its battle, and two wins of four"
    wood_2 = league_named(pool, "wood-2").id
    with transaction(pool) as connection:
        (boss,) = (row.version_id for row in standings.board(connection, wood_2) if row.is_boss)
        requests.insert(connection, wood_2, (kraken, boss), 5, asked_by="kim")
    assert play_all(pool, kraken) == 10
    assert league_of(pool, "kraken") == "Wood 2"


def test_it_is_known_who_has_met_whom_how_often_and_void_matches_are_no_meetings(pool: Pool) -> None:
    first, second, third = (on_the_board(pool, f"bot{n}", f"source {n}") for n in range(3))
    league_id = league_named(pool, "wood-2").id
    with transaction(pool) as connection:
        for pair in ((first, second), (second, first), (first, third)):
            made = insert_battle(connection, league_id, pair, seed=1)
        assert demand.met(connection, first) == {second: 4, third: 2}
        assert demand.met(connection, third) == {first: 2}
        insert_battle(connection, league_id, (second, third), seed=1, rates=False)
        assert demand.met(connection, third) == {first: 2}, "what rates nobody is not a meeting"
        connection.execute("UPDATE matches SET state = 'void' WHERE id = %s", [made[0]])
        assert demand.met(connection, third) == {first: 1}


def test_an_informed_league_uses_idle_capacity_and_others_rest(pool: Pool, bosses: None) -> None:
    with transaction(pool) as connection:
        leagues.set_battles(connection, GAME, 1)
        connection.execute("UPDATE leagues SET promotion = 'boss_wins', boss_wins = 1000")
    ours = {on_the_board(pool, f"bot{n}", f"source {n}") for n in range(4)}
    change(pool, "UPDATE standings SET matches = 10, wins = 10")
    assert scheduled(pool) == []
    set_in_wood_2(pool, matchmaking="informed")
    made = scheduled(pool)
    assert made
    assert any(ours & set(pair) for pair in seated(pool, made))
    assert scheduled(pool, 2) == [], "no more while this many wait"
    assert within(pool, demand.waiting_shares) == {}, "nobody's share"
    newcomer = on_the_board(pool, "newcomer", "new")
    assert all(newcomer in pair for pair in seated(pool, scheduled(pool, 3)))


def test_nothing_is_improved_while_somebody_waits_for_battles(pool: Pool, bosses: None) -> None:
    """A worker would give it every fourth match."""
    within(pool, leagues.set_battles, GAME, 1)
    pair = [on_the_board(pool, f"bot{n}", f"source {n}") for n in range(2)]
    change(pool, "UPDATE standings SET matches = 10, wins = 10")
    set_in_wood_2(pool, matchmaking="informed")
    within(pool, ask, (read_name("bot0"), read_name("bot1")), 1, "kim", GAME)
    asked = scheduled(pool)
    assert seated(pool, asked) == [tuple(pair), tuple(reversed(pair))]
    assert scheduled(pool, 2) == []
    change(pool, "UPDATE matches SET state = 'void', reason = 'over'")
    assert scheduled(pool, 3)
