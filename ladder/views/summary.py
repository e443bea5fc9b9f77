"""What happened on a ladder: event by event, and in numbers at the end."""

from engine.immutable import immutable
from ladder.database.connection import Connection, Rows
from ladder.ids import MatchId
from ladder.names import HOUSE

ARRIVAL = "arrival"
"""The kind of event besides those of `MoveKind`: a version has come onto a board without having left another."""


@immutable
class Summary:
    """Counts of all matches, seconds and microseconds. `rated_seats`: each has one of the `ledger_lines`."""

    asked: int
    finished: int
    rated_seats: int
    void: int
    repeated: int
    ledger_lines: int
    playing_s: float
    turns: int
    slowest_us: int
    timeouts: int
    faults: int
    rejected: list[str]

    @property
    def is_complete(self) -> bool:
        return 0 < self.finished == self.asked and self.ledger_lines == self.rated_seats

    @property
    def matches_per_s(self) -> float:
        """Return the pace from the first match's start to the last one's end."""
        return self.finished / self.playing_s if self.playing_s else 0.0


@immutable
class Rise:
    """How far a version has been promoted."""

    version: str
    promotions: int
    from_league: str
    to_league: str


def summary(connection: Connection) -> Summary:
    query = """
        SELECT count(*)::int AS asked,
               count(*) FILTER (WHERE state = 'finished')::int AS finished,
               coalesce(sum(players) FILTER (WHERE state = 'finished' AND rates), 0)::int AS rated_seats,
               count(*) FILTER (WHERE state = 'void')::int AS void,
               count(*) FILTER (WHERE attempt > 1)::int AS repeated,
               (SELECT count(*)::int FROM ledger) AS ledger_lines,
               coalesce(extract(epoch FROM max(finished_at) - min(started_at)), 0)::float8 AS playing_s,
               coalesce(sum(turns), 0)::int AS turns,
               (SELECT coalesce(max(slowest_us), 0) FROM seats WHERE verdict = 'ok') AS slowest_us,
               (SELECT count(*)::int FROM seats WHERE verdict = 'timeout') AS timeouts,
               (SELECT count(*)::int FROM seats WHERE verdict NOT IN ('ok', 'timeout')) AS faults,
               ARRAY(SELECT bots.name || '@v' || number || ': ' || message
                     FROM versions JOIN bots ON bots.id = bot_id
                     WHERE versions.state = 'rejected' ORDER BY versions.id) AS rejected
        FROM matches
        """
    return Rows(connection, Summary).one(query, {})


def rises(connection: Connection) -> list[Rise]:
    query = """
        SELECT version_name(version_id) AS version, count(*)::int AS promotions,
               (array_agg(lower_league.title ORDER BY lower_league.position))[1] AS from_league,
               (array_agg(upper_league.title ORDER BY upper_league.position DESC))[1] AS to_league
        FROM moves JOIN leagues AS lower_league ON lower_league.id = from_league
        JOIN leagues AS upper_league ON upper_league.id = to_league WHERE kind = 'promotion' GROUP BY version_id
        ORDER BY promotions DESC, version
        """
    return Rows(connection, Rise).all(query)


@immutable
class BoardEvent:
    """A version came onto a board. `kind`: ARRIVAL, or how it moved; `won` and so on: against the `boss` it left."""

    version: str
    kind: str
    league: str
    boss: str | None
    won: int
    drawn: int
    lost: int


def events(connection: Connection) -> list[BoardEvent]:
    """Return what happened to players' versions so far, the earliest first."""
    query = """
        WITH came AS (
            SELECT version_id, %(arrival)s AS kind, NULL::bigint AS from_league, league_id AS to_league,
                   entered_at AS at
            FROM standings WHERE NOT EXISTS (
                SELECT FROM moves
                WHERE moves.version_id = standings.version_id AND moves.to_league = standings.league_id)
            UNION ALL
            SELECT version_id, kind, from_league, to_league, at FROM moves),
        met AS (
            SELECT came.version_id, came.at, own.result FROM came
            JOIN matches ON matches.league_id = came.from_league AND matches.state = 'finished' AND matches.rates
                        AND matches.finished_at <= came.at
            JOIN seats AS own ON own.match_id = matches.id AND own.version_id = came.version_id
            JOIN seats AS other ON other.match_id = matches.id AND other.seat <> own.seat
            JOIN versions AS guard ON guard.id = other.version_id
            JOIN bots AS boss ON boss.id = guard.bot_id AND boss.boss_of = came.from_league)
        SELECT bots.name || '@v' || versions.number AS version, came.kind, leagues.title AS league,
               boss.name AS boss,
               count(*) FILTER (WHERE met.result = 'win')::int AS won,
               count(*) FILTER (WHERE met.result = 'draw')::int AS drawn,
               count(*) FILTER (WHERE met.result = 'loss')::int AS lost
        FROM came JOIN versions ON versions.id = came.version_id JOIN bots ON bots.id = versions.bot_id
        JOIN players ON players.id = bots.player_id JOIN leagues ON leagues.id = came.to_league
        LEFT JOIN bots AS boss ON boss.boss_of = came.from_league
        LEFT JOIN met ON met.version_id = came.version_id AND met.at = came.at WHERE players.name <> %(house)s
        GROUP BY versions.id, bots.name, versions.number, came.kind, came.at, leagues.title, boss.name
        ORDER BY came.at, versions.id
        """
    return Rows(connection, BoardEvent).all(query, {"arrival": ARRIVAL, "house": HOUSE})


def highest_win(connection: Connection) -> MatchId | None:
    """Return a match to look at: the last one won against the boss of the highest league that was left upwards."""
    query = """
        SELECT matches.id FROM seats
        JOIN matches ON matches.id = seats.match_id AND matches.state = 'finished' AND matches.rates
        JOIN moves ON moves.version_id = seats.version_id AND moves.from_league = matches.league_id
                  AND moves.kind = 'promotion'
        JOIN leagues ON leagues.id = matches.league_id WHERE seats.beat_boss
        ORDER BY leagues.position DESC, matches.finished_at DESC, matches.id DESC LIMIT 1
        """
    row = connection.execute(query).fetchone()
    return None if row is None else MatchId(row[0])
