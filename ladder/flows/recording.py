"""Recording matches: the results, all ratings and ledger lines in one transaction, or nothing at all.

How this works. A recording takes above all the time of its statements' ways to the server and back, and meanwhile
others who rate the same versions wait. So one statement does all that needs no rating. Another locks the standings of
all matches that are recorded together; what each changes is added up here; and a third writes it all.

Where several matches are recorded together, each statement still waits for its answer. `executemany` would send them
all at once, and after them a word that makes PostgreSQL forget its limit for transactions that do nothing (a Flush
after the Sync): a worker that is stopped then would hold its locks for as long as it stands still.

Where many record at the same time, each holds standings that others wait for, and all wait for processor time, so each
holds them for longer. Therefore only some do: the others wait at a gate before they hold any.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from psycopg.types.json import Jsonb

from engine.conversation import TimeLimits
from engine.immutable import immutable
from engine.match import MatchResult
from ladder.database.connection import Connection, without_nul
from ladder.ids import LeagueId, VersionId
from ladder.matches.claims import MatchClaim
from ladder.matches.match_rows import unpacked_text
from ladder.matches.record import Recording, pack
from ladder.matches.seat_results import COLUMNS, SeatResult, beyond_bound, count_overruns, seat_result
from ladder.ratings.counts import SUMS, Record, columns_of
from ladder.ratings.ledger import APPEND, NewLine, as_objects
from ladder.ratings.models import Rating, RatingSettings, model_of, score
from ladder.retention import MEGABYTE, retention_from

GATE_CLASS = 7_301_003
GATES = 16
"""At most this many transactions hold standings for a recording at the same time. A session has always the same gate,
so it may pass it again for its next matches."""


@dataclass(slots=True)
class HeldStanding:
    """A locked standing, how its league rates, and what this transaction `added` to its counts, but places.

    `score`: what boards rank by.
    """

    version_id: VersionId
    league_id: LeagueId
    mu: float
    sigma: float
    is_boss: bool
    settings: RatingSettings
    added: Record
    score: float = 0.0
    boss_wins: int = 0

    @property
    def rating(self) -> Rating:
        return Rating(self.mu, self.sigma)

    def count(self, place: int, others: Sequence[int], verdict: str) -> None:
        """Count a match: each opponent once, as beaten, level or ahead; among more than two players the place too."""
        below = sum(place < other for other in others)
        above = sum(place > other for other in others)
        self.added = self.added.plus(below, others.count(place), above, verdict)

    def columns(self) -> dict[str, Any]:
        names = ("version_id", "league_id", "mu", "sigma", "score", "boss_wins")
        more = {"further_opponents": self.added.met - self.added.matches, **columns_of(self.added)}
        return {name: getattr(self, name) for name in names} | more


Held: TypeAlias = Mapping[tuple[LeagueId, VersionId], HeldStanding]
"""The standings that this transaction has locked, by league and version."""


def lock(connection: Connection, claims: Iterable[MatchClaim]) -> Held:
    """Lock the standings of the matches' versions, by version, then league, as `lifecycle.lock_stays` does.

    A change of how a league rates holds their table, which is locked before any row: so settings stay as they are.
    """
    keys = sorted({(version_id, claim.league_id) for claim in claims for version_id in claim.version_ids})
    query = """
        SELECT held.version_id, held.league_id, held.mu, held.sigma,
               NOT held.is_rival AND held.league_id IS NOT DISTINCT FROM (
                   SELECT boss_of FROM bots
                   WHERE id = (SELECT bot_id FROM versions WHERE id = held.version_id)) AS is_boss,
               held.places, rating_system, leagues.mu, leagues.sigma, beta, tau,
               coalesce(draw_probability, game_draw_probability), score_formula
        FROM (SELECT pg_advisory_xact_lock(%s, pg_backend_pid() %% %s)) AS gate (is_passed)
        CROSS JOIN jsonb_to_recordset(%s) AS wanted (version_id bigint, league_id bigint)
        CROSS JOIN LATERAL (
            SELECT * FROM standings
            WHERE gate.is_passed IS NOT NULL AND version_id = wanted.version_id AND league_id = wanted.league_id
            FOR UPDATE) AS held
        JOIN leagues ON leagues.id = held.league_id
        """
    wanted = Jsonb([{"version_id": version_id, "league_id": league_id} for version_id, league_id in keys])
    return {
        (league_id, version_id): HeldStanding(
            version_id,
            league_id,
            mu,
            sigma,
            is_boss=is_boss,
            settings=RatingSettings(*settings),
            added=Record(places=tuple(places)),
        )
        for version_id, league_id, mu, sigma, is_boss, places, *settings in connection.execute(
            query, [GATE_CLASS, GATES, wanted]
        )
    }


# What changes is two objects: as arrays PostgreSQL would make a plan for each recording, by the numbers of their
# elements, which takes longer than what it does.
WRITE = f"""
    WITH written AS ({APPEND})
    UPDATE standings
    SET mu = new.mu, sigma = new.sigma, score = new.score, places = new.places,
        {", ".join(f"{name} = standings.{name} + new.{name}" for name in (*SUMS, "further_opponents", "boss_wins"))}
    FROM jsonb_populate_recordset(NULL::standings, %(standings)s) AS new
    WHERE standings.version_id = new.version_id AND standings.league_id = new.league_id
"""  # noqa: S608


def write(connection: Connection, held: Held, lines: Iterable[NewLine]) -> None:
    """Append the ledger lines and write the standings; as these are locked, the lines stand in the ratings' order."""
    standings = [standing.columns() for standing in held.values()]
    connection.execute(WRITE, {"lines": as_objects(lines), "standings": Jsonb(standings)})


@immutable
class MatchOver:
    """A match that is over and to be written down: as what it was claimed, how it ended, and how each seat did.

    `record`: its packed turns; `sandbox`: the tier it was played in; `limits`: of its time.
    """

    claim: MatchClaim
    reason: str
    turns: int
    record: bytes
    sandbox: str
    limits: TimeLimits
    seats: Sequence[SeatResult]


FINISH = f"""
    WITH finished AS (
        UPDATE matches
        SET state = 'finished', reason = %(reason)s, turns = %(turns)s, record = %(record)s,
            sandbox = %(sandbox)s, time_policy = %(time_policy)s, clock = %(clock)s,
            rules_level = %(rules_level)s, first_limit_ms = %(first_limit_ms)s, turn_limit_ms = %(turn_limit_ms)s,
            (host, fair_clock) = (SELECT host, fair_clock FROM workers WHERE id = matches.worker_id),
            lease_until = NULL, finished_at = now()
        WHERE id = %(id)s AND is_waiting(state) AND attempt = %(attempt)s
        RETURNING id, gauntlet_id, request_id),
    seated AS (
        UPDATE seats
        SET {", ".join(f"{column} = new.{column}" for column in COLUMNS)}
        FROM finished, jsonb_populate_recordset(NULL::seats, %(seats)s) AS new
        WHERE seats.match_id = finished.id AND seats.seat = new.seat)
    SELECT gauntlet_id, request_id FROM finished
"""  # noqa: S608


def finish_matches(connection: Connection, over: Sequence[MatchOver]) -> list[bool]:
    """Mark matches finished with their seats' ends; return whose claim held, also after losing its worker."""
    rows = [connection.execute(FINISH, columns_of_ending(match)).fetchone() for match in over]
    used = [
        {"gauntlet": row[0], "request": row[1], "cpu_us": sum(seat.cpu_us or 0 for seat in match.seats)}
        for row, match in zip(rows, over, strict=True)
        if row is not None and (row[0] is not None or row[1] is not None)
    ]
    if used:
        add_usage(connection, used)
    return [row is not None for row in rows]


def columns_of_ending(match: MatchOver) -> dict[str, Any]:
    claim = match.claim
    return {
        "id": claim.match_id,
        "attempt": claim.attempt,
        "reason": match.reason,
        "turns": match.turns,
        "record": match.record,
        "sandbox": match.sandbox,
        "time_policy": claim.conditions.time.policy.value,
        "clock": claim.conditions.time.clock.value,
        "rules_level": claim.rules_level,
        "first_limit_ms": match.limits.first_ms,
        "turn_limit_ms": match.limits.turn_ms,
        "seats": Jsonb([{"seat": seat, **seat_columns(result)} for seat, result in enumerate(match.seats)]),
    }


def seat_columns(result: SeatResult) -> dict[str, Any]:
    """Return a seat's columns as JSON can hold them. (To copy them all takes longer than to pack the match.)"""
    return {column: getattr(result, column) for column in COLUMNS} | {
        "message": without_nul(result.message),
        "stderr": rf"\x{result.stderr.hex()}",
        "metrics": {without_nul(key): without_nul(value) for key, value in result.metrics.items()},
    }


def add_usage(connection: Connection, used: Sequence[Mapping[str, int | None]]) -> None:
    """Add matches to what those who asked for them, where they are players, used in this hour: CPU time of all seats.

    `used`: of each match its gauntlet or request, and that time. Rows are taken in the order of players.
    """
    query = """
        INSERT INTO usage (player_id, hour, cpu_us, matches)
        SELECT players.id, date_trunc('hour', now(), 'UTC'), sum(cpu_us)::bigint, count(*)
        FROM jsonb_to_recordset(%(used)s) AS used (gauntlet bigint, request bigint, cpu_us bigint)
        CROSS JOIN LATERAL (
            SELECT id FROM players
            WHERE lower(name) = lower(coalesce((SELECT asked_by FROM gauntlets WHERE id = gauntlet),
                                               (SELECT asked_by FROM requests WHERE id = request)))
            OFFSET 0) AS players
        GROUP BY players.id
        ORDER BY players.id
        ON CONFLICT (player_id, hour)
        DO UPDATE SET cpu_us = usage.cpu_us + excluded.cpu_us, matches = usage.matches + excluded.matches
        """
    connection.execute(query, {"used": Jsonb(list(used))})


def record(connection: Connection, claim: MatchClaim, result: MatchResult) -> bool:
    return write_down(connection, summed_up(claim, result))


def summed_up(claim: MatchClaim, result: MatchResult) -> MatchOver:
    overruns = count_overruns(result, claim.conditions.time)
    return MatchOver(
        claim,
        reason=result.outcome.reason,
        turns=len(result.turns),
        record=pack(Recording(result.turns, result.rules_version, result.notes)),
        sandbox=result.sandbox,
        limits=result.spec.limits,
        seats=[seat_result(result, seat, overruns[seat]) for seat in range(claim.players)],
    )


def write_down(connection: Connection, match: MatchOver) -> bool:
    return write_all_down(connection, [match])[0]


def write_all_down(connection: Connection, over: Sequence[MatchOver]) -> list[bool]:
    """Record summed-up matches, all or none, by their ids, so that recordings do not block each other. See `record`."""
    places = sorted(range(len(over)), key=lambda place: over[place].claim.match_id)
    in_order = within_bound(connection, [over[place] for place in places])
    held = finish_matches(connection, in_order)
    rate_matches(connection, [match for match, is_held in zip(in_order, held, strict=True) if is_held])
    return [is_held for _, is_held in sorted(zip(places, held, strict=True))]


def within_bound(connection: Connection, over: Sequence[MatchOver]) -> list[MatchOver]:
    """Return the matches without what their bots wrote to stderr where that is more than is kept of a player's day."""
    written = [
        (version_id, len(seat.stderr))
        for match in over
        for version_id, seat in zip(match.claim.version_ids, match.seats, strict=True)
        if seat.stderr
    ]
    if not written:
        return list(over)
    too_many = beyond_bound(connection, written, retention_from().stderr_mb_per_day * MEGABYTE)
    return [without_stderr(match, too_many) for match in over] if too_many else list(over)


def without_stderr(match: MatchOver, version_ids: Container[VersionId]) -> MatchOver:
    seats = [
        replace(
            seat, stderr=b"", stderr_dropped_bytes=seat.stderr_dropped_bytes + len(unpacked_text(seat.stderr).encode())
        )
        if version_id in version_ids
        else seat
        for version_id, seat in zip(match.claim.version_ids, match.seats, strict=True)
    ]
    return replace(match, seats=seats)


def rate_matches(connection: Connection, finished: Sequence[MatchOver]) -> None:
    rating = [match for match in finished if match.claim.rates]
    if not rating:
        return
    held = lock(connection, [match.claim for match in rating])
    changes = [change for match in rating for change in rate(match, held)]
    write(connection, held, [line for line, _ in changes])
    for line, beats_boss in changes:
        if beats_boss:  # written down, as it stays when another bot becomes the boss
            query = "UPDATE seats SET beat_boss = true WHERE match_id = %s AND version_id = %s"
            connection.execute(query, [line.match_id, line.version_id])


def rate(match: MatchOver, held: Held) -> list[tuple[NewLine, bool]]:
    """Rate those who played a match; return each seat's ledger line, and whether it was placed before the boss."""
    claim = match.claim
    places = [seat.place for seat in match.seats]
    standings = [held[claim.league_id, version_id] for version_id in claim.version_ids]
    settings = standings[0].settings
    before = [standing.rating for standing in standings]
    after = model_of(settings).rate(before, places)
    bosses = [place for standing, place in zip(standings, places, strict=True) if standing.is_boss]
    changes: list[tuple[NewLine, bool]] = []
    for seat, (standing, old, new) in enumerate(zip(standings, before, after, strict=True)):
        beats_boss = any(places[seat] < boss for boss in bosses)
        standing.mu, standing.sigma = new.mu, new.sigma
        standing.score = score(settings, new)
        standing.boss_wins += beats_boss
        standing.count(places[seat], places[:seat] + places[seat + 1 :], match.seats[seat].verdict)
        line = NewLine(claim.match_id, standing.version_id, claim.league_id, old.mu, old.sigma, new.mu, new.sigma)
        changes.append((line, beats_boss))
    return changes
