"""A large board is read page by page, a large ladder is not read whole, and frozen boards stay as they were."""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Refused, UnknownName, UsageFault
from ladder import audit
from ladder.access import Actor, Role
from ladder.actions import games as freezing
from ladder.actions import seasons as seasons_actions
from ladder.bots import bots
from ladder.database.connection import Connection, Pool, one, transaction
from ladder.errors import NotAllowed
from ladder.ids import LARGEST_ID, LeagueId
from ladder.leagues import leagues
from ladder.matches import match_rows
from ladder.matches.filters import parse
from ladder.names import NamedVersion
from ladder.ratings import standings
from ladder.ratings.frozen import Resolved, resolution
from ladder.ratings.replay import void_match
from ladder.ratings.settled_fit import settled_board
from ladder.ratings.standings import TOP, BoardCursor, Standing
from ladder.views import seasons
from ladder.views.boards import read_pages
from ladder.views.bots import read_bot
from ladder.views.ratings import board_of
from ladder.visibility import PUBLIC, Sight, look
from tests.acceptance.conftest import Desk
from tests.bench.full_ladder import LEAGUE, add_versions, put_on_board
from tests.ladder import arena
from tests.ladder.arena import GAME, a_pair, board, claimed, columns_of, league_named, on_the_board, promoted, within
from tests.ladder.rated import History, change, play

WORDS = ("board", "--game", GAME, "--league", LEAGUE)


@pytest.fixture
def field(database_url: str, pool: Pool) -> int:
    add_versions(database_url, 40)
    change(pool, "UPDATE standings SET score = version_id %% 7 - 2.1")
    return league_named(pool, LEAGUE).id


def pages(connection: Connection, league_id: LeagueId, limit: int) -> Iterator[list[Standing]]:
    after = TOP
    while rows := standings.board(connection, league_id, after, limit):
        yield rows
        after = rows[-1].mark(after.rank + len(rows))


def test_pages_put_together_are_the_board(pool: Pool, field: LeagueId) -> None:
    with transaction(pool) as connection:
        whole = standings.board(connection, field)
        for limit in (1, 7, 20, 40, 1000):
            found = list(pages(connection, field, limit))
            assert [row for page in found for row in page] == whole
            assert {len(page) for page in found[:-1]} <= {limit}
        left = {rank: standings.count_after(connection, field, row.mark(rank)) for rank, row in enumerate(whole, 1)}
    assert [(-row.score, row.version_id) for row in whole] == sorted((-row.score, row.version_id) for row in whole)
    assert left == {rank: 40 - rank for rank in range(1, 41)}


def test_a_version_that_is_overtaken_between_two_pages_hides_no_other(pool: Pool, field: LeagueId) -> None:
    """By the number of rows above it the second page would begin one row too late."""
    with transaction(pool) as connection:
        whole = standings.board(connection, field)
        first = standings.board(connection, field, limit=10)
    change(pool, "UPDATE standings SET score = -100 WHERE version_id = %s", first[3].version_id)
    second = within(pool, standings.board, field, first[-1].mark(10), 10)
    assert [row.version_id for row in second] == [row.version_id for row in whole[10:20]]


@given(
    st.builds(
        BoardCursor,
        st.integers(1, LARGEST_ID),
        st.floats(allow_nan=False, allow_infinity=False),
        st.integers(1, LARGEST_ID),
    )
)
def test_a_mark_is_read_as_it_was_written(mark: BoardCursor) -> None:
    assert BoardCursor.read(mark.text) == mark


def test_what_is_no_mark_is_refused() -> None:
    odd = ("1:2:x", "x:2:3", "1:x:3", "1:nan:3", "1:inf:3", "0:1:1", "-1:1:1", f"1:2:{2**63}")
    for text in ("", "7", "1:2", *odd):
        with pytest.raises(UsageFault, match="is not a place on a board"):
            BoardCursor.read(text)


def rows_read(connection: Connection, look: Callable[[], object]) -> dict[str, int]:
    """Return how many rows of each table are read to look at something, by whatever way."""

    def read_so_far() -> Counter[str]:
        rows = connection.execute(
            "SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables"
        )
        return Counter(dict(rows.fetchall()))

    before = read_so_far()
    look()
    return dict(read_so_far() - before)


def test_a_page_is_read_without_the_rest_of_the_board(large: Connection) -> None:
    league_id = leagues.find_league(large, GAME, LEAGUE).id
    whole = standings.board(large, league_id)
    for rank in (0, 1000, 1950):
        after = whole[rank - 1].mark(rank) if rank else TOP
        assert standings.board(large, league_id, after, 50) == whole[rank : rank + 50]
        read = rows_read(large, partial(standings.board, large, league_id, after, 50))
        assert 50 <= read["standings"] <= 2 * 50
        assert read.keys().isdisjoint({"matches", "seats"})


def test_matches_are_counted_without_reading_those_that_are_finished(large: Connection) -> None:
    assert match_rows.count_matches(large, GAME).finished == 6000
    assert "matches" not in rows_read(large, partial(match_rows.count_matches, large, GAME))


def test_the_latest_matches_are_found_without_reading_the_others(large: Connection) -> None:
    league_id = leagues.find_league(large, GAME, LEAGUE).id
    board = sorted(standings.board(large, league_id), key=lambda row: row.record.matches)
    for bot, many in ((None, 5), (board[-1].bot, 5), (board[0].bot, min(board[0].record.matches, 5))):
        bot_id = None if bot is None else bots.find_bot(large, bot).id
        found = [match.id for match in match_rows.latest_matches(large, 5, bot_id)]
        assert found == sorted(found, reverse=True)
        assert len(found) == many
        read = rows_read(large, partial(match_rows.latest_matches, large, 5, bot_id))
        assert read.get("matches", 0) <= 4 * 5, "of 6000; by which of its plans the database finds them may vary"
        assert read.get("seats", 0) <= 2 * 5


def test_the_latest_matches_of_a_game_are_found_without_reading_the_others(large: Connection) -> None:
    """However many another game has had since."""
    assert match_rows.latest_matches(large, 5, game=GAME) == match_rows.latest_matches(large, 5)
    assert rows_read(large, partial(match_rows.latest_matches, large, 5, game=GAME))["matches"] <= 4 * 5
    assert match_rows.latest_matches(large, 5, game="ice-and-fire") == []
    assert "matches" not in rows_read(large, partial(match_rows.latest_matches, large, 5, game="ice-and-fire"))
    low, high = (leagues.find_league(large, "ice-and-fire", name).id for name in ("wood-3", "gold"))
    large.execute("UPDATE matches SET league_id = %s WHERE id <= 40", [low])
    large.execute("UPDATE matches SET league_id = %s WHERE id BETWEEN 3 AND 4", [high])
    found = [match.id for match in match_rows.latest_matches(large, 38, game="ice-and-fire")]
    assert found == list(range(40, 2, -1))
    read = rows_read(large, partial(match_rows.latest_matches, large, 5, game="ice-and-fire"))
    assert read["matches"] <= 4 * 5


def test_a_bots_latest_matches_are_those_of_all_its_versions_that_are_finished(pool: Pool, history: History) -> None:
    a_pair(pool, history.versions["kraken"], history.versions["orca"])  # waits
    with transaction(pool) as connection:
        for name, version_id in history.versions.items():
            rows = connection.execute("SELECT match_id FROM seats WHERE version_id = %s", [version_id]).fetchall()
            own = sorted({row[0] for row in rows} & set(history.matches), reverse=True)
            found = match_rows.latest_matches(connection, 4, bots.find_bot(connection, name).id)
            assert [match.id for match in found] == own[:4]
        everybody = match_rows.latest_matches(connection, 100)
    assert [match.id for match in everybody] == history.matches[::-1]


def test_void_matches_are_among_the_latest_but_not_what_a_gauntlet_left_unplayed(pool: Pool, history: History) -> None:
    kraken, orca = history.versions["kraken"], history.versions["orca"]
    put_aside, dropped = a_pair(pool, kraken, orca)
    change(pool, "UPDATE matches SET state = 'void', started_at = now() WHERE id = %s", put_aside)
    gone = "UPDATE matches SET state = 'void', void_by = 'ladder', void_at = now() WHERE id = %s"
    change(pool, gone, dropped)
    taken_back = history.matches[-1]
    with transaction(pool) as connection:
        void_match(connection, taken_back, "kim", "a test")
        everybody = match_rows.latest_matches(connection, 100)
        (first,) = match_rows.latest_matches(connection, 1)
        own = match_rows.latest_matches(connection, 2, bots.find_bot(connection, "kraken").id)
        for limit in (100, 1):
            of_game = match_rows.latest_matches(connection, limit, game=GAME)
            assert of_game == match_rows.latest_matches(connection, limit)
        assert match_rows.latest_matches(connection, 100, game="ice-and-fire") == []
    assert [match.id for match in everybody] == [put_aside, *history.matches[::-1]]
    assert [match.id for match in everybody if match.state == "void"] == [put_aside, taken_back]
    assert first.id == own[0].id == put_aside


def test_the_counts_are_those_of_the_matches(pool: Pool, history: History) -> None:
    first, second, _ = history.versions.values()
    a_pair(pool, first, second)
    claimed(pool, a_pair(pool, first, second)[0])
    with transaction(pool) as connection:
        void_match(connection, history.matches[2], "kim", "a test")
        query = """
            INSERT INTO gauntlets (league_id, candidate_id, asked_by, seed, pairs)
            SELECT league_id, %s, 'kim', 1, 1 FROM matches LIMIT 1 RETURNING id, league_id
         """
        ((gauntlet_id, league_id),) = connection.execute(query, [first]).fetchall()
        of_gauntlet = arena.insert_battle(connection, league_id, (first, second), 1, part_of=(gauntlet_id, 0))
    play(pool, of_gauntlet[0])
    with transaction(pool) as connection:
        rows = connection.execute("SELECT state FROM matches").fetchall()
        found = match_rows.count_matches(connection)
        elsewhere = match_rows.count_matches(connection, "ice-and-fire")
    counted = Counter(state for (state,) in rows)
    assert counted == {"queued": 4, "running": 1, "finished": 12, "void": 1}
    assert counted == {state: getattr(found, state) for state in counted}
    assert (elsewhere.waiting, elsewhere.finished, elsewhere.void) == (0, 0, 0)


def test_the_command_shows_a_page_and_how_to_see_the_next(desk: Desk, field: int) -> None:
    whole = json.loads(desk.ok(*WORDS, "--json"))
    assert [row["rank"] for row in whole] == list(range(1, 41))
    page = desk.ok(*WORDS, "--limit", "15").splitlines()
    assert page[-1].startswith("25 more: ladder board ")
    told = page[-1].partition("ladder ")[2].split()
    second = desk.ok(*told)
    assert second.splitlines()[-1].startswith("10 more: ladder board ")
    assert whole[15]["version"] in second
    assert whole[14]["version"] not in second
    rows = json.loads(desk.ok(*told, "--json"))
    assert rows == whole[15:30]
    last = list(csv.DictReader(io.StringIO(desk.ok(*WORDS, "--csv", "--after", rows[-1]["cursor"]))))
    assert [row["version"] for row in last] == [row["version"] for row in whole[30:]]
    assert "more" not in desk.ok(*WORDS, "--limit", "15", "--after", rows[-1]["cursor"])


def test_the_command_lists_the_matches_of_a_game(desk: Desk, history: History) -> None:
    everybody = json.loads(desk.ok("match", "list", "--json"))
    assert [row["id"] for row in everybody] == history.matches[::-1]
    assert json.loads(desk.ok("match", "list", "--game", GAME, "--json")) == everybody
    assert json.loads(desk.ok("match", "list", "--game", GAME, "-n", "1", "--json")) == everybody[:1]
    assert "kraken@v1" in desk.ok("match", "list", "--game", GAME)
    none = desk.run("match", "list", "--game", "ice-and-fire")
    assert (none.returncode, none.stdout, none.stderr) == (0, "", "ice-and-fire has no finished match yet\n")
    assert "unknown game 'chess'" in desk.refused(2, "match", "list", "--game", "chess")


def test_pages_that_make_no_sense_are_refused_in_one_sentence(tmp_path: Path) -> None:
    for words in (
        ("board", "--after", "1:2:3"),
        (*WORDS, "--after", "nowhere"),
        (*WORDS, "--limit", "0"),
        (*WORDS, "--limit", "99999999999999999999"),
    ):
        assert Desk(tmp_path / "home").refused(2, *words).count("\n") == 1, words


def test_ranks_around_versions_are_theirs_their_neighbours_and_the_boss(pool: Pool) -> None:
    league = league_named(pool, "wood-2")
    within(pool, put_on_board, league.id, 7)
    ids = [row.version_id for row in within(pool, standings.board, league.id)]
    change(pool, "UPDATE bots SET boss_of = NULL WHERE boss_of = %s", league.id)
    change(pool, "UPDATE bots SET boss_of = %s WHERE name = 'bot-7'", league.id)
    with transaction(pool) as connection:
        around = standings.ranks_around(connection, league.id, [ids[0], ids[3]], small=5)
        assert around.by_version == {ids[place]: place + 1 for place in (0, 1, 2, 3, 4, 6)}
        assert around.of == len(ids)
        whole = standings.ranks_around(connection, league.id, [], small=len(ids))
        assert whole.by_version == {version_id: rank for rank, version_id in enumerate(ids, 1)}


OLGA = Actor("olga", Role.OPERATOR)
KIM = Sight("kim")
OPERATES = Sight("olga", operates=True)
HOUR = timedelta(hours=1)


@contextmanager
def seen(pool: Pool, sight: Sight) -> Iterator[Connection]:
    with transaction(pool) as connection:
        look(connection, sight)
        yield connection


def boards_seen(pool: Pool, sight: Sight = PUBLIC) -> list[tuple[Any, ...]]:
    """Everything that the boards and kim's bots say of ratings to somebody, but what waits to be played."""
    with seen(pool, sight) as connection:
        rows = [
            (page.league.name, row.rank, row.version, row.standing.score, row.standing.mu, row.standing.record)
            for page in read_pages(connection, GAME)
            for row in page.rows
        ]
        leagues_of_bots = [(bot.name, bot.league) for bot in bots.bots(connection, GAME) if bot.player == "kim"]
        stays = [
            (stay.league, stay.on_board, stay.score, stay.record, stay.eligible_at, stay.boss_wins)
            for name, _ in leagues_of_bots
            for stay in read_bot(connection, NamedVersion(name), GAME).standings
        ]
        lines = connection.execute("SELECT sequence, mu_after FROM ledger ORDER BY sequence").fetchall()
        return [*rows, *leagues_of_bots, *stays, *lines]


def fits(connection: Connection) -> list[object]:
    league = leagues.find_league(connection, GAME, "wood-2")
    by_filter = board_of(connection, league, parse("turns >= 0"))
    return [*settled_board(connection, league), *((line.version, line.mu, line.record) for line in by_filter)]


def now_of(pool: Pool) -> datetime:
    found: datetime = within(pool, one, "SELECT clock_timestamp()", {})[0]
    return found


def play_on(pool: Pool, history: History) -> None:
    """Let all that changes boards happen: a match, a newer version, a promotion, a newcomer."""
    kraken, orca, eel = (history.versions[name] for name in ("kraken", "orca", "eel"))
    for match_id in a_pair(pool, kraken, orca):
        play(pool, match_id, (1, 0), ("ok", "timeout"))
    newer = on_the_board(pool, "orca", "a newer one")
    on_the_board(pool, "hydra", "late", player="lee")
    for match_id in a_pair(pool, newer, eel):
        play(pool, match_id, (0, 1))
    within(pool, promoted, kraken)


@pytest.mark.parametrize("sets_it_later", [False, True], ids=["from now on", "from a moment that is over"])
def test_players_see_boards_of_then_and_operators_of_now(pool: Pool, history: History, sets_it_later: bool) -> None:
    before, moment = boards_seen(pool), now_of(pool)
    fitted = within(pool, fits)
    if not sets_it_later:
        freezing.freeze_boards(OLGA, pool, GAME, moment)
    play_on(pool, history)
    if sets_it_later:
        assert boards_seen(pool) != before
        freezing.freeze_boards(OLGA, pool, GAME, moment)
    assert boards_seen(pool) == boards_seen(pool, KIM) == before
    with seen(pool, KIM) as connection:
        assert fits(connection) == fitted
        assert connection.execute("SELECT FROM moves").fetchall() == []
        (frozen,) = {page.frozen for page in read_pages(connection, GAME)}
        assert frozen is not None
        assert (frozen.since, frozen.is_true) == (moment, False)
    now = boards_seen(pool, OPERATES)
    assert now != before
    with seen(pool, OPERATES) as connection:
        assert {page.frozen and page.frozen.is_true for page in read_pages(connection, GAME)} == {True}
        assert fits(connection) != fitted
    assert board(pool)["orca@v2"].record.matches == 2
    freezing.thaw_boards(OLGA, pool, GAME)
    assert boards_seen(pool) == boards_seen(pool, KIM) == now
    with transaction(pool) as connection:
        assert connection.execute("SELECT FROM frozen_standings").fetchall() == []
        assert [line.deed for line in audit.concerning_others(connection, 10)] == ["board thaw", "board freeze"]


def test_a_freeze_that_is_to_come_hides_nothing_yet_and_can_be_moved(pool: Pool, history: History) -> None:
    freezing.freeze_boards(OLGA, pool, GAME, now_of(pool) + HOUR)
    before = boards_seen(pool)
    play_on(pool, history)
    assert boards_seen(pool) == boards_seen(pool, OPERATES) != before
    assert freezing.freeze_boards(OLGA, pool, GAME, now_of(pool) - HOUR).has_begun
    with pytest.raises(Refused, match="already; `ladder board --game ocean-of-code --thaw` ends that"):
        freezing.freeze_boards(OLGA, pool, GAME, now_of(pool))


def test_the_change_that_comes_first_after_the_moment_is_hidden(pool: Pool, history: History) -> None:
    """The moment comes while nobody does anything, as it does when it was set long before."""
    freezing.freeze_boards(OLGA, pool, GAME, now_of(pool) + HOUR)
    before = boards_seen(pool)
    change(pool, "UPDATE board_freezes SET frozen_from = clock_timestamp()")
    play_on(pool, history)
    assert boards_seen(pool) == before
    freezing.thaw_boards(OLGA, pool, GAME)


def test_a_season_that_is_closed_meanwhile_is_still_on_for_players(pool: Pool, history: History) -> None:
    del history
    freezing.freeze_boards(OLGA, pool, GAME, now_of(pool))
    seasons_actions.close(OLGA, pool, GAME)

    def states(sight: Sight) -> list[tuple[int, str]]:
        with seen(pool, sight) as connection:
            return [(one.number, one.state) for one in seasons.listed(connection, GAME)]

    assert states(KIM) == [(1, "open")]
    assert states(OPERATES) == [(1, "closed"), (2, "open")]
    with seen(pool, KIM) as connection:
        assert connection.execute("SELECT FROM season_ranks").fetchall() == []
        with pytest.raises(Refused, match="is not closed yet"):
            seasons.final_boards(connection, GAME, 1)
    freezing.thaw_boards(OLGA, pool, GAME)
    assert states(KIM) == [(1, "closed"), (2, "open")]


def test_boards_of_other_games_go_on(pool: Pool, history: History) -> None:
    freezing.freeze_boards(OLGA, pool, "ice-and-fire", now_of(pool))
    before = boards_seen(pool)
    play_on(pool, history)
    assert boards_seen(pool) == boards_seen(pool, OPERATES) != before


def test_only_operators_freeze_boards(pool: Pool) -> None:
    kim = Actor("kim")
    with pytest.raises(NotAllowed, match="only an operator may freeze a game's boards"):
        freezing.freeze_boards(kim, pool, GAME, datetime.now(UTC))
    with pytest.raises(NotAllowed, match="only an operator may freeze a game's boards"):
        freezing.thaw_boards(kim, pool, GAME)


def test_only_what_is_frozen_is_thawed_or_revealed(pool: Pool) -> None:
    with pytest.raises(Refused, match="are not frozen"):
        freezing.thaw_boards(OLGA, pool, GAME)
    with pytest.raises(Refused, match="are not frozen, so there is nothing to reveal"):
        within(pool, resolution, GAME)
    freezing.freeze_boards(OLGA, pool, GAME, datetime(2126, 1, 1, tzinfo=UTC))
    with pytest.raises(Refused, match=r"are frozen from 2126-01-01 .* on, and not before"):
        within(pool, resolution, GAME)
    with pytest.raises(UnknownName, match="chess"):
        within(pool, resolution, "chess")


def test_the_views_of_frozen_boards_have_the_columns_of_their_tables(pool: Pool) -> None:
    """A column that a view lacks would be missing for players while a board is frozen."""
    tables, views = columns_of(pool, "public"), columns_of(pool, "frozen")
    shown = views.keys() & tables.keys()
    matches = {"matches", "hidden_matches", "seats", "gauntlets", "tune_pairs"}
    assert shown == {"standings", "ledger", "moves", "bots", "seasons", "season_ranks"} | matches
    assert {name: views[name] for name in shown} == {name: tables[name] for name in shown}
    assert tables["frozen_standings"] == tables["standings"]


def test_each_place_says_what_it_became(pool: Pool) -> None:
    names = ("eel", "kraken", "orca", "wahoo")
    versions = {name: on_the_board(pool, name, name) for name in names}
    scores(pool, {"eel": 4.0, "kraken": 3.0, "orca": 2.0, "wahoo": 1.0})
    freezing.freeze_boards(OLGA, pool, GAME, datetime.now(UTC))
    scores(pool, {"eel": 1.5, "orca": 5.0, "wahoo": 2.5})
    within(pool, promoted, versions["kraken"])
    on_the_board(pool, "wahoo", "another")
    on_the_board(pool, "squid", "squid")
    freeze, boards = within(pool, resolution, GAME)
    assert freeze.game == GAME
    lowest, above = boards[:2]
    assert [(row.before.standing.name, *became(row)) for row in lowest.before if row.before.standing.bot in names] == [
        ("eel@v1", "eel@v1", lowest.league.title),
        ("kraken@v1", "kraken@v1", above.league.title),
        ("orca@v1", "orca@v1", lowest.league.title),
        ("wahoo@v1", "wahoo@v2", lowest.league.title),
    ]
    rises = {row.before.standing.bot: row.rise for row in lowest.before}
    assert (rises["orca"], rises["eel"], rises["kraken"]) == (2, -1, 0)
    came = {place.standing.name: None if was is None else was.rank for place, was in lowest.after}
    assert (came["orca@v1"], came["wahoo@v2"], came["squid@v1"]) == (3, 4, None)
    assert [was.league.title for place, was in above.after if was and place.standing.bot == "kraken"] == [
        lowest.league.title
    ]
    now = within(pool, standings.board, lowest.league.id)
    assert [place.standing.name for place, _ in lowest.after] == [row.name for row in now], "the true one is seen again"


def became(row: Resolved) -> tuple[str, str]:
    assert row.after is not None
    return row.after.standing.name, row.after.league.title


def scores(pool: Pool, of_bots: dict[str, float]) -> None:
    """Let versions have scores, as matches would give them."""
    with transaction(pool) as connection:
        connection.cursor().executemany(
            """
            UPDATE standings SET score = %(score)s, mu = 25 + %(score)s
            FROM versions JOIN bots ON bots.id = bot_id
            WHERE versions.id = version_id AND bots.name = %(bot)s AND on_board
            """,
            [{"bot": bot, "score": score} for bot, score in of_bots.items()],
        )
