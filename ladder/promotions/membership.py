"""Versions on boards: leaving and coming back, and the promotions that they have earned."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from ladder.database.connection import Connection, one
from ladder.ids import BotId, LeagueId, VersionId


def leave_boards(connection: Connection, bot_id: BotId) -> None:
    """Take every version of the bot off the boards; ratings and records stay."""
    connection.execute(
        """
        UPDATE standings SET on_board = false, is_rival = false
        FROM versions WHERE versions.id = standings.version_id AND versions.bot_id = %s AND on_board
        """,
        [bot_id],
    )


def leave_board(connection: Connection, version_id: VersionId) -> None:
    """Take one version off the board where it is, if any; its rating and record stay."""
    connection.execute(
        "UPDATE standings SET on_board = false, is_rival = false WHERE version_id = %s AND on_board", [version_id]
    )


def leave_for_a_while(connection: Connection, bot_id: BotId) -> None:
    """Take every version of the bot off the boards until `return_to_boards`; rivals of the newest stay rivals."""
    connection.execute(
        """
        UPDATE standings SET on_board = false, comes_back = true
        FROM versions WHERE versions.id = standings.version_id AND versions.bot_id = %s AND on_board
        """,
        [bot_id],
    )


def is_awaited(connection: Connection, version_id: VersionId) -> bool:
    """Say whether a version is to come onto a board, which it is on no more or not yet."""
    query = "SELECT EXISTS (SELECT FROM standings WHERE version_id = %(version)s AND comes_back)"
    return bool(one(connection, query, {"version": version_id})[0])


def return_to_boards(connection: Connection, bot_id: BotId) -> None:
    """Put those versions of the bot back onto their boards that left for a while."""
    connection.execute(
        """
        UPDATE standings SET on_board = true, comes_back = false
        FROM versions
        WHERE versions.id = standings.version_id AND versions.bot_id = %s AND comes_back AND versions.state = 'accepted'
        """,
        [bot_id],
    )


def stay_as_rivals(connection: Connection, bot_id: BotId) -> None:
    """Let the versions of the bot that are on boards stay there as rivals of the one that comes."""
    connection.execute(
        """
        UPDATE standings SET is_rival = true
        FROM versions WHERE versions.id = standings.version_id AND versions.bot_id = %s AND on_board
        """,
        [bot_id],
    )


def come_back(connection: Connection, version_id: VersionId, league_id: LeagueId) -> bool:
    """Put a version back on the board of a league where it has been. Returns whether it has."""
    done = connection.execute(
        """
        UPDATE standings SET on_board = true, is_rival = false, comes_back = false
        WHERE version_id = %s AND league_id = %s
        """,
        [version_id, league_id],
    )
    return done.rowcount == 1


def begin_again(connection: Connection, version_id: VersionId, league_id: LeagueId) -> None:
    """Let a version have its battles again before it can be promoted. Its rating and record stay.

    The caller has locked its standing, so nothing is recorded between the two counts.
    """
    connection.execute(
        """
        UPDATE standings SET counted_from = matches, eligible_at = NULL, boss_wins = 0
        WHERE version_id = %s AND league_id = %s
        """,
        [version_id, league_id],
    )
    connection.execute(
        """
        UPDATE seats SET discounted = true
        FROM matches
        WHERE seats.version_id = %s AND NOT seats.discounted AND matches.id = seats.match_id AND matches.league_id = %s
          AND matches.state = 'finished' AND matches.rates
        """,
        [version_id, league_id],
    )


def eligible_since(connection: Connection, bot_id: BotId, league_id: LeagueId) -> datetime | None:
    """Return when the version that plays for a bot in a league earned its promotion; None if none has."""
    row = connection.execute(
        """
        SELECT eligible_at FROM standings JOIN versions ON versions.id = standings.version_id
        WHERE versions.bot_id = %s AND standings.league_id = %s AND on_board AND NOT is_rival
        """,
        [bot_id, league_id],
    ).fetchone()
    return None if row is None else row[0]


def inherit_eligibility(
    connection: Connection, version_id: VersionId, league_id: LeagueId, earned_at: datetime | None
) -> None:
    """Let a version have what the version before it has earned in its league, unless it has earned that itself."""
    connection.execute(
        "UPDATE standings SET eligible_at = coalesce(eligible_at, %s) WHERE version_id = %s AND league_id = %s",
        [earned_at, version_id, league_id],
    )


def forget_eligibility(connection: Connection, bot_id: BotId, league_id: LeagueId) -> None:
    """Let no version of a bot have earned its promotion in a league any more."""
    connection.execute(
        """
        UPDATE standings SET eligible_at = NULL
        FROM versions WHERE versions.id = standings.version_id AND versions.bot_id = %s
          AND standings.league_id = %s AND eligible_at IS NOT NULL
        """,
        [bot_id, league_id],
    )


def mark_eligible(connection: Connection, version_id: VersionId, league_id: LeagueId) -> None:
    """Write down that a version has earned its promotion, unless that stands there."""
    connection.execute(
        """
        UPDATE standings SET eligible_at = now()
        WHERE version_id = %s AND league_id = %s AND eligible_at IS NULL
        """,
        [version_id, league_id],
    )


def mark_demoted(connection: Connection, version_id: VersionId, league_id: LeagueId) -> None:
    """Write down that a version was sent back from a league."""
    connection.execute(
        "UPDATE standings SET demoted_at = now() WHERE version_id = %s AND league_id = %s", [version_id, league_id]
    )


def lock_stays(connection: Connection, bot_ids: Iterable[BotId]) -> None:
    """Lock all standings of those bots' versions, in the order in which recordings lock two of them."""
    connection.execute(
        """
        SELECT FROM standings JOIN versions ON versions.id = standings.version_id
        WHERE versions.bot_id = ANY(%s)
        ORDER BY standings.version_id, standings.league_id
        FOR UPDATE OF standings
        """,
        [list(bot_ids)],
    )
