"""Frozen boards: all but operators see them as they were at a moment; and what became of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.errors import Refused, UnknownName
from ladder import audit
from ladder.access import Actor, Role
from ladder.actions import games as freezing
from ladder.actions import seasons as seasons_actions
from ladder.bots import bots
from ladder.database.connection import Connection, Pool, one, transaction
from ladder.errors import NotAllowed
from ladder.leagues import leagues
from ladder.matches.filters import parse
from ladder.names import NamedVersion
from ladder.ratings import standings
from ladder.ratings.frozen import Resolved, resolution
from ladder.ratings.settled_fit import settled_board
from ladder.views import seasons
from ladder.views.boards import read_pages
from ladder.views.bots import read_bot
from ladder.views.ratings import board_of
from ladder.visibility import PUBLIC, Sight, look
from tests.ladder.arena import GAME, a_pair, board, columns_of, on_the_board, promoted, within
from tests.ladder.rated import History, change, play

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
    moved = freezing.freeze_boards(OLGA, pool, GAME, now_of(pool) - HOUR)
    assert moved.has_begun
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


def test_only_operators_freeze_boards_and_only_what_is_frozen_is_thawed_or_revealed(pool: Pool) -> None:
    kim = Actor("kim")
    with pytest.raises(NotAllowed, match="only an operator may freeze a game's boards"):
        freezing.freeze_boards(kim, pool, GAME, datetime.now(UTC))
    with pytest.raises(NotAllowed, match="only an operator may freeze a game's boards"):
        freezing.thaw_boards(kim, pool, GAME)
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
