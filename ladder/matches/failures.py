"""Attempts at matches that failed: the evidence of each, and whether it speaks against the match.

How this works. A match may fail for its own sake: a referee that stumbles, a bot that breaks its sandbox or ends its
worker, a row that cannot be read. It may also fail because something else goes on: somebody kills workers, a disk is
full, a host is busy. Then other matches fail as well. So a failure counts against its match unless another match has
failed within the last minute; where the match lost its worker, another that lost its worker too. The other match of its
battle is no such witness, since it would have the same fault, nor is one with a bot that it shares, unless that bot
finishes other matches: else a bot that ends its worker in every match would be excused by them. That the host was too
busy is not held against a match either whose bots finish their others; but it is no reason to play one more than twice
again. A bug that stumbles over the match always
counts, and never that the database or the broker was away.

There is no witness where bad luck hits one match alone, again and again: while somebody kills workers all the time,
a match that is retried at once is likely to be hit again. So a match that has lost its worker for the second time
rests. If it is bad luck, other matches lose theirs during that time; if not, it is put aside after the third time. In a
simulation of `make chaos` (100 kills in four minutes, always in one of two running matches, which take 2.5 s each)
this put a good match aside in none of 6000 runs, and without the rest in every fourth.

In whose turns the host was too busy (`suspicions`, `suspects`). An attempt at a match that the host was too busy for is
no loss, and names the seat whose turn it was. A busy host hits the bot that happens to think. So if it hits one version
again and again, against different opponents, the version has an unknown way to bring that about, and the third time is
its loss. Unless several other bots were hit on the same machine within the hour, or the machine is overloaded: then it
is the machine.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from typing import ClassVar

from psycopg.sql import SQL, Literal

from engine.immutable import immutable
from ladder.database.connection import Connection, Rows
from ladder.database.tallies import Tallied
from ladder.ids import BotId, MatchId, VersionId

AROUND_S = 60
"""Failures of others within this time speak for a match that failed."""
LATELY_S = 600
"""A bot finishes its matches if it has finished one within this time ..."""
LATEST = 50
"""... of this many that it has played last."""
REST_S = 20
"""A match that lost its worker is not begun again for this long, but at once after the first time."""
EVIDENCE_END_CHARS = 10_000
"""Of the evidence of an attempt that failed, as many characters are kept from its begin, and as many from its end."""
OPPONENTS = 3
"""The host is blamed in a version's turns against fewer different opponents than this."""
LATELY_H = 24
AROUND_H = 1
MANY_BOTS = 3
"""Where this many other bots were hit too, the machine is to blame."""
FAR_MORE = 3
WORKER_LOST = "its worker was lost"
WORKER_HANGS = "its time was over; its worker seems to hang"
WORKER_OUT_OF_REACH = "its worker was out of reach: its machine or its network was lost"
LOST = [WORKER_LOST, WORKER_HANGS]
CAUSES = {WORKER_LOST: "worker_lost", WORKER_HANGS: "worker_hangs", WORKER_OUT_OF_REACH: "machine_lost"}
"""What attempts are counted by that nobody gave back."""
HOST_BUSY = "host_busy"

RESTS = SQL("""EXISTS (
    SELECT FROM failed_attempts AS latest
    WHERE latest.match_id = matches.id AND latest.attempt = matches.attempt AND latest.attempt > 1
      AND latest.why = ANY({lost})
      AND recently(latest.failed_at, {rest_s}))""").format(lost=Literal(LOST), rest_s=Literal(REST_S))
"""Whether a row of `matches` rests. What failed in the future saw a clock set back."""

FINISHES = SQL("""EXISTS (
    SELECT FROM (
        SELECT match_id FROM seats AS played
        WHERE played.version_id = own.version_id ORDER BY match_id DESC LIMIT {latest}) AS latest
    JOIN matches AS done ON done.id = latest.match_id
    WHERE done.state = 'finished' AND done.finished_at > now() - make_interval(secs => {lately_s}))
""").format(latest=Literal(LATEST), lately_s=Literal(LATELY_S))
"""Whether the version in the seat `own` finishes its matches."""


class Blame(Enum):
    """Whether a failure is the match's own, as far as the failure alone shows; and by what the attempt is counted."""

    NONE = "service"
    LIKELY = "sandbox"
    CERTAIN = "match"


@immutable
class FailedAttempt:
    """An attempt that failed. `counts`: against the match; `seat`: in whose turn the host was too busy, or None."""

    PRIVATE: ClassVar = ("host", "pid", "why")

    match_id: MatchId
    attempt: int
    host: str
    pid: int | None
    began_at: datetime | None
    failed_at: datetime
    why: str
    counts: bool
    seat: int | None


def write_down(
    connection: Connection,
    match_id: MatchId,
    why: str,
    cause: str,
    seat: int | None = None,
    answered_seat: int | None = None,
) -> None:
    """Write down that the present attempt at a match has failed, by `cause`. The caller has locked the match.

    `seat`: in whose turn the host was too busy; `answered_seat`: whose answer came last before the referee broke.
    """
    query = """
        WITH written AS (
            INSERT INTO failed_attempts (match_id, attempt, host, pid, began_at, why, seat, answered_seat)
            SELECT matches.id, matches.attempt, coalesce(workers.host, ''), workers.pid, matches.started_at, %(why)s,
                   %(seat)s, %(answered_seat)s
            FROM matches LEFT JOIN workers ON workers.id = matches.worker_id
            WHERE matches.id = %(id)s RETURNING host)
        INSERT INTO tally_lines (name, label)
        SELECT %(failed)s, %(cause)s FROM written
        UNION ALL
        SELECT %(busy)s, host FROM written WHERE %(cause)s::text = %(host_busy)s"""
    attempt = {"id": match_id, "why": evidence_of(why), "seat": seat, "answered_seat": answered_seat}
    tally = {"failed": Tallied.FAILED, "cause": cause, "busy": Tallied.HOST_BUSY, "host_busy": HOST_BUSY}
    connection.execute(query, {**attempt, **tally})


def evidence_of(why: str) -> str:
    """Return what is kept of why an attempt failed: of a long story its begin and its end, so that a page shows all."""
    left_out = len(why) - 2 * EVIDENCE_END_CHARS
    if left_out <= 0:
        return why
    begin, end = why[:EVIDENCE_END_CHARS], why[-EVIDENCE_END_CHARS:]
    return f"{begin}\n({left_out:,} characters are left out here)\n{end}"


def others_fail_too(connection: Connection, match_id: MatchId) -> bool:
    """Say whether a match with no bot in common just failed as this one did, whose failure is written down."""
    query = SQL("""
        SELECT FROM failed_attempts AS failed
        JOIN matches ON matches.id = failed.match_id AND matches.attempt = failed.attempt
        JOIN failed_attempts AS other
             ON recently(other.failed_at, %(around_s)s)
            AND (failed.why <> ALL(%(lost)s) OR other.why = ANY(%(lost)s))
        JOIN matches AS witness ON witness.id = other.match_id AND witness.pair_id <> matches.pair_id
        WHERE failed.match_id = %(id)s AND NOT EXISTS (
            SELECT FROM seats AS theirs JOIN seats AS own ON own.version_id = theirs.version_id
            WHERE theirs.match_id = witness.id AND own.match_id = matches.id AND NOT {finishes})
        LIMIT 1""").format(finishes=FINISHES)
    values = {"id": match_id, "around_s": AROUND_S, "lost": LOST}
    return connection.execute(query, values).fetchone() is not None


def bots_play_elsewhere(connection: Connection, match_id: MatchId) -> bool:
    query = SQL("""
        SELECT FROM matches WHERE id = %(id)s
           AND players = (SELECT count(*) FROM seats AS own WHERE match_id = matches.id AND {finishes})""").format(
        finishes=FINISHES
    )
    return connection.execute(query, {"id": match_id}).fetchone() is not None


def count_against(connection: Connection, match_id: MatchId) -> None:
    query = """
        UPDATE failed_attempts SET counts = true
        WHERE match_id = %(id)s AND attempt = (SELECT attempt FROM matches WHERE id = %(id)s)"""
    connection.execute(query, {"id": match_id})


def failures_of(connection: Connection, match_ids: Sequence[MatchId]) -> list[FailedAttempt]:
    query = """
        SELECT match_id, attempt, host, pid, began_at, failed_at, why, counts, seat
        FROM failed_attempts WHERE match_id = ANY(%s) ORDER BY match_id, attempt"""
    return Rows(connection, FailedAttempt).all(query, [list(match_ids)])


HITS = SQL("""
    SELECT hit.version_id, other.version_id AS opponent_id, failed.match_id
    FROM failed_attempts AS failed
    JOIN seats AS hit ON hit.match_id = failed.match_id AND hit.seat = failed.seat
    JOIN seats AS other ON other.match_id = failed.match_id AND other.seat <> failed.seat
    JOIN versions AS own ON own.id = hit.version_id WHERE failed.seat IS NOT NULL
      AND recently(failed.failed_at, 3600 * {lately_h})
      AND {many_bots} > (
          SELECT count(DISTINCT their.bot_id)
          FROM failed_attempts AS around
          JOIN seats AS theirs ON theirs.match_id = around.match_id AND theirs.seat = around.seat
          JOIN versions AS their ON their.id = theirs.version_id
          WHERE around.seat IS NOT NULL AND around.host = failed.host AND their.bot_id <> own.bot_id
            AND around.failed_at BETWEEN failed.failed_at - make_interval(hours => {around_h})
                                     AND failed.failed_at + make_interval(hours => {around_h}))
""").format(lately_h=Literal(LATELY_H), around_h=Literal(AROUND_H), many_bots=Literal(MANY_BOTS))
"""The turns of late in which the host was blamed and nothing speaks for it."""

ANY_LATELY = SQL("""EXISTS (
    SELECT FROM failed_attempts
    WHERE seat IS NOT NULL AND recently(failed_at, 3600 * {lately_h}))""").format(lately_h=Literal(LATELY_H))


@immutable
class HostFaults:
    """How often the host was too busy, in a version's own turns and its opponents'. `void`: matches that stayed so."""

    version_id: VersionId
    version: str
    own: int
    opponents: int
    void: int


@immutable
class Suspect:
    """A version whose matches are void far more often than its opponents'. `against`: how many different opponents."""

    version: str
    own: int
    opponents: int
    against: int


def suspicions(connection: Connection, match_id: MatchId, players: int) -> tuple[str, ...]:
    """Return of each seat why its host is blamed no more, "" where it is. Slow; all "" without ANY_LATELY."""
    query = SQL("""
        WITH hits AS ({hits})
        SELECT own.seat, array_agg(DISTINCT hits.match_id ORDER BY hits.match_id)
        FROM seats AS own
        JOIN seats AS opponent ON opponent.match_id = own.match_id AND opponent.seat <> own.seat
        JOIN hits ON hits.version_id = own.version_id AND hits.opponent_id <> opponent.version_id
        WHERE own.match_id = %(id)s
        GROUP BY own.seat HAVING count(DISTINCT hits.opponent_id) >= %(earlier)s""").format(hits=HITS)
    rows = connection.execute(query, {"id": match_id, "earlier": OPPONENTS - 1}).fetchall()
    words = {seat: f"so it was in matches {', '.join(map(str, ids))}, against other opponents" for seat, ids in rows}
    return tuple(words.get(seat, "") for seat in range(players))


def host_faults_of(connection: Connection, bot_id: BotId) -> list[HostFaults]:
    query = """
        SELECT versions.id AS version_id, version_name(versions.id) AS version,
               count(failed.seat) FILTER (WHERE failed.seat = seats.seat)::int AS own,
               count(failed.seat) FILTER (WHERE failed.seat <> seats.seat)::int AS opponents,
               count(DISTINCT matches.id) FILTER (WHERE matches.state = 'void')::int AS void
        FROM versions LEFT JOIN (seats
            JOIN failed_attempts AS failed ON failed.match_id = seats.match_id AND failed.seat IS NOT NULL
            JOIN matches ON matches.id = seats.match_id) ON seats.version_id = versions.id
        WHERE versions.bot_id = %s GROUP BY versions.id, versions.number ORDER BY versions.number"""
    return Rows(connection, HostFaults).all(query, [bot_id])


def suspects(connection: Connection) -> list[Suspect]:
    """Return the versions whose matches were lately void far more often than their opponents', the worst first."""
    query = SQL("""
        WITH hits AS ({hits}),
        own AS (
            SELECT version_id, count(*)::int AS own, count(DISTINCT opponent_id)::int AS against
            FROM hits GROUP BY version_id)
        SELECT version_name(version_id) AS version, own, against, opponents
        FROM own CROSS JOIN LATERAL (
            SELECT count(*)::int AS opponents FROM hits WHERE hits.opponent_id = own.version_id) AS theirs
        WHERE against >= %(least)s AND own >= %(far_more)s * opponents
        ORDER BY own DESC, version""").format(hits=HITS)
    return Rows(connection, Suspect).all(query, {"least": OPPONENTS, "far_more": FAR_MORE})
