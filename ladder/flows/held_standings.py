"""Standings that a recording has locked: what its matches add to them, and writing that down with their ledger lines.

How this works. The way to the server and back takes as long as what is done there. So one statement locks the standings
of all matches that are recorded together; what each match changes is added up here; and one statement writes it all.

Where many record at the same time, each holds standings that others wait for, and all wait for processor time, so each
holds them for longer. Therefore only some do: the others wait at a gate before they hold any.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from psycopg.types.json import Jsonb

from ladder.database.connection import Connection
from ladder.ids import LeagueId, MatchId, VersionId
from ladder.matches.claims import MatchClaim
from ladder.ratings.models import Rating, RatingSettings

GATE_CLASS = 7_301_003
GATES = 16
"""At most this many transactions hold standings for a recording at the same time. A session has always the same gate,
so it may pass it again for its next matches."""


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """What a match changed in a version's rating."""

    match_id: MatchId
    version_id: VersionId
    league_id: LeagueId
    mu_before: float
    sigma_before: float
    mu_after: float
    sigma_after: float


@dataclass(slots=True)
class HeldStanding:
    """A locked standing: how it is by now, and what the matches of this transaction add to its counts.

    `score`: what the board ranks by; `places`: how often it took each place in matches of more than two.
    """

    version_id: VersionId
    league_id: LeagueId
    mu: float
    sigma: float
    is_boss: bool
    places: list[int]
    score: float = 0.0
    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    further_opponents: int = 0
    timeouts: int = 0
    faults: int = 0
    boss_wins: int = 0

    @property
    def rating(self) -> Rating:
        """How good the version is thought to be by now."""
        return Rating(self.mu, self.sigma)

    def count(self, place: int, others: Sequence[int], verdict: str) -> None:
        """Count a match: each opponent once, as beaten, level or ahead; among more than two players the place too."""
        self.matches += 1
        self.wins += sum(place < other for other in others)
        self.draws += others.count(place)
        self.losses += sum(place > other for other in others)
        self.further_opponents += len(others) - 1
        self.timeouts += verdict == "timeout"
        self.faults += verdict not in {"ok", "timeout"}
        if len(others) > 1:
            self.places += [0] * (place - len(self.places))
            self.places[place - 1] += 1


@dataclass(frozen=True, slots=True)
class HeldStandings:
    """The standings that this transaction has locked, by league and version, and how each league rates."""

    standings: dict[tuple[LeagueId, VersionId], HeldStanding]
    settings: dict[LeagueId, RatingSettings]


def lock(connection: Connection, claims: Iterable[MatchClaim]) -> HeldStandings:
    """Lock the standings of the matches' versions, all in one order so that no two recordings wait for each other.

    It is the order of `ladder.promotions.membership.lock_stays`: of version, then league. A change of how a league
    rates holds the table of standings (see `ladder.ratings.standings.hold`); PostgreSQL locks a statement's tables
    before it looks at any row, so the settings are those that hold until this transaction ends.
    """
    wanted = sorted({(version_id, claim.league_id) for claim in claims for version_id in claim.version_ids})
    rows = connection.execute(
        """
        SELECT held.version_id, held.league_id, held.mu, held.sigma,
               NOT held.is_rival AND held.league_id IS NOT DISTINCT FROM (
                   SELECT boss_of FROM bots
                   WHERE id = (SELECT bot_id FROM versions WHERE id = held.version_id)) AS is_boss,
               held.places, rating_system, leagues.mu, leagues.sigma, beta, tau,
               coalesce(draw_probability, game_draw_probability), score_formula
        FROM (SELECT pg_advisory_xact_lock(%(gate_class)s, pg_backend_pid() %% %(gates)s)) AS gate (is_passed)
        CROSS JOIN jsonb_to_recordset(%(wanted)s) AS wanted (version_id bigint, league_id bigint)
        CROSS JOIN LATERAL (
            SELECT * FROM standings
            WHERE gate.is_passed IS NOT NULL AND version_id = wanted.version_id AND league_id = wanted.league_id
            FOR UPDATE) AS held
        JOIN leagues ON leagues.id = held.league_id
        """,
        {
            "wanted": Jsonb([{"version_id": version_id, "league_id": league_id} for version_id, league_id in wanted]),
            "gate_class": GATE_CLASS,
            "gates": GATES,
        },
    ).fetchall()
    return HeldStandings(
        {(row[1], row[0]): HeldStanding(*row[:6]) for row in rows},
        {row[1]: RatingSettings(*row[6:]) for row in rows},
    )


# What changes is two objects: as arrays PostgreSQL would make a plan for each recording, by the numbers of their
# elements, which takes longer than what it does.
WRITE = """
    WITH written AS (
        INSERT INTO ledger (match_id, version_id, league_id, mu_before, sigma_before, mu_after, sigma_after)
        SELECT match_id, version_id, league_id, mu_before, sigma_before, mu_after, sigma_after
        FROM ROWS FROM (jsonb_to_recordset(%(lines)s) AS (
            match_id bigint, version_id bigint, league_id bigint,
            mu_before float8, sigma_before float8, mu_after float8, sigma_after float8)) WITH ORDINALITY
        ORDER BY ordinality)
    UPDATE standings
    SET mu = new.mu, sigma = new.sigma, score = new.score, places = new.places,
        matches = standings.matches + new.matches, wins = standings.wins + new.wins,
        draws = standings.draws + new.draws, losses = standings.losses + new.losses,
        further_opponents = standings.further_opponents + new.further_opponents,
        timeouts = standings.timeouts + new.timeouts, faults = standings.faults + new.faults,
        boss_wins = standings.boss_wins + new.boss_wins
    FROM jsonb_to_recordset(%(standings)s) AS new (
        version_id bigint, league_id bigint, mu float8, sigma float8, places int[], score float8, matches int, wins int,
        draws int, losses int, further_opponents int, timeouts int, faults int, boss_wins int)
    WHERE standings.version_id = new.version_id AND standings.league_id = new.league_id
"""


def mark_wins(connection: Connection, winners: Iterable[LedgerLine]) -> None:
    """Mark the seats of those that were placed before their league's boss: that stays when another bot becomes it."""
    for line in winners:
        connection.execute(
            "UPDATE seats SET beat_boss = true WHERE match_id = %(match)s AND version_id = %(version)s",
            {"match": line.match_id, "version": line.version_id},
        )


def write(connection: Connection, held: HeldStandings, lines: Iterable[LedgerLine]) -> None:
    """Append the ledger lines and write the standings; as these are locked, the lines stand in the ratings' order."""
    connection.execute(
        WRITE,
        {
            "lines": Jsonb([columns(line, LINE_COLUMNS) for line in lines]),
            "standings": Jsonb([columns(standing, STANDING_COLUMNS) for standing in held.standings.values()]),
        },
    )


LINE_COLUMNS = [column.name for column in fields(LedgerLine)]
STANDING_COLUMNS = [column.name for column in fields(HeldStanding) if column.name != "is_boss"]


def columns(row: LedgerLine | HeldStanding, names: Iterable[str]) -> dict[str, Any]:
    """Return columns as JSON can hold them."""
    return {name: getattr(row, name) for name in names}
