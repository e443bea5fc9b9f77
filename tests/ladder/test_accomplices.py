"""Bots of one player: they lift each other in no league that forbids it, and no player fills a league."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.errors import Refused
from ladder import actions
from ladder.access import Actor
from ladder.bots import bots
from ladder.database.connection import Pool, transaction
from ladder.flows.departure import Retired
from ladder.flows.scheduling import hold_scheduler
from ladder.ids import VersionId
from ladder.leagues import leagues
from ladder.matches.claims import MatchClaim
from ladder.matchmaking.odd_pairs import odd_pairs
from ladder.promotions import lifecycle
from ladder.promotions.outlook import missing_text
from ladder.seasons.ending import begin_series
from ladder.views.fleet import ladder_state, odd_pair_text
from ladder.views.progress import progress, version_progress
from tests.conftest import once
from tests.ladder import arena
from tests.ladder.arena import GAME, league_of, on_the_board, play_all, play_by, rows_of, set_up, submitted, within
from tests.ladder.rated import change

KIM = Actor("kim")


def with_accounts(pool: Pool) -> None:
    change(pool, "INSERT INTO players (name, password_hash) VALUES ('olga', 'x')")


def meetings_of_one_player(pool: Pool) -> int:
    query = """
        SELECT matches.id FROM matches JOIN seats ON match_id = matches.id
        JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id
        WHERE rates GROUP BY matches.id HAVING count(DISTINCT player_id) < count(*)
        """
    return len(rows_of(pool, query))


def three_of_kim_and_one_of_mia(pool: Pool) -> None:
    for name in ("kraken", "eel", "ray"):
        on_the_board(pool, name, name)
    on_the_board(pool, "orca", player="mia")
    set_up(pool, "wood-2", battles=4)


made = once(three_of_kim_and_one_of_mia)


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("by_setting", [False, True])
def test_bots_of_one_player_meet_without_accounts_or_where_a_league_lets_them(pool: Pool, by_setting: bool) -> None:
    if by_setting:
        with_accounts(pool)
        set_up(pool, "wood-2", own_bots_meet=True)
    assert play_by(pool, lambda _: None)
    assert meetings_of_one_player(pool) > 0


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("by_setting", [False, True])
def test_bots_of_one_player_do_not_meet_with_accounts_or_where_the_league_says_so(pool: Pool, by_setting: bool) -> None:
    set_up(pool, "wood-2", own_bots_meet=False) if by_setting else with_accounts(pool)
    assert play_by(pool, lambda _: None)
    assert meetings_of_one_player(pool) == 0
    assert within(pool, progress).lacking == 0, "each has had its battles"
    within(pool, begin_series, GAME, 3, 10)
    assert play_by(pool, lambda _: None)
    assert meetings_of_one_player(pool) == 0, "nor in the season's series"


def test_a_board_with_bots_of_one_player_alone_comes_to_rest_where_they_do_not_meet(pool: Pool) -> None:
    change(pool, "UPDATE versions SET state = 'rejected' WHERE state = 'building'")
    first, _ = on_the_board(pool, "kraken", "a"), on_the_board(pool, "eel", "b")
    assert not within(pool, progress).is_quiet
    set_up(pool, "wood-2", own_bots_meet=False)
    assert play_by(pool, lambda _: None) == 0
    with transaction(pool) as connection:
        assert progress(connection).is_quiet
        assert version_progress(connection, first).is_settled


def retire(pool: Pool, bot: str) -> Retired:
    return actions.bots.retire(KIM, pool, bot)


@pytest.mark.parametrize("of_rejected", [False, True])
def test_a_player_has_no_more_bots_in_a_league_than_may_be_there(pool: Pool, of_rejected: bool) -> None:
    set_up(pool, "wood-2", most_bots=2)
    for name in ("kraken", "eel"):
        submitted(pool, name, name) if of_rejected else on_the_board(pool, name, name)
    with pytest.raises(Refused, match="Wood 2 takes at most 2 bots of a player, and kim has as many there: retire one"):
        submitted(pool, "ray")
    submitted(pool, "kraken", "another version")
    submitted(pool, "orca", player="mia")
    retire(pool, "eel")
    submitted(pool, "ray")
    with pytest.raises(Refused, match="at most 2 bots"):
        submitted(pool, "eel", "it wants to come back")


def test_a_retired_bot_comes_back_only_where_there_is_room(pool: Pool) -> None:
    on_the_board(pool, "kraken")
    retire(pool, "kraken")
    on_the_board(pool, "eel", "b")
    set_up(pool, "wood-2", most_bots=1)
    with pytest.raises(Refused, match="at most 1 bot of a player"):
        actions.bots.activate(KIM, pool, "kraken", 1)
    retire(pool, "eel")
    assert actions.bots.activate(KIM, pool, "kraken", 1).league == "Wood 2"


def test_of_bots_that_come_at_once_no_more_get_in_than_may(pool: Pool) -> None:
    set_up(pool, "wood-2", most_bots=2)

    def comes(number: int) -> bool:
        try:
            return submitted(pool, f"bot{number}") > 0
        except Refused:
            return False

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(comes, range(8))) == 2


def test_a_bot_that_has_earned_it_goes_up_when_its_players_other_one_leaves_above(pool: Pool, bosses: None) -> None:
    change(pool, "UPDATE leagues SET battles = 3")
    set_up(pool, "wood-1", most_bots=1)
    play_all(pool, on_the_board(pool, "kraken", "a"))
    assert league_of(pool, "kraken") != "Wood 2"
    with transaction(pool) as connection:
        hold_scheduler(connection)
        wood = leagues.find_league(connection, GAME, "wood-1")
        bots.move_bot(connection, bots.find_bot(connection, "kraken").id, wood.id)
    second = on_the_board(pool, "eel", "b")
    play_all(pool, second)
    assert league_of(pool, "eel") == "Wood 2"
    words = missing_text(arena.present(within(pool, version_progress, second).outlook))
    assert words == "it has earned its promotion and goes up when another bot of its player leaves Wood 1"
    change(pool, "UPDATE bots SET retired_at = now() WHERE name = 'kraken'")
    within(pool, lifecycle.make_moves)
    assert league_of(pool, "eel") == "Wood 1"


@pytest.mark.usefixtures("made")
def test_status_shows_operators_a_pair_whose_results_are_off_what_ratings_say(pool: Pool) -> None:
    set_up(pool, "wood-2", battles=40)
    names = ("orca", "kraken", "eel", "ray")
    ids: dict[VersionId, str] = dict(
        rows_of(pool, "SELECT versions.id, bots.name FROM versions JOIN bots ON bots.id = bot_id")
    )
    counter = iter(range(100_000))

    def winner(claim: MatchClaim) -> int | None:
        places = [names.index(ids[version_id]) for version_id in claim.version_ids]
        best = places.index(min(places))
        if set(places) == {0, len(names) - 1}:
            return 1 - best
        return 1 - best if next(counter) % 5 == 0 else best

    assert play_by(pool, winner)
    with transaction(pool) as connection:
        first, *_ = found = odd_pairs(connection)
        assert ladder_state(connection).odd_pairs == found
    assert (first.version, first.player, first.opponent, first.opponent_player) == ("ray@v1", "kim", "orca@v1", "mia")
    assert first.points == first.matches
    assert first.deviations >= 4
    change(pool, "UPDATE bots SET player_id = (SELECT id FROM players WHERE name = 'kim')")
    assert within(pool, odd_pairs) == [], "somebody alone hears nothing of it"
    with_accounts(pool)
    assert within(pool, odd_pairs)[0].version == "ray@v1"
    change(pool, "UPDATE bots SET player_id = (SELECT id FROM players WHERE name = 'house') WHERE name = 'orca'")
    assert "orca@v1" not in {pair.opponent for pair in within(pool, odd_pairs)}
    assert odd_pair_text(first).startswith(
        f"ray@v1 of kim took {first.matches} of {first.matches} points against orca@v1 of mia in {GAME}/wood-2, and "
    )
