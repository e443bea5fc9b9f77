"""What a replay follows from: so a reader who has it already gets a 304, and it is not made again."""

from __future__ import annotations

from engine.errors import ArenaError
from engine.game import Games
from ladder.database.connection import Connection
from ladder.ids import MatchId
from ladder.sight import PUBLIC
from ladder.web.accounts.identity import ASKING
from ladder.web.stage import etag_of


def replay_etag(connection: Connection, games: Games, match_id: MatchId) -> str | None:
    """Return the ETag of a finished match's replay; None for one that is not finished, or of a game that is not here.

    It follows from which attempt was recorded and when, from the names of its players, which can change, and from the
    program and the game's own files, which make pictures of it; and from what the one who asks may see.
    """
    row = connection.execute(
        """
        SELECT leagues.game, matches.edition, matches.attempt, matches.finished_at, leagues.title,
               array_agg(bots.name || '@v' || versions.number ORDER BY seats.seat)
        FROM matches
        JOIN leagues ON leagues.id = matches.league_id
        JOIN seats ON seats.match_id = matches.id
        JOIN versions ON versions.id = seats.version_id
        JOIN bots ON bots.id = versions.bot_id
        WHERE matches.id = %s AND matches.state = 'finished'
        GROUP BY leagues.id, matches.edition, matches.attempt, matches.finished_at
        """,
        [match_id],
    ).fetchone()
    if row is None:
        return None
    try:
        game = games.find(row[0], row[1])
    except ArenaError:
        return None
    sight = ASKING.get().sight
    return etag_of(match_id, *row, *([] if sight == PUBLIC else [sight]), game=game)
