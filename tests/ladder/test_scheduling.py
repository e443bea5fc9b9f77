"""The scheduler: it makes the matches that are wanted, promotes who has earned it, and does neither twice."""

from random import Random

import pytest

from ladder.bots import versions
from ladder.database.connection import Pool, connect, transaction
from ladder.flows.recording import record
from ladder.flows.scheduling import SCHEDULE_LOCK, schedule
from ladder.ids import MatchId, VersionId
from ladder.leagues import leagues
from ladder.leagues.settings import most_battles_to_settle
from ladder.matches import match_rows
from ladder.matchmaking import demand, requests
from ladder.matchmaking.matchmaker import MOST_WAITING
from ladder.matchmaking.requests import ask
from ladder.names import read_name
from ladder.promotions.outlook import missing_text
from ladder.ratings import standings
from ladder.views.progress import progress, version_progress
from ladder.views.summary import rises, summary
from tests.acceptance.conftest import Desk
from tests.bench.full_ladder import put_on_board
from tests.catalogue import GAMES
from tests.conftest import once_found
from tests.fakes import BrokenQueue, RememberingQueue, result_of
from tests.ladder.arena import (
    GAME,
    accept_bosses,
    claimed,
    insert_battle,
    league_named,
    league_of,
    on_the_board,
    play_all,
    rows_of,
    scheduled,
    submitted,
    within,
)
from tests.ladder.rated import change


def kraken_that_lacks_three_battles(pool: Pool) -> VersionId:
    within(pool, leagues.set_battles, GAME, 3)
    return on_the_board(pool, "kraken")


made, kraken = once_found(kraken_that_lacks_three_battles, among_bosses=True)


def test_nothing_is_made_for_lone_versions(pool: Pool, bosses: None) -> None:
    assert scheduled(pool) == []


def test_a_newcomer_gets_battles_once_and_all_are_rung_for(pool: Pool, kraken: VersionId, database_url: str) -> None:
    with connect(database_url) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", [SCHEDULE_LOCK])
        assert scheduled(pool) == [], "another scheduler is at it"
    queue = RememberingQueue()
    made = schedule(pool, queue, Random(1), GAMES)
    assert len(made) == 6, "three battles of two matches"
    assert queue.plays == made
    assert scheduled(pool, 2) == []
    change(pool, "UPDATE standings SET score = 99 WHERE version_id = %s", kraken)
    scheduled(pool)
    assert league_of(pool, "kraken") == "Wood 2", "no version is promoted before its battles are done"


def test_two_versions_play_the_same_seeds_again_where_these_follow_from_a_word(pool: Pool, kraken: VersionId) -> None:
    def seeds(chance: int, word: str) -> list[int]:
        schedule(pool, RememberingQueue(), Random(chance), GAMES, word)
        with transaction(pool) as connection:
            found = connection.execute("SELECT DISTINCT ON (pair_id) seed FROM matches ORDER BY pair_id").fetchall()
            connection.execute("TRUNCATE matches CASCADE")
        return [seed for (seed,) in found]

    first = seeds(1, "demo")
    assert len(set(first)) == 3, "each battle has a seed of its own"
    assert all(len(str(seed)) == 6 for seed in first), "short enough to be spoken of"
    assert seeds(2, "demo") == first
    assert not {*first} & {*seeds(2, "another word"), *seeds(2, "")}


def test_no_more_matches_wait_than_the_limit_beside_those_that_fail_again_and_again(pool: Pool, bosses: None) -> None:
    within(pool, leagues.set_battles, GAME, 500)
    within(pool, put_on_board, league_named(pool, "wood-2").id, 8)
    for _ in range(3):
        scheduled(pool)
    assert within(pool, match_rows.count_matches).waiting == MOST_WAITING
    change(pool, "UPDATE matches SET attempt = 1")
    newcomer = on_the_board(pool, "newcomer", "its source")
    for _ in range(3):
        scheduled(pool)
    assert within(pool, match_rows.count_matches).waiting == MOST_WAITING + MOST_WAITING // 2
    assert rows_of(pool, "SELECT FROM seats WHERE version_id = %s", newcomer)


def test_matches_are_kept_when_the_broker_is_away(pool: Pool, kraken: VersionId) -> None:
    made = schedule(pool, BrokenQueue(), Random(1), GAMES)
    assert within(pool, match_rows.count_matches).waiting == len(made) == 6


def test_a_version_that_beats_every_boss_climbs_to_legend_where_its_next_starts(pool: Pool, kraken: VersionId) -> None:
    play_all(pool, stronger=kraken)
    assert league_of(pool, "kraken") == "Legend"
    with transaction(pool) as connection:
        (rise,) = rises(connection)
        sums = summary(connection)
        now = progress(connection)
    assert (rise.version, rise.promotions, rise.from_league, rise.to_league) == ("kraken@v1", 5, "Wood 2", "Legend")
    assert sums.is_complete
    assert now.is_quiet
    on_the_board(pool, "kraken", "a new idea")
    board = within(pool, standings.board, league_named(pool, "legend").id)
    assert [(row.name, row.record.matches) for row in board if not row.is_boss] == [("kraken@v2", 0)]


def test_a_version_that_always_loses_stays_where_it_is(pool: Pool, kraken: VersionId) -> None:
    (boss,) = [row for row in within(pool, standings.board, league_named(pool, "wood-2").id) if row.is_boss]
    play_all(pool, stronger=boss.version_id)
    assert league_of(pool, "kraken") == "Wood 2"
    here = within(pool, version_progress, kraken)
    assert (here.is_settled, here.rank) == (True, 2)


def test_progress_distinguishes_building_playing_and_replaced_versions(pool: Pool, kraken: VersionId) -> None:
    waiting = submitted(pool, "minnow", "to be built")
    with transaction(pool) as connection:
        assert not version_progress(connection, waiting).is_settled
        assert not version_progress(connection, kraken).is_settled, "it lacks battles"
    on_the_board(pool, "kraken", "two")
    replaced = within(pool, version_progress, kraken)
    assert (replaced.is_settled, replaced.league) == (True, None)


def test_a_version_has_its_rank_though_idle_battles_go_on_for_ever(pool: Pool, kraken: VersionId) -> None:
    """In a league with `informed` some of its matches always wait."""
    with transaction(pool) as connection:
        wood_2 = league_named(pool, "wood-2").id
        leagues.change_settings(connection, wood_2, {"matchmaking": "informed"})
        (boss,) = [row.version_id for row in standings.board(connection, wood_2) if row.is_boss]
    queue = RememberingQueue()
    schedule(pool, queue, Random(1), GAMES)
    assert not within(pool, version_progress, kraken).is_settled, "none of its battles is played"
    for match_id in queue.plays:
        claim = claimed(pool, match_id)
        assert within(pool, record, claim, result_of(claim, (1, 0) if claim.version_ids[0] == boss else (0, 1)))
    schedule(pool, queue, Random(2), GAMES)
    here = within(pool, version_progress, kraken)
    assert all(row.waiting for row in here.board)
    assert (here.is_settled, here.rank) == (True, 2)


def test_a_version_waits_for_the_boss_to_have_its_battles(pool: Pool, kraken: VersionId) -> None:
    """Until then it could not pass it, so it may yet go up."""
    with transaction(pool) as connection:
        connection.execute("UPDATE standings SET matches = 6, wins = 6 WHERE version_id = %s", [kraken])
        assert not version_progress(connection, kraken).is_settled
        connection.execute("UPDATE standings SET matches = 6, wins = 6, score = 99 WHERE version_id <> %s", [kraken])
        assert version_progress(connection, kraken).is_settled


def test_a_version_waits_for_a_boss_that_is_still_being_built(pool: Pool) -> None:
    """On a new ladder a bot can be built before its league's boss: alone or with another one, it is not at its end."""
    within(pool, leagues.set_battles, GAME, 3)
    kraken = on_the_board(pool, "kraken")
    assert not within(pool, version_progress, kraken).is_settled, "alone on the board"
    on_the_board(pool, "minnow")
    with transaction(pool) as connection:
        connection.execute("UPDATE standings SET matches = 6, wins = 6")
        here = version_progress(connection, kraken)
    assert not here.is_settled, "all battles are played, but none against the boss"
    assert here.outlook is not None
    assert "it can go up when the boss of Wood 2 is built and has played" in missing_text(here.outlook)
    accept_bosses(pool)
    with transaction(pool) as connection:
        connection.execute("UPDATE standings SET matches = 6, wins = 6, score = 99 WHERE version_id <> %s", [kraken])
        assert version_progress(connection, kraken).is_settled


def test_what_is_made_during_a_look_lets_it_not_seem_quiet(pool: Pool, database_url: str, kraken: VersionId) -> None:
    """One look is several queries; matches made between them must be seen by all of them or by none."""
    with connect(database_url, snapshot=True) as looking:
        assert match_rows.count_matches(looking).waiting == 0
        assert scheduled(pool)
        assert not progress(looking).is_quiet
    with connect(database_url, snapshot=True) as looking:
        assert not progress(looking).is_quiet


def settle_in(pool: Pool, *names: str) -> list[VersionId]:
    """Let versions and bosses have their three battles in wood-2, all matches drawn."""
    within(pool, leagues.set_battles, GAME, 3)
    found = [on_the_board(pool, name, name) for name in names]
    league_id = league_named(pool, "wood-2").id
    change(
        pool,
        "UPDATE standings SET matches = 6, draws = 6, mu = 25, sigma = 1.5, score = 20.5 WHERE league_id = %s",
        league_id,
    )
    return found


def rated_so(pool: Pool, version_id: VersionId, mu: float, sigma: float) -> None:
    change(
        pool,
        "UPDATE standings SET mu = %s, sigma = %s, score = %s WHERE version_id = %s",
        mu,
        sigma,
        mu - 3 * sigma,
        version_id,
    )


def test_a_version_probably_stronger_than_its_boss_plays_on_until_it_ranks_above(pool: Pool, bosses: None) -> None:
    """It has won nearly all its matches and lost the last one against the boss; its doubt alone keeps it below."""
    (unlucky,) = settle_in(pool, "unlucky")
    rated_so(pool, unlucky, 27.0, 2.5)
    with transaction(pool) as connection:
        now = version_progress(connection, unlucky)
        assert now.open_order is not None
        assert (now.open_order.boss, now.open_order.plays_on) == ("boss-wood-2@v1", True)
        assert not progress(connection).is_quiet
    made = scheduled(pool)
    assert len(made) == 2, "one battle at a time"
    for match_id in made:
        claim = claimed(pool, match_id)
        seat = claim.version_ids.index(unlucky)
        assert within(pool, record, claim, result_of(claim, (1, 0) if seat == 0 else (0, 1)))
    scheduled(pool)
    assert league_of(pool, "unlucky") == "Wood 1"


@pytest.mark.parametrize(("sure", "league"), [(0.999, "Wood 1"), (None, "Wood 2")])
def test_a_newcomer_goes_up_as_soon_as_that_is_sure(pool: Pool, sure: float | None, league: str, bosses: None) -> None:
    kraken = on_the_board(pool, "kraken")
    assert rows_of(pool, "SELECT DISTINCT battles, sure FROM leagues WHERE game = %s", GAME) == [(100, 0.999)]
    change(pool, "UPDATE leagues SET sure = %s", sure)
    played = 0
    queue = RememberingQueue()
    while played < 40 and league_of(pool, "kraken") == "Wood 2":
        schedule(pool, queue, Random(played), GAMES)
        claim = claimed(pool, queue.plays.pop(0))
        assert within(pool, record, claim, result_of(claim, (1, 0) if claim.version_ids[0] == kraken else (0, 1)))
        played += 1
    schedule(pool, queue, Random(played), GAMES)
    assert league_of(pool, "kraken") == league
    assert played >= 20, "ten battles at least"


def by_the_settled_fit(pool: Pool, name: str, score: int) -> int:
    """Let a newcomer win, draw or lose each match (score 2, 1, 0 against 1) until it goes up or gets no more."""
    others = [on_the_board(pool, other, other, player=other) for other in ("crab", "squid")]
    own = on_the_board(pool, name, name)
    change(pool, "UPDATE leagues SET promotion = 'settled_above_boss', sure = 0.99, battles = 40")
    change(pool, "UPDATE standings SET matches = 80, draws = 80 WHERE version_id = ANY(%s)", others)
    queue, played = RememberingQueue(), 0
    while league_of(pool, name) == "Wood 2":
        schedule(pool, queue, Random(played), GAMES)
        if not queue.plays:
            break
        batch, queue.plays = queue.plays[:4], queue.plays[4:]
        for claim in [claimed(pool, match_id) for match_id in batch]:
            scores = [score if version_id == own else 1 for version_id in claim.version_ids]
            assert within(pool, record, claim, result_of(claim, (scores[0], scores[1])))
            played += own in claim.version_ids
    return played


def fits_of(pool: Pool, name: str) -> list[tuple[int, float]]:
    query = """
        SELECT counted, chance FROM settled_chances
        JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id WHERE bots.name = %s
        """
    return rows_of(pool, query, name)


def test_by_the_settled_fit_a_newcomer_that_wins_goes_up_before_its_battles_are_over(pool: Pool, bosses: None) -> None:
    assert 20 <= by_the_settled_fit(pool, "kraken", 2) < 80
    assert league_of(pool, "kraken") == "Wood 1"
    ((counted, chance),) = fits_of(pool, "kraken")
    assert counted >= 20
    assert chance >= 0.99


def test_by_the_settled_fit_a_newcomer_that_loses_is_spared_battles(desk: Desk, pool: Pool, bosses: None) -> None:
    assert 20 <= by_the_settled_fit(pool, "weed", 0) < 80
    ((counted, chance),) = fits_of(pool, "weed")
    assert counted >= 20
    assert chance <= 0.01
    shown = " ".join(desk.ok("bot", "show", "weed").split())
    assert "its chance of being above boss-wood-2 is 0." in shown
    assert "battles are spared until others' battles raise it" in shown
    change(pool, "UPDATE settled_chances SET boss_id = version_id")
    scheduled(pool)
    anew = rows_of(pool, "SELECT count(*) FROM settled_chances WHERE boss_id <> version_id")
    assert anew == [(3,)], "against another boss the fit is made anew, and for all"
    change(pool, "UPDATE leagues SET sure = NULL")
    assert scheduled(pool, 2) != [], "where nothing is sure all battles are played"


def test_last_battles_are_spared_while_no_result_changes_the_rank(desk: Desk, pool: Pool, bosses: None) -> None:
    (weak,) = settle_in(pool, "weak")
    change(pool, "UPDATE standings SET matches = 30, draws = 30")
    change(pool, "UPDATE standings SET matches = 20, draws = 20 WHERE version_id = %s", weak)
    change(pool, "UPDATE leagues SET battles = 15")
    change(pool, "UPDATE standings SET mu = 30, sigma = 0.9, score = 27.3")
    rated_so(pool, weak, 10.0, 0.9)
    assert scheduled(pool) == []
    shown = " ".join(desk.ok("bot", "show", "weak").split())
    assert "its last 5 battles are spared while no result of them can change its rank" in shown
    with transaction(pool) as connection:
        assert progress(connection).is_quiet
        assert version_progress(connection, weak).is_settled
    change(pool, "UPDATE leagues SET sure = NULL")
    assert "spared" not in desk.ok("bot", "show", "weak")
    change(pool, "UPDATE leagues SET sure = 0.999")
    on_the_board(pool, "newcomer")
    assert "(5 to go)" in " ".join(desk.ok("bot", "show", "weak").split())
    assert scheduled(pool) != []
    assert not within(pool, version_progress, weak).is_settled


def test_two_equals_do_not_play_for_ever(pool: Pool, bosses: None) -> None:
    (equal,) = settle_in(pool, "equal")
    rated_so(pool, equal, 24.9, 1.5)
    change(pool, "UPDATE leagues SET tau = 0, draw_probability = 0.9 WHERE name = 'wood-2'")
    assert play_drawn(pool) == 2 * (most_battles_to_settle(3) - 3)
    with transaction(pool) as connection:
        now = version_progress(connection, equal)
        assert now.open_order is not None
        assert not now.open_order.plays_on
        assert now.is_settled
        assert progress(connection).is_quiet


def play_drawn(pool: Pool) -> int:
    """Schedule and play until nothing is left, all matches drawn; return how many were played."""
    played = 0
    while made := scheduled(pool, played):
        for match_id in made:
            claim = claimed(pool, match_id)
            assert within(pool, record, claim, result_of(claim, (0, 0)))
            played += 1
    return played


def test_a_version_clearly_weaker_than_its_boss_has_its_battles_and_no_more(pool: Pool, bosses: None) -> None:
    (weak,) = settle_in(pool, "weak")
    rated_so(pool, weak, 20.0, 1.5)
    assert scheduled(pool) == []
    with transaction(pool) as connection:
        assert version_progress(connection, weak).open_order is None
        assert progress(connection).is_quiet


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
    assert seated(pool, scheduled(pool)) == [tuple(pair), tuple(reversed(pair))]
    assert scheduled(pool, 2) == []
    change(pool, "UPDATE matches SET state = 'void', reason = 'over'")
    assert scheduled(pool, 3)
