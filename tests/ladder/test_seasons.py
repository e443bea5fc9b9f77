"""Closing a season: once, whole, after its series, for good; and a contest's beginning, end and one bot each."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from cli.terminal.words import contest_text
from engine.errors import ArenaError, Refused, UsageFault
from engine.text import time_left, zoned_words
from ladder import actions
from ladder.access import Actor, Role
from ladder.actions.seasons import LONGEST_RULES, ContestTerms, LastSeries, open_contest
from ladder.bots import bots
from ladder.choices import MoveKind
from ladder.database.connection import Pool, connect, one, transaction
from ladder.flows.recording import record
from ladder.flows.submission import Submission, reject
from ladder.ids import VersionId
from ladder.leagues import leagues
from ladder.matchmaking import demand
from ladder.matchmaking.requests import SEASON_CLOSED
from ladder.promotions import lifecycle
from ladder.promotions.rules import Move
from ladder.seasons import ending, seasons
from ladder.seasons.ending import SeasonPlan, begin_series, close, close_after_series, close_held
from ladder.seasons.seasons import Season, SeasonRank, Series
from ladder.views.contests import Timetable, timetables
from tests.fakes import RememberingQueue, result_of
from tests.ladder import arena
from tests.ladder.arena import GAME, a_pair, league_named, on_the_board, present, rows_of, scheduled, submitted, within
from tests.ladder.rated import History, a_history, change, checked, numbers, play


def closed(pool: Pool, number: int | None = None) -> Season:
    return within(pool, close, GAME, number)


def in_series(pool: Pool, battles: int = 2, top: int = 10) -> Season:
    return within(pool, begin_series, GAME, battles, top)


def begun(pool: Pool) -> list[Season]:
    return within(pool, seasons.begun, GAME)


def series(pool: Pool) -> Series:
    with transaction(pool) as connection:
        return seasons.series(connection, seasons.begun(connection, GAME)[-1].row_id)


def final(pool: Pool, season: Season) -> list[SeasonRank]:
    return within(pool, seasons.kept_boards, season.row_id)


@pytest.fixture
def quiet(pool: Pool, history: History) -> Pool:
    change(pool, "UPDATE leagues SET battles = 1 WHERE game = %s", GAME)
    assert scheduled(pool) == []
    return pool


def test_a_season_keeps_its_board_and_the_next_one_begins_with_the_same_ratings(quiet: Pool) -> None:
    before = numbers(quiet)
    season = closed(quiet)
    assert numbers(quiet) == before
    assert (season.number, season.state, season.opened_at) == (1, "closed", None)
    rows = final(quiet, season)
    assert [row.rank for row in rows] == [1, 2, 3]
    assert {row.version for row in rows} == {"kraken@v1", "orca@v1", "eel@v1"}
    live = {row[0]: row for row in numbers(quiet)[1]}
    for row in rows:
        assert (row.mu, row.sigma, row.score, row.record.matches, row.record.wins) == live[row.version_id][2:7]
        assert row.rank is not None
        assert (row.rank_low or 9) <= row.rank <= (row.rank_high or 0)
    play(quiet, a_pair(quiet, rows[0].version_id, rows[1].version_id)[0])
    second = closed(quiet)
    assert (second.number, second.opened_at) == (2, season.closed_at)
    assert checked(quiet).is_clean


def test_what_happens_later_does_not_change_a_closed_season(quiet: Pool) -> None:
    season = closed(quiet)
    before = final(quiet, season)
    play(quiet, a_pair(quiet, before[2].version_id, before[0].version_id)[0])
    on_the_board(quiet, "kraken", "a better idea")
    change(quiet, "UPDATE bots SET name = 'renamed' WHERE name = 'orca'")
    change(quiet, "UPDATE leagues SET title = 'Twigs' WHERE game = %s AND name = 'wood-2'", GAME)
    assert final(quiet, season) == before


def test_versions_without_a_match_and_groups_that_never_met_are_kept_apart(pool: Pool) -> None:
    kraken, orca, eel, crab = (on_the_board(pool, name, name) for name in ("kraken", "orca", "eel", "crab"))
    lone = on_the_board(pool, "snail", "snail")
    for winner, loser in ((kraken, orca), (kraken, orca), (crab, eel)):
        play(pool, a_pair(pool, winner, loser)[0], (1, 0))
    rows = final(pool, closed(pool))
    assert [(row.group_number, row.rank, row.bot) for row in rows] == [
        (1, 1, "kraken"),
        (1, 2, "orca"),
        (2, 1, "crab"),
        (2, 2, "eel"),
        (None, None, "snail"),
    ]
    assert rows[-1].version_id == lone


def test_a_season_without_a_match_is_not_closed_so_closing_again_does_nothing(quiet: Pool) -> None:
    closed(quiet)
    with pytest.raises(Refused, match="season 2 of ocean-of-code has no finished match yet"):
        closed(quiet)
    with pytest.raises(Refused, match="season 1 of ocean-of-code is closed already"):
        closed(quiet, number=1)
    with pytest.raises(Refused, match="season 2 of ocean-of-code has no finished match yet"):
        in_series(quiet)
    assert len(begun(quiet)) == 1


def test_every_game_has_seasons_of_its_own(quiet: Pool) -> None:
    closed(quiet)
    with transaction(quiet) as connection:
        assert seasons.begun(connection, "ice-and-fire") == []
        other = leagues.leagues(connection)[0].game
    assert other != GAME
    with pytest.raises(Refused, match="no finished match"):
        within(quiet, close, other)


def test_several_that_close_at_once_close_once(quiet: Pool) -> None:
    def attempt(_: int) -> str:
        try:
            return closed(quiet, number=1).state
        except ArenaError as error:
            return str(error)

    with ThreadPoolExecutor(4) as threads:
        told = sorted(threads.map(attempt, range(4)))
    assert told[0] == "closed"
    assert all("season 1 of ocean-of-code is closed already" in words for words in told[1:])
    assert [season.number for season in begun(quiet)] == [1]


def test_closing_that_breaks_off_has_done_nothing(quiet: Pool, database_url: str) -> None:
    with connect(database_url) as dying:
        close(dying, GAME)
        dying.rollback()
    assert begun(quiet) == []
    assert len(final(quiet, closed(quiet))) == 3


def test_a_match_that_is_recorded_while_a_season_is_closed_counts_for_the_next(quiet: Pool, database_url: str) -> None:
    kraken, orca = (row[0] for row in numbers(quiet)[1][:2])
    claim = arena.claimed(quiet, a_pair(quiet, kraken, orca)[0])
    before = {row[0]: row[5] for row in numbers(quiet)[1]}
    with connect(database_url) as closing:
        seasons.hold(closing)
        assert seasons.begun(closing, GAME) == []  # from here on it sees this moment
        assert within(quiet, record, claim, result_of(claim, (1, 0)))
        season = close(closing, GAME)
        closing.commit()
    assert {row.version_id: row.record.matches for row in final(quiet, season)} == before
    assert closed(quiet).number == 2, "the match is the next season's"


def play_series(pool: Pool, chance: Random) -> int:
    """Schedule and play until nothing is made any more; return how many matches there were."""
    played = 0
    while made := scheduled(pool, played):
        for match_id in made:
            assert begun(pool)[-1].state == "series", "it is not closed before its last match is over"
            play(pool, match_id, chance.choice([(1, 0), (0, 1), (0, 0)]))
            played += 1
    return played


def test_a_series_gives_each_its_battles_against_the_others_and_then_the_season_is_closed(
    quiet: Pool, caplog: pytest.LogCaptureFixture
) -> None:
    before = {row[0]: row[5] for row in numbers(quiet)[1]}
    demand.warn_of_unknown.cache_clear()
    season = in_series(quiet, battles=10)
    assert "not known here" not in caplog.text, "the other games are another matter"
    assert season.state == "series"
    assert series(quiet).battles == 15, "of three versions, ten for each"
    assert play_series(quiet, Random(1)) == 30
    (season,) = begun(quiet)
    assert season.state == "closed"
    assert {row.version_id: row.record.matches - 20 for row in final(quiet, season)} == before
    assert checked(quiet).is_clean
    assert scheduled(quiet) == [], "and nothing is closed twice"
    assert len(begun(quiet)) == 1


def test_only_the_top_of_every_board_plays_the_series(pool: Pool, bosses: None) -> None:
    change(pool, "UPDATE leagues SET battles = 1")
    history = a_history(pool, battles=20, names=("kraken", "orca", "eel", "crab"))
    wood_1 = league_named(pool, "wood-1").id
    change(pool, "UPDATE standings SET on_board = false WHERE version_id = %s", history.versions["crab"])
    with transaction(pool) as connection:
        connection.execute(
            "INSERT INTO standings (version_id, league_id, mu, sigma, score, first_mu, first_sigma) "
            "VALUES (%s, %s, 25, 8, 1, 25, 8)",
            [history.versions["crab"], wood_1],
        )
        top = [
            row[0]
            for row in connection.execute(
                "SELECT version_id FROM standings WHERE league_id = %s AND on_board ORDER BY score DESC LIMIT 2",
                [league_named(pool, "wood-2").id],
            )
        ]
    in_series(pool, battles=3, top=2)
    with transaction(pool) as connection:
        asked = connection.execute("SELECT league_id, first, second, battles FROM requests ORDER BY league_id")
        found = {row[0]: (set(row[1:3]), row[3]) for row in asked}
    assert found[league_named(pool, "wood-2").id] == (set(top), 3)
    assert found[wood_1][1] == 3
    assert len(found) == 2, "alone on a board nobody can play"


def climb(pool: Pool, version_id: VersionId) -> None:
    origin, target = (league_named(pool, name) for name in ("wood-2", "wood-1"))
    within(pool, lifecycle.make_move, Move(version_id, MoveKind.PROMOTION, origin, target))


def series_matches(pool: Pool) -> dict[str, int]:
    return dict(
        rows_of(
            pool,
            """
            SELECT leagues.name, count(*)::int FROM matches JOIN leagues ON leagues.id = matches.league_id
            WHERE request_id IS NOT NULL AND matches.state = 'finished' AND rates GROUP BY 1
            """,
        )
    )


def test_a_bot_that_climbs_during_a_series_plays_its_battles_all_the_same(quiet: Pool) -> None:
    in_series(quiet, battles=16)
    for match_id in scheduled(quiet):
        play(quiet, match_id)
    climb(quiet, numbers(quiet)[1][0][0])
    change(quiet, "UPDATE standings SET counted_from = -1000")  # nobody lacks a battle in the new league either
    play_series(quiet, Random(1))
    (season,) = begun(quiet)
    assert season.state == "closed"
    done = series(quiet)
    assert (done.battles, done.made, done.lapsed, done.given_up) == (24, 24, 0, ())
    assert series_matches(quiet) == {"wood-2": 48}
    change(quiet, "UPDATE standings SET counted_from = 0")
    assert checked(quiet).is_clean
    unplayed = {row.version: row.is_unplayed for row in final(quiet, season)}
    assert sorted(unplayed.values()) == [False, False, True], "whoever has just climbed has no match there yet"


def test_two_that_climb_to_the_same_league_play_their_battles_there(quiet: Pool) -> None:
    in_series(quiet, battles=16)
    for match_id in scheduled(quiet):
        play(quiet, match_id)
    for row in numbers(quiet)[1][:2]:
        climb(quiet, row[0])
    change(quiet, "UPDATE standings SET counted_from = -1000")
    play_series(quiet, Random(1))
    assert series(quiet).made == 24
    found = series_matches(quiet)
    assert set(found) == {"wood-1", "wood-2"}
    assert sum(found.values()) == 48


def test_a_series_goes_on_without_versions_that_leave_and_without_void_matches_and_keeps_why(quiet: Pool) -> None:
    in_series(quiet, battles=40)
    made = scheduled(quiet)
    change(quiet, "UPDATE matches SET state = 'void', reason = 'nobody could play it' WHERE id = %s", made[0])
    for match_id in made[1:]:
        play(quiet, match_id)
    change(quiet, "UPDATE standings SET on_board = false WHERE version_id = %s", numbers(quiet)[1][0][0])
    play_series(quiet, Random(1))
    (season,) = begun(quiet)
    assert (season.state, len(final(quiet, season))) == ("closed", 2)
    done = series(quiet)
    assert done.is_over
    cut = [one for one in done.given_up if one.reason == "kraken@v1 left the board"]
    assert sum(one.battles for one in cut) == done.lapsed > 0
    assert all(one.first == "kraken@v1" or one.second == "kraken@v1" for one in cut)
    (void,) = [one for one in done.given_up if one not in cut]
    assert (void.battles, void.reason) == (1, f"match {made[0]} is void: nobody could play it")


def test_a_second_series_is_refused_and_closing_at_once_breaks_it_off(quiet: Pool) -> None:
    in_series(quiet, battles=100)
    waiting = scheduled(quiet)
    with pytest.raises(Refused, match="season 1 of ocean-of-code has its series already"):
        in_series(quiet)
    season = closed(quiet)
    assert (season.number, season.state, len(final(quiet, season))) == (1, "closed", 3)
    assert scheduled(quiet) == []
    broken_off = series(quiet)
    assert broken_off.lapsed == sum(one.battles for one in broken_off.given_up) == 150 - len(waiting) // 2
    assert {one.reason for one in broken_off.given_up} == {SEASON_CLOSED}
    for match_id in waiting:
        play(quiet, match_id)
    assert checked(quiet).is_clean
    assert scheduled(quiet) == []
    assert len(begun(quiet)) == 1, "what was being played is the next season's"
    assert series(quiet).given_up == broken_off.given_up


def test_schedulers_that_find_the_same_series_over_close_it_once(quiet: Pool, database_url: str) -> None:
    season = in_series(quiet, battles=1)
    change(quiet, "UPDATE requests SET lapsed = 'for the test'")
    with connect(database_url) as other:
        seasons.hold(other)
        close_held(other, season.row_id)
        assert within(quiet, seasons.series_that_are_over) == [], "somebody is at it"
        assert scheduled(quiet) == [], "nor does a scheduler wait for that"
        other.commit()
    rows = final(quiet, season)
    within(quiet, close_after_series, season.row_id)
    assert final(quiet, season) == rows


def test_a_league_without_matches_is_not_looked_for_in_the_whole_ledger(pool: Pool) -> None:
    """The front page asks for the last match of every game."""
    read = "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables WHERE relname = 'ledger'"
    with transaction(pool) as connection:
        connection.execute("SET LOCAL session_replication_role = replica")  # the matches are not there
        connection.execute(
            """
            INSERT INTO ledger (match_id, version_id, league_id, mu_before, sigma_before, mu_after, sigma_after)
            SELECT number, 1, (SELECT min(id) FROM leagues WHERE game = %s), 25, 8, 25, 8
            FROM generate_series(1, 3000) AS number
            """,
            (GAME,),
        )
        connection.execute("ANALYZE ledger")
        before = present(connection.execute(read).fetchone())
        assert seasons.played_last(connection, GAME) is None
        assert present(connection.execute(read).fetchone())[0] - before[0] <= 1


KIM, OLGA = Actor("kim"), Actor("olga", Role.OPERATOR)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SOON = datetime.now(UTC).replace(microsecond=0) + 3 * DAY
LATE = SOON + 20 * DAY


def opened(pool: Pool, **terms: object) -> SeasonPlan:
    made = open_contest(OLGA, pool, GAME, LATE, terms=ContestTerms(**terms)).plan.plan  # type: ignore[arg-type]
    assert made is not None
    return made


def test_before_a_contest_begins_its_game_takes_versions_of_bosses_alone(pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    submitted(pool, "kraken", "b")
    opened(pool, submit_from=SOON)
    sentence = f"the contest of {GAME} begins {zoned_words(SOON)}: until then no version is submitted"
    with pytest.raises(Refused) as refusal:
        submitted(pool, "kraken", "c")
    assert str(refusal.value) == sentence
    with pytest.raises(Refused, match="begins"):
        actions.bots.activate(KIM, pool, "kraken", 1, GAME)
    boss = Submission(GAME, "boss-wood-2", "print(1, 1)", "python", boss_of="wood-2")
    assert actions.bots.submit(Actor("house", Role.OPERATOR), pool, RememberingQueue(), boss).row.bot == "boss-wood-2"
    change(pool, "UPDATE season_plans SET submit_from = now() - interval '1 second'")
    submitted(pool, "orca", "c")


def test_a_second_bot_is_refused_with_the_name_of_the_first(pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    on_the_board(pool, "orca", "b", player="mia")
    opened(pool, one_bot=True)
    with pytest.raises(Refused, match=r"yours is kraken: .*`--bot kraken`.*`ladder bot retire kraken`"):
        submitted(pool, "hydra", "c")
    assert within(pool, bots.bots_called, "hydra", GAME) == []
    on_the_board(pool, "kraken", "c")
    actions.bots.retire(KIM, pool, "kraken", GAME)
    on_the_board(pool, "hydra", "d")
    with pytest.raises(Refused, match="yours is hydra"):
        actions.bots.activate(KIM, pool, "kraken", 1, GAME)


def test_a_disqualified_bot_is_no_reason_to_come_with_another(pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    actions.bots.disqualify(OLGA, pool, "kraken", "a copy", GAME)
    on_the_board(pool, "orca", "b")
    opened(pool, one_bot=True)
    on_the_board(pool, "orca", "c")
    actions.bots.retire(KIM, pool, "orca", GAME)
    with pytest.raises(Refused, match=r"yours is kraken, which is disqualified \(a copy\): ask an operator"):
        submitted(pool, "hydra", "d")


def test_a_bot_of_which_every_version_was_rejected_counts_for_none(pool: Pool) -> None:
    opened(pool, one_bot=True)
    assert within(pool, reject, arena.claimed_build(pool, submitted(pool, "kraken", "no program")), "no")
    submitted(pool, "orca", "a")
    with pytest.raises(Refused, match="yours is orca"):
        submitted(pool, "kraken", "a program")


def test_a_contest_with_one_bot_each_is_not_opened_over_players_who_have_several(pool: Pool) -> None:
    for bot in ("kraken", "orca"):
        on_the_board(pool, bot, "a")
    on_the_board(pool, "hydra", "a", player="mia")
    with pytest.raises(Refused, match=r"too many in ocean-of-code: kim \(kraken and orca\); `ladder bot retire`"):
        opened(pool, one_bot=True)
    assert within(pool, ending.find, GAME) is None
    actions.bots.retire(KIM, pool, "orca", GAME)
    assert opened(pool, one_bot=True).one_bot


def test_what_cannot_be_is_one_sentence_and_changes_nothing_and_frozen_boards_are_no_beginning(pool: Pool) -> None:
    for terms, frozen_from, sentence in (
        (ContestTerms(submit_from=LATE), None, "before it begins"),
        (ContestTerms(submit_from=LATE + DAY), None, "before it begins"),
        (ContestTerms(submit_from=SOON), SOON - HOUR, "name an earlier beginning, or freeze them later"),
        (ContestTerms(submit_from=datetime(1066, 10, 14, tzinfo=UTC)), None, "too far away"),
        (ContestTerms(title="two\nlines"), None, "one line"),
        (ContestTerms(title="x" * 101), None, "100 characters"),
        (ContestTerms(rules="x" * (LONGEST_RULES + 1)), None, "10,000 characters"),
    ):
        with pytest.raises(UsageFault, match=sentence):
            open_contest(OLGA, pool, GAME, LATE, frozen_from=frozen_from, terms=terms)
    assert within(pool, ending.find, GAME) is None
    assert within(pool, one, "SELECT count(*) FROM board_freezes", {})[0] == 0
    actions.games.freeze_boards(OLGA, pool, GAME, datetime.now(UTC) - DAY)
    with pytest.raises(UsageFault, match="its boards are frozen from"):
        opened(pool, submit_from=SOON)


def test_what_a_contest_says_stays_until_it_is_said_again_or_its_season_is_over(pool: Pool) -> None:
    terms = {"submit_from": SOON, "one_bot": True, "title": "Winter cup", "rules": "Be kind."}
    opened(pool, **terms)
    actions.seasons.plan(OLGA, pool, GAME, LATE + DAY, LastSeries(5, 4))
    again = opened(pool, title="Spring cup")
    assert {name: getattr(again, name) for name in terms} == terms | {"title": "Spring cup"}
    with pytest.raises(UsageFault, match="before it begins"):
        actions.seasons.plan(OLGA, pool, GAME, SOON - DAY, None)
    assert not opened(pool, one_bot=False).one_bot
    change(pool, "UPDATE season_plans SET number = 7")
    assert opened(pool) == SeasonPlan(GAME, 1, LATE, 0, 0, "olga")


def test_a_timetable_says_what_is_next_and_in_how_long(pool: Pool) -> None:
    opened(pool, submit_from=SOON, title="Winter cup")

    def now() -> Timetable:
        return within(pool, timetables)[GAME]

    assert (now().state, now().turns_at, now().title) == ("to come", SOON, "Winter cup")
    assert contest_text(now()) == f"contest: begins {zoned_words(SOON)} (in {now().left})"
    change(pool, "UPDATE season_plans SET submit_from = now() - interval '1 hour'")
    assert (now().state, now().turns_at, now().left.startswith("22 d ")) == ("on", LATE, True)
    actions.games.freeze_boards(OLGA, pool, GAME, LATE - HOUR)
    assert contest_text(now()).endswith(f" left); boards frozen from {zoned_words(LATE - HOUR)}")
    change(pool, "UPDATE season_plans SET submit_until = now()")
    assert (now().state, now().left) == ("ending", "0 s")
    assert "what lacks is played" in contest_text(now())
    change(pool, "INSERT INTO seasons (game, number, closed_at) VALUES (%s, 1, now())", GAME)
    assert within(pool, timetables) == {}, "a plan of a season that is closed is none"


def test_time_left_has_its_two_largest_units() -> None:
    short = [(-5, "0 s"), (59.9, "59 s"), (60, "1 min"), (3599, "59 min")]
    for seconds, words in (*short, (3600, "1 h 0 min"), (183_600, "2 d 3 h")):
        assert time_left(seconds) == words
