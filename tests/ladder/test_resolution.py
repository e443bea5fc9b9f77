"""What became of frozen boards, read by one who may see both."""

from datetime import UTC, datetime

import pytest

from engine.errors import Refused, UnknownName
from ladder.access import Actor, Role
from ladder.actions import games
from ladder.database.connection import Pool, transaction
from ladder.ratings import standings
from ladder.ratings.frozen import Resolved, resolution
from tests.ladder.arena import GAME, on_the_board, promoted, within

OLGA = Actor("olga", Role.OPERATOR)


def test_each_place_says_what_it_became(pool: Pool) -> None:
    names = ("eel", "kraken", "orca", "wahoo")
    versions = {name: on_the_board(pool, name, name) for name in names}
    scores(pool, {"eel": 4.0, "kraken": 3.0, "orca": 2.0, "wahoo": 1.0})
    games.freeze_boards(OLGA, pool, GAME, datetime.now(UTC))
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


def test_boards_that_are_not_frozen_have_nothing_to_reveal(pool: Pool) -> None:
    with pytest.raises(Refused, match="are not frozen, so there is nothing to reveal"):
        within(pool, resolution, GAME)
    games.freeze_boards(OLGA, pool, GAME, datetime(2126, 1, 1, tzinfo=UTC))
    with pytest.raises(Refused, match=r"are frozen from 2126-01-01 .* on, and not before"):
        within(pool, resolution, GAME)
    with pytest.raises(UnknownName, match="chess"):
        within(pool, resolution, "chess")


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
