"""Battles that somebody asks for: made first, made once, rating nobody, and ended where they cannot be played."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from cli.context import Context
from cli.run import run
from engine.errors import Refused, UnknownName, UsageFault
from ladder.access import Actor
from ladder.actions.bots import submit
from ladder.database.connection import Pool, connect, transaction
from ladder.fleet.workers import Fleet
from ladder.flows.scheduling import SCHEDULE_LOCK, schedule, sweep
from ladder.flows.submission import Submission
from ladder.ids import MatchId, RequestId
from ladder.leagues import leagues
from ladder.matches import claims, match_rows
from ladder.matchmaking import demand, requests
from ladder.matchmaking.matchmaker import ASKED_AHEAD
from ladder.matchmaking.requests import BattleRequest, ask, cancel, make, next_battles
from ladder.names import read_name
from ladder.ratings import standings
from ladder.ratings.replay import void_match
from ladder.ratings.settled_fit import results
from ladder.ratings.standings import Standing
from ladder.seasons.ending import begin_series
from ladder.settings import settings_from
from ladder.views.progress import progress
from ladder.views.summary import summary
from tests.acceptance.conftest import Desk
from tests.catalogue import GAMES
from tests.conftest import Made, once
from tests.fakes import RememberingQueue
from tests.ladder import arena
from tests.ladder.arena import GAME, accept_bosses, claimed, league_named, on_the_board, play_all, scheduled, within
from tests.ladder.rated import change, checked, numbers, play
from tests.patience import wait_until

OTHER_GAME = "ice-and-fire"


def asked(
    pool: Pool,
    first: str = "kraken",
    second: str = "orca",
    battles: int = 1,
    by: str = "kim",
    game: str | None = GAME,
    seed: int | None = None,
) -> BattleRequest:
    return within(pool, ask, (read_name(first), read_name(second)), battles, by, game, seed)


def whole_board(pool: Pool) -> list[Standing]:
    return within(pool, standings.board, league_named(pool, "wood-2").id)


def taken_back(pool: Pool, request: BattleRequest, player: str = "kim") -> BattleRequest:
    return within(pool, cancel, Actor(player), request.id)


def now(pool: Pool, request: BattleRequest) -> BattleRequest:
    return within(pool, requests.find, request.id)


def seeds_of(pool: Pool, match_ids: list[MatchId]) -> list[int]:
    with transaction(pool) as connection:
        found = [match_rows.find_match(connection, match_id) for match_id in match_ids]
    return [match.known_seed for match in found if match is not None]


def kraken_and_orca(pool: Pool) -> None:
    """Let both stand on the board of wood-2, and nobody there lack a battle."""
    for name in ("kraken", "orca"):
        on_the_board(pool, name, name)
    change(pool, "UPDATE standings SET counted_from = -1000")
    assert scheduled(pool) == []


made = once(kraken_and_orca)


@pytest.fixture
def quiet(made: Made[None], pool: Pool) -> Pool:
    return pool


def test_requested_battles_have_both_seat_orders_and_are_unrated_also_taken_back(quiet: Pool) -> None:
    league_id = league_named(quiet, "wood-2").id
    before = whole_board(quiet), numbers(quiet)
    request = asked(quiet, battles=2)
    made = scheduled(quiet)
    assert whole_board(quiet) == before[0]
    assert len(made) == 4
    assert scheduled(quiet) == [], "made once"
    for match_id in made:
        within(quiet, claims.give_back, claimed(quiet, match_id), "again")
        play(quiet, match_id, (1, 0))
    done = now(quiet, request)
    assert (done.finished, done.wins, done.losses, done.made, done.is_over) == (4, 2, 2, 2, True)
    assert (whole_board(quiet), numbers(quiet)) == before
    with transaction(quiet) as connection:
        assert demand.met(connection, request.first_id) == {}
        assert not results(connection, league_id).size, "nor does a fit of all matches know of it"
        assert match_rows.count_matches(connection, GAME).finished == 4
        sums = summary(connection)
        assert (sums.finished, sums.rated_seats, sums.ledger_lines, sums.is_complete) == (4, 0, 0, True)
    change(quiet, "UPDATE standings SET counted_from = 0")
    report = checked(quiet)
    assert (report.is_clean, report.matches, report.lines) == (True, 0, 0)
    rated = numbers(quiet)
    with transaction(quiet) as connection:
        assert void_match(connection, made[0], "kim", "the map was wrong").rewritten is None
        counts = match_rows.count_matches(connection, GAME)
    assert (numbers(quiet), counts.finished, counts.void) == (rated, 3, 1)


def test_a_series_of_a_season_is_made_of_requests_and_is_rated(quiet: Pool) -> None:
    first, second = sorted(row.version_id for row in whole_board(quiet))
    rated = within(quiet, arena.insert_battle, league_named(quiet, "wood-2").id, (first, second), seed=1)
    for match_id in rated:
        play(quiet, match_id)
    with transaction(quiet) as connection:
        begin_series(connection, GAME, battles=2, top=10)
        (request,) = requests.latest(connection, 10)
    assert (request.asked_by, request.season, request.rates) == ("", 1, True)
    for match_id in scheduled(quiet):
        play(quiet, match_id)
    change(quiet, "UPDATE standings SET counted_from = 0")
    report = checked(quiet)
    assert (report.is_clean, report.matches, report.lines) == (True, 6, 12)


def test_battles_get_the_seed_that_was_asked_for_and_those_after_it(quiet: Pool) -> None:
    asked(quiet, battles=3, seed=-2)
    assert seeds_of(quiet, scheduled(quiet)) == [-2, -2, -1, -1, 0, 0]


def test_without_a_seed_every_battle_has_its_own(quiet: Pool) -> None:
    asked(quiet, battles=3)
    assert len(set(seeds_of(quiet, scheduled(quiet)))) == 3


def test_their_messages_pass_by_all_that_wait_also_when_they_are_rung_for_again(quiet: Pool) -> None:
    on_the_board(quiet, "eel", "eel", player="mia")
    queue = RememberingQueue()
    ordinary = schedule(quiet, queue, Random(1), GAMES)
    assert (len(ordinary) > 2, queue.first) == (True, [])
    request = asked(quiet)
    requested = schedule(quiet, queue, Random(2), GAMES)[:2]
    assert queue.first == requested
    with transaction(quiet) as connection:
        connection.execute("UPDATE matches SET enqueued_at = now() - interval '1 hour'")
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
        own = {seat.match_id for seat in match_rows.seats_of(connection, made) if seat.version == "eel@v1"}
    assert sorted(of_request) == made[: 2 * ASKED_AHEAD], "first, and as many as may wait"
    assert own == set(made[2 * ASKED_AHEAD :]) != set(), f"version {newcomer} is not kept waiting"
    assert now(quiet, request).left == 500 - ASKED_AHEAD


def test_nothing_is_quiet_before_what_was_asked_for_is_played(quiet: Pool) -> None:
    change(quiet, "UPDATE leagues SET battles = 1 WHERE game = %s", GAME)
    change(quiet, "UPDATE standings SET matches = 100, wins = 100, counted_from = 0")
    before = within(quiet, progress)
    asked(quiet, battles=3)
    after = within(quiet, progress)
    assert (before.lacking, after.lacking) == (0, 6)
    assert not after.is_quiet


def test_when_a_version_leaves_the_board_the_rest_lapses_and_what_is_made_is_played(quiet: Pool) -> None:
    request = asked(quiet, battles=100)
    made = scheduled(quiet)
    on_the_board(quiet, "orca", "a better idea")
    change(quiet, "UPDATE standings SET counted_from = -1000")
    assert scheduled(quiet) == []
    done = now(quiet, request)
    assert (done.lapsed, done.left, done.is_over) == ("orca@v1 left the board", 0, False)
    for match_id in made:
        play(quiet, match_id)
    assert now(quiet, request).is_over


def test_of_a_request_that_is_taken_back_no_more_is_made_and_what_is_made_is_played(quiet: Pool) -> None:
    request = asked(quiet, battles=100)
    made = scheduled(quiet)
    done = taken_back(quiet, request)
    assert (done.lapsed, done.made, done.left, done.is_over) == ("taken back", len(made) // 2, 0, False)
    assert scheduled(quiet) == []
    on_the_board(quiet, "orca", "a better idea")
    change(quiet, "UPDATE standings SET counted_from = -1000")
    assert scheduled(quiet) == []
    for match_id in made:
        play(quiet, match_id)
    over = now(quiet, request)
    assert (over.is_over, over.lapsed, over.finished) == (True, "taken back", len(made))


def test_a_request_that_cannot_be_taken_back_is_refused_and_stays_as_it_is(quiet: Pool) -> None:
    untouched, whole, lapsed, of_series = (asked(quiet, battles=number) for number in (4, 1, 3, 2))
    assert taken_back(quiet, untouched).made == 0
    change(quiet, "UPDATE requests SET made = battles WHERE id = %s", whole.id)
    change(quiet, "UPDATE requests SET lapsed = 'orca@v1 left the board' WHERE id = %s", lapsed.id)
    change(
        quiet,
        """
        WITH season AS (INSERT INTO seasons (game, number, series_battles) VALUES (%s, 3, 1) RETURNING id)
        UPDATE requests SET season_id = season.id, asked_by = '' FROM season WHERE requests.id = %s
        """,
        GAME,
        of_series.id,
    )
    for request, sentence in (
        (untouched, "is taken back already"),
        (whole, "cannot be taken back any more: its battle is made already"),
        (lapsed, "has ended already: orca@v1 left the board"),
        (of_series, "belongs to the series of season 3"),
    ):
        before = now(quiet, request)
        with pytest.raises(Refused, match=f"request {request.id} {sentence}"):
            taken_back(quiet, request)
        assert now(quiet, request) == before
    with transaction(quiet) as connection, pytest.raises(UnknownName, match="there is no request 999"):
        cancel(connection, Actor("kim"), RequestId(999))


def test_a_request_that_is_taken_back_while_a_scheduler_looks_is_made_no_more(quiet: Pool, database_url: str) -> None:
    request = asked(quiet, battles=3)
    with connect(database_url) as scheduler:
        board = standings.board(scheduler, league_named(quiet, "wood-2").id)
        first, second, _ = next_battles(scheduler, {request.league_id: board}, {request.league_id}, Fleet())
        taken_back(quiet, request)
        assert make(scheduler, request.id, first, 1) == make(scheduler, request.id, second, 2) == []
    assert (now(quiet, request).made, now(quiet, request).is_over) == (0, True)


def test_while_another_scheduler_works_none_is_made(quiet: Pool, database_url: str) -> None:
    asked(quiet)
    with connect(database_url) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", [SCHEDULE_LOCK])
        assert scheduled(quiet) == []
    assert len(scheduled(quiet)) == 2


def test_a_scheduler_that_dies_in_its_transaction_has_made_and_counted_nothing(quiet: Pool, database_url: str) -> None:
    request = asked(quiet)
    with connect(database_url) as dying:
        board = standings.board(dying, league_named(quiet, "wood-2").id)
        (battle,) = next_battles(dying, {request.league_id: board}, {request.league_id}, Fleet())
        assert make(dying, request.id, battle, 1)
        dying.rollback()
    assert now(quiet, request).left == 1
    assert len(scheduled(quiet)) == 2
    assert now(quiet, request).made == 1


def test_kept_rivals_can_be_asked_for_by_their_number(quiet: Pool) -> None:
    on_the_board(quiet, "kraken", "a better idea", leaves_rival=True)
    own = asked(quiet, "kraken", "kraken@v1")
    assert (own.first, own.second, own.league) == ("kraken@v2", "kraken@v1", "Wood 2")


def test_versions_on_no_common_board_or_of_two_games_are_refused_in_one_sentence(quiet: Pool) -> None:
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
    with pytest.raises(
        Refused, match="kraken@v1 plays in Wood 2 of ocean-of-code and boss-wood-3@v1 plays in Wood 3 of "
    ):
        asked(quiet, "kraken", "boss-wood-3", game=None)
    with pytest.raises(UnknownName, match="unknown version of kraken"):
        asked(quiet, "kraken@v9", "orca")
    with pytest.raises(UsageFault, match="go beyond the largest"):
        asked(quiet, battles=2, seed=2**63 - 1)
    assert within(quiet, requests.count_unmade) == 0


def test_the_game_is_asked_for_only_where_both_names_are_in_several(quiet: Pool) -> None:
    """Bosses of both games are called alike, and it is another player's orca that plays the other game."""
    accept_bosses(quiet)
    submit(Actor("mia"), quiet, RememberingQueue(), Submission(OTHER_GAME, "orca", "print(8, 8)", "python"))
    for first, second in (("kraken", "orca"), ("boss-wood-2", "kraken@v1"), ("KRAKEN", "Boss-Wood-2")):
        assert asked(quiet, first, second, game=None).league == "Wood 2"
    with pytest.raises(UsageFault, match=r"orca plays [a-z-]+ and [a-z-]+: say which with --game"):
        asked(quiet, "orca", "boss-wood-2", game=None)
    with pytest.raises(Refused, match=r"orca@v1 plays in Wood 2.* boss-gold@v1 plays in Gold"):
        asked(quiet, "orca", "boss-gold", game=GAME)
    with pytest.raises(UnknownName, match="unknown bot 'shark'"):
        asked(quiet, "kraken", "shark", game=None)


def test_a_promoted_version_does_not_play_on_in_the_league_that_it_left(pool: Pool, bosses: None) -> None:
    within(pool, leagues.set_battles, GAME, 3)
    kraken = on_the_board(pool, "kraken")
    request = asked(pool, "kraken", "boss-wood-2", battles=400)
    play_all(pool, stronger=kraken)
    done = now(pool, request)
    assert done.lapsed == "kraken@v1 left the board"
    assert done.is_over
    assert done.wins == done.finished == 2 * done.made < 800
    assert checked(pool).is_clean


def test_the_command_asks_refuses_and_lists_the_matches(
    desk: Desk, database_url: str, quiet: Pool, capsys: pytest.CaptureFixture[str]
) -> None:
    told = json.loads(desk.ok("match", "request", "kraken", "orca@v1", "--battles", "2", "--seed", "7", "--json"))
    assert (told["first"], told["second"], told["league"], told["battles"]) == ("kraken@v1", "orca@v1", "Wood 2", 2)
    assert told["asked_by"] == "tess"
    for match_id in scheduled(quiet):
        play(quiet, match_id, (0, 0))
    rows = json.loads(desk.ok("match", "list", "--request", str(told["id"]), "--json"))
    assert sorted(row["seed"] for row in rows) == [7, 7, 8, 8]
    assert (told["rates"], {row["rates"] for row in rows}) == (False, {False})
    words = desk.ok("match", "request", "orca", "kraken")
    assert "; unrated; " in words
    assert words.startswith(f"request {told['id'] + 1}: 1 battle of orca@v1 against kraken@v1 in Wood 2")
    context = Context(settings_from({"LADDER_DATABASE_URL": database_url}))
    for status, *wrong in (
        (3, "request", "kraken", "kraken"),
        (2, "request", "kraken", "shark"),
        (2, "request", "kraken", "orca", "--battles", "0"),
        (2, "request", "kraken@3", "orca"),
        (2, "list", "--request", "999"),
        (2, "cancel", "999"),
        (2, "cancel", "0"),
        (2, "cancel", "first"),
        (3, "cancel", told["id"], "--player", "tess"),
        (2, "list", "--request", "1", "--game", GAME),
        (3, "request", "kraken", "orca", "--player", "house"),
        (2, "list", "--request", "1", "--bot", "orca"),
    ):
        assert run(["match", *map(str, wrong)], context) == status, wrong
        said = capsys.readouterr()
        assert (said.out, said.err[:8], said.err.count("\n")) == ("", "ladder: ", 1), wrong


def test_a_battle_of_which_one_match_is_void_is_listed_whole(desk: Desk, quiet: Pool) -> None:
    request = asked(quiet)
    put_aside, other = scheduled(quiet)
    change(quiet, "UPDATE matches SET state = 'void', started_at = now() WHERE id = %s", put_aside)
    play(quiet, other)
    for words in (("match", "list", "--request", str(request.id)), ("match", "list"), ("match", "list", "-b", "orca")):
        rows = {row["id"]: row for row in json.loads(desk.ok(*words, "--json"))}
        assert (rows[put_aside]["state"], rows[other]["state"]) == ("void", "finished"), words
        (own,) = (line for line in desk.ok(*words).splitlines() if line.split()[:1] == [str(put_aside)])
        assert own.split()[own.split().index("-:-") + 1] == "void"


def test_open_requests_are_listed_and_ended_ones_with_a_reason(desk: Desk, quiet: Pool) -> None:
    assert (desk.run("match", "requests").stdout, desk.run("match", "requests", "--all").stdout) == ("", "")
    over = asked(quiet)
    for match_id in scheduled(quiet):
        play(quiet, match_id)
    long, lapsed = asked(quiet, "orca", "kraken", battles=40, by="mia"), asked(quiet, battles=2)
    change(quiet, "UPDATE requests SET lapsed = 'orca@v1 left the board' WHERE id = %s", lapsed.id)
    scheduled(quiet)
    (row,) = json.loads(desk.ok("match", "requests", "--json"))
    assert (row["id"], row["game"], row["league"]) == (long.id, GAME, "Wood 2")
    assert (row["first"], row["second"]) == ("orca@v1", "kraken@v1")
    assert (row["made"], row["battles"], row["left"], row["asked_by"]) == (16, 40, 24, "mia")
    shown = desk.ok("match", "requests")
    assert all(word in shown for word in (GAME, "Wood 2", "orca@v1", "kraken@v1", "16/40", "mia", "open"))
    listed = json.loads(desk.ok("match", "requests", "--all", "--json"))
    assert [(row["id"], row["is_over"]) for row in listed] == [(lapsed.id, True), (long.id, False), (over.id, True)]
    shown = desk.ok("match", "requests", "--all")
    assert "left the board" in shown
    assert "played" in shown
    cut = desk.run("match", "requests", "--all", "--limit", "2")
    assert ("played" in cut.stdout, cut.stderr) == (False, "there are more than 2: --limit shows as many as you like\n")
    assert desk.run("match", "list", "--request", str(lapsed.id)).stderr.endswith(
        "2 of its 2 battles were not made: orca@v1 left the board\n"
    )


def test_the_command_takes_a_request_back_once(tmp_path: Path, database_url: str, quiet: Pool) -> None:
    desk = Desk(tmp_path / "home", {"LADDER_DATABASE_URL": database_url, "LADDER_PLAYER": "kim"})
    request = asked(quiet, battles=20)
    made, *_ = scheduled(quiet)
    other = asked(quiet, battles=3)
    told = desk.ok("match", "cancel", str(request.id))
    assert told == f"request {request.id} is taken back: 4 of its 20 battles were not made; what is made is played\n"
    assert "is taken back already" in desk.refused(3, "match", "cancel", str(request.id))
    row = json.loads(desk.ok("match", "cancel", str(other.id), "--json"))
    assert (row["id"], row["lapsed"], row["left"], row["is_over"]) == (other.id, "taken back", 0, True)
    assert f"made for request {request.id} (kim): it is unrated; 4 of its 20 battles were not made: taken back" in (
        desk.ok("match", "show", str(made))
    )
    assert json.loads(desk.ok("match", "show", str(made), "--json"))["request"]["lapsed"] == "taken back"


def test_waiting_for_a_request_that_is_cut_short_has_status_1(desk: Desk, quiet: Pool) -> None:

    def leave_the_board() -> None:
        wait_until(lambda: scheduled(quiet), "the matches of the request")
        on_the_board(quiet, "orca", "a better idea")
        change(quiet, "UPDATE standings SET counted_from = -1000")
        assert scheduled(quiet) == []
        change(quiet, "UPDATE matches SET state = 'void' WHERE state = 'queued'")

    with ThreadPoolExecutor() as threads:
        left = threads.submit(leave_the_board)
        done = desk.run("match", "request", "kraken", "orca", "--battles", "20", "--watch")
        left.result()
    assert done.returncode == 1
    assert done.stdout.endswith("; 32 void; 4 of its 20 battles were not made: orca@v1 left the board\n")


def test_only_who_has_asked_takes_a_request_back(desk: Desk, quiet: Pool) -> None:
    request = asked(quiet, battles=20)
    words = ("match", "cancel", str(request.id))
    refusal = f"ladder: request {request.id} belongs to kim, and only its player can do that\n"
    assert desk.refused(3, *words) == refusal
    assert desk.refused(3, *words, "--player", "mia") == refusal
    assert "--player is empty" in desk.refused(2, *words, "--player", "")
    assert "the bots of house come with Ladder" in desk.refused(3, *words, "--player", "house")
    assert now(quiet, request) == request
    desk.ok(*words, "--player", "Kim")
    told = json.loads(desk.ok("match", "request", "kraken", "orca", "--player", "mia", "--json"))
    assert told["asked_by"] == "mia"
    assert "belongs to mia" in desk.refused(3, "match", "cancel", str(told["id"]))
    desk.ok("match", "cancel", str(told["id"]), LADDER_PLAYER="mia")
