"""Battles that somebody asks for: made first, made once, rated like any, and ended where they cannot be played."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from cli.commands import run
from cli.context import Context
from engine.errors import Refused, UnknownName, UsageFault
from ladder.database import Pool, connect, transaction
from ladder.matchmaking import ASKED_AHEAD
from ladder.progress import progress
from ladder.requesting import ask
from ladder.scheduling import SCHEDULE_LOCK, schedule, sweep
from ladder.settings import settings_from
from ladder.storage import leagues, matches, requests, standings
from ladder.storage.requests import Request
from ladder.submission import Submission, submit
from ladder.version_names import read_name
from tests.acceptance.conftest import Desk
from tests.fakes import RememberingQueue
from tests.ladder.arena import GAME, accept_bosses, claimed, league_named, on_the_board, play_all
from tests.ladder.rated import change, checked, play

OTHER_GAME = "ice-and-fire"


def asked(
    pool: Pool,
    first: str = "kraken",
    second: str = "orca",
    battles: int = 1,
    by: str = "kim",
    game: str | None = GAME,
    seed: int | None = None,
) -> Request:
    """Ask for battles, versions named as on the command line."""
    with transaction(pool) as connection:
        return ask(connection, (read_name(first), read_name(second)), battles, by, game, seed)


def now(pool: Pool, request: Request) -> Request:
    with transaction(pool) as connection:
        return requests.find(connection, request.id)


def scheduled(pool: Pool, chance: int = 1) -> list[int]:
    return schedule(pool, RememberingQueue(), Random(chance))


def seeds_of(pool: Pool, match_ids: list[int]) -> list[int]:
    with transaction(pool) as connection:
        found = [matches.find_match(connection, match_id) for match_id in match_ids]
    return [match.seed for match in found if match is not None]


@pytest.fixture
def quiet(pool: Pool) -> Pool:
    """Two versions on the board of wood-2, and nobody there lacks a battle."""
    for name in ("kraken", "orca"):
        on_the_board(pool, name, name)
    change(pool, "UPDATE standings SET owed_from = -1000")
    assert scheduled(pool) == []
    return pool


def test_what_was_asked_for_is_played_with_both_seat_orders_and_rated(quiet: Pool) -> None:
    request = asked(quiet, battles=2)
    made = scheduled(quiet)
    assert len(made) == 4
    assert scheduled(quiet) == [], "made once"
    for match_id in made:
        claim = claimed(quiet, match_id)
        with transaction(quiet) as connection:
            matches.give_back(connection, claim, "again")
        play(quiet, match_id, (1, 0))
    done = now(quiet, request)
    assert (done.finished, done.wins, done.losses, done.made, done.is_over) == (4, 2, 2, 2, True)
    change(quiet, "UPDATE standings SET owed_from = 0")
    assert checked(quiet).is_clean
    assert checked(quiet).lines == 8


def test_battles_get_the_seed_that_was_asked_for_and_those_after_it(quiet: Pool) -> None:
    asked(quiet, battles=3, seed=-2)
    assert seeds_of(quiet, scheduled(quiet)) == [-2, -2, -1, -1, 0, 0]


def test_without_a_seed_every_battle_has_its_own(quiet: Pool) -> None:
    asked(quiet, battles=3)
    assert len(set(seeds_of(quiet, scheduled(quiet)))) == 3


def test_their_messages_pass_by_all_that_wait_also_when_they_are_rung_for_again(quiet: Pool) -> None:
    on_the_board(quiet, "eel", "eel", player="mia")
    queue = RememberingQueue()
    ordinary = schedule(quiet, queue, Random(1))
    assert (len(ordinary) > 2, queue.first) == (True, [])
    request = asked(quiet)
    requested = schedule(quiet, queue, Random(2))[:2]
    assert queue.first == requested
    with transaction(quiet) as connection:
        connection.execute("UPDATE matches SET rung_at = now() - interval '1 hour'")
        rows = connection.execute("SELECT id FROM matches WHERE request_id = %s ORDER BY id", [request.id]).fetchall()
    assert requested == [row[0] for row in rows]
    again = RememberingQueue()
    sweep(quiet, again)
    assert set(ordinary) < set(again.plays)
    assert again.first == requested


def test_they_come_before_those_of_newcomers_who_get_theirs_all_the_same(quiet: Pool) -> None:
    request = asked(quiet, battles=500)
    newcomer = on_the_board(quiet, "eel", "eel", player="mia")
    made = scheduled(quiet)
    with transaction(quiet) as connection:
        of_request = [
            row[0] for row in connection.execute("SELECT id FROM matches WHERE request_id = %s", [request.id])
        ]
        own = {seat.match_id for seat in matches.seats_of(connection, made) if seat.version == "eel@v1"}
    assert sorted(of_request) == made[: 2 * ASKED_AHEAD], "first, and as many as may wait"
    assert own == set(made[2 * ASKED_AHEAD :]) != set(), f"version {newcomer} is not kept waiting"
    assert now(quiet, request).left == 500 - ASKED_AHEAD


def test_nothing_is_quiet_before_what_was_asked_for_is_played(quiet: Pool) -> None:
    change(quiet, "UPDATE leagues SET battles = 1 WHERE game = %s", GAME)
    change(quiet, "UPDATE standings SET matches = 100, wins = 100, owed_from = 0")
    with transaction(quiet) as connection:
        before = progress(connection)
    asked(quiet, battles=3)
    with transaction(quiet) as connection:
        after = progress(connection)
    assert (before.lacking, after.lacking) == (0, 6)
    assert not after.is_quiet


def test_when_a_version_leaves_the_board_the_rest_lapses_and_what_is_made_is_played(quiet: Pool) -> None:
    request = asked(quiet, battles=100)
    made = scheduled(quiet)
    on_the_board(quiet, "orca", "a better idea")
    change(quiet, "UPDATE standings SET owed_from = -1000")
    assert scheduled(quiet) == []
    done = now(quiet, request)
    assert (done.lapsed, done.left, done.is_over) == ("orca@v1 left the board", 0, False)
    for match_id in made:
        play(quiet, match_id)
    assert now(quiet, request).is_over


def test_while_another_scheduler_works_none_is_made_twice(quiet: Pool, database_url: str) -> None:
    request = asked(quiet)
    with connect(database_url) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", [SCHEDULE_LOCK])
        assert scheduled(quiet) == []
    assert len(scheduled(quiet)) == 2
    assert now(quiet, request).made == 1


def test_a_scheduler_that_dies_before_its_transaction_ends_has_made_and_counted_nothing(
    quiet: Pool, database_url: str
) -> None:
    from ladder.requesting import make, next_battles

    request = asked(quiet)
    with connect(database_url) as dying:
        board = standings.board(dying, league_named(quiet, "wood-2").id)
        (battle,) = next_battles(dying, {request.league_id: board}, {request.league_id})
        assert make(dying, request.id, battle, 1)
        dying.rollback()
    assert now(quiet, request).left == 1
    assert len(scheduled(quiet)) == 2


def test_kept_rivals_can_be_asked_for_by_their_number(quiet: Pool) -> None:
    on_the_board(quiet, "kraken", "a better idea", keep=True)
    own = asked(quiet, "kraken", "kraken@v1")
    assert (own.first, own.second, own.league) == ("kraken@v2", "kraken@v1", "Wood 2")


def test_who_is_on_no_common_board_is_refused_in_one_sentence(quiet: Pool) -> None:
    accept_bosses(quiet)
    on_the_board(quiet, "orca", "a better idea")
    for first, second, sentence in (
        ("kraken", "kraken@v1", "kraken@v1 cannot play against itself"),
        ("kraken", "orca@v1", "orca@v1 is on no board"),
        (
            "kraken",
            "boss-gold",
            "kraken@v1 plays in Wood 2 and boss-gold@v1 plays in Gold: they meet only on one board",
        ),
    ):
        with pytest.raises(Refused, match=sentence):
            asked(quiet, first, second)
    with pytest.raises(UnknownName, match="unknown version of kraken"):
        asked(quiet, "kraken@v9", "orca")
    with pytest.raises(UsageFault, match="go beyond the largest"):
        asked(quiet, battles=2, seed=2**63 - 1)
    with transaction(quiet) as connection:
        assert requests.count_unmade(connection) == 0


def test_the_game_is_asked_for_only_where_both_names_are_in_several(quiet: Pool) -> None:
    """Bosses of both games are called alike, and it is another player's orca that plays the other game."""
    accept_bosses(quiet)
    submit(quiet, RememberingQueue(), Submission(OTHER_GAME, "orca", "mia", "print(8, 8)", "python"))
    for first, second in (("kraken", "orca"), ("boss-wood-2", "kraken@v1"), ("KRAKEN", "Boss-Wood-2")):
        assert asked(quiet, first, second, game=None).league == "Wood 2"
    with pytest.raises(UsageFault, match=r"orca plays [a-z-]+ and [a-z-]+: say which with --game"):
        asked(quiet, "orca", "boss-wood-2", game=None)
    with pytest.raises(Refused, match=r"orca@v1 plays in Wood 2.* boss-gold@v1 plays in Gold"):
        asked(quiet, "orca", "boss-gold", game=GAME)
    with pytest.raises(UnknownName, match="unknown bot 'shark'"):
        asked(quiet, "kraken", "shark", game=None)


def test_bots_of_two_games_do_not_meet(quiet: Pool) -> None:
    accept_bosses(quiet)
    with pytest.raises(
        Refused, match="kraken@v1 plays in Wood 2 of ocean-of-code and boss-wood-3@v1 plays in Wood 3 of "
    ):
        asked(quiet, "kraken", "boss-wood-3", game=None)


def test_a_promoted_version_does_not_play_on_in_the_league_that_it_left(pool: Pool) -> None:
    accept_bosses(pool)
    with transaction(pool) as connection:
        leagues.set_battles(connection, GAME, 3)
    kraken = on_the_board(pool, "kraken")
    request = asked(pool, "kraken", "boss-wood-2", battles=400)
    play_all(pool, stronger=kraken)
    done = now(pool, request)
    assert done.lapsed == "kraken@v1 left the board"
    assert done.is_over
    assert done.wins == done.finished == 2 * done.made < 800
    assert checked(pool).is_clean


def test_the_command_asks_refuses_and_lists_the_matches(
    tmp_path: Path, database_url: str, quiet: Pool, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = Desk(tmp_path / "home", {"LADDER_DATABASE_URL": database_url})
    told = json.loads(desk.ok("match", "request", "kraken", "orca@v1", "--battles", "2", "--seed", "7", "--json"))
    assert (told["first"], told["second"], told["league"], told["battles"]) == ("kraken@v1", "orca@v1", "Wood 2", 2)
    assert told["asked_by"] == "tess"
    for match_id in scheduled(quiet):
        play(quiet, match_id, (0, 0))
    rows = json.loads(desk.ok("match", "list", "--request", str(told["id"]), "--json"))
    assert sorted(row["seed"] for row in rows) == [7, 7, 8, 8]
    words = desk.ok("match", "request", "orca", "kraken")
    assert words.startswith(f"request {told['id'] + 1}: 1 battle of orca@v1 against kraken@v1 in Wood 2")
    context = Context(settings_from({"LADDER_DATABASE_URL": database_url}))
    for status, *wrong in (
        (3, "request", "kraken", "kraken"),
        (2, "request", "kraken", "shark"),
        (2, "request", "kraken", "orca", "--battles", "0"),
        (2, "request", "kraken@3", "orca"),
        (2, "list", "--request", "999"),
        (2, "list", "--request", "1", "--bot", "orca"),
    ):
        assert run(["match", *map(str, wrong)], context) == status, wrong
        said = capsys.readouterr()
        assert (said.out, said.err[:8], said.err.count("\n")) == ("", "ladder: ", 1), wrong
