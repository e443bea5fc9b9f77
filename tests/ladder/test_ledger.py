"""The ledger: what a check of it finds, taking matches back, and rating again."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import LiteralString

import psycopg
import pytest

from engine.errors import ArenaError, Refused, UnknownName
from ladder.access import Actor
from ladder.bots import bots
from ladder.database.connection import Pool, transaction
from ladder.flows.games import apply_league_file
from ladder.flows.recording import record
from ladder.ids import MatchId, VersionId
from ladder.leagues.file import LeagueFile, SettingChange
from ladder.leagues.settings import IN_ORDER, Measure, Value
from ladder.promotions import lifecycle
from ladder.promotions.lifecycle import activate, lock_with_versions
from ladder.ratings import ledger, standings
from ladder.ratings.models import Rating, RatingSettings, fresh, model_of
from ladder.ratings.replay import RatedAgain, rated_again, recompute, void_match
from ladder.ratings.standings import Standing
from tests.fakes import result_of
from tests.ladder.arena import GAME, a_pair, claimed, league_named, on_the_board, rows_of, within
from tests.ladder.rated import History, change, changed_so, checked, kinds, numbers, numbers_in, play, report_of


def two_of(history: History) -> tuple[VersionId, VersionId]:
    first, second, _ = sorted(history.versions.values())
    return first, second


def void(pool: Pool, match_id: MatchId, why: str = "the referee was wrong") -> None:
    within(pool, void_match, match_id, "olga", why)


def rebuild(pool: Pool, league: str = "wood-2") -> None:
    within(pool, recompute, [league_named(pool, league).id])


def apply(pool: Pool, **values: Value) -> None:
    within(pool, apply_league_file, LeagueFile(GAME, {"wood-2": values}))


def test_what_is_recorded_live_is_reproduced_and_recomputing_it_changes_nothing(pool: Pool, history: History) -> None:
    report, before = checked(pool), numbers(pool)
    assert report.is_clean, report.differences
    assert (report.matches, report.lines) == (len(history.matches), 2 * len(history.matches))
    (done,) = within(pool, recompute, [league_named(pool, "wood-2").id])
    assert (done.matches, done.changed_lines, done.changed_standings) == (len(history.matches), 0, 0)
    assert numbers(pool) == before


CORRUPTIONS: list[tuple[LiteralString, set[str]]] = [
    ("UPDATE ledger SET mu_after = mu_after + 1e-13 WHERE match_id = %s", {"other number"}),
    ("UPDATE ledger SET sigma_before = sigma_before * 1.0000001 WHERE match_id = %s", {"other number"}),
    ("DELETE FROM ledger WHERE match_id = %s", {"not rated", "other number"}),
    ("UPDATE matches SET state = 'void' WHERE id = %s", {"rated without cause", "other number", "other count"}),
    ("UPDATE seats SET result = 'win' WHERE match_id = %s", {"unclear result", "other number", "other count"}),
    (
        "UPDATE ledger SET league_id = (SELECT id FROM leagues WHERE name = 'gold' LIMIT 1) WHERE match_id = %s",
        {"rated without cause", "not rated", "other number"},
    ),
]


def test_a_change_of_one_early_match_is_found(pool: Pool, history: History) -> None:
    for statement, expected in CORRUPTIONS:
        with changed_so(pool, statement, history.matches[0]) as connection:
            assert expected <= kinds(report_of(connection)), statement


def test_a_change_of_one_version_is_found_and_reported_by_its_kind(pool: Pool, history: History) -> None:
    let_order_be_changed(pool)
    for statement, expected in OF_ONE_VERSION:
        with changed_so(pool, statement, history.versions["kraken"]) as connection:
            assert expected <= kinds(report_of(connection)), statement


DAMAGE: list[tuple[LiteralString, str]] = [
    ("DELETE FROM seats WHERE seat = 1 AND match_id = %s", "match 4 is finished, but has one seat instead of two"),
    ("DELETE FROM seats WHERE match_id = %s", "match 4 is finished, but has no seat instead of two"),
    ("UPDATE seats SET result = 'win' WHERE match_id = %s", "match 4 is finished, but its seats say win and win"),
    (
        "UPDATE seats SET result = NULL, beat_boss = false WHERE seat = 0 AND match_id = %s",
        "match 4 is finished, but seat 0 has no result",
    ),
    (
        "UPDATE seats SET verdict = NULL WHERE seat = 1 AND match_id = %s",
        "match 4 is finished, but seat 1 has no verdict",
    ),
    (
        "DELETE FROM standings USING seats WHERE standings.version_id = seats.version_id AND match_id = %s",
        "was played by kraken@v1, which has no standing in the league",
    ),
    ("UPDATE matches SET state = 'queued' WHERE id = %s", "of the ledger rates kraken@v1 for match 4, which is queued"),
    (
        """
        UPDATE ledger SET version_id = (SELECT max(version_id) FROM ledger)
        WHERE match_id = %s AND version_id = (SELECT min(version_id) FROM ledger)
        """,
        "of the ledger rates eel@v1 for match 4, in which it did not play",
    ),
    (
        "UPDATE matches SET league_id = (SELECT id FROM leagues WHERE name = 'gold' LIMIT 1) WHERE id = %s",
        "of the ledger rates kraken@v1 for match 4, which was played in gold",
    ),
    ("DELETE FROM ledger WHERE match_id = %s", "match 4 is finished, but has no line for kraken@v1 in the league's"),
]


def test_the_message_about_damaged_rows_says_which_and_how(pool: Pool, history: History) -> None:
    """The fourth match was played by kraken and orca."""
    fourth = history.matches[3]
    for statement, words in DAMAGE:
        with changed_so(pool, statement, fourth) as connection:
            told = [found.first for found in report_of(connection).differences]
        assert any(words.replace("match 4", f"match {fourth}") in sentence for sentence in told), (statement, told)
        if "seats" in words or "seat " in words:
            assert not any("of the ledger rates" in sentence for sentence in told), (statement, told)


def test_causes_are_reported_before_what_follows_from_them(pool: Pool, history: History) -> None:
    change(pool, "DELETE FROM seats WHERE seat = 0 AND match_id = %s", history.matches[3])
    change(pool, "DELETE FROM ledger WHERE match_id = %s", history.matches[5])
    found = [difference.kind for difference in checked(pool).differences]
    assert found == ["missing seat", "not rated", "other number", "other count"]


def test_an_unrated_match_in_the_ledger_is_rated_without_cause_until_rated_again(pool: Pool, history: History) -> None:
    before = numbers(pool)[0]
    match_id, _ = a_pair(pool, *two_of(history))
    play(pool, match_id)
    change(pool, "UPDATE matches SET rates = false WHERE id = %s", match_id)
    (told,) = [found for found in checked(pool).differences if found.kind == "rated without cause"]
    assert told.first.endswith(f"for match {match_id}, which is unrated")
    assert told.count == 2
    rebuild(pool)
    assert checked(pool).is_clean
    assert numbers(pool)[0] == before


def test_a_match_with_damaged_seats_stops_recomputing_until_it_is_taken_back(pool: Pool, history: History) -> None:
    damage: list[tuple[LiteralString, str]] = [
        ("DELETE FROM seats WHERE match_id = %s AND seat < 1", "match {0} has one seat .*`ladder match void {0}`"),
        ("DELETE FROM seats WHERE match_id = %s", "match {0} has no seat .*`ladder match void {0}`"),
        ("UPDATE seats SET result = 'win' WHERE match_id = %s", "`ladder match void {0}`"),
    ]
    for match_id, (statement, words) in zip(history.matches, damage, strict=False):
        change(pool, statement, match_id)
        before = numbers(pool)
        with pytest.raises(ArenaError, match=words.format(match_id)):
            rebuild(pool)
        assert numbers(pool) == before, statement
        void(pool, match_id)
        assert checked(pool).is_clean, statement


def test_rating_again_reports_a_deleted_standing_and_activating_restores_it(pool: Pool, history: History) -> None:
    before = numbers(pool)
    change(pool, "DELETE FROM standings WHERE version_id = %s", history.versions["kraken"])
    with pytest.raises(
        ArenaError, match=r"played by kraken@v1, which has no standing .*`ladder bot activate kraken@v1"
    ):
        rebuild(pool)
    within(pool, activate, Actor("kim"), "kraken", 1)
    rebuild(pool)
    assert checked(pool).is_clean
    assert numbers(pool) == before


OF_ONE_VERSION: list[tuple[LiteralString, set[str]]] = [
    ("UPDATE standings SET mu = mu + 1e-9 WHERE version_id = %s", {"other standing", "other score"}),
    ("UPDATE standings SET score = score + 1 WHERE version_id = %s", {"other score"}),
    ("UPDATE standings SET timeouts = timeouts + 1 WHERE version_id = %s", {"other count"}),
    ("UPDATE standings SET faults = faults + 1 WHERE version_id = %s", {"other count"}),
    ("UPDATE standings SET matches = matches + 1, wins = wins + 1 WHERE version_id = %s", {"other count"}),
    ("UPDATE standings SET first_mu = 26 WHERE version_id = %s", {"other number", "other beginning"}),
    ("UPDATE standings SET boss_wins = boss_wins + 5 WHERE version_id = %s", {"other count"}),
    ("UPDATE standings SET counted_from = counted_from - 2 WHERE version_id = %s", {"other count"}),
    ("DELETE FROM standings WHERE version_id = %s", {"no standing"}),
    ("UPDATE ledger SET sequence = 1000000 - sequence WHERE version_id = %s", {"out of order"}),
]


def let_order_be_changed(pool: Pool) -> None:
    with transaction(pool) as connection:
        connection.execute("ALTER TABLE ledger ALTER COLUMN sequence DROP IDENTITY")
        connection.execute("CREATE SEQUENCE more START 2000000")
        connection.execute("ALTER TABLE ledger ALTER COLUMN sequence SET DEFAULT nextval('more')")


def test_the_first_difference_of_a_kind_is_shown_and_all_are_counted(pool: Pool, history: History) -> None:
    change(pool, "UPDATE ledger SET mu_after = mu_after + 1 WHERE match_id = ANY(%s)", history.matches[-2:])
    (number,) = [found for found in checked(pool).differences if found.kind == "other number"]
    assert f"match {history.matches[-2]}" in number.first
    assert number.count >= 4


def test_taking_a_match_back_leaves_the_ladder_as_if_it_had_never_been_played(pool: Pool, history: History) -> None:
    """Shown by playing the same history again without it, with the same function that rates live."""
    void(pool, history.matches[3])
    assert checked(pool).is_clean
    lines, rows = numbers(pool)
    assert len(lines) == 2 * (len(history.matches) - 1)
    assert history.matches[3] not in {line[0] for line in lines}
    ratings = replayed_by_hand(pool, [match_id for match_id in history.matches if match_id != history.matches[3]])
    assert {row[0]: Rating(row[2], row[3]) for row in rows if row[0] in ratings} == ratings


def replayed_by_hand(pool: Pool, match_ids: Iterable[MatchId]) -> dict[int, Rating]:
    """Rate those matches of wood-2 in that order."""
    with transaction(pool) as connection:
        settings = ledger.rating_settings(connection, league_named(pool, "wood-2").id)
        seats = {
            row[0]: row[1:]
            for row in connection.execute(
                """
                SELECT match_id, array_agg(version_id ORDER BY seat), array_agg(result ORDER BY seat)
                FROM seats GROUP BY match_id
                """
            )
        }
    ratings: dict[int, Rating] = {}
    for match_id in match_ids:
        (first, second), results = seats[match_id]
        places = [2 if result == "loss" else 1 for result in results]
        before = (ratings.get(first, fresh(settings)), ratings.get(second, fresh(settings)))
        ratings[first], ratings[second] = model_of(settings).rate(before, places)
    return ratings


def test_a_match_taken_back_keeps_who_took_it_back_and_why(pool: Pool, history: History) -> None:
    void(pool, history.matches[0], "the map was wrong")
    query = "SELECT state, reason, void_by, void_at IS NOT NULL, record IS NOT NULL FROM matches WHERE id = %s"
    assert rows_of(pool, query, history.matches[0]) == [("void", "the map was wrong", "olga", True, True)]


def test_a_match_is_taken_back_only_once_and_only_when_it_is_finished(pool: Pool, history: History) -> None:
    void(pool, history.matches[0], "the map was wrong")
    before = numbers(pool)
    with pytest.raises(Refused, match="is void already: the map was wrong"):
        void(pool, history.matches[0])
    (queued, _) = a_pair(pool, *two_of(history))
    with pytest.raises(Refused, match="is queued; only a finished match"):
        void(pool, queued)
    with pytest.raises(UnknownName, match="no match 4711"):
        void(pool, MatchId(4711))
    assert numbers(pool) == before


def test_taking_back_the_last_match_of_a_version_makes_it_fresh_again(pool: Pool) -> None:
    match_id, _ = a_pair(pool, on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b"))
    before = numbers(pool)
    play(pool, match_id)
    void(pool, match_id)
    assert numbers(pool) == before


def against_the_boss(pool: Pool) -> tuple[VersionId, list[MatchId]]:
    """Let a hero win both matches of a battle with the boss of wood-2; return its version and the matches."""
    (boss,) = [row for row in within(pool, standings.board, league_named(pool, "wood-2").id) if row.is_boss]
    hero = on_the_board(pool, "hero")
    battle = a_pair(pool, hero, boss.version_id)
    for match_id, scores in zip(battle, ((1, 0), (0, 1)), strict=True):
        play(pool, match_id, scores)
    return hero, battle


def test_wins_against_the_boss_are_checked_and_rebuilt_and_taken_back(pool: Pool, bosses: None) -> None:
    hero, (won, _) = against_the_boss(pool)
    assert checked(pool).is_clean
    change(pool, "UPDATE standings SET boss_wins = boss_wins + 5 WHERE version_id = %s", hero)
    (found,) = checked(pool).differences
    assert found.first.endswith("hero@v1 stands with 7 wins against the boss, its matches give 2")
    rebuild(pool)
    assert boss_wins(pool, hero) == 2
    assert checked(pool).is_clean
    void(pool, won)
    assert boss_wins(pool, hero) == 1


def test_wins_against_a_boss_stay_counted_when_another_bot_becomes_the_boss(pool: Pool, bosses: None) -> None:
    hero, (won, _) = against_the_boss(pool)
    on_the_board(pool, "eel", "eel")
    apply(pool, boss="eel")
    rebuild(pool)
    assert boss_wins(pool, hero) == 2
    void(pool, won)
    assert boss_wins(pool, hero) == 1
    assert checked(pool).is_clean


def test_matches_from_before_a_version_went_back_count_for_its_rating_alone(pool: Pool, bosses: None) -> None:
    hero, (won, _) = against_the_boss(pool)
    wood_2 = league_named(pool, "wood-2").id
    with transaction(pool) as connection:
        lock_with_versions(connection, [bots.bot_of_version(connection, hero).id])
        lifecycle.begin_again(connection, hero, wood_2)
    assert (counted(pool, hero), boss_wins(pool, hero)) == (0, 0)
    against_eel = a_pair(pool, hero, on_the_board(pool, "eel", "eel"))
    for match_id in against_eel:
        play(pool, match_id)
    assert counted(pool, hero) == 2
    void(pool, won)
    assert (counted(pool, hero), boss_wins(pool, hero)) == (2, 0)
    void(pool, against_eel[0])
    assert counted(pool, hero) == 1
    assert checked(pool).is_clean
    change(pool, "UPDATE standings SET counted_from = 0 WHERE version_id = %s", hero)
    (found,) = checked(pool).differences
    assert found.first.endswith("hero@v1 stands with 0 matches from before it went back, its matches give 1")
    rebuild(pool)
    assert counted(pool, hero) == 1


def hero_on_the_board(pool: Pool, hero: VersionId) -> Standing:
    return next(row for row in within(pool, standings.board, league_named(pool, "wood-2").id) if row.version_id == hero)


def counted(pool: Pool, version_id: VersionId) -> int:
    return hero_on_the_board(pool, version_id).counted


def test_a_version_that_has_not_played_must_have_begun_as_its_league_says(pool: Pool) -> None:
    on_the_board(pool, "kraken")
    assert checked(pool).is_clean, "a ladder without matches"
    change(pool, "UPDATE standings SET first_mu = 99, mu = 99, score = 99 - 3 * sigma")
    (found,) = checked(pool).differences
    assert found.kind == "other beginning"
    rebuild(pool)
    assert checked(pool).is_clean


def boss_wins(pool: Pool, version_id: VersionId) -> int:
    return hero_on_the_board(pool, version_id).boss_wins


NUMBERS: list[LiteralString] = [
    "UPDATE ledger SET mu_after = 0, sigma_before = 1",
    "UPDATE standings SET mu = 1, score = 2, timeouts = 3, matches = matches + 1, wins = wins + 1",
    "UPDATE standings SET faults = 77",
    "UPDATE standings SET first_mu = 99, mu = 99, sigma = 2",
]
LINES: list[LiteralString] = [
    "DELETE FROM ledger WHERE match_id = %s",
    "DELETE FROM ledger WHERE match_id = %s AND version_id = (SELECT min(version_id) FROM ledger)",
    "UPDATE ledger SET league_id = (SELECT id FROM leagues WHERE name = 'gold' LIMIT 1) WHERE match_id = %s",
    "UPDATE ledger SET sequence = 1000000 - sequence WHERE match_id >= %s",
    "UPDATE matches SET state = 'void' WHERE id = %s",
]


def test_recomputing_mends_every_number_to_what_live_recording_gave(pool: Pool, history: History) -> None:
    wood_2 = league_named(pool, "wood-2").id
    before = numbers(pool)
    for statement in NUMBERS:
        with changed_so(pool, statement) as connection:
            recompute(connection, [wood_2])
            lines, rows = numbers_in(connection)
        assert lines == before[0], statement
        assert [row for row in rows if row[1] == wood_2] == [row for row in before[1] if row[1] == wood_2], statement


def test_recomputing_mends_a_ledger_with_lines_missing_too_many_or_out_of_order(pool: Pool, history: History) -> None:
    let_order_be_changed(pool)
    query = "SELECT min(match_id) FROM ledger WHERE version_id = (SELECT min(version_id) FROM ledger)"
    first = rows_of(pool, query)[0][0]
    for statement in LINES:
        with changed_so(pool, statement, first) as connection:
            assert kinds(report_of(connection)), statement
            recompute(connection, [league_named(pool, "wood-2").id])
            report = report_of(connection)
        assert report.is_clean, (statement, report.differences)
        assert report.lines == 2 * report.matches, statement


def test_a_league_has_lines_from_the_place_of_its_first_one_on(pool: Pool, history: History) -> None:
    ((first,),) = rows_of(pool, "SELECT min(sequence) FROM ledger")
    wood_2, gold = league_named(pool, "wood-2").id, league_named(pool, "gold").id
    found = [within(pool, ledger.has_lines, *asked) for asked in ((wood_2, first), (wood_2, first - 1), (gold, first))]
    assert found == [True, False, False]


def test_lines_of_a_void_match_and_of_one_that_lacks_one_are_removed_and_counted(pool: Pool, history: History) -> None:
    change(pool, "UPDATE matches SET state = 'void' WHERE id = %s", history.matches[-1])
    change(
        pool,
        "DELETE FROM ledger WHERE sequence = (SELECT max(sequence) FROM ledger WHERE match_id = %s)",
        history.matches[-2],
    )
    assert within(pool, ledger.remove_unsound, league_named(pool, "wood-2").id) == 2 + 1


def test_a_changed_rating_setting_counts_as_though_it_had_always_been_so(pool: Pool, history: History) -> None:
    changes: list[dict[str, Value]] = [
        {"mu": 100, "sigma": 30.5},
        {"tau": 1.5, "beta": 3},
        {"draw_probability": 0.5},
        {"score_formula": "mu"},
        {"rating_system": "openskill"},
    ]
    for played, values in enumerate(changes, len(history.matches) + 1):
        before = numbers(pool)
        apply(pool, **values)
        assert checked(pool).is_clean, values
        assert numbers(pool) != before, values
        play(pool, a_pair(pool, *two_of(history))[0])
        assert checked(pool).is_clean, values
        assert len(numbers(pool)[0]) == 2 * played


def test_the_number_of_matches_that_changed_settings_rate_again_is_printed(pool: Pool, history: History) -> None:
    changes = [
        SettingChange("wood-2", "tau", 0.1, 0.2),
        SettingChange("wood-2", "battles", 100, 50),
        SettingChange("wood-1", "score_formula", "mu - 3 sigma", "mu"),
        SettingChange("gold", "mu", 25, 30),
        SettingChange("silver", "battles", 100, 50),
    ]
    found = within(pool, rated_again, GAME, changes)
    assert found == [RatedAgain("wood-2", len(history.matches)), RatedAgain("wood-1", None), RatedAgain("gold", 0)]


def test_another_score_formula_changes_no_line_and_numbers_return_with_settings(pool: Pool, history: History) -> None:
    before = numbers(pool)
    apply(pool, score_formula="mu")
    lines, rows = numbers(pool)
    assert lines == before[0]
    assert rows != before[1]
    apply(pool, score_formula="mu - 3 sigma", rating_system="openskill", draw_probability=0.3, mu=1000)
    apply(pool, rating_system="trueskill", draw_probability=None, mu=25)
    assert numbers(pool) == before


def test_the_games_own_share_of_draws_is_used_where_a_league_says_none(pool: Pool) -> None:
    league_id = league_named(pool, "wood-2").id
    assert within(pool, ledger.rating_settings, league_id) == RatingSettings(draw_probability=0.05)
    apply(pool, draw_probability=0.25)
    assert within(pool, ledger.rating_settings, league_id) == RatingSettings(draw_probability=0.25)


def test_a_newcomer_begins_with_its_leagues_rating_and_score(pool: Pool) -> None:
    apply(pool, mu=50, sigma=10, score_formula="mu")
    version_id = on_the_board(pool, "kraken")
    (row,) = [row for row in numbers(pool)[1] if row[0] == version_id]
    assert row[2:5] == (50, 10, 50)
    assert row[-2:] == (50, 10)
    assert checked(pool).is_clean


MEASURES = [setting for setting in IN_ORDER if isinstance(setting, Measure)]


def test_the_database_has_the_same_bounds_for_rating_settings_as_the_files(pool: Pool) -> None:
    for setting in MEASURES:
        for value in (setting.least, setting.most):
            apply(pool, **{setting.name: value})
        beyond = (setting.least - 0.01, setting.most + 0.01, float("nan"), float("inf"))
        for value in beyond:
            assert not setting.takes(value)
            with pytest.raises(psycopg.errors.CheckViolation, match=f"leagues_{setting.name}_is_sane"):
                apply(pool, **{setting.name: value})


def test_matches_recorded_while_others_are_taken_back_are_all_rated_once(pool: Pool, history: History) -> None:
    first, second, third = sorted(history.versions.values())
    open_matches = [
        match_id for pair in ((first, second), (second, third), (third, first)) * 3 for match_id in a_pair(pool, *pair)
    ]
    with ThreadPoolExecutor(6) as threads:
        doing = [threads.submit(play, pool, match_id) for match_id in open_matches]
        doing += [threads.submit(void, pool, match_id) for match_id in history.matches[:6]]
        doing += [threads.submit(apply, pool, mu=mu) for mu in (30, 40)]
        for done in doing:
            done.result()
    report = checked(pool)
    assert report.is_clean, report.differences
    assert report.matches == len(open_matches) + len(history.matches) - 6


def test_of_two_who_take_back_the_same_match_one_is_refused(pool: Pool, history: History) -> None:
    with ThreadPoolExecutor(2) as threads:
        errors = [done.exception() for done in [threads.submit(void, pool, history.matches[0]) for _ in range(2)]]
    assert sorted(map(type, errors), key=str) == sorted([type(None), Refused], key=str)
    assert checked(pool).is_clean


def test_a_result_that_comes_after_its_match_was_taken_back_changes_nothing(pool: Pool, history: History) -> None:
    match_id, _ = a_pair(pool, *two_of(history))
    claim = claimed(pool, match_id)
    assert within(pool, record, claim, result_of(claim, (1, 0)))
    void(pool, match_id)
    assert not within(pool, record, claim, result_of(claim, (1, 0)))
    assert checked(pool).is_clean
