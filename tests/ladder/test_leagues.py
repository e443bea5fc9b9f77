"""Leagues as data: what an operator sets stays, reaches whoever plays, and cannot be nonsense."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeAlias

import psycopg
import pytest

from engine.bot.clock import Clock, Policy, Spent, TimeRule, backstop_us
from engine.bot.conditions import OFFICIAL, Conditions, OutputLimits
from engine.boxes import Limits
from engine.errors import UsageFault
from engine.match import Turn
from ladder.actions.installation import bring_up_to_date
from ladder.database.connection import Pool, connect, transaction
from ladder.fleet import workers
from ladder.flows.games import apply_league_file
from ladder.flows.recording import record
from ladder.flows.scheduling import sweep
from ladder.ids import MatchId
from ladder.leagues import leagues
from ladder.leagues.file import LeagueFile
from ladder.leagues.settings import IN_ORDER, Choice, Number, Value
from ladder.matches import match_rows
from tests.catalogue import GAMES
from tests.conftest import once_found
from tests.fakes import RememberingQueue, result_of
from tests.ladder.arena import GAME, a_pair, claimed, claimed_build, on_the_board, submitted, within

OTHERS: Mapping[str, Value] = {
    "title": "Holz",
    "rules_level": 3,
    "boss": "boss-wood-2",
    "promotion": "boss_wins",
    "boss_wins": 4,
    "demotion": True,
    "opens_at": datetime(2027, 3, 1, 18, tzinfo=UTC),
    "battles": 7,
    "sure": 0.99,
    "matchmaking": "informed",
    "placement_battles": 3,
    "near_ranks": 5,
    "own_bots_meet": False,
    "most_bots": 4,
    "memory_mb": 100,
    "threads": 3,
    "open_files": 40,
    "file_size_mb": 2,
    "line_bytes": 500,
    "stderr_turn_bytes": 10,
    "stderr_match_bytes": 20,
    "early_line_loses": True,
    "first_limit_ms": 3000,
    "turn_limit_ms": 200,
    "time_policy": "codingame",
    "clock": "wall",
    "ranked_by": "settled",
    "rank_width": 5,
    "rating_system": "openskill",
    "mu": 30.0,
    "sigma": 9.0,
    "beta": 5.0,
    "tau": 0.5,
    "draw_probability": 0.25,
    "score_formula": "mu",
    "programs": False,
    "trusted": True,
}
"""Another value than the usual one for every setting but the boss."""
AS_CONDITIONS = Conditions(
    Limits(100, 3, 40, 2),
    OutputLimits(500, 10, 20),
    TimeRule(Policy.CODINGAME, Clock.WALL),
    early_line_loses=True,
    trusted=True,
)


Pair: TypeAlias = list[MatchId]
made, pair = once_found(lambda pool: a_pair(pool, on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b")))


def apply(pool: Pool, values: Mapping[str, Value], league: str = "wood-2") -> list[str]:
    changed, _ = within(pool, apply_league_file, LeagueFile(GAME, {league: values}))
    return [str(change) for change in changed]


def set_now(pool: Pool, league: str = "wood-2") -> Mapping[str, Value]:
    return {found.name: found.values for found in within(pool, leagues.settings_of, GAME)}[league]


def test_leagues_play_by_the_official_conditions_unless_somebody_sets_others(pool: Pool, pair: Pair) -> None:
    assert claimed(pool, pair[0]).conditions == OFFICIAL
    assert claimed_build(pool, submitted(pool, "eel")).conditions == OFFICIAL


def test_every_setting_reaches_the_processes_that_play_and_build(pool: Pool, pair: Pair) -> None:
    apply(pool, OTHERS)
    match, build = claimed(pool, pair[0]), claimed_build(pool, submitted(pool, "eel"))
    assert match.conditions == build.conditions == AS_CONDITIONS
    assert (match.first_limit_ms, match.turn_limit_ms) == (build.first_limit_ms, build.turn_limit_ms) == (3000, 200)
    assert set_now(pool) == OTHERS


def test_applying_prints_every_change_once_and_then_nothing(pool: Pool) -> None:
    assert apply(pool, {"battles": 7, "clock": "wall", "threads": 64}) == [
        "wood-2: battles 100 -> 7",
        'wood-2: clock "fair" -> "wall"',
    ]
    assert apply(pool, {"battles": 7, "clock": "wall", "threads": 64}) == []


def test_other_leagues_and_settings_stay_as_they_are(pool: Pool) -> None:
    before = set_now(pool)
    elsewhere = within(pool, leagues.settings_of, "ice-and-fire")
    apply(pool, {**OTHERS, "boss": "boss-gold"}, "gold")
    apply(pool, {"battles": 7})
    assert set_now(pool) == {**before, "battles": 7}
    assert within(pool, leagues.settings_of, "ice-and-fire") == elsewhere


def test_what_an_operator_has_set_survives_bringing_the_database_up_to_date(pool: Pool, database_url: str) -> None:
    apply(pool, OTHERS)
    bring_up_to_date(database_url)
    assert set_now(pool) == OTHERS


def test_a_league_begins_as_its_game_says_with_leases_that_outlast_turns_drawn_out_by_the_host(pool: Pool) -> None:
    assert GAMES.all
    for game in GAMES.all:
        found = within(pool, leagues.settings_of, game.name)
        assert [(league.name, league.values["title"], league.values["rules_level"]) for league in found] == [
            (league.name, league.title, league.rules_level) for league in game.leagues
        ]
        assert [league.values["boss"] for league in found] == [
            f"boss-{league.name}" if league.boss else None for league in game.leagues
        ]
        of_one_seat_us = backstop_us(game.limits.first_ms) + game.most_asks_per_seat * backstop_us(game.limits.turn_ms)
        leases_s = [league.longest_s for league in within(pool, leagues.leagues, game.name)]
        assert min(leases_s) * 1_000_000 > 2 * of_one_seat_us
    with pytest.raises(UsageFault, match="ladder db migrate"):
        within(pool, leagues.settings_of, "chess")


def test_a_match_keeps_the_rules_level_and_the_limits_of_time_that_it_was_played_with(pool: Pool, pair: Pair) -> None:
    apply(pool, {"turn_limit_ms": 200})
    claim = claimed(pool, pair[0])
    apply(pool, {"rules_level": 2, "first_limit_ms": 700, "turn_limit_ms": None})
    with transaction(pool) as connection:
        assert record(connection, claim, result_of(claim, (1, 0)))
        found = [match_rows.find_match(connection, match_id) for match_id in pair]
    assert [(match.rules_level, match.first_limit_ms, match.turn_limit_ms) for match in found if match] == [
        (1, 1000, 200),
        (2, None, None),
    ]
    assert claimed(pool, pair[1]).rules_level == 2


BOUNDED = [setting for setting in IN_ORDER if isinstance(setting, (Number, Choice)) and setting.name != "battles"]


def test_the_database_has_the_same_bounds_as_the_files(pool: Pool) -> None:
    usual = set_now(pool)
    for setting in BOUNDED:
        inside: list[Value] = [setting.least, setting.most] if isinstance(setting, Number) else list(setting.words)
        for value in (*inside, usual[setting.name]):
            apply(pool, {setting.name: value})
            assert set_now(pool)[setting.name] == value
        for value in [setting.least - 1, setting.most + 1] if isinstance(setting, Number) else ["other"]:
            assert not setting.takes(value)
            with pytest.raises(psycopg.errors.CheckViolation, match="leagues_"):
                apply(pool, {setting.name: value})


def lease_s(pool: Pool, league: str) -> int:
    return within(pool, leagues.find_league, GAME, league).longest_s


def test_leases_follow_a_leagues_limits_of_time_there_and_back(pool: Pool, database_url: str) -> None:
    usual = lease_s(pool, "gold")
    apply(pool, {"turn_limit_ms": 2_000}, "gold")
    assert lease_s(pool, "gold") > 2 * GAMES.find(GAME).most_asks_per_seat * backstop_us(2_000) // 1_000_000
    assert lease_s(pool, "legend") == usual
    bring_up_to_date(database_url)
    assert lease_s(pool, "gold") > usual
    apply(pool, {"turn_limit_ms": None}, "gold")
    assert lease_s(pool, "gold") == usual


def test_a_match_that_runs_keeps_its_lease_under_shorter_limits(pool: Pool, pair: Pair, database_url: str) -> None:
    apply(pool, {"turn_limit_ms": 2_000})
    with connect(database_url, autocommit=True) as connection:
        claimed(pool, pair[0], workers.enlist(connection, "here", 1))
        claimed_build(pool, submitted(pool, "eel"))
        leases = "SELECT lease_until FROM matches UNION ALL SELECT lease_until FROM versions"
        before = connection.execute(leases).fetchall()
        apply(pool, {"turn_limit_ms": 50})
        sweep(pool, RememberingQueue())
        assert connection.execute(leases).fetchall() == before


def test_a_first_answer_that_has_less_time_than_later_ones_can_be_the_overrun(pool: Pool, pair: Pair) -> None:
    """The glance that spares most matches a second look must go by the shorter limit."""
    apply(pool, {"first_limit_ms": 20})
    claim = claimed(pool, pair[0])
    quick, slow = Spent(wall_us=900, cpu_us=400), Spent(wall_us=40_000, cpu_us=30_000)
    said = (Turn(0, "99 99", slow), Turn(1, "7 7", quick))
    with transaction(pool) as connection:
        assert record(connection, claim, replace(result_of(claim, (-1, 6)), turns=said))
        assert [seat.overruns for seat in match_rows.seats_of(connection, [claim.match_id])] == [1, 0]


def test_a_match_is_played_under_the_conditions_of_its_own_league(pool: Pool, pair: Pair) -> None:
    apply(pool, {"memory_mb": 100}, "gold")
    low = claimed(pool, pair[0])
    high = claimed(pool, a_pair(pool, low.version_ids[0], low.version_ids[1], "gold")[0])
    assert low.conditions == OFFICIAL
    assert high.conditions == replace(OFFICIAL, limits=Limits(memory_mb=100))
