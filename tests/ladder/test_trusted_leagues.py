"""Games whose command starts the bots itself: nothing is played in their leagues until the bots there are trusted."""

from pathlib import Path
from random import Random

import pytest

from engine.conversation import UNFAIR
from engine.errors import Refused
from engine.game import Games
from engine.referees.program import WHOLE_MATCHES
from ladder.actions import games as actions
from ladder.database.connection import Connection, Pool, transaction
from ladder.flows.scheduling import schedule
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import spec_of
from ladder.ids import MatchId, VersionId
from ladder.leagues import leagues
from ladder.leagues.leagues import UNPLAYED
from ladder.matches.match_rows import find_match
from ladder.matchmaking.requesting import ask
from ladder.names import NamedVersion
from ladder.views.boards import live_boards, read_pages
from ladder.views.encoding import plain
from ladder.views.fleet import ladder_state, unplayable_text, untrusted_text
from ladder.views.progress import progress, version_progress
from ladder.web.pages.boards import boards_file
from tests.catalogue import GAMES
from tests.fakes import RememberingQueue
from tests.ladder.arena import claimed, living_worker, within
from tests.ladder.rated import change
from tests.ladder.test_fleet import rung_for_by_sweeping, takes_match
from tests.ladder.test_games import OLGA, edition, of_ladder, on_the_board, pair

pytestmark = pytest.mark.usefixtures("workspace")
TOML = """
name = "tron"
title = "Tron"
players = [2]
seed_bits = 64
[referee]
kind = "command"
command = "./tron {SEED} {PLAYERS}"
files = ["tron", "maps"]
"""


@pytest.fixture
def games(pool: Pool, tmp_path: Path) -> Games:
    actions.add(OLGA, pool, *edition(tmp_path, toml=TOML))
    on_the_board(pool, "ann")
    on_the_board(pool, "bob")
    return Games(GAMES.all, {}, of_ladder(pool))


def trust(pool: Pool) -> None:
    with transaction(pool) as connection:
        league_id = leagues.find_league(connection, "tron", "arena").id
        leagues.change_settings(connection, league_id, {"trusted": True})


def made(pool: Pool, games: Games) -> list[MatchId]:
    return schedule(pool, RememberingQueue(), Random(1), games)


def on_boards(connection: Connection) -> tuple[VersionId, VersionId]:
    query = "SELECT version_id FROM standings JOIN leagues ON leagues.id = league_id WHERE game = 'tron' ORDER BY 1"
    first, second = (row[0] for row in connection.execute(query))
    return first, second


def a_battle(pool: Pool) -> list[MatchId]:
    with transaction(pool) as connection:
        return pair(connection, *on_boards(connection))


def test_until_its_bots_are_trusted_a_league_has_nothing_made_or_asked_for(pool: Pool, games: Games) -> None:
    sides = (NamedVersion("ann", None), NamedVersion("bob", None))
    assert made(pool, games) == []
    with transaction(pool) as connection:
        first, _ = on_boards(connection)
        assert version_progress(connection, first).is_settled
        assert progress(connection).lacking == 0
        with pytest.raises(Refused) as refused:
            spec_of(connection, GauntletRequest("ann", "kim", ("bob",)))
        assert str(refused.value) == f"in Arena of tron {UNPLAYED}"
        with pytest.raises(Refused, match="nothing is played until its bots are trusted"):
            ask(connection, sides, 1, "kim")
    trust(pool)
    with transaction(pool) as connection:
        assert not version_progress(connection, first).is_settled
        assert progress(connection).lacking > 0
    assert made(pool, games)
    assert within(pool, ask, sides, 1, "kim").battles == 1
    assert claimed(pool, a_battle(pool)[0]).conditions.trusted


def test_no_worker_takes_a_match_and_the_status_says_what_it_lacks(pool: Pool, games: Games, database_url: str) -> None:
    made = a_battle(pool)
    change(pool, "UPDATE matches SET enqueued_at = now() - interval '1 minute'")
    with living_worker(database_url, "python", WHOLE_MATCHES) as able:
        assert rung_for_by_sweeping(pool) == []
        assert not takes_match(pool, made[0], able)
        trust(pool)
        assert rung_for_by_sweeping(pool) == made
        assert takes_match(pool, made[0], able)
        with living_worker(database_url, "python") as without:
            assert not takes_match(pool, made[0], without), "its boxes can hold no command with its bots"
    with living_worker(database_url, "python"):
        (found,) = within(pool, ladder_state).unplayable
    assert "start one where the sandbox bubblewrap+cgroup is installed, which its referee needs" in unplayable_text(
        found
    )


def test_the_board_the_status_and_every_match_say_why_nothing_is_played(pool: Pool, games: Games) -> None:
    with transaction(pool) as connection:
        (page,) = read_pages(connection, "tron")
        (league,) = ladder_state(connection).untrusted
        shown = boards_file(live_boards(connection, "tron"), games)
    assert [row["caution"] for row in plain(page.rows)] == [f"{UNFAIR}; {UNPLAYED}"] * 2
    assert untrusted_text(league) == f"tron/arena: {UNPLAYED}"
    assert "A command plays the matches and starts the bots itself: no fair clock" in shown
    assert "nothing is played until its bots are trusted" in shown
    row = within(pool, find_match, a_battle(pool)[0])
    assert row
    assert plain(row)["caution"] == UNFAIR
    assert "starts_bots" not in plain(row)
    trust(pool)
    with transaction(pool) as connection:
        (page,) = read_pages(connection, "tron")
        assert ladder_state(connection).untrusted == []
    assert [row["caution"] for row in plain(page.rows)] == [UNFAIR] * 2
    others = [league for league in within(pool, leagues.leagues) if league.game != "tron"]
    assert others
    assert not any(league.starts_bots or league.caution for league in others), "other games have nothing to do with it"
